/* SPDX-License-Identifier: MIT */
#include "kernel/console.h"
#include "kernel/fault.h"
#include "kernel/results.h"
#include "kernel/rooms.h"
#include "kernel/x86.h"
#include "probes/bench.h"

static enum left after_fault(struct env *env)
{
	static char text[2048];
	size_t n = fault_text(text, sizeof text);

	console_write(text, n);
	bench_faulted(env, fault_short());
	return LEFT_FAULTED;
}

static enum left measure(struct env *env, const struct options *opt)
{
	static const enum left how[] = { LEFT_COMPLETE, LEFT_WRONG, LEFT_EMPTY };
	static struct context back;
	int result;

	if (context_save(&back))
		return after_fault(env);
	fault_recover_to(&back);
	result = bench_run(env, opt);
	fault_recover_to(NULL);
	return how[result];
}

enum left room_run(struct env *env, enum room room, const struct machine *m,
	const struct config *c)
{
	enum left left;

	env_enter(env, room);
	results_open(m, room);
	left = measure(env, &c->options);
	results_close();
	return left;
}

#define PIC_MASTER_MASK 0x21
#define PIC_SLAVE_MASK  0xa1

#define APIC_ENABLED (1 << 11)
#define APIC_X2      (1 << 10)
#define LVT_MASKED   (1 << 16)

/* Local vector table entries: timer, thermal, counters, LINT0, error; LINT1 is the NMI's. */
static const uint16_t lvt[] = { 0x320, 0x330, 0x340, 0x350, 0x370 };

void room_mask_interrupts(void)
{
	uint64_t base = rdmsr(MSR_APIC_BASE);

	out8(PIC_MASTER_MASK, 0xff);
	out8(PIC_SLAVE_MASK, 0xff);
	if (!(base & APIC_ENABLED))
		return;
	for (unsigned i = 0; i < sizeof lvt / sizeof *lvt; i++) {
		volatile uint32_t *at = (uint32_t *)((base & 0xffffff000) + lvt[i]);

		if (base & APIC_X2)
			wrmsr(0x800 + lvt[i] / 16, rdmsr(0x800 + lvt[i] / 16) | LVT_MASKED);
		else
			*at |= LVT_MASKED;
	}
}
