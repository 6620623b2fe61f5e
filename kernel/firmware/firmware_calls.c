/* SPDX-License-Identifier: MIT */
#include "kernel/firmware/firmware_calls.h"
#include "kernel/cpu/boot_cpu.h"
#include "kernel/firmware/runtime_call.h"

static struct machine *machine;

/* The value of an expression evaluated in the firmware's state. */
#define BY_FIRMWARE(expression)                                                                    \
	({                                                                                         \
		switch_to_firmware();                                                              \
		__auto_type r_ = (expression);                                                     \
		switch_to_kernel();                                                                \
		r_;                                                                                \
	})

/* The same for a runtime service, at any time. */
#define BY_RUNTIME(name, expression)                                                               \
	(boot_cpu.boot_services            ? BY_FIRMWARE(expression)                               \
			: runtime_usable() ? RUNTIME_CALL(name, expression)                        \
					   : EFI_STATUS_NOT_CALLED)

void firmware_use(struct machine *m, void (*say)(const char *line))
{
	machine = m;
	runtime_open(m, say);
}

bool boot_services_active(void)
{
	return boot_cpu.boot_services;
}

bool firmware_has_console(void)
{
	return machine->has_console;
}

void firmware_print(const char *text, size_t n)
{
	switch_to_firmware();
	machine->print(text, n);
	switch_to_kernel();
}

bool firmware_display_take(void)
{
	switch_to_firmware();
	bool taken = machine->display_take();
	switch_to_kernel();

	return taken;
}

void firmware_display_give_back(void)
{
	switch_to_firmware();
	machine->display_give_back();
	switch_to_kernel();
}

void firmware_display_show(const struct area *a)
{
	switch_to_firmware();
	machine->display_show((unsigned)a->x, (unsigned)a->y, (unsigned)a->width,
		(unsigned)a->height);
	switch_to_kernel();
}

bool firmware_has_keys(void)
{
	return machine->has_keys;
}

unsigned firmware_key(void)
{
	return BY_FIRMWARE(machine->key());
}

void firmware_stall(unsigned microseconds)
{
	switch_to_firmware();
	machine->stall(microseconds);
	switch_to_kernel();
}

uint64_t firmware_file_create(const char *name)
{
	return BY_FIRMWARE(machine->file_create(name));
}

uint64_t firmware_file_append(const void *data, size_t n)
{
	return BY_FIRMWARE(machine->file_append(data, n));
}

uint64_t firmware_file_close(void)
{
	return BY_FIRMWARE(machine->file_close());
}

uint64_t firmware_file_compare(const char *name, const void *data, size_t n, enum file_match *match)
{
	return BY_FIRMWARE(machine->file_compare(name, data, n, match));
}

uint64_t firmware_file_read(const char *name, void *data, size_t *n)
{
	return BY_FIRMWARE(machine->file_read(name, data, n));
}

uint64_t firmware_file_delete(const char *name)
{
	return BY_FIRMWARE(machine->file_delete(name));
}

bool firmware_file_next_place(void)
{
	return BY_FIRMWARE(machine->file_next_place());
}

bool firmware_file_exists(const char *name)
{
	return BY_FIRMWARE(machine->file_exists(name));
}

uint64_t firmware_state_read(void *data, size_t *n)
{
	return BY_FIRMWARE(machine->state_read(data, n));
}

uint64_t firmware_state_write(const void *data, size_t n)
{
	return BY_FIRMWARE(machine->state_write(data, n));
}

unsigned firmware_cpus(void)
{
	return BY_FIRMWARE(machine->cpus());
}

uint64_t firmware_cpu_start(unsigned cpu, void (*fn)(void *), void *arg)
{
	return BY_FIRMWARE(machine->cpu_start(cpu, fn, arg));
}

bool firmware_cpu_done(unsigned cpu)
{
	return BY_FIRMWARE(machine->cpu_done(cpu));
}

uint64_t firmware_exit_boot_services(void)
{
	uint64_t status;

	switch_to_firmware();
	status = machine->exit_boot_services(machine);
	switch_to_kernel();
	if (status == 0) {
		boot_cpu.boot_services = false;
		runtime_begin();
	}
	return status;
}

void firmware_forbid_variables(void)
{
	runtime_forbid();
}

uint64_t firmware_variable_get(const char *name, void *data, size_t *n)
{
	return BY_RUNTIME("GetVariable", machine->variable_get(name, data, n));
}

uint64_t firmware_variable_set(const char *name, const void *data, size_t n)
{
	return BY_RUNTIME("SetVariable", machine->variable_set(name, data, n));
}

static uint64_t query(struct variable_store *s)
{
	machine->store_query(s);
	return 0;
}

void firmware_store_query(struct variable_store *s)
{
	BY_RUNTIME("QueryVariableInfo", query(s));
}

uint64_t firmware_boot_next(void)
{
	return BY_RUNTIME("SetVariable", machine->boot_next());
}

/* The value of a reset that returns: nothing is known of why. */
static uint64_t reset(enum reset_kind kind)
{
	machine->reset(kind);
	return 0;
}

void firmware_reset(enum reset_kind kind)
{
	if (boot_cpu.boot_services)
		BY_FIRMWARE(reset(kind));
	else
		RUNTIME_CALL("ResetSystem", reset(kind));
}

static uint64_t write8(uint64_t address, uint8_t value)
{
	*(volatile uint8_t *)address = value;
	return 0;
}

void firmware_write8(uint64_t address, uint8_t value)
{
	if (boot_cpu.boot_services)
		BY_FIRMWARE(write8(address, value));
	else
		RUNTIME_CALL("register", write8(address, value));
}
