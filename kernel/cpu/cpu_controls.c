/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/cpu_controls.h"

#include "kernel/console/console.h"
#include "kernel/cpu/prefetch_msr.h"
#include "kernel/smp/processors.h"
#include "kernel/cpu/fixed_clock.h"
#include "lib/jsonl_write.h"

static struct cpu_controls boot_controls;
static struct counters counters;
static unsigned clocks_not_fixed; /* processors */

const struct counters *cpu_controls_counters(void)
{
	return &counters;
}

struct msr_journal *cpu_controls_journal(void)
{
	return &boot_controls.journal;
}

static struct cpu_controls *controls_of(unsigned cpu)
{
	return cpu ? &processors.list[processors.ready[cpu]].controls : &boot_controls;
}

/* On the processor that they are of. */
static void apply(void *arg)
{
	struct cpu_controls *k = arg;

	if (k->fix_clock)
		k->clock_why = fix_core_clock(&k->journal, &k->clock_how);
	if (k->no_prefetch)
		k->prefetch_why = prefetch_set(&k->journal, false);
}

static void restore(void *arg)
{
	struct cpu_controls *k = arg;

	k->lost = msr_restore(&k->journal, 0);
}

static void run(struct env *env, unsigned cpu, void (*fn)(void *))
{
	if (cpu == 0)
		fn(controls_of(0));
	else if (env->run_on(env, cpu, fn, controls_of(cpu)) == 0)
		env->run_wait(env, cpu);
}

static int set_prefetch(struct env *env, bool on, const char **why)
{
	(void)env;
	*why = prefetch_set(&boot_controls.journal, on);
	return *why ? -1 : 0;
}

void cpu_controls_apply(struct env *env, const struct config *c)
{
	bool fix = c->clock == CLOCK_FIXED, off = c->options.prefetch == PREFETCH_OFF;

	env->prefetch = set_prefetch;
	clocks_not_fixed = 0;
	for (unsigned cpu = 0; cpu < env->facts.cpus; cpu++) {
		struct cpu_controls *k = controls_of(cpu);

		*k = (struct cpu_controls){ .journal.on = &this_cpu,
			.fix_clock = fix,
			.no_prefetch = off,
			.clock_why = "it did not respond",
			.clock_how = "" };
		if (fix || off)
			run(env, cpu, apply);
		clocks_not_fixed += k->clock_why != NULL;
	}
	counters_start(&counters, &boot_controls.journal, counters_exercise);
}

/* The boot processor last: of two that share an MSR, the first changed has its original value. */
void cpu_controls_restore(struct env *env)
{
	unsigned changed = 0, lost = 0;

	counters = (struct counters){ 0 };
	for (unsigned cpu = env->facts.cpus; cpu--;) {
		struct cpu_controls *k = controls_of(cpu);
		unsigned n = k->journal.n;

		if (!n)
			continue;
		changed += n;
		run(env, cpu, restore);
		lost += k->journal.n ? n : k->lost;
	}
	if (changed)
		console_printf("%u MSRs were changed, %u of them could not be restored\n", changed,
			lost);
}

void cpu_controls_describe(struct jsonl *l)
{
	jsonl_object(l, "clock");
	jsonl_string(l, "asked", boot_controls.fix_clock ? "fixed" : "free");
	jsonl_bool(l, "fixed", boot_controls.fix_clock && !clocks_not_fixed);
	if (boot_controls.fix_clock) {
		jsonl_string(l, "how", boot_controls.clock_how);
		jsonl_integer(l, "cpus_free", clocks_not_fixed);
		if (boot_controls.clock_why)
			jsonl_string(l, "why", boot_controls.clock_why);
	}
	jsonl_object_end(l);
}
