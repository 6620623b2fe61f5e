/* SPDX-License-Identifier: MIT */
#include "kernel/firmware/firmware_calls.h"
#include "kernel/cpu/context.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/memory/address_space.h"
#include "engine/room.h"
#include "lib/text.h"

#define LINE             80
#define PAGE_FAULT_FETCH 16 /* of the error code (SDM vol. 3A 4.7) */

/* Most pages mapped for one call; a call that needs more has run wild. */
#define RUNTIME_PAGES_MAX 256

static struct machine *machine;
static void (*say)(const char *line);
static bool forbidden; /* only reset may be called: a service faulted, or it was asked for */

/*
 * The guard around a runtime service that is called after ExitBootServices, when nobody else
 * catches its faults. The service runs on page tables of its own (kernel/memory/address_space.h).
 * If it touches a page that is not mapped there, the page is mapped and counted, and the access
 * tried again; as in Linux (efi_crash_gracefully_on_page_fault() in arch/x86/platform/efi/quirks.c)
 * any other fault ends the call, and then no service but the reset is called again: the firmware's
 * state is unknown. A call that never returns cannot be ended: interrupts are off, and much
 * firmware stores variables in system management mode, which masks NMIs, too.
 */

/* The running call, or the last one. */
static struct {
	bool runs;
	const char *name;
	const struct context *recovery; /* the caller's recovery point */
	struct context context;         /* a fault ends the call there */
	unsigned pages;                 /* pages mapped for this call */
	uint64_t first, last;           /* the first and the last of them */
} call;

/* Enter the state in which a service runs. */
static void runtime_enter(const char *name)
{
	call.runs = true;
	call.name = name;
	call.pages = 0;
	call.last = UINT64_MAX;
	call.recovery = fault_recover_to(&call.context);
	fault_during(name);
	write_cr3((uint64_t)address_space.runtime.root);
	reset_floating_point();
}

/*
 * Map the page that the service touched. A second fault on the page mapped last has another cause.
 */
bool runtime_mend(const struct frame *f)
{
	uint64_t page = read_cr2() & -PAGE_4K;

	if (!call.runs || page == call.last || call.pages == RUNTIME_PAGES_MAX ||
		!address_space_add_runtime(page, f->error & PAGE_FAULT_FETCH))
		return false;
	if (!call.pages++)
		call.first = page;
	call.last = page;
	return true;
}

static void report(bool faulted)
{
	char line[LINE];

	if (call.pages) {
		text_format(line, sizeof line,
			"the firmware's %s used %u page(s) not asked for, from %llx", call.name,
			call.pages, (unsigned long long)call.first);
		say(line);
	}
	if (faulted) {
		text_format(line, sizeof line, "the firmware's %s faulted:", call.name);
		say(line);
		text_format(line, sizeof line, "  %s", fault_summary());
		say(line);
	}
}

/* Enter the kernel's state again, and report what was out of order. */
static void runtime_leave(bool faulted)
{
	call.runs = false;
	cpu_state_enter_kernel(&boot_cpu.kernel, &boot_cpu.descriptors);
	reset_floating_point();
	fault_recover_to(call.recovery);
	fault_during(NULL);
	report(faulted);
	forbidden |= faulted;
}

/*
 * RUNTIME_CALL("SetVariable", expression) is the expression's value, an EFI status, or
 * EFI_STATUS_FAULTED.
 */
#define RUNTIME_CALL(name, expression)                                                             \
	({                                                                                         \
		volatile uint64_t status_ = EFI_STATUS_FAULTED;                                    \
		runtime_enter(name);                                                               \
		if (!context_save(&call.context))                                                  \
			status_ = (expression);                                                    \
		runtime_leave(status_ == EFI_STATUS_FAULTED);                                      \
		status_;                                                                           \
	})

