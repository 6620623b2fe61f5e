/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "tests/kam/judge/stream_rows.h"

#define EDGE 0.1 /* of what a level holds */

/*
 * Returns true if a buffer is as large as a level: other lines in the level then decide which of
 * the buffer's stay.
 */
static bool at_an_edge(const struct cpu *c, double bytes)
{
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++)
		if (fabs(bytes / (double)c->level[i].bytes - 1) < EDGE)
			return true;
	return false;
}

/*
 * If a cache does not replace by LRU, or a hash spreads its lines, its earlier contents decide
 * which lines of two buffers displace each other; the oracle knows the places of a copy's buffers.
 * In layer b the image's stack and buffers lie elsewhere, so that chance decides for one buffer,
 * too.
 */
double stream_percent(const struct judged *j, double bytes, bool two_buffers)
{
	const struct cpu *c = j->cpu;
	bool image = in_layer_b(j), soft = soft_edge(c, cpu_levels(c) - 1);
	bool chance = two_buffers ? soft || image : image && (soft || at_an_edge(c, bytes));

	return chance ? STREAM_BY_CHANCE : STREAM;
}

struct wanted stream_about(const struct judged *j, json_t *row, struct stream_rate rate,
	bool two_buffers)
{
	double percent = stream_percent(j, param_of(row, "bytes"), two_buffers);

	return between(less(rate.low, percent), more(rate.high, percent));
}

bool stream_foretold(const struct judged *j, json_t *row)
{
	return undisturbed(j->cpu) && j->cpu->predictor != PREDICTOR_NEVER &&
		param_of(row, "page_bytes") == 2 << 20;
}
