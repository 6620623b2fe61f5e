/* SPDX-License-Identifier: MIT */
#include "kernel/firmware/runtime_call.h"

#include "kernel/cpu/boot_cpu.h"
#include "kernel/memory/address_space.h"
#include "engine/room.h"
#include "lib/text.h"

#define LINE             80
#define PAGE_FAULT_FETCH 16 /* of the error code (SDM vol. 3A 4.7) */

struct context runtime_context;

static const struct machine *machine;
static void (*say)(const char *line);
static bool forbidden;

/* The call that runs, or the last one. */
static struct {
	bool runs;
	const char *name;
	const struct context *recovery; /* of whoever called */
	unsigned pages;                 /* mapped for it */
	uint64_t first, last;           /* of these */
} call;

void runtime_open(const struct machine *m, void (*say_line)(const char *line))
{
	machine = m;
	say = say_line;
}

void runtime_begin(void)
{
	address_space_build_runtime(machine);
}

bool runtime_usable(void)
{
	return !forbidden;
}

void runtime_forbid(void)
{
	forbidden = true;
}

void runtime_enter(const char *name)
{
	call.runs = true;
	call.name = name;
	call.pages = 0;
	call.last = UINT64_MAX;
	call.recovery = fault_recover_to(&runtime_context);
	fault_during(name);
	write_cr3((uint64_t)address_space.runtime.root);
	reset_floating_point();
}

/* A second fault on the page that was mapped last has another cause. */
bool runtime_mend(const struct frame *f)
{
	uint64_t page = read_cr2() & -PAGE_4K;

	if (!call.runs || page == call.last || call.pages == RUNTIME_PAGES_MAX ||
		!address_space_add_runtime(machine, page, f->error & PAGE_FAULT_FETCH))
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

void runtime_leave(bool faulted)
{
	call.runs = false;
	cpu_state_enter_kernel(&boot_cpu.kernel, &boot_cpu.descriptors);
	reset_floating_point();
	fault_recover_to(call.recovery);
	fault_during(NULL);
	report(faulted);
	forbidden |= faulted;
}