/* The value of an expression evaluated in the firmware's state. */
#define BY_FIRMWARE(expression)                                                                    \
	({                                                                                         \
		switch_to_firmware();                                                              \
		__auto_type r_ = (expression);                                                     \
		switch_to_kernel();                                                                \
		r_;                                                                                \
	})

/* The value of an expression that calls a runtime service, at any time. */
#define BY_RUNTIME(name, expression)                                                               \
	(boot_cpu.boot_services      ? BY_FIRMWARE(expression)                                     \
			: !forbidden ? RUNTIME_CALL(name, expression)                              \
				     : EFI_STATUS_NOT_CALLED)

void firmware_use(struct machine *m, void (*say_line)(const char *line))
{
	machine = m;
	say = say_line;
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

bool firmware_stall(unsigned microseconds)
{
	if (!machine->stall)
		return false;
	switch_to_firmware();
	machine->stall(microseconds);
	switch_to_kernel();
	return true;
}

uint64_t firmware_watchdog(unsigned seconds)
{
	return BY_FIRMWARE(machine->watchdog(seconds));
}

static uint64_t file_create(const char *name)
{
	return BY_FIRMWARE(machine->file_create(name));
}

static uint64_t file_append(const void *data, size_t n)
{
	return BY_FIRMWARE(machine->file_append(data, n));
}

static uint64_t file_close(void)
{
	return BY_FIRMWARE(machine->file_close());
}

static uint64_t file_compare(const char *name, const void *data, size_t n, enum file_match *match)
{
	return BY_FIRMWARE(machine->file_compare(name, data, n, match));
}

static uint64_t file_read(const char *name, void *data, size_t *n)
{
	return BY_FIRMWARE(machine->file_read(name, data, n));
}

static uint64_t file_delete(const char *name)
{
	return BY_FIRMWARE(machine->file_delete(name));
}

static bool file_look_again(void)
{
	return BY_FIRMWARE(machine->file_look_again());
}

static bool file_next_place(void)
{
	return BY_FIRMWARE(machine->file_next_place());
}

static bool file_exists(const char *name)
{
	return BY_FIRMWARE(machine->file_exists(name));
}

static bool file_before(const char *name, const char *part, char *out, size_t bytes)
{
	return BY_FIRMWARE(machine->file_before(name, part, out, bytes));
}

static uint64_t state_read(void *data, size_t *n)
{
	return BY_FIRMWARE(machine->state_read(data, n));
}

static uint64_t state_write(const void *data, size_t n)
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
		address_space_build_runtime();
	}
	return status;
}

void firmware_forbid_variables(void)
{
	forbidden = true;
}

static uint64_t variable_get(const char *name, void *data, size_t *n)
{
	return BY_RUNTIME("GetVariable", machine->variable_get(name, data, n));
}

static uint64_t variable_set(const char *name, const void *data, size_t n)
{
	return BY_RUNTIME("SetVariable", machine->variable_set(name, data, n));
}

static uint64_t ask_store(struct variable_store *s)
{
	machine->store_query(s);
	return 0;
}

static void store_query(struct variable_store *s)
{
	BY_RUNTIME("QueryVariableInfo", ask_store(s));
}

static uint64_t boot_next(void)
{
	return BY_RUNTIME("SetVariable", machine->boot_next());
}

static uint64_t setup_next(void)
{
	return BY_RUNTIME("SetVariable", machine->setup_next());
}

const struct storage firmware_storage = {
	.get = variable_get,
	.set = variable_set,
	.file_create = file_create,
	.file_append = file_append,
	.file_close = file_close,
	.file_compare = file_compare,
	.file_read = file_read,
	.file_delete = file_delete,
	.file_next_place = file_next_place,
	.file_look_again = file_look_again,
	.file_exists = file_exists,
	.file_before = file_before,
	.state_read = state_read,
	.state_write = state_write,
	.query = store_query,
	.boot_next = boot_next,
	.setup_next = setup_next,
	.boot_services = boot_services_active,
};

/* Returns 0 if the reset returns: the reason is unknown. */
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
