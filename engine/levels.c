/* SPDX-License-Identifier: MIT */
#include "engine/levels.h"

#include "engine/bench.h"
#include "engine/claims.h"
#include "lib/result_keys.h"
#include "lib/text.h"

#define MEMORY_LEAST (256 * MIB)

const char *const level_names[LEVELS] = { "l1", "l2", "l3", "l4", "memory" };

/* Sizes assumed for levels that neither the curve nor CPUID shows: small, usual ones. */
static const uint64_t assumed[LEVEL_MEMORY] = { 32 * KIB, 512 * KIB, 8 * MIB, 0 };

/*
 * Returns true if the size of every level of the curve is known. If not, the curve may hide more
 * levels.
 */
static bool all_shown(const struct bench *b)
{
	for (unsigned i = 0; i < b->caches.count; i++)
		if (!b->caches.bytes[i])
			return false;
	return true;
}

/*
 * The cache of a level and where its size is from; 0 where the curve shows no such level, nor
 * hides any of which CPUID tells.
 */
static uint64_t cache_bytes(struct bench *b, enum level level, const char **origin)
{
	uint64_t bytes = b->caches.bytes[level];
	bool none = b->caches.memory_ns > 0 && level >= b->caches.count;
	struct cache_claim claim;

	*origin = "measured";
	if (bytes || (none && all_shown(b)))
		return bytes;
	bytes = claims_data_cache(b->room, level + 1, &claim) ? claim.bytes : 0;
	*origin = bytes || none ? "cpuid" : LEVEL_ASSUMED;
	return bytes || none ? bytes : assumed[level];
}

uint64_t last_cache_bytes(struct bench *b)
{
	uint64_t last = 0;

	for (unsigned level = 0; level < LEVEL_MEMORY; level++) {
		const char *origin;
		uint64_t bytes = cache_bytes(b, level, &origin);

		last = bytes > last ? bytes : last;
	}
	return last;
}

#define WALKED_CACHES 4 /* last caches: of a larger buffer nothing is left after a walk */

bool leaves_something(struct bench *b, uint64_t bytes)
{
	return bytes <= WALKED_CACHES * last_cache_bytes(b);
}

static uint64_t within_arena(const struct bench *b, uint64_t bytes)
{
	uint64_t most = b->arena.bytes / 8 * 7;

	while (bytes > most)
		bytes /= 2;
	return bytes;
}

/*
 * A part of a cache that the one before, of which twice as much may be there as was measured,
 * cannot hold: half way between both where a half or a third would be too small.
 */
static uint64_t beyond(uint64_t bytes, uint64_t part, uint64_t before)
{
	if (part >= 2 * before)
		return part < bytes ? part : bytes;
	return bytes > 2 * before ? before + bytes / 2 : bytes;
}

void levels_set(struct bench *b)
{
	static const unsigned parts[LEVEL_MEMORY] = { 2, 2, 3, 3 };
	const char *whence = NULL; /* the last cache's origin */
	uint64_t last = 0;

	for (unsigned i = 0; i < LEVEL_MEMORY; i++) {
		const char *origin;
		uint64_t bytes = cache_bytes(b, i, &origin);
		uint64_t sure = b->caches.surely[i] ? b->caches.surely[i] : bytes;
		uint64_t part = beyond(sure, bytes / parts[i], last);

		last = bytes > last ? bytes : last;
		whence = bytes ? origin : whence;
		b->levels[i] = (struct level_size){ level_names[i],
			within_arena(b, part / 4096 * 4096), origin };
	}
	uint64_t memory = 8 * last > MEMORY_LEAST ? 8 * last : MEMORY_LEAST;

	b->levels[LEVEL_MEMORY] =
		(struct level_size){ level_names[LEVEL_MEMORY], within_arena(b, memory), whence };
}

void levels_text(const struct level_size levels[LEVELS], size_t page_bytes, char out[LEVELS_TEXT])
{
	char size[16];
	int used;

	size_text((double)page_bytes, size);
	used = text_format(out, LEVELS_TEXT,
		"\nsizes at which all other rows are measured, and their origin (pages of %s):\n ",
		size);
	for (unsigned i = 0; i < LEVELS; i++) {
		size_text((double)levels[i].bytes, size);
		if (levels[i].bytes)
			used += text_format(out + used, LEVELS_TEXT - (size_t)used, " %s %s %s;",
				levels[i].name, size, levels[i].origin);
	}
	text_format(out + used, LEVELS_TEXT - (size_t)used, "\n");
}

void levels_put(const struct bench *b, struct jsonl *l)
{
	if (!b->levels[LEVEL_MEMORY].bytes)
		return;
	jsonl_object(l, KEY_LEVELS);
	jsonl_integer(l, KEY_PAGE_BYTES, b->arena.page_bytes);
	for (unsigned i = 0; i < LEVELS; i++) {
		if (!b->levels[i].bytes)
			continue;
		jsonl_object(l, b->levels[i].name);
		jsonl_integer(l, KEY_BYTES, b->levels[i].bytes);
		jsonl_string(l, KEY_ORIGIN, b->levels[i].origin);
		jsonl_object_end(l);
	}
	jsonl_object_end(l);
}
