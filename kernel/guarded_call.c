/* SPDX-License-Identifier: MIT */
#include "kernel/guarded_call.h"

#include <string.h>

#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/fault.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/x86.h"
#include "kernel/memory/address_space.h"
#include "kernel/smp/apic.h"

#define APIC_PAGE 0xfffffffff000ULL /* the address in the APIC's base register */

/*
 * Restore the processor's state. CR0 and the IDT come first: without them C's own instructions may
 * raise exceptions. CR4 comes before CR3: with PCIDE set, loading CR3 would keep TLB entries of the
 * code's page tables.
 */
static void put_back(const struct cpu_state *was)
{
	struct cpu_state is;

	write_cr0(was->control.cr0);
	load_idt(&was->idt);
	reset_floating_point();
	cpu_state_read(&is);
	if (is.control.cr4 != was->control.cr4)
		write_cr4(was->control.cr4);
	write_cr3(was->control.cr3);
	if (is.control.xcr0 != was->control.xcr0)
		cpu_set_xcr0(was->control.xcr0);
	if (is.gdt.base != was->gdt.base || is.gdt.limit != was->gdt.limit)
		load_gdt(&was->gdt);
	if (memcmp(&is.segments, &was->segments, sizeof is.segments) != 0)
		load_segments(was->segments);
}

int guard(struct room *room, loop_fn *loop, const uint64_t args[LOOP_ARGS], double most_ns,
	const struct arena *writable, struct timed *t, struct escape *out)
{
	const struct span memory = { (uint64_t)writable->base, writable->bytes };
	uint64_t confined = address_space_confine(&memory, writable->page_bytes,
		rdmsr(MSR_APIC_BASE) & APIC_PAGE);
	struct cpu_state was;

	(void)room;
	cpu_state_read(&was);
	bool alarm = apic_alarm_set((uint64_t)(most_ns / 1e9 * tsc_per_second));

	if (confined)
		write_cr3(confined);
	if (alarm)
		sti();
	const struct escape *escape = fault_try(loop, args, t);

	cli();
	put_back(&was);
	if (alarm)
		apic_alarm_clear();
	if (!escape)
		return 0;
	*out = *escape;
	return -1;
}
