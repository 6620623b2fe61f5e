/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/x86.h"
#include "kernel/smp/idle.h"

/* MONITOR, MWAIT and CPUID 5: Intel SDM vol. 2 and vol. 3A 10.10; AMD APM vol. 3. */

#define HAS_MONITOR   (1 << 3) /* CPUID 1 ECX */
#define INVARIANT_TSC (1 << 8) /* CPUID 80000007h EDX */
#define EXTENSIONS    1        /* CPUID 5 ECX: EDX lists the states */

#define AMD_CSTATE_BASE 0xc0010073 /* bits 15:0, the first of eight ports; 0: none */

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

/*
 * The port whose read enters the state beyond C1 of AMD's processors; 0: none. The firmware names
 * the first of eight in an MSR (PPR for family 17h, "C-state Base Address"); coreboot and openSIL
 * have C2 in _CST at the next one.
 */
static uint32_t amd_port(const struct cpu_ops *cpu)
{
	uint64_t base;

	if (!cpuid_is_amd_design(cpu_vendor(cpu)) || cpu->read(AMD_CSTATE_BASE, &base))
		return 0;
	base &= 0xffff;
	return base && base < 0xffff ? (uint32_t)base + 1 : 0;
}

static bool tsc_stops(const struct cpu_ops *cpu)
{
	return !(cpu_leaf(cpu, 0x80000007).edx & INVARIANT_TSC);
}

static const char may_stop[] = "its TSC may stop in such a state";

/* Chooses where MWAIT is absent, or is not wanted (idle = io). */
static struct idle without_mwait(const struct cpu_ops *cpu, enum idle_choice asked)
{
	uint32_t port = asked == IDLE_IO ? amd_port(cpu) : 0;

	if (asked != IDLE_IO)
		return (struct idle){ IDLE_WAY_HALT, 0, true, "no mwait here" };
	if (!port)
		return (struct idle){ IDLE_WAY_HALT, 0, true, "no port for it in MSR C0010073" };
	if (tsc_stops(cpu))
		return (struct idle){ IDLE_WAY_HALT, 0, true, may_stop };
	return (struct idle){ IDLE_WAY_IO, port, true };
}

/* An NMI ends MWAIT, too: a model whose stores may not do so waits as deep as others. */
struct idle idle_choose(const struct cpu_ops *cpu, enum idle_choice asked)
{
	uint32_t hint = deepest_hint(cpu);
	struct idle i = { IDLE_WAY_MWAIT };

	if (asked == IDLE_PAUSE)
		return (struct idle){ IDLE_WAY_PAUSE };
	if (asked == IDLE_IO || !(cpu_leaf(cpu, 1).ecx & HAS_MONITOR))
		return without_mwait(cpu, asked);
	if (asked == IDLE_DEEP && !hint)
		i.why = "CPUID lists no state beyond C1";
	else if (asked == IDLE_DEEP && tsc_stops(cpu))
		i.why = may_stop;
	else if (asked == IDLE_DEEP)
		i = (struct idle){ IDLE_WAY_DEEP, hint };
	i.nmi = is_deaf(cpu);
	if (i.nmi && !i.why)
		i.why = "an erratum of this model's mwait: NMIs end it";
	return i;
}

/*
 * Wait while the two are equal, until an NMI: it is taken also while interrupts are off, and ends
 * hlt, mwait (Intel SDM vol. 2, AMD APM vol. 3) and the state that a port's read enters. An
 * interrupt would need sti, which would let in all others that the firmware left pending. In each
 * the instruction that waits comes last but one.
 */
void halt_until_nmi(const volatile uint64_t *requested, const volatile uint64_t *completed,
	uint32_t unused);
void mwait_until_nmi(const volatile uint64_t *requested, const volatile uint64_t *completed,
	uint32_t hint);
void io_until_nmi(const volatile uint64_t *requested, const volatile uint64_t *completed,
	uint32_t port);
extern const unsigned char halt_done[], mwait_done[], io_done[];
__asm__(".pushsection .text\n"
	"	.globl halt_until_nmi, halt_done, mwait_until_nmi, mwait_done\n"
	"	.globl io_until_nmi, io_done\n"
	"halt_until_nmi:\n"
	"	mov (%rsi), %rax\n"
	"	cmp %rax, (%rdi)\n"
	"	jne halt_done\n"
	"	hlt\n"
	"halt_done:\n"
	"	ret\n"
	"mwait_until_nmi:\n"
	"	mov %rdi, %rax\n"
	"	mov %edx, %r8d\n"
	"	xor %ecx, %ecx\n"
	"	xor %edx, %edx\n"
	"	monitor\n"
	"	mov (%rsi), %rax\n"
	"	cmp %rax, (%rdi)\n"
	"	jne mwait_done\n"
	"	mov %r8d, %eax\n"
	"	mwait\n"
	"mwait_done:\n"
	"	ret\n"
	"io_until_nmi:\n"
	"	mov (%rsi), %rax\n"
	"	cmp %rax, (%rdi)\n"
	"	jne io_done\n"
	"	in %dx, %al\n"
	"io_done:\n"
	"	ret\n"
	".popsection");

static const struct {
	void (*wait)(const volatile uint64_t *, const volatile uint64_t *, uint32_t);
	const unsigned char *done;
} until_nmi[IDLE_WAYS] = {
	[IDLE_WAY_DEEP] = { mwait_until_nmi, mwait_done },
	[IDLE_WAY_MWAIT] = { mwait_until_nmi, mwait_done },
	[IDLE_WAY_HALT] = { halt_until_nmi, halt_done },
	[IDLE_WAY_IO] = { io_until_nmi, io_done },
};

/*
 * The NMI may have come before any instruction of such a function but the last: then the comparison
 * is out of date, and the wait would be for an NMI that has come already.
 */
void idle_nmi(struct frame *f)
{
	for (unsigned i = 0; i < IDLE_WAYS; i++) {
		uint64_t begin = (uint64_t)until_nmi[i].wait, end = (uint64_t)until_nmi[i].done;

		if (f->rip - begin < end - begin)
			f->rip = end;
	}
}

void idle_wait(const struct idle *idle, const volatile uint64_t *requested,
	const volatile uint64_t *completed)
{
	while (*requested == *completed) {
		if (idle->way == IDLE_WAY_PAUSE) {
			pause();
			continue;
		}
		if (idle->nmi) {
			until_nmi[idle->way].wait(requested, completed, idle->hint);
			continue;
		}
		monitor((const void *)requested);
		if (*requested == *completed)
			mwait(idle->hint);
	}
}
