/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/x86.h"
#include "kernel/smp/idle.h"

/* MONITOR, MWAIT and CPUID 5: Intel SDM vol. 2 and vol. 3A 10.10; AMD APM vol. 3. */

#define HAS_MONITOR   (1 << 3) /* CPUID 1 ECX */
#define INVARIANT_TSC (1 << 8) /* CPUID 80000007h EDX */
#define EXTENSIONS    1        /* CPUID 5 ECX: EDX lists the states */

#define STATES 8 /* states in CPUID 5 EDX: 4 bits each, the number of sub-states */

/*
 * Processors of Intel's family 6 on which a store may fail to end MWAIT: APL30 (5Ch), ICX143 (6Ah),
 * LNL030 (BDh), as in Xen's probe_mwait_errata, which wakes them by an interrupt; and AAI65 (1Dh,
 * 2Eh, 2Fh), as in Linux's X86_BUG_CLFLUSH_MONITOR.
 */
static const uint8_t deaf_models[] = { 0x5c, 0x6a, 0xbd, 0x1d, 0x2e, 0x2f };

static bool is_deaf(const struct cpu_ops *cpu)
{
	uint32_t signature = cpu_leaf(cpu, 1).eax;
	unsigned model = (signature >> 4 & 15) | (signature >> 12 & 0xf0);

	if (cpu_vendor(cpu) != VENDOR_INTEL || (signature >> 8 & 15) != 6)
		return false;
	for (size_t i = 0; i < sizeof deaf_models; i++)
		if (model == deaf_models[i])
			return true;
	return false;
}

/*
 * The hint of the deepest state, its first sub-state as in Linux's intel_idle; 0: there is none
 * beyond C1. The processor replaces a state that the firmware does not allow by a lesser one.
 */
static uint32_t deepest_hint(const struct cpu_ops *cpu)
{
	struct cpuid five = cpu_leaf(cpu, 5);
	uint32_t hint = 0;

	if (!(five.ecx & EXTENSIONS))
		return 0;
	for (unsigned state = 2; state < STATES; state++)
		if (five.edx >> 4 * state & 15)
			hint = (state - 1) << 4;
	return hint;
}

struct idle idle_choose(const struct cpu_ops *cpu, enum idle_choice asked)
{
	uint32_t hint = deepest_hint(cpu);

	if (asked == IDLE_PAUSE)
		return (struct idle){ IDLE_WAY_PAUSE, 0, NULL };
	if (!(cpu_leaf(cpu, 1).ecx & HAS_MONITOR))
		return (struct idle){ IDLE_WAY_HALT, 0, "no mwait here" };
	if (is_deaf(cpu))
		return (struct idle){ IDLE_WAY_HALT, 0, "an erratum of this model's mwait" };
	if (asked == IDLE_MWAIT)
		return (struct idle){ IDLE_WAY_MWAIT, 0, NULL };
	if (!hint)
		return (struct idle){ IDLE_WAY_MWAIT, 0, "CPUID lists no state beyond C1" };
	if (!(cpu_leaf(cpu, 0x80000007).edx & INVARIANT_TSC))
		return (struct idle){ IDLE_WAY_MWAIT, 0, "its TSC may stop in such a state" };
	return (struct idle){ IDLE_WAY_DEEP, hint, NULL };
}

/*
 * Halt while the two are equal, until an NMI: it is taken also while interrupts are off, and ends
 * hlt (HLT in Intel SDM vol. 2A and in AMD APM vol. 3). An interrupt would need sti, which would
 * let in all others that the firmware left pending.
 */
void halt_until_nmi(const volatile uint64_t *requested, const volatile uint64_t *completed);
extern const unsigned char halt_done[];
__asm__(".pushsection .text\n"
	"	.globl halt_until_nmi, halt_done\n"
	"halt_until_nmi:\n"
	"	mov (%rsi), %rax\n"
	"	cmp %rax, (%rdi)\n"
	"	jne halt_done\n"
	"	hlt\n"
	"halt_done:\n"
	"	ret\n"
	".popsection");

/*
 * The NMI may have come before any instruction of halt_until_nmi but the last: then the comparison
 * is out of date, and hlt would wait for an NMI that has come already.
 */
void idle_nmi(struct frame *f)
{
	if (f->rip - (uint64_t)halt_until_nmi <
		(uint64_t)(halt_done - (const unsigned char *)halt_until_nmi))
		f->rip = (uint64_t)halt_done;
}

void idle_wait(const struct idle *idle, const volatile uint64_t *requested,
	const volatile uint64_t *completed)
{
	while (*requested == *completed) {
		if (idle->way == IDLE_WAY_PAUSE) {
			pause();
			continue;
		}
		if (idle->way == IDLE_WAY_HALT) {
			halt_until_nmi(requested, completed);
			continue;
		}
		monitor((const void *)requested);
		if (*requested == *completed)
			mwait(idle->hint);
	}
}
