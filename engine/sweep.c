/* SPDX-License-Identifier: MIT */
/* The sizes at which a sweep measures. */
#include "engine/claims.h"
#include "engine/probe_api.h"
#include "lib/ensure.h"

unsigned sweep_fractions(const struct bench *b, double out[SWEEP_MOST])
{
	static const double all[SWEEP_MOST] = { 1.0, 1.189207115, 1.414213562, 1.681792831 };
	static const unsigned strides[] = {
		[PROFILE_SMOKE] = 4, [PROFILE_DEFAULT] = 2, [PROFILE_FULL] = 1
	};
	unsigned n = 0;

	for (unsigned i = 0; i < SWEEP_MOST; i += strides[b->opt->profile])
		out[n++] = all[i];
	return n;
}

/* One point of each `stride` that the profile has in an octave, or one. */
static unsigned sweep_by(const struct bench *b, unsigned stride, uint64_t from, uint64_t to,
	uint64_t round, uint64_t out[SIZES_MOST])
{
	double fractions[SWEEP_MOST];
	unsigned n = 0, points = sweep_fractions(b, fractions);
	bool buffers = round > 1; /* counts have a grain of 1; the user's bounds are of buffers */

	if (buffers && b->opt->smallest > from)
		from = b->opt->smallest;
	if (buffers && b->opt->largest && b->opt->largest < to)
		to = b->opt->largest;
	for (uint64_t octave = from; octave <= to; octave *= 2) {
		for (unsigned i = 0; i < points; i += stride) {
			uint64_t size = (uint64_t)((double)octave * fractions[i]);

			size = (size + round / 2) / round * round;
			if (size > to)
				return n;
			if (size && (n == 0 || size > out[n - 1])) {
				ensure(n < SIZES_MOST);
				out[n++] = size;
			}
		}
	}
	return n;
}

unsigned sweep(const struct bench *b, uint64_t from, uint64_t to, uint64_t round,
	uint64_t out[SIZES_MOST])
{
	return sweep_by(b, 1, from, to, round, out);
}

unsigned sweep_coarse(const struct bench *b, uint64_t from, uint64_t to, uint64_t round,
	uint64_t out[SIZES_MOST])
{
	return sweep_by(b, 2, from, to, round, out);
}

unsigned sweep_octaves(const struct bench *b, uint64_t from, uint64_t to, uint64_t round,
	uint64_t out[SIZES_MOST])
{
	return sweep_by(b, SWEEP_MOST, from, to, round, out);
}

uint64_t sweep_limit(const struct bench *b)
{
	uint64_t limit = GIB, memory = b->room->facts.memory_bytes / 4;
	uint64_t arena = b->arena.bytes / 8 * 7, claimed;

	claims_data_caches(b->room, &claimed);
	if (4 * claimed > limit)
		limit = 4 * claimed;
	if (memory && memory < limit)
		limit = memory;
	return arena < limit ? arena : limit;
}
