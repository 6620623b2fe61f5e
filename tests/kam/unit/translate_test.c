/* SPDX-License-Identifier: MIT */
/* TLBs and page walks of the model against cycles computed by hand. */
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kam/unit/insn_builder.h"
#include "tests/unit/test.h"

#define PAGE  4096ull
#define LARGE (2ull << 20)

/* 16 entries above 64; L1 holds every line, so that only translation differs. */
static struct cpu small_tlbs(void)
{
	struct cpu c = test_cpu();

	c.level[0] = (struct cpu_cache){ 1 << 20, 64, 4, POLICY_LRU, 10, 0, 0, 1, 0 };
	c.dtlb_4k = 16;
	c.dtlb_2m = 8;
	c.stlb = 64;
	c.walk = 30;
	return c;
}

/* Cycles of a chase through n addresses `apart`, the second time round. */
static uint64_t chase(struct model *m, uint64_t n, uint64_t apart)
{
	uint64_t start, k;

	for (k = 0; k < 2 * n; k++)
		load(m, 1, 1, k % n * apart);
	start = drain(m);
	for (k = 0; k < n; k++)
		load(m, 1, 1, k * apart);
	return m->ready[1] - start;
}

static void assert_chase(const struct cpu *c, uint64_t n, uint64_t apart, uint64_t cycles)
{
	struct model m;

	model_init(&m, c);
	assert_int_equal(chase(&m, n, apart), cycles);
	model_free(&m);
}

TEST(test_groups)
{
	struct cpu c = small_tlbs();

	assert_chase(&c, 16, PAGE, 16 * 4);
	assert_chase(&c, 17, PAGE, 17 * (4 + 7));
	c.coalesce = 4;
	assert_chase(&c, 64, PAGE, 64 * 4); /* 16 groups */
	/* 17 groups: the first page of each misses, the other three have its entry. */
	assert_chase(&c, 68, PAGE, 68 * 4 + 17 * 7);
	assert_chase(&c, 256, PAGE, 256 * 4 + 64 * 7);
	assert_chase(&c, 17, 4 * PAGE, 17 * (4 + 7)); /* a group each: nothing is gained */
}

/* Chases until that cycle is over. */
static void wait_until(struct model *m, uint64_t cycle)
{
	while (drain(m) <= cycle)
		chase(m, 8, PAGE);
}

/* 4 of 16 entries are the neighbour's in the second half of each 10 us. */
TEST(test_neighbour)
{
	struct cpu c = small_tlbs();
	uint64_t half = c.hz / 1000000 * 5;
	struct model m;

	c.dtlb_ways = c.stlb_ways = 0;
	c.period_us = 10;
	c.period_share = 50;
	c.taken_dtlb = 4;
	model_init(&m, &c);
	assert_int_equal(chase(&m, 16, PAGE), 16 * 4);
	wait_until(&m, half);
	assert_int_equal(chase(&m, 12, PAGE), 12 * 4);
	assert_int_equal(chase(&m, 13, PAGE), 13 * (4 + 7));
	assert_true(drain(&m) < 2 * half);
	wait_until(&m, 2 * half);
	assert_int_equal(chase(&m, 16, PAGE), 16 * 4);
	model_free(&m);
}

/* Frames in the reverse order: no group lies in a row. */
static struct mapping reversed(const void *priv, uint64_t address)
{
	return (struct mapping){ (1ull << 30) - PAGE - address / PAGE * PAGE + address % PAGE, 12 };
}

/* Frames in a row, but not aligned as the pages are. */
static struct mapping shifted(const void *priv, uint64_t address)
{
	return (struct mapping){ address + PAGE, 12 };
}

/* Every other page alone: what a group would hold besides has no page. */
static struct mapping with_gaps(const void *priv, uint64_t address)
{
	return (struct mapping){ address, address / PAGE % 2 ? NOT_MAPPED : 12 };
}

/* A group that is not all there is none; only what is accessed must have a page. */
TEST(test_groups_beside_what_is_not_mapped)
{
	struct cpu c = small_tlbs();
	struct model m;

	c.coalesce = 4;
	model_init(&m, &c);
	m.memory.mapping = with_gaps;
	assert_int_equal(chase(&m, 17, 2 * PAGE), 17 * (4 + 7));
	model_free(&m);
}

