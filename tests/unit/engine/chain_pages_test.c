/* SPDX-License-Identifier: MIT */
/* Nodes of one a page use all sets of a TLB and of a cache alike, for each way to index them. */
#include "engine/chain.h"
#include "engine/room.h"
#include "tests/unit/test.h"

#define NODES         8192
#define REGION_GROUPS 32 /* of 16 pages of 4 KiB, in a region */

typedef unsigned index_fn(uint64_t number, unsigned bits);

static unsigned lowest(uint64_t number, unsigned bits)
{
	return (unsigned)(number & ((1ULL << bits) - 1));
}

static unsigned with_next(uint64_t number, unsigned bits)
{
	return lowest(number ^ number >> bits, bits);
}

static unsigned folded(uint64_t number, unsigned bits)
{
	unsigned sum = 0;

	for (; number; number >>= bits)
		sum ^= lowest(number, bits);
	return sum;
}

static uint64_t place(uint64_t node, unsigned group, uint64_t page)
{
	const struct chain_pages p = { .page_bytes = page, .group = group };

	return chain_page_offset(&p, node);
}

/* After every 2^bits nodes each set has as many as the others. */
static void check_sets(const char *what, index_fn *index, unsigned bits, unsigned shift,
	unsigned group, uint64_t page)
{
	static unsigned in[NODES];

	for (unsigned i = 0; i < 1U << bits; i++)
		in[i] = 0;
	for (uint64_t k = 0; k < NODES; k++) {
		in[index(place(k, group, page) >> shift, bits)]++;
		for (unsigned i = 0; (k + 1) % (1U << bits) == 0 && i < 1U << bits; i++)
			if (in[i] != (k + 1) >> bits)
				fail_msg("%s: of %lu nodes, set %u of %u has %u, not %lu", what,
					k + 1, i, 1U << bits, in[i], (k + 1) >> bits);
	}
}

TEST(all_sets_of_a_tlb)
{
	for (unsigned bits = 1; bits <= 10; bits++) {
		check_sets("lowest bits", lowest, bits, 12, CHAIN_GROUP, PAGE_4K);
		check_sets("two groups of bits", with_next, bits, 12, CHAIN_GROUP, PAGE_4K);
		check_sets("2 MiB", lowest, bits, 21, CHAIN_GROUP, PAGE_2M);
		check_sets("2 MiB, side by side", with_next, bits, 21, 1, PAGE_2M);
		if (bits != 2) /* no linear function does that beside all others */
			check_sets("all bits", folded, bits, 12, CHAIN_GROUP, PAGE_4K);
	}
	for (unsigned bits = 4; bits <= 10; bits++) {
		check_sets("groups of 2 pages", lowest, bits, 13, CHAIN_GROUP, PAGE_4K);
		check_sets("groups of 4 pages", lowest, bits, 14, CHAIN_GROUP, PAGE_4K);
	}
}

TEST(all_sets_of_a_cache)
{
	for (unsigned bits = 6; bits <= 13; bits++) {
		check_sets("cache", lowest, bits, 6, CHAIN_GROUP, PAGE_4K);
		check_sets("cache, side by side", lowest, bits, 6, 1, PAGE_4K);
	}
}

/* Large pages, and the small ones that a hypervisor may back them with. */
TEST(all_sets_with_large_pages)
{
	static const unsigned groups[] = { 1, CHAIN_GROUP };

	for (unsigned i = 0; i < 2; i++) {
		for (unsigned bits = 6; bits <= 13; bits++)
			check_sets("cache", lowest, bits, 6, groups[i], PAGE_2M);
		for (unsigned bits = 4; bits <= 9; bits++)
			check_sets("small pages", lowest, bits, 12, groups[i], PAGE_2M);
		check_sets("small pages, two groups of bits", with_next, 7, 12, groups[i], PAGE_2M);
		check_sets("small pages, all bits", folded, 7, 12, groups[i], PAGE_2M);
	}
}

/* No two nodes in one group of 4, 8 or 16 pages; each in its own pages. */
TEST(one_of_a_group)
{
	static const uint64_t sizes[] = { PAGE_4K, PAGE_2M, PAGE_1G };

	for (unsigned i = 0; i < 3; i++)
		for (uint64_t k = 0; k < 2 * NODES; k++) {
			assert_int_equal(k,
				place(k, CHAIN_GROUP, sizes[i]) / sizes[i] / CHAIN_GROUP);
			assert_int_equal(k, place(k, 1, sizes[i]) / sizes[i]);
		}
}

/* Each in a region of its own, until all were used; never two nodes in one page. */
TEST(regions_in_turn)
{
	const struct chain_pages p = { .page_bytes = PAGE_4K,
		.group = CHAIN_GROUP,
		.regions = 512,
		.region_bytes = PAGE_2M,
		.lap_bytes = 2 * CHAIN_GROUP * PAGE_4K };
	static bool used[512 * 512];

	for (uint64_t k = 0; k < NODES; k++) {
		uint64_t at = chain_page_offset(&p, k);

		assert_int_equal(k % 512, at / PAGE_2M);
		assert_false(used[at / PAGE_4K]);
		used[at / PAGE_4K] = true;
	}
}

