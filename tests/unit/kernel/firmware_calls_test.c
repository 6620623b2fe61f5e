/* SPDX-License-Identifier: MIT */
/* The state around a runtime service after the exit: its own in it, the kernel's behind it. */
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/fault.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/memory/address_space.h"
#include "tests/unit/test.h"

/* What a service changes, and what the kernel's state is. */
static struct {
	uint64_t tables; /* the root that is loaded */
	bool clean;      /* x87, MXCSR and the direction of strings are as C wants them */
	const struct context *recovery;
	const char *during;
} cpu;

static const struct context outer; /* where a fault of the kernel ends */
static unsigned calls, faults, wants_pages;
static uint64_t touched;
static char said[512];

static void load_tables(uint64_t root)
{
	cpu.tables = root;
	cpu.clean = false; /* by whoever was there before */
}

static void enter_kernel(const struct control_registers *c, struct descriptors *d)
{
	load_tables(c->cr3);
}

static void make_clean(void)
{
	cpu.clean = true;
}

static const struct context *recover_to(const struct context *c)
{
	const struct context *was = cpu.recovery;

	cpu.recovery = c;
	return was;
}

static void note_step(const char *what)
{
	cpu.during = what;
}

static uint64_t touched_address(void)
{
	return touched;
}

static bool add_page(uint64_t page, bool fetch)
{
	assert_int_equal(touched & -4096ULL, page);
	return page < 1ULL << 40;
}

static const char *summary(void)
{
	return "general protection";
}

#define write_cr3                 load_tables
#define cpu_state_enter_kernel    enter_kernel
#define reset_floating_point      make_clean
#define fault_recover_to          recover_to
#define fault_during              note_step
#define read_cr2                  touched_address
#define address_space_add_runtime add_page
#define fault_summary             summary
#include "kernel/firmware/firmware_calls.c"

static void hear(const char *line)
{
	strcat(strcat(said, line), "\n");
}

/* A variable service: it touches so many pages that are not mapped, and then faults or returns. */
static uint64_t get(const char *name, void *data, size_t *n)
{
	static const struct frame frame;

	calls++;
	assert_int_equal(0x9000, cpu.tables);
	assert_true(cpu.clean);
	assert_ptr_equal(&call.context, cpu.recovery);
	assert_string_equal("GetVariable", cpu.during);
	for (unsigned i = 0; i < wants_pages; i++) {
		touched = 0x50000 + 4096 * i;
		assert_true(runtime_mend(&frame));
		assert_false(runtime_mend(&frame)); /* the same page again has another cause */
	}
	touched = 1ULL << 50;
	assert_false(runtime_mend(&frame));
	cpu.clean = false;
	if (faults)
		context_restore(cpu.recovery);
	return 14;
}

static struct machine m = { .variable_get = get };

static uint64_t ask(void)
{
	size_t n = 0;

	said[0] = 0;
	uint64_t status = firmware_storage.get("name", NULL, &n);

	assert_int_equal(0x1000, cpu.tables);
	assert_true(cpu.clean);
	assert_ptr_equal(&outer, cpu.recovery);
	assert_null(cpu.during);
	assert_false(call.runs);
	return status;
}

BEFORE_EACH(after_the_exit)
{
	firmware_use(&m, hear);
	boot_cpu.boot_services = false;
	boot_cpu.kernel.cr3 = 0x1000;
	address_space.runtime.root = (void *)0x9000;
	memset(&cpu, 0, sizeof cpu);
	cpu.tables = 0x1000;
	cpu.clean = true;
	cpu.recovery = &outer;
	calls = faults = wants_pages = 0;
}

TEST(the_kernels_state_is_as_before)
{
	assert_int_equal(14, ask());
	assert_string_equal("", said);
	wants_pages = 2;
	assert_int_equal(14, ask());
	assert_string_equal("the firmware's GetVariable used 2 page(s) not asked for, from 50000\n",
		said);
	assert_int_equal(2, calls);
	assert_false(runtime_mend(NULL)); /* only while one runs */
}

/* After a fault no service is called again. */
TEST(after_a_fault_as_well)
{
	faults = 1;
	assert_int_equal(EFI_STATUS_FAULTED, ask());
	assert_string_equal("the firmware's GetVariable faulted:\n  general protection\n", said);
	assert_int_equal(EFI_STATUS_NOT_CALLED, ask());
	assert_int_equal(1, calls);
}