TEST(test_groups_need_frames_in_a_row)
{
	struct mapping (*const mappings[])(const void *, uint64_t) = { reversed, shifted };
	struct cpu c = small_tlbs();
	struct model m;
	unsigned k;

	c.coalesce = 4;
	for (k = 0; k < 2; k++) {
		model_init(&m, &c);
		m.memory.mapping = mappings[k];
		assert_int_equal(chase(&m, 17, PAGE), 17 * (4 + 7));
		model_free(&m);
	}
}

TEST(test_shared_first_level)
{
	struct cpu c = small_tlbs();
	struct model m;
	unsigned k;

	for (k = 0; k < 2; k++) {
		c.dtlb_shared = k;
		model_init(&m, &c);
		memory_map_pages(&m.memory, 0, 1ull << 40, LARGE);
		/* 9 large pages are one more than 8 entries, and fit 16. */
		assert_int_equal(chase(&m, 9, LARGE), 9 * (k ? 4 : 4 + 7));
		model_free(&m);
	}
}

TEST(test_second_level_of_large_pages)
{
	struct cpu c = small_tlbs();
	struct model m;
	unsigned k;

	for (k = 0; k < 2; k++) {
		c.stlb_2m = k ? 32 : 0;
		c.stlb_ways = 0;
		model_init(&m, &c);
		memory_map_pages(&m.memory, 0, 1ull << 40, LARGE);
		assert_int_equal(chase(&m, 33, LARGE + 64), 33 * (k ? 4 + 30 : 4 + 7));
		model_free(&m);
	}
}

/* 5 pages in 4 entries; two upper entries are held. */
TEST(test_upper_entries)
{
	struct cpu c = small_tlbs();

	c.dtlb_4k = c.stlb = 4;
	c.upper = 2;
	c.walk_upper = 20;
	assert_chase(&c, 5, PAGE, 5 * (4 + 30));            /* one upper entry has them all */
	assert_chase(&c, 5, LARGE + 64, 5 * (4 + 30 + 20)); /* five, one after the other */
	c.upper = 5;
	assert_chase(&c, 5, LARGE + 64, 5 * (4 + 30));
}

/* The first load: two entries from memory, 200 cycles of which 4 are part of the walk; the data. */
TEST(test_walk_loads)
{
	struct cpu c = small_tlbs();
	struct model m;
	uint64_t start;

	c.walk_loads = 1;
	c.upper = 4;
	c.walk_upper = 10;
	model_init(&m, &c);
	start = drain(&m);
	assert_int_equal(load(&m, 1, 1, 0) - start, 10 + 196 + 196 + 30 + 200);
	start = drain(&m); /* page 7: its entry is in the same line, and the upper one is held */
	assert_int_equal(load(&m, 1, 1, 7 * PAGE) - start, 30 + 200);
	start = drain(&m); /* page 8: in the next line */
	assert_int_equal(load(&m, 1, 1, 8 * PAGE) - start, 196 + 30 + 200);
	model_free(&m);
}

static unsigned shift_now;
static uint64_t moved_by;