/*
 * A walk through 512 regions, one after the other, uses a line for the node of each page and one
 * for its entry in the table: the fullest set has at most twice its share of them, and three.
 */
static void check_walks(const char *what, index_fn *index, unsigned bits, uint64_t pages)
{
	const struct chain_pages p = { .page_bytes = PAGE_4K,
		.group = CHAIN_GROUP,
		.regions = 512,
		.region_bytes = PAGE_2M,
		.lap_bytes = PAGE_2M / (pages / 512) };
	unsigned sets = 1U << bits, most = 2 * (unsigned)(2 * pages / sets) + 3;
	static unsigned in[NODES];

	for (unsigned i = 0; i < sets; i++)
		in[i] = 0;
	for (uint64_t k = 0; k < pages; k++) {
		uint64_t at = chain_page_offset(&p, k);

		in[index(at / 64, bits)]++;
		in[index(at / PAGE_4K * 8 / 64, bits)]++;
	}
	for (unsigned i = 0; i < sets; i++)
		if (in[i] > most)
			fail_msg("%s, %lu pages: set %u of %u has %u lines, more than %u", what,
				pages, i, sets, in[i], most);
}

TEST(sets_of_walks)
{
	for (uint64_t pages = 4096; pages <= NODES; pages *= 2)
		for (unsigned bits = 10; bits <= 13; bits++) {
			check_walks("lowest bits", lowest, bits, pages);
			check_walks("two groups of bits", with_next, bits, pages);
			check_walks("all bits", folded, bits, pages);
		}
}

/* Of so many lines, or fewer, each set has as many as the others, or one or none. */
static void check_even(const char *what, const unsigned char *in, uint64_t lines, unsigned bits)
{
	uint64_t share = lines >> bits ? lines >> bits : 1;

	for (unsigned i = 0; i < 1U << bits; i++)
		if (in[i] > share)
			fail_msg("%s, %lu lines: set %u of %u has %u, more than %lu", what, lines,
				i, 1U << bits, in[i], share);
}

/* A walk from region to region: its nodes alone, and the entries of their pages alone. */
static void check_regions(uint64_t page, uint64_t pages, uint64_t regions, unsigned bits)
{
	uint64_t region = page == PAGE_4K ? PAGE_2M : PAGE_1G;
	const struct chain_pages p = { .page_bytes = page,
		.group = page == PAGE_4K ? CHAIN_GROUP : 1,
		.regions = regions,
		.region_bytes = region,
		.lap_bytes = region / (pages / regions) };
	unsigned char nodes[NODES] = { 0 }, entries[NODES] = { 0 };

	for (uint64_t k = 0; k < pages; k++) {
		uint64_t at = chain_page_offset(&p, k);

		nodes[lowest(at / 64, bits)]++;
		entries[lowest(at / page * 8 / 64, bits)]++;
	}
	check_even(page == PAGE_4K ? "nodes" : "nodes, 2 MiB", nodes, pages, bits);
	if (bits < 12)
		check_even(page == PAGE_4K ? "entries" : "entries, 2 MiB", entries, pages, bits);
}

TEST(all_sets_region_by_region)
{
	static const uint64_t sizes[] = { PAGE_4K, PAGE_2M };

	for (unsigned i = 0; i < 2; i++)
		for (uint64_t pages = 4096; pages <= NODES; pages *= 2)
			for (uint64_t regions = 128; regions <= 512; regions *= 2)
				for (unsigned bits = 7; bits <= 13; bits++)
					if (i || pages <= regions * REGION_GROUPS)
						check_regions(sizes[i], pages, regions, bits);
}

/* Regions 0, 32, 64 ... to 480 begin at 16 places of a lap, each at another one. */
TEST(each_place_once)
{
	const struct chain_pages p = {
		.page_bytes = PAGE_4K,
		.group = CHAIN_GROUP,
		.regions = 512,
		.region_bytes = PAGE_1G,
		.lap_bytes = 16 * CHAIN_GROUP * PAGE_4K,
	};
	unsigned seen = 0;

	for (uint64_t region = 0; region < 512; region += 32) {
		uint64_t begin = chain_page_offset(&p, region) % PAGE_1G / (CHAIN_GROUP * PAGE_4K);

		if (begin > 15 || seen >> begin & 1)
			fail_msg("region %lu begins at place %lu: expected another of 0..15",
				region, begin);
		seen |= 1U << begin;
	}
}

/* The first node is the first line, each is a line, and the places begin again after 2^14 nodes. */
TEST(places_are_lines)
{
	static const unsigned groups[] = { 1, CHAIN_GROUP };

	for (unsigned i = 0; i < 2; i++) {
		uint64_t slot = groups[i] * PAGE_4K;

		for (uint64_t k = 0; k < NODES; k++)
			assert_int_equal(0, place(k, groups[i], PAGE_4K) % 64);
		for (uint64_t k = 0; k < NODES; k++)
			assert_int_equal(place(k, groups[i], PAGE_4K) + (1 << 14) * slot,
				place(k + (1 << 14), groups[i], PAGE_4K));
		assert_int_equal(0, place(0, groups[i], PAGE_4K));
		assert_int_equal(0, place(0, groups[i], PAGE_2M));
	}
}
