/* SPDX-License-Identifier: MIT */
/* What a gap scan adds to a row's line. */
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/stats.h"
#include "probes/noise/noise_scan.h"

static void put_events(struct jsonl *l, const struct longest *kept)
{
	jsonl_array(l, "events");
	for (unsigned i = 0; i < kept->n; i++) {
		jsonl_array(l, NULL);
		jsonl_integer(l, NULL, (uint64_t)kept->gaps[i].at_ns);
		jsonl_integer(l, NULL, (uint64_t)kept->gaps[i].length_ns);
		jsonl_integer(l, NULL, kept->gaps[i].cause);
		jsonl_array_end(l);
	}
	jsonl_array_end(l);
}

/* The 99.9th percentile of the gaps' lengths; NAN unless it is among those kept. */
static double p999(struct bench *b, const struct cpu_gaps *g)
{
	double *lengths = row_alloc(b, g->longest.n * sizeof *lengths);
	uint64_t beyond = g->gaps / 1000;

	if (!lengths || g->gaps == 0 || beyond >= g->longest.n)
		return NOT_A_NUMBER;
	for (unsigned i = 0; i < g->longest.n; i++)
		lengths[i] = g->longest.gaps[i].length_ns;
	stats_sort(lengths, g->longest.n);
	return lengths[g->longest.n - 1 - beyond];
}

void cpu_gaps_put(struct bench *b, const struct cpu_gaps *g, struct jsonl *l)
{
	jsonl_number(l, "observed_seconds", ticks_to_ns(b, g->observed_ticks) / 1e9);
	jsonl_integer(l, "started_ticks", g->monitor->started);
	jsonl_number(l, "resolution_ns", ticks_to_ns(b, g->smallest_ticks));
	jsonl_number(l, "threshold_ns", ticks_to_ns(b, g->threshold_ticks));
	jsonl_integer(l, "gaps", g->gaps);
	jsonl_integer(l, "gaps_unrecorded", g->unrecorded);
	if (g->monitor->n > 1)
		jsonl_integer(l, "gaps_together", g->together);
	jsonl_number(l, "stolen_ns", ticks_to_ns(b, g->gap_ticks));
	jsonl_number(l, "blind_ns", ticks_to_ns(b, g->blind_ticks));
	jsonl_number(l, "longest_ns", cpu_gaps_longest_ns(g));
	jsonl_number(l, "p999_ns", p999(b, g));
	jsonl_array(l, "log2_ticks");
	for (unsigned i = 0; i < 64; i++)
		jsonl_integer(l, NULL, g->log2[i]);
	jsonl_array_end(l);
	put_events(l, &g->longest);
	cpu_gaps_put_counts(b, g, l);
}
