/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/compare/assumed_noise.h"
#include "report/compare/curve.h"
#include "report/reading/row_identity.h"

/* From which size on a buffer no longer fits into L2, as measured; INFINITY: not known. */
static double beyond_l2(const struct run_data *run)
{
	const json_t *l2 = run_summary(run, "l2_bytes");
	double bytes = number_of(l2, KEY_VALUE);

	return isnan(bytes) ? INFINITY : number_or(l2, KEY_HIGH, 2 * bytes);
}

/* Whether other guests of a host use what the row measures. */
static bool shared(const struct set *set, const struct pooled *p)
{
	const struct run_data *run = set->runs[0];

	if (!*text_of(run->head, KEY_HYPERVISOR))
		return false;
	return !strcmp(p->row->level, "memory") || !strcmp(p->row->level, "l3") ||
		!strcmp(p->row->level, "l4") ||
		row_parameter(p->row->json, "bytes") >= beyond_l2(run);
}

struct usual usual_factors(const char *room)
{
	static const struct {
		const char *room;
		struct usual usual;
	} rooms[] = { { "hosted", { 1.05, 2.2 } }, { "firmware", { 1.03, 1.8 } },
		{ "bare", { 1.03, 1.8 } } };

	for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
		if (!strcmp(room, rooms[i].room))
			return rooms[i].usual;
	return rooms[0].usual;
}

double assumed_noise(const struct set *set, const struct pooled *p)
{
	double most = fmax(curve_scatter(set, p), shared(set, p) ? NOISE_SHARED : NOISE_ASSUMED);

	return most / NOISE_DEVIATIONS;
}
