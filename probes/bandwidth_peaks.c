/* SPDX-License-Identifier: MIT */
/* The most that `bandwidth` moves in a core cycle, by level and operation. */
#include "probes/bandwidth_peaks.h"

#include "engine/find.h"
#include "lib/math.h"

/* Of the fastest row at a canonical size, in pages that all rooms can have. */
static struct estimate peak(const struct bench *b, const char *variant, enum level level)
{
	const char *why = NOT_MEASURED;
	const struct result *best = NULL;
	double most = NOT_A_NUMBER;

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];
		double rate = row_value(b, r) * 1e9 / r->core_hz;

		if (!is_variant(b, r, variant) || !is_level(r, level) ||
			r->row->page_bytes != common_page(b))
			continue;
		if (!(r->core_hz > 0)) {
			why = "the core clock is not known";
		} else if (!(rate <= most)) {
			most = rate;
			best = r;
		}
	}
	if (!best)
		return not_resolved(why);
	return plain_estimate(most, row_confidence(best));
}

static const struct {
	const char *variant, *names[LEVELS];
} peaks[] = {
	{ "read",
		{ "read_bytes_per_cycle_l1", "read_bytes_per_cycle_l2", "read_bytes_per_cycle_l3",
			"read_bytes_per_cycle_l4", "read_bytes_per_cycle_memory" } },
	{ "write",
		{ "write_bytes_per_cycle_l1", "write_bytes_per_cycle_l2",
			"write_bytes_per_cycle_l3", "write_bytes_per_cycle_l4",
			"write_bytes_per_cycle_memory" } },
	{ "copy",
		{ "copy_bytes_per_cycle_l1", "copy_bytes_per_cycle_l2", "copy_bytes_per_cycle_l3",
			"copy_bytes_per_cycle_l4", "copy_bytes_per_cycle_memory" } },
};

static void find_peak(struct bench *b, unsigned of, enum level level)
{
	const char *variant = peaks[of].variant;

	found(b, peaks[of].names[level], "bytes/cycle",
		b->levels[level].bytes ? peak(b, variant, level)
				       : not_resolved("no such level on the curve"),
		NOT_A_NUMBER, "bandwidth at the canonical sizes, the best width");
	found_in_pages(b, main_page(b, variant));
}

/* A fourth cache is named only where there is one. */
void bandwidth_find_peaks(struct bench *b)
{
	for (unsigned of = 0; of < sizeof peaks / sizeof *peaks; of++)
		for (unsigned level = 0; level < LEVELS; level++)
			if (b->levels[level].bytes || level != LEVEL_L4)
				find_peak(b, of, level);
}
