/* SPDX-License-Identifier: MIT */
#include "kernel/firmware/firmware_calls.h"
#include "kernel/cpu/world.h"

static struct machine *machine;

/* The value of an expression evaluated in the firmware's world. */
#define IN_FIRMWARE(expression)                                                                    \
	({                                                                                         \
		world_enter_firmware();                                                            \
		__auto_type r_ = (expression);                                                     \
		world_enter_ours();                                                                \
		r_;                                                                                \
	})

void firmware_use(struct machine *m)
{
	machine = m;
}

bool firmware_lives(void)
{
	return world.firmware_lives;
}

void firmware_print(const char *text, size_t n)
{
	world_enter_firmware();
	machine->print(text, n);
	world_enter_ours();
}

bool firmware_key(void)
{
	return IN_FIRMWARE(machine->key());
}

void firmware_stall(unsigned microseconds)
{
	world_enter_firmware();
	machine->stall(microseconds);
	world_enter_ours();
}

uint64_t firmware_file_create(const char *name)
{
	return IN_FIRMWARE(machine->file_create(name));
}

uint64_t firmware_file_append(const void *data, size_t n)
{
	return IN_FIRMWARE(machine->file_append(data, n));
}

uint64_t firmware_file_close(void)
{
	return IN_FIRMWARE(machine->file_close());
}

uint64_t firmware_file_compare(const char *name, const void *data, size_t n, bool *same)
{
	return IN_FIRMWARE(machine->file_compare(name, data, n, same));
}

bool firmware_file_exists(const char *name)
{
	return IN_FIRMWARE(machine->file_exists(name));
}

uint64_t firmware_cpu_start(unsigned cpu, void (*fn)(void *), void *arg)
{
	return IN_FIRMWARE(machine->cpu_start(cpu, fn, arg));
}

bool firmware_cpu_done(unsigned cpu)
{
	return IN_FIRMWARE(machine->cpu_done(cpu));
}

uint64_t firmware_exit(void)
{
	uint64_t status;

	world_enter_firmware();
	status = machine->exit_boot_services(machine);
	world_enter_ours();
	if (status == 0)
		world_firmware_gone(machine);
	return status;
}

uint64_t firmware_variable_get(const char *name, void *data, size_t *n)
{
	return IN_FIRMWARE(machine->variable_get(name, data, n));
}

uint64_t firmware_variable_set(const char *name, const void *data, size_t n)
{
	return IN_FIRMWARE(machine->variable_set(name, data, n));
}

uint64_t firmware_boot_next(uint16_t option)
{
	return IN_FIRMWARE(machine->boot_next(option));
}

void firmware_reset(enum reset_kind kind)
{
	world_enter_firmware();
	machine->reset(kind);
	world_enter_ours();
}
