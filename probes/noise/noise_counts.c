/* SPDX-License-Identifier: MIT */
/*
 * What the system counted while the scan was made: what may have taken the processor away. It is
 * known to have happened during the scan, between its slices included; not which gap it made.
 */
#include <string.h>

#include "lib/jsonl_write.h"
#include "lib/text.h"
#include "probes/noise/noise_scan.h"

#define COUNTS_ONE  32 /* kinds of counts kept of a processor that scans alone, */
#define COUNTS_SOME 16 /* of each of several, */
#define COUNTS_MANY 6  /* and of each of more than SHOWN_MOST */
#define SHOWN_MOST  64
#define SAID_MOST   8  /* kinds of counts on the screen */
#define LINE_MOST   78 /* columns */

void gap_monitor_count(struct bench *b, struct gap_monitor *m)
{
	unsigned most = m->n > SHOWN_MOST ? COUNTS_MANY : m->n > 1 ? COUNTS_SOME : COUNTS_ONE;

	if (m->counted || !b->room->count_end)
		return;
	m->counted = true;
	b->room->count_end(b->room);
	for (unsigned i = 0; i < m->n; i++) {
		struct cpu_gaps *g = &m->cpus[i];

		g->counts = run_alloc(b, most * sizeof *g->counts);
		if (g->counts)
			g->ncounts = b->room->counts_of(b->room, g->cpu, g->counts, most);
	}
}

/* Only where the measuring thread made the scan: the others are ordinary threads. */
static unsigned rt_stops(const struct bench *b, const struct cpu_gaps *g)
{
	const struct facts *f = &b->room->facts;

	if (g->cpu || !(f->rt_pause_ns > 0))
		return 0;
	return noise_rt_stops(g->longest.gaps, g->longest.n, f->rt_pause_ns, f->rt_period_ns);
}

void cpu_gaps_put_counts(struct bench *b, const struct cpu_gaps *g, struct jsonl *l)
{
	unsigned stops = rt_stops(b, g);

	if (g->counts) {
		jsonl_array(l, "moved");
		for (unsigned i = 0; i < g->ncounts; i++) {
			jsonl_object(l, NULL);
			jsonl_string(l, "kind", g->counts[i].kind);
			jsonl_string(l, "name", g->counts[i].name);
			if (*g->counts[i].words)
				jsonl_string(l, "words", g->counts[i].words);
			jsonl_number(l, "count", g->counts[i].count);
			jsonl_object_end(l);
		}
		jsonl_array_end(l);
	}
	if (stops)
		jsonl_integer(l, "rt_stops", stops);
}

static bool is_time(const struct system_count *c)
{
	return strcmp(c->kind, "seconds") == 0;
}

/* "2500 Local timer interrupts (LOC)", "31 softirqs TIMER", "4.1 % of the time in interrupts" */
static void count_text(const struct system_count *c, double seconds, char out[96])
{
	static const struct {
		const char *name, *words;
	} times[] = { { "waited", "while others ran" }, { "irq", "in interrupts" },
		{ "softirq", "in softirqs" }, { "steal", "stolen by the hypervisor" } };

	*out = 0;
	if (is_time(c)) {
		for (unsigned i = 0; i < sizeof times / sizeof *times; i++)
			if (strcmp(c->name, times[i].name) == 0)
				text_format(out, 96, "%.2f %% of the time %s",
					100 * c->count / seconds, times[i].words);
	} else if (strcmp(c->kind, "switches") == 0) {
		text_format(out, 96, "%.0f %s switches", c->count, c->name);
	} else if (*c->words) {
		text_format(out, 96, "%.0f %s (%s)", c->count, c->words, c->name);
	} else {
		text_format(out, 96, "%.0f %s %s", c->count, c->kind, c->name);
	}
}

/* Adds to a line that begins with four spaces, or begins another; `column` is where it ends. */
static unsigned say_part(struct bench *b, unsigned column, const char *part)
{
	unsigned n = (unsigned)strlen(part);

	if (!column) {
		say(b, "    %s", part);
		return 4 + n;
	}
	if (column + 3 + n > LINE_MOST) {
		say(b, ",\n    %s", part);
		return 4 + n;
	}
	say(b, ", %s", part);
	return column + 2 + n;
}

/* The most frequent, and all times. */
static void say_counts(struct bench *b, const struct cpu_gaps *g)
{
	double seconds = ticks_to_ns(b, g->observed_ticks) / 1e9;
	unsigned column = 0, unsaid = 0;
	char text[96];

	for (unsigned i = 0; i < g->ncounts; i++) {
		if (i >= SAID_MOST && !is_time(&g->counts[i])) {
			unsaid++;
			continue;
		}
		count_text(&g->counts[i], seconds, text);
		column = say_part(b, column, text);
	}
	if (unsaid) {
		text_format(text, sizeof text, "and %u more kinds", unsaid);
		say_part(b, column, text);
	}
	say(b, "\n");
}

/*
 * A gap has a cause: of more gaps than interrupts and switches, the others come from what the
 * system does not count. Only where all that it counts was kept.
 */
static void say_uncounted(struct bench *b, const struct cpu_gaps *g)
{
	double counted = 0;

	for (unsigned i = 0; i < g->ncounts; i++)
		if (strcmp(g->counts[i].kind, "interrupts") == 0 ||
			strcmp(g->counts[i].kind, "switches") == 0)
			counted += g->counts[i].count;
	if (g->monitor->n > 1 || g->ncounts == COUNTS_ONE || counted >= (double)g->gaps / 2)
		return;
	say(b,
		"  At least %.0f of the %llu gaps are none of these. The system does not count\n"
		"  what a hypervisor, an SMI or the core's other thread takes.\n",
		(double)g->gaps - counted, (unsigned long long)g->gaps);
}

void cpu_gaps_say_counts(struct bench *b, const struct cpu_gaps *g)
{
	const struct facts *f = &b->room->facts;
	unsigned stops = rt_stops(b, g);

	if (g->counts && g->ncounts) {
		say(b, "  Counted on CPU %u during the scan; which gap is whose is not known:\n",
			f->topology ? f->topology[g->cpu].id : g->cpu);
		say_counts(b, g);
		say_uncounted(b, g);
	}
	if (stops)
		say(b,
			"  %u gaps of %.0f ms, whole periods of %.1f s apart: the system stops a\n"
			"  real-time thread so (sched_rt_runtime_us). They come from --scheduler "
			"fifo.\n",
			stops, f->rt_pause_ns / 1e6, f->rt_period_ns / 1e9);
}
