/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/cpu_controls.h"

#include <string.h>

#include "kernel/console/console.h"
#include "kernel/cpu/prefetch_msr.h"
#include "kernel/smp/processors.h"
#include "lib/jsonl_write.h"

#define CPU_CONTROL(key) { #key, offsetof(struct options, key), control_##key },

static const struct {
	const char *key;
	size_t option;
	const char *(*apply)(struct msr_journal *, uint64_t choice, const char **how);
} controls[CPU_CONTROLS] = {
#include "kernel/cpu/cpu_controls.inc"
};

static const struct options *options;
static struct cpu_controls boot_controls;
static struct counters counters;
static unsigned not_changed[CPU_CONTROLS]; /* processors, where it was wanted */

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
	struct cpu_controls *c = arg;

	for (unsigned i = 0; i < CPU_CONTROLS; i++)
		if (c->wanted[i])
			c->why[i] = controls[i].apply(&c->journal, c->wanted[i], &c->how[i]);
	if (c->prefetch_off)
		prefetch_set(&c->journal, false); /* engine/prefetchers.c reports it */
}

static void restore(void *arg)
{
	struct cpu_controls *c = arg;

	c->lost = msr_restore(&c->journal, 0);
}

static void run(struct room *room, unsigned cpu, void (*fn)(void *))
{
	if (cpu == 0)
		fn(controls_of(0));
	else if (room->run_on(room, cpu, fn, controls_of(cpu)) == 0)
		room->run_wait(room, cpu);
}

static int set_prefetch(struct room *room, bool on, const char **why)
{
	(void)room;
	*why = prefetch_set(&boot_controls.journal, on);
	return *why ? -1 : 0;
}

static struct cpu_controls wanted(void)
{
	struct cpu_controls c = { .journal.cpu = &this_cpu,
		.prefetch_off = options->prefetch == PREFETCH_OFF };

	for (unsigned i = 0; i < CPU_CONTROLS; i++) {
		c.wanted[i] = *(const uint64_t *)((const char *)options + controls[i].option);
		c.why[i] = "it did not respond";
		c.how[i] = "";
	}
	return c;
}

static bool wants_any(const struct cpu_controls *c)
{
	bool any = c->prefetch_off;

	for (unsigned i = 0; i < CPU_CONTROLS; i++)
		any |= c->wanted[i] != 0;
	return any;
}

void cpu_controls_apply(struct room *room, const struct config *config)
{
	options = &config->options;
	room->prefetch = set_prefetch;
	memset(not_changed, 0, sizeof not_changed);
	for (unsigned cpu = 0; cpu < room->facts.cpus; cpu++) {
		struct cpu_controls *c = controls_of(cpu);

		*c = wanted();
		if (wants_any(c))
			run(room, cpu, apply);
		for (unsigned i = 0; i < CPU_CONTROLS; i++)
			not_changed[i] += c->wanted[i] && c->why[i];
	}
	for (unsigned i = 0; i < CPU_CONTROLS; i++)
		if (not_changed[i])
			console_printf("%s: %u CPU(s) stay as found: %s\n", controls[i].key,
				not_changed[i],
				boot_controls.why[i] ? boot_controls.why[i] : "only others");
	counters_start(&counters, &boot_controls.journal, counters_exercise);
}

/* The boot processor last: of two that share an MSR, the first changed has its original value. */
void cpu_controls_restore(struct room *room)
{
	unsigned changed = 0, lost = 0;

	counters = (struct counters){ 0 };
	for (unsigned cpu = room->facts.cpus; cpu--;) {
		struct cpu_controls *c = controls_of(cpu);
		unsigned n = c->journal.n;

		if (!n)
			continue;
		changed += n;
		run(room, cpu, restore);
		lost += c->journal.n ? n : c->lost;
	}
	if (changed)
		console_printf("%u MSRs were changed, %u of them could not be restored\n", changed,
			lost);
}

static void describe(unsigned i, struct jsonl *l)
{
	const struct cpu_controls *c = &boot_controls;
	char word[16];

	settings_choice(option_settings, option_settings_count, options, controls[i].key, word,
		sizeof word);
	jsonl_object(l, controls[i].key);
	jsonl_string(l, "asked", word);
	if (c->wanted[i]) {
		jsonl_bool(l, "set", !not_changed[i]);
		jsonl_string(l, "how", c->how[i]);
		jsonl_integer(l, "cpus_not_set", not_changed[i]);
		if (c->why[i])
			jsonl_string(l, "why", c->why[i]);
	}
	jsonl_object_end(l);
}

void cpu_controls_describe(struct jsonl *l)
{
	for (unsigned i = 0; i < CPU_CONTROLS; i++)
		describe(i, l);
}
