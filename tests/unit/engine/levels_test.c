/* SPDX-License-Identifier: MIT */
/* At which sizes a level is measured, where the latency curve does not show all levels. */
#include "engine/bench.h"
#include "engine/levels.h"
#include "lib/text.h"
#include "tests/unit/test.h"

/* Intel's leaf 4: L1d 32 KiB, L2 512 KiB, L3 4 MiB, of 8 ways and lines of 64 bytes. */
static struct cpuid three_caches(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	static const uint32_t types[] = { 1, 3, 3 }, sets[] = { 64, 1024, 8192 };

	if (leaf == 0)
		return (struct cpuid){ 4, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf == 4 && subleaf < 3)
		return (struct cpuid){ types[subleaf] | (subleaf + 1) << 5, 7u << 22 | 63,
			sets[subleaf] - 1, 0 };
	return (struct cpuid){ 0 };
}

static struct cpuid nothing(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	return (struct cpuid){ 0 };
}

/* Two levels and memory on the curve; the second's size, 0: it runs into the next one. */
static struct bench two_levels(struct room *room, uint64_t second)
{
	struct bench b = { .room = room };

	b.caches = (struct caches){ .count = 2, .bytes = { 32 * KIB, second }, .memory_ns = 80 };
	b.arena.bytes = GIB;
	levels_set(&b);
	return b;
}

TEST(a_hidden_level_is_as_large_as_claimed)
{
	struct room room = { .cpuid = three_caches };
	struct bench b = two_levels(&room, 0);

	assert_string_equal("cpuid", b.levels[LEVEL_L2].origin);
	assert_int_equal(256 * KIB, b.levels[LEVEL_L2].bytes);
	assert_string_equal("cpuid", b.levels[LEVEL_L3].origin);
	assert_in_range(b.levels[LEVEL_L3].bytes, MIB, 4 * MIB);
	assert_int_equal(0, b.levels[LEVEL_L4].bytes);
}

TEST(no_claim_makes_no_level)
{
	struct room room = { .cpuid = nothing };
	struct bench b = two_levels(&room, 0);

	assert_string_equal("assumed", b.levels[LEVEL_L2].origin);
	assert_int_equal(0, b.levels[LEVEL_L3].bytes);
}

/* A level that a whole curve does not show does not exist, even if CPUID claims it. */
TEST(a_whole_curve_is_believed)
{
	struct room room = { .cpuid = three_caches };
	struct bench b = two_levels(&room, 512 * KIB);

	assert_string_equal("measured", b.levels[LEVEL_L2].origin);
	assert_int_equal(0, b.levels[LEVEL_L3].bytes);
}

#define K KIB
#define M MIB

