/* SPDX-License-Identifier: MIT */
/* Jumps to pages of code: what is written, run for real, and what is read of the rows. */
#include <sys/mman.h>

#include "probes/walks/walks.c"
#include "tests/unit/summary_rows.h"

#define MOST_PAGES 1008

static unsigned char *memory;
static const size_t memory_bytes = (MOST_PAGES + CONTROL_PAGES) * PAGE_4K;

static void take(void)
{
	memory = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(memory != MAP_FAILED);
}

BEFORE_ALL(take);

/* Follows the jumps by hand to the return: each place once, n of them; notes their pages. */
static void follow(uint64_t from, uint64_t n, const unsigned char *line, unsigned visits[])
{
	uint64_t at = from;

	for (uint64_t k = 0; k < n; k++) {
		int32_t displacement;

		assert_true(at < memory_bytes);
		assert_int_equal(at % PAGE_4K, line[k] * 64);
		visits[at / PAGE_4K]++;
		if (k + 1 == n) {
			assert_int_equal(memory[at], 0xc3);
			assert_int_equal(memory[at + 1], 0xcc);
			memory[at] = 0; /* visited */
			return;
		}
		assert_int_equal(memory[at], 0xe9);
		assert_int_equal(memory[at + 5], 0xcc);
		memcpy(&displacement, memory + at + 1, 4);
		memory[at] = 0;
		at += 5 + (uint64_t)displacement;
	}
}

TEST(one_jump_a_page_and_the_same_lines_in_a_few_pages)
{
	static const uint64_t counts[] = { 1, 2, 8, 9, 16, 17, 63, 64, 65, 100, 128, 500, 1008 };
	static uint32_t order[MOST_PAGES];
	static unsigned char line[PAGES_MOST];
	static unsigned visits[MOST_PAGES + CONTROL_PAGES];
	struct bench b = { 0 };

	random_seed(&b.random, 7);
	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
		uint64_t n = counts[i], entry[2];
		struct code_block c = code_begin(memory, memory_bytes);
		const struct jump_path paths[2] = { { order, line, 0, PAGE_4K },
			{ NULL, line, MOST_PAGES * PAGE_4K, PAGE_4K } };

		permutation_list(order, n, &b.random);
		draw_lines(&b, line, n);
		for (unsigned k = 0; k < 2; k++) {
			put_path(&c, &paths[k], n);
			entry[k] = jump_at(&paths[k], 0);
		}
		for (unsigned k = 0; k < 2; k++)
			assert_int_equal(3,
				loop_timed_call((uintptr_t)memory + entry[k], 3, 0, 0, 0, 0).value);
		memset(visits, 0, sizeof visits);
		for (unsigned k = 0; k < 2; k++)
			follow(entry[k], n, line, visits);
		for (uint64_t p = 0; p < MOST_PAGES; p++)
			assert_int_equal(visits[p], p < n);
		for (uint64_t from = 0; from < n; from += 64) { /* each line of a page once */
			uint64_t seen = 0;

			for (uint64_t k = from; k < n && k < from + 64; k++)
				seen |= 1ULL << line[k];
			assert_int_equal(__builtin_popcountll(seen), n - from < 64 ? n - from : 64);
		}
	}
}

/*
 * Add rows of jumps over n pages. Up to `entries` pages nothing misses; beyond, a jump's cost rises
 * to `miss` cycles, within soft * entries + 1 pages.
 */
static void add_rows(double entries, double miss, double soft)
{
	for (double x = 8; x < 1000; x *= 1.189207) {
		double n = floor(x + 0.5);
		double part = fmin(1, fmax(0, (n - entries) / (soft * entries + 1)));

		add("walks", "code-pages", "pages", n, CYCLES(part * miss), 0);
	}
}

/* The last count without a miss, and the loop's own page. */
TEST(a_cliff)
{
	begin_of("walks");
	add_rows(100, 14, 0);
	expect_range("itlb_4k_entries", 92, 92, 109);
	expect_found("itlb_miss_cycles", 14, 1e-3);
	assert_true(isnan(value("walk_leaf_4k_cycles")->value));
}

/* Half of a miss is reached beyond the first rise: the level may end anywhere up to there. */
TEST(a_soft_edge)
{
	begin_of("walks");
	add_rows(100, 14, 2);
	const struct summary *s = value("itlb_4k_entries");

	assert_true(s->low <= 101 && s->high >= 200);
	assert_true(s->confidence < 0.8);
	expect_found("itlb_miss_cycles", 14, 1e-3);
}

TEST(without_a_step_there_is_no_number)
{
	begin_of("walks");
	add_rows(2000, 14, 0);
	assert_true(isnan(value("itlb_4k_entries")->value));
	assert_true(isnan(value("itlb_miss_cycles")->value));
	begin_of("walks");
	add_rows(4, 14, 0); /* all miss */
	assert_true(isnan(value("itlb_4k_entries")->value));
}
