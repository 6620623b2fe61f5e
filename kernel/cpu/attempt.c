/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/attempt.h"
#include "kernel/cpu/fault.h"
#include "kernel/cpu/x86.h"

/* What was loaded before the loop, and where a fault led to: they outlive the jump back. */
static struct {
	struct context here;
	const struct context *outer;
	uint64_t cr3, cr4;
} before;

const char *loop_attempt(loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	before.cr3 = read_cr3();
	before.cr4 = read_cr4();
	if (context_save(&before.here)) {
		write_cr4(before.cr4); /* without PCIDE, which CR3 below must not have */
		write_cr3(before.cr3);
		fault_recover_to(before.outer);
		return fault_name(fault_vector());
	}
	before.outer = fault_recover_to(&before.here);
	loop(a[0], a[1], a[2], a[3], a[4], a[5]);
	fault_recover_to(before.outer);
	return NULL;
}