static const struct expected_levels {
	const char *what;
	struct caches caches;
	bool claims;
	uint64_t arena;
	const char *levels;
	uint64_t last;
} all_expected[] = {
	{ "two and memory", { 2, { 32 * K, 512 * K }, { 0 }, 80 }, true, GIB,
		" l1 16K measured; l2 256K measured; memory 256M measured;", 512 * K },
	{ "three and memory", { 3, { 48 * K, 2 * M, 48 * M }, { 0 }, 80 }, true, GIB,
		" l1 24K measured; l2 1M measured; l3 16M measured; memory 384M measured;",
		48 * M },
	{ "four and memory", { 4, { 48 * K, 1 * M, 6 * M, 96 * M }, { 0 }, 80 }, true, GIB,
		" l1 24K measured; l2 512K measured; l3 2M measured; l4 32M measured;"
		" memory 768M measured;",
		96 * M },
	{ "the smaller one last", { 3, { 32 * K, 8 * M, 4 * M }, { 0 }, 80 }, false, GIB,
		" l1 16K measured; l2 4M measured; l3 4M measured; memory 256M measured;", 8 * M },
	{ "no curve, no claims", { 0 }, false, GIB,
		" l1 16K assumed; l2 256K assumed; l3 2728K assumed; memory 256M assumed;", 8 * M },
	{ "no curve, claims", { 0 }, true, GIB,
		" l1 16K cpuid; l2 256K cpuid; l3 1364K cpuid; memory 256M cpuid;", 4 * M },
	{ "the first is hidden", { 2, { 0, 512 * K }, { 0 }, 80 }, true, GIB,
		" l1 16K cpuid; l2 256K measured; l3 1364K cpuid; memory 256M cpuid;", 4 * M },
	{ "a third of one that is not much larger than the one before",
		{ 3, { 32 * K, 512 * K, 2 * M }, { 0 }, 80 }, false, GIB,
		" l1 16K measured; l2 256K measured; l3 1.5M measured; memory 256M measured;",
		2 * M },
	{ "half is just beyond", { 2, { 32 * K, 128 * K }, { 0 }, 80 }, false, GIB,
		" l1 16K measured; l2 64K measured; memory 256M measured;", 128 * K },
	{ "half is too small", { 2, { 32 * K, 120 * K }, { 0 }, 80 }, false, GIB,
		" l1 16K measured; l2 92K measured; memory 256M measured;", 120 * K },
	{ "less than twice the one before", { 2, { 32 * K, 50 * K }, { 0 }, 80 }, false, GIB,
		" l1 16K measured; l2 48K measured; memory 256M measured;", 50 * K },
	{ "soft edges", { 2, { 32 * K, 512 * K }, { 12 * K, 200 * K }, 80 }, false, GIB,
		" l1 12K measured; l2 200K measured; memory 256M measured;", 512 * K },
	{ "the edge of a level that is near the one before is soft",
		{ 2, { 32 * K, 120 * K }, { 0, 100 * K }, 80 }, false, GIB,
		" l1 16K measured; l2 80K measured; memory 256M measured;", 120 * K },
	{ "half is much too small", { 2, { 32 * K, 80 * K }, { 0 }, 0.5 }, true, GIB,
		" l1 16K measured; l2 72K measured; memory 256M measured;", 80 * K },
	{ "half is beyond the one that is assumed before", { 2, { 0, 128 * K }, { 0 }, 80 }, false,
		GIB, " l1 16K assumed; l2 64K measured; memory 256M measured;", 128 * K },
	{ "a third is beyond the one that is assumed before",
		{ 3, { 32 * K, 0, 3 * M }, { 0 }, 80 }, false, GIB,
		" l1 16K measured; l2 256K assumed; l3 1M measured; memory 256M measured;", 3 * M },
	{ "eight times the last is less than there is at least", { 1, { 30 * M }, { 0 }, 80 },
		false, GIB, " l1 15M measured; memory 256M measured;", 30 * M },
	{ "whole pages", { 1, { 31 * K }, { 0 }, 80 }, false, GIB,
		" l1 12K measured; memory 256M measured;", 31 * K },
	{ "the arena is full", { 1, { 56 * M }, { 0 }, 80 }, false, 512 * M,
		" l1 28M measured; memory 448M measured;", 56 * M },
	{ "a small arena", { 1, { 32 * K }, { 0 }, 80 }, false, 73 * M,
		" l1 16K measured; memory 32M measured;", 32 * K },
};

#undef K
#undef M

static void expect_text(const char *what, const char *text, const char *levels)
{
	char expected[LEVELS_TEXT];

	text_format(expected, sizeof expected,
		"\nsizes at which all other rows are measured, and their origin (pages of 2M):\n "
		"%s\n",
		levels);
	if (strcmp(text, expected))
		fail_msg("%s: expected '%s', came '%s'", what, expected, text);
}

TEST(sizes_and_their_origins)
{
	for (unsigned i = 0; i < sizeof all_expected / sizeof *all_expected; i++) {
		const struct expected_levels *e = &all_expected[i];
		struct room room = { .cpuid = e->claims ? three_caches : nothing };
		struct bench b = { .room = &room, .caches = e->caches, .arena.bytes = e->arena };
		struct level_size levels[LEVELS]; /* with nothing behind them */
		char text[LEVELS_TEXT];

		levels_set(&b);
		memcpy(levels, b.levels, sizeof levels);
		levels_text(levels, PAGE_2M, text);
		expect_text(e->what, text, e->levels);
		if (last_cache_bytes(&b) != e->last)
			fail_msg("%s: expected %lu bytes of the last cache, came %lu", e->what,
				e->last, last_cache_bytes(&b));
	}
}

static void expect_member(const struct bench *b, const char *expected)
{
	static char text[1024];
	struct jsonl l;

	jsonl_begin(&l, text, sizeof text);
	levels_put(b, &l);
	text[l.used] = 0;
	assert_string_equal(expected, text);
}

TEST(the_member_has_those_that_there_are)
{
	struct room room = { .cpuid = nothing };
	struct bench none = { .room = &room }, b = two_levels(&room, 512 * KIB);

	expect_member(&none, "{");
	b.arena.page_bytes = PAGE_2M;
	expect_member(&b,
		"{\"levels\":{\"page_bytes\":2097152,"
		"\"l1\":{\"bytes\":16384,\"origin\":\"measured\"},"
		"\"l2\":{\"bytes\":262144,\"origin\":\"measured\"},"
		"\"memory\":{\"bytes\":268435456,\"origin\":\"measured\"}}");
}