/* Exit code of a program that accesses address. */
static int exit_code_at(uint64_t address)
{
	struct cpu c = small_tlbs();
	pid_t child = fork();
	int status = 0;
	struct model m;

	if (child == 0) {
		model_init(&m, &c);
		m.memory.mapping = with_gaps;
		load(&m, 1, 1, address);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

TEST(test_what_is_accessed_has_a_page)
{
	assert_int_equal(exit_code_at(2 * PAGE), 0);
	assert_int_equal(exit_code_at(PAGE), 3);
}

static struct mapping changing(const void *priv, uint64_t address)
{
	return (struct mapping){ address + moved_by, shift_now };
}

/* Touches a page, maps it anew and touches it again: exit code of the program that does it. */
static int exit_code(unsigned shift, uint64_t move, bool flush)
{
	struct cpu c = small_tlbs();
	int status = 0;
	pid_t child = fork();
	struct model m;

	if (child == 0) {
		model_init(&m, &c);
		m.memory.mapping = changing;
		shift_now = 12;
		moved_by = 0;
		load(&m, 1, 1, 0x3000);
		shift_now = shift;
		moved_by = move;
		if (flush)
			memory_flush_tlbs(&m.memory);
		load(&m, 1, 1, 0x3000);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

TEST(test_stale_entries)
{
	assert_int_equal(exit_code(12, 0, false), 0);
	assert_int_equal(exit_code(21, 0, false), 3);
	assert_int_equal(exit_code(30, 0, false), 3);
	assert_int_equal(exit_code(12, PAGE, false), 3);
	assert_int_equal(exit_code(21, 0, true), 0);
	assert_int_equal(exit_code(12, PAGE, true), 0);
}

/* A load that misses both TLBs: 4, a walk of 10, and of each entry read 2 and a hit in L1. */
static void assert_reads(struct model *m, uint64_t address, unsigned entries)
{
	uint64_t start = drain(m);

	assert_int_equal(load(m, 1, 14, address) - start, 4 + 10 + entries * (2 + 4));
}

/* Tables and data are in L1 once they were touched; all 4 tables are read where nothing is held. */
TEST(test_walks_read_what_is_not_held)
{
	static const uint64_t near = 17 * PAGE, other_2m = 9 * LARGE, other_1g = 1ull << 30;
	struct cpu c = small_tlbs();
	struct model m;
	unsigned k;

	c.walk = 10;
	c.walks.read = 2;
	for (k = 0; k < 8; k++) {
		c.walks.pde = k & 1 ? 4 : 0;
		c.walks.pdpte = k & 2 ? 4 : 0;
		c.walks.pml4e = k & 4 ? 4 : 0;
		model_init(&m, &c);
		load(&m, 1, 14, 0);
		load(&m, 1, 14, near);
		load(&m, 1, 14, other_2m);
		load(&m, 1, 14, other_1g);
		memory_flush_tlbs(&m.memory);
		assert_reads(&m, 0, 4);
		assert_reads(&m, near, k & 1 ? 1 : k & 2 ? 2 : k & 4 ? 3 : 4);
		assert_reads(&m, other_2m, k & 2 ? 2 : k & 4 ? 3 : 4);
		assert_reads(&m, other_1g, k & 4 ? 3 : 4);
		model_free(&m);
	}
}

/* A machine whose memory is a guest's: `large` per cent of it in pages of 2 MiB of the host. */
static struct cpu guest(unsigned large)
{
	struct cpu c = small_tlbs();

	c.walk = 10;
	c.walks.read = 2;
	c.nested.tables = 1;
	c.nested.large = large;
	return c;
}

/*
 * A walk with all lines in L1, of guest's pages of this size: each table of the guest and its page
 * are walked for in the host's tables, which are 4 or, with large pages, 3.
 */
static void assert_nested_reads(const struct cpu *c, uint64_t page, unsigned entries)
{
	struct model m;

	model_init(&m, c);
	memory_map_pages(&m.memory, 0, 1ull << 40, page);
	load(&m, 1, 14, 0);
	memory_flush_tlbs(&m.memory);
	assert_reads(&m, 0, entries);
	model_free(&m);
}

TEST(test_a_host_is_walked_for_each_table_of_the_guest)
{
	struct cpu c = guest(0);

	assert_nested_reads(&c, PAGE, 4 * (4 + 1) + 4);
	assert_nested_reads(&c, LARGE, 3 * (4 + 1) + 4);
	c.nested.large = 100;
	assert_nested_reads(&c, PAGE, 4 * (3 + 1) + 3);
	assert_nested_reads(&c, LARGE, 3 * (3 + 1) + 3);
	c.nested.tables = 0;
	assert_nested_reads(&c, PAGE, 4);
}

/*
 * Where the entries above are held, the last table of each dimension is read, and no host's table
 * for the guest's: the entry above it has the host's address.
 */
TEST(test_upper_entries_of_both_dimensions_are_held)
{
	struct cpu c = guest(0);
	struct model m;

	c.walks.pde = c.walks.pdpte = c.walks.pml4e = 16;
	model_init(&m, &c);
	load(&m, 1, 14, 0);
	load(&m, 1, 14, 17 * PAGE);
	memory_flush_tlbs(&m.memory);
	load(&m, 1, 14, 0);
	assert_reads(&m, 17 * PAGE, 1 + 1);
	model_free(&m);
}

/* 16 first-level entries: 17 pieces of one large page are one too many, unless the host has it. */
TEST(test_an_entry_holds_the_smaller_page)
{
	struct cpu c = guest(0);
	struct model m;
	unsigned k;

	c.coalesce = 4; /* a host's small pages do not lie in a row */
	for (k = 0; k < 2; k++) {
		c.nested.large = k ? 100 : 0;
		model_init(&m, &c);
		memory_map_pages(&m.memory, 0, 1ull << 40, LARGE);
		assert_int_equal(chase(&m, 17, PAGE), 17 * (k ? 4 : 4 + 7));
		model_free(&m);
	}
}

/* Of 100 regions of 2 MiB, so many per cent need one entry for two loads a page apart. */
TEST(test_regions_of_large_host_pages_have_their_share)
{
	struct cpu c = guest(30);
	struct model m;
	unsigned k, large = 0;

	model_init(&m, &c);
	memory_map_pages(&m.memory, 0, 1ull << 40, LARGE);
	for (k = 0; k < 100; k++) {
		load(&m, 1, 14, k * LARGE);
		load(&m, 1, 14, k * LARGE + 5 * PAGE);
		uint64_t start = drain(&m);

		load(&m, 1, 14, k * LARGE + 5 * PAGE);
		load(&m, 1, 14, k * LARGE + 9 * PAGE);
		large += m.ready[1] - start <= 4 + 4 + 200;
	}
	assert_in_range(large, 28, 32);
	model_free(&m);
}

/* Of so many loads that walk at once, `walkers` do so; a walk reads what L1 has. */
TEST(test_walkers_bound_loads_at_once)
{
	struct cpu c = guest(0);
	unsigned walkers, k;

	for (walkers = 1; walkers <= 4; walkers *= 2) {
		uint64_t walk = 10 + 24 * (2 + 4), start, end = 0;
		struct model m;

		c.walkers = walkers;
		model_init(&m, &c);
		for (k = 0; k < 8; k++)
			load(&m, 1, 14, k * PAGE);
		memory_flush_tlbs(&m.memory);
		start = drain(&m);
		for (k = 0; k < 8; k++) {
			uint64_t done = load(&m, 1, 14, k * PAGE);

			end = done > end ? done : end;
		}
		assert_in_range(end - start, 8 / walkers * walk, 8 / walkers * walk + 4 + 8);
		model_free(&m);
	}
}

/* INVLPG of a large page: the pieces that the TLB holds of it are gone. */
TEST(test_a_page_is_flushed_in_pieces)
{
	struct cpu c = guest(0);
	struct model m;

	model_init(&m, &c);
	memory_map_pages(&m.memory, 0, 1ull << 40, LARGE);
	load(&m, 1, 14, 0);
	load(&m, 1, 14, 17 * PAGE);
	memory_flush_page(&m.memory, 5 * PAGE);
	assert_reads(&m, 17 * PAGE, 3 * (4 + 1) + 4);
	model_free(&m);
}

/* INVLPG: the one page is walked for, from the first table on; what is held besides stays. */
TEST(test_one_page_is_flushed)
{
	struct cpu c = small_tlbs();
	struct model m;

	c.walk = 10;
	c.walks.read = 2;
	c.walks.pde = c.walks.pdpte = c.walks.pml4e = 4;
	model_init(&m, &c);
	load(&m, 1, 14, 0);
	load(&m, 1, 14, 17 * PAGE);
	drain(&m);
	memory_flush_page(&m.memory, 17 * PAGE + 5);
	uint64_t start = drain(&m);

	assert_int_equal(load(&m, 1, 14, 0) - start, 4);
	assert_reads(&m, 17 * PAGE, 4);
	model_free(&m);
}

/* 3 pages of code, replaced by LRU: each page that is not there holds up the front end. */
TEST(test_pages_of_code)
{
	static const struct {
		uint64_t page, waits;
	} steps[] = { { 1, 9 }, { 1, 0 }, { 2, 9 }, { 3, 9 }, { 1, 0 }, { 4, 9 }, { 1, 0 },
		{ 2, 9 }, { 4, 0 } };
	struct cpu c = small_tlbs();
	struct model m;
	unsigned k;

	c.itlb.entries = 3;
	c.itlb.miss = 9;
	model_init(&m, &c);
	for (k = 0; k < sizeof(steps) / sizeof(*steps); k++)
		assert_int_equal(memory_fetch(&m.memory, steps[k].page * PAGE + k), steps[k].waits);
	memory_flush_tlbs(&m.memory);
	assert_int_equal(memory_fetch(&m.memory, 4 * PAGE), 9);
	model_free(&m);
}
