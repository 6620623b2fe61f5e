/* SPDX-License-Identifier: MIT */
/* The choice of memory on machines of several nodes and with malformed tables. */
/* unistd.h's pause() is not that of kernel/cpu/x86.h. */
#define pause unistd_pause
#include <signal.h>
#undef pause
#include <ucontext.h>

#include "engine/room.h"
#include "kernel/firmware/acpi.h"
#include "kernel/memory/address_space.h"
#include "kernel/memory/arena.c"
#include "tests/unit/acpi_tables.h"
#include "tests/unit/test.h"

#define BACK     8ULL /* EFI_MEMORY_WB */
#define SPECIFIC (1ULL << 18)
#define TOP      (1ULL << 40) /* the machine's memory is above: it is not there */

enum { ENABLED = 1, HOT = 2, PERSISTENT = 4 };

static struct memory_entry map[4096];
static unsigned char *srat, *slit;
static uint32_t srat_used;

/* Claimed memory is no longer free. Work memory really exists: the kernel clears it. */
static bool claim(struct machine *m, struct span *s)
{
	static unsigned char work[2][64 * MIB] __attribute__((aligned(4096)));

	if (m->logs.base == 0 && s->base == 0) {
		s->base = (uint64_t)work[m->work.base != 0];
		return true;
	}
	if (!m->logs.base)
		return false; /* not there to be cleared: anywhere else, then */
	for (size_t i = 0; i < m->map.bytes / sizeof *map; i++) {
		uint64_t end = map[i].base + map[i].pages * PAGE_4K, after = s->base + s->bytes;

		if (map[i].type != 7 || s->base < map[i].base || after > end)
			continue;
		map[i].pages = (s->base - map[i].base) / PAGE_4K;
		map[m->map.bytes / sizeof *map] = (struct memory_entry){ 7, 0, after, 0,
			(end - after) / PAGE_4K, map[i].attributes };
		m->map.bytes += sizeof *map;
		return true;
	}
	return false;
}

static struct machine choose(const struct memory_entry *entries, unsigned n, uint32_t apic_id)
{
	unsigned char *tables[] = { srat, slit };
	struct machine m = { .memory_claim = claim };

	memcpy(map, entries, n * sizeof *entries);
	m.map = (struct memory_map){ (unsigned char *)map, n * sizeof *map, sizeof *map };
	m.rsdp = make_root(true, tables, slit ? 2 : srat ? 1 : 0);
	assert_true(memory_choose(&m, apic_id));
	return m;
}

static void open_srat(unsigned revision)
{
	area_used = 0;
	srat = make("SRAT", 48 + 24 + 10 * 40);
	srat[8] = (unsigned char)revision;
	put(srat, 48, 0, 1); /* sums it up */
	srat_used = 48;
	slit = NULL;
}

static void add_cpu(uint32_t id, uint32_t node)
{
	put(srat, srat_used, 16 << 8, 2);
	put(srat, srat_used + 2, node & 0xff, 1);
	put(srat, srat_used + 3, id, 1);
	put(srat, srat_used + 4, ENABLED, 4);
	srat_used += 16;
}

static void add_memory(uint32_t node, uint64_t base, uint64_t bytes, uint32_t flags)
{
	put(srat, srat_used, 40 << 8 | 1, 2);
	put(srat, srat_used + 2, node, 4);
	put(srat, srat_used + 8, base, 8);
	put(srat, srat_used + 16, bytes, 8);
	put(srat, srat_used + 28, flags, 4);
	srat_used += 40;
}

static void expect_arena(const struct machine *m, uint32_t node, uint64_t base, uint64_t bytes)
{
	if (m->arena_node != node || m->arena.base != base || m->arena.bytes != bytes)
		fail_msg("expected %llx bytes at %llx on node %u, came %llx at %llx on %u",
			(unsigned long long)bytes, (unsigned long long)base, node,
			(unsigned long long)m->arena.bytes, (unsigned long long)m->arena.base,
			m->arena_node);
}

#define FREE_RAM(at, size, attributes)                                                             \
	{                                                                                          \
		7, 0, at, 0, (size) / PAGE_4K, attributes                                          \
	}

/* Two nodes of 8 GiB in one block of the memory map, the second one higher. */
static const struct memory_entry two[] = { FREE_RAM(TOP, 16 * GIB, BACK) };

static void two_nodes(unsigned revision)
{
	open_srat(revision);
	add_cpu(0, 0);
	add_cpu(1, 1);
	add_memory(0, TOP, 8 * GIB, ENABLED);
	add_memory(1, TOP + 8 * GIB, 8 * GIB, ENABLED);
}

BEFORE_ALL(take_area);

TEST(without_tables_the_highest)
{
	srat = slit = NULL;
	area_used = 0;
	struct machine m = choose(two, 1, 0);

	expect_arena(&m, NODE_UNKNOWN, TOP + 12 * GIB, 4 * GIB);
	assert_int_equal(1, m.nbeside); /* of the same: more than an arena */
	assert_int_equal(NODE_UNKNOWN, m.beside[0].node);
}

TEST(on_the_node_of_the_cpu)
{
	two_nodes(3);
	struct machine m = choose(two, 1, 0);

	expect_arena(&m, 0, TOP + 4 * GIB, 4 * GIB);
	assert_int_equal(2, m.nbeside);
	assert_int_equal(0, m.beside[0].node);
	assert_int_equal(1, m.beside[1].node);
	assert_true(m.beside[1].span.base >= TOP + 8 * GIB);
	m = choose(two, 1, 1);
	expect_arena(&m, 1, TOP + 12 * GIB, 4 * GIB);
	m = choose(two, 1, 7); /* a CPU that it does not list */
	expect_arena(&m, NODE_UNKNOWN, TOP + 12 * GIB, 4 * GIB);
}

/* Revision 1 has nodes of 8 bits, and anything after them. */
TEST(old_revision)
{
	two_nodes(1);
	put(srat, 48 + 9, 0xabcdef, 3);      /* of CPU 0 */
	put(srat, 48 + 32 + 2, 0xabcd00, 4); /* of its memory */
	struct machine m = choose(two, 1, 0);

	expect_arena(&m, 0, TOP + 4 * GIB, 4 * GIB);
}

TEST(not_for_everybody)
{
	static const struct memory_entry map_[] = {
		FREE_RAM(TOP, GIB, BACK), FREE_RAM(TOP + 1 * GIB, 4 * GIB, BACK | SPECIFIC),
		FREE_RAM(TOP + 5 * GIB, 4 * GIB, BACK | 1ULL << 15),
		FREE_RAM(TOP + 9 * GIB, 4 * GIB, BACK | 1ULL << 20),
		FREE_RAM(TOP + 13 * GIB, 4 * GIB, 1), /* uncached */
		FREE_RAM(TOP + 17 * GIB, 4 * GIB, BACK), FREE_RAM(TOP + 21 * GIB, 4 * GIB, BACK),
		{ 4, 0, TOP + 25 * GIB, 0, GIB / PAGE_4K, BACK }, /* boot services' */
	};

	open_srat(3);
	add_cpu(0, 5);
	add_memory(5, TOP, 17 * GIB, ENABLED);
	add_memory(5, TOP + 17 * GIB, 4 * GIB, ENABLED | HOT);
	add_memory(5, TOP + 21 * GIB, 4 * GIB, ENABLED | PERSISTENT);
	add_memory(5, TOP + 25 * GIB, GIB, ENABLED);
	struct machine m = choose(map_, 8, 0);
	uint64_t most = (GIB - GIB / 16 - 32 * MIB) & -(2 * MIB);

	expect_arena(&m, 5, TOP + GIB - most, most);
	assert_int_equal(0, m.nbeside);
}

/* Node 2 has no memory; node 1 is nearer to it than node 0. */
TEST(a_node_without_memory)
{
	static const unsigned char distances[] = { 10, 20, 30, 20, 10, 15, 30, 15, 10 };

	two_nodes(3);
	add_cpu(2, 2);
	struct machine m = choose(two, 1, 2);

	expect_arena(&m, 0, TOP + 4 * GIB, 4 * GIB);
	slit = make("SLIT", 44 + 9);
	put(slit, 36, 3, 8);
	for (unsigned i = 0; i < 9; i++)
		put(slit, 44 + i, distances[i], 1);
	m = choose(two, 1, 2);
	expect_arena(&m, 1, TOP + 12 * GIB, 4 * GIB);
	put(slit, 44 + 6, 12, 1); /* now the first is the nearest, and a farther one follows */
	m = choose(two, 1, 2);
	expect_arena(&m, 0, TOP + 4 * GIB, 4 * GIB);
	assert_int_equal(15, slit_distance((struct acpi_table *)slit, 2, 1));
	assert_int_equal(UINT32_MAX, slit_distance((struct acpi_table *)slit, 2, 3));
	put(slit, 36, 4, 8); /* more than the table has */
	assert_int_equal(UINT32_MAX, slit_distance((struct acpi_table *)slit, 0, 1));
	put(slit, 36, 1ULL << 32, 8); /* its square is 0 */
	assert_int_equal(UINT32_MAX, slit_distance((struct acpi_table *)slit, 0, 1));
	put(slit, 36, 3, 8);
	put(slit, 44 + 1, 255, 1); /* no way */
	assert_int_equal(UINT32_MAX, slit_distance((struct acpi_table *)slit, 0, 1));
}

/* ACPI 6.5, 5.2.16: an APIC's node has its bytes apart, in revision 1 the first of them only. */
TEST(the_node_of_a_processor)
{
	open_srat(3);
	add_cpu(7, 2);
	put(srat, srat_used - 16 + 9, 0x30201, 3);
	put(srat, srat_used, 24 << 8 | 2, 2); /* an x2APIC */
	put(srat, srat_used + 2, 0, 2);
	put(srat, srat_used + 4, 0x10005, 4);
	put(srat, srat_used + 8, 0x12345, 4);
	put(srat, srat_used + 12, ENABLED, 4);
	srat_used += 24;
	add_cpu(8, 3);
	put(srat, srat_used - 16 + 4, 0, 4); /* not enabled */
	assert_int_equal(0x3020102, srat_cpu_node((struct acpi_table *)srat, 7));
	assert_int_equal(0x10005, srat_cpu_node((struct acpi_table *)srat, 0x12345));
	assert_int_equal(UINT32_MAX, srat_cpu_node((struct acpi_table *)srat, 8));
	assert_int_equal(UINT32_MAX, srat_cpu_node((struct acpi_table *)srat, 0x45));
	srat[8] = 1;
	assert_int_equal(2, srat_cpu_node((struct acpi_table *)srat, 7));
	assert_int_equal(0x10005, srat_cpu_node((struct acpi_table *)srat, 0x12345));
}

TEST(malformed_entries_are_passed_over)
{
	struct node_range r;
	uint32_t at = 0;

	open_srat(3);
	add_memory(0, TOP, 0, ENABLED);
	add_memory(0, UINT64_MAX - GIB, 2 * GIB, ENABLED);
	add_memory(0, TOP, GIB, 0);
	put(srat, srat_used, 16 << 8 | 1, 2); /* a memory entry that is too short */
	put(srat, srat_used + 2, 0, 8);
	srat_used += 16;
	add_memory(1, TOP, GIB, ENABLED);
	put(srat, srat_used, 200 << 8 | 1, 2); /* reaches beyond the table */
	assert_true(srat_memory((struct acpi_table *)srat, &at, &r));
	assert_int_equal(1, r.node);
	assert_false(srat_memory((struct acpi_table *)srat, &at, &r));
	assert_int_equal(UINT32_MAX, srat_cpu_node((struct acpi_table *)srat, 0));
	assert_int_equal(UINT32_MAX, srat_cpu_node(NULL, 0));
	at = 0;
	assert_false(srat_memory(NULL, &at, &r));
}

/*
 * Persistent, unaccepted, an OEM's; none, all and no whole pages: memory that is not free memory.
 */
TEST(odd_entries)
{
	static const struct memory_entry odd[] = {
		FREE_RAM(TOP, 8 * GIB, BACK),
		{ 14, 0, TOP + 16 * GIB, 0, 8 * GIB / PAGE_4K, BACK },
		{ 15, 0, TOP + 32 * GIB, 0, 8 * GIB / PAGE_4K, BACK },
		{ 0x70000001, 0, TOP + 48 * GIB, 0, 8 * GIB / PAGE_4K, BACK },
		{ 7, 0, TOP + 64 * GIB, 0, 0, BACK },
		{ 7, 0, TOP + 80 * GIB, 0, (1ULL << 52) + 8 * GIB / PAGE_4K, BACK },
		{ 7, 0, -GIB, 0, 2 * GIB / PAGE_4K, BACK },
		{ 7, 0, TOP + 96 * GIB + 1, 0, 8 * GIB / PAGE_4K, BACK },
	};

	srat = slit = NULL;
	area_used = 0;
	struct machine m = choose(odd, sizeof odd / sizeof *odd, 0);

	expect_arena(&m, NODE_UNKNOWN, TOP + 4 * GIB, 4 * GIB);
}

/* Free and used pages by turns, and behind them a terabyte. */
TEST(many_entries)
{
	static struct memory_entry many[2001];

	for (unsigned i = 0; i < 2000; i++)
		many[i] = (struct memory_entry){ i % 2 ? 7 : 4, 0, TOP + i * PAGE_4K, 0, 1, BACK };
	many[2000] = (struct memory_entry)FREE_RAM(2 * TOP, TOP, BACK);
	srat = slit = NULL;
	area_used = 0;
	struct machine m = choose(many, 2001, 0);

	expect_arena(&m, NODE_UNKNOWN, 3 * TOP - 4 * GIB, 4 * GIB);
}

/* The page attribute table of a processor that is made up; NOT_THERE: it faults. */

#define NOT_THERE UINT64_MAX

static uint64_t pat;

static int double_read(uint32_t msr, uint64_t *value)
{
	if (msr != PAGE_ATTRIBUTES || pat == NOT_THERE)
		return 13;
	*value = pat;
	return 0;
}

static int double_write(uint32_t msr, uint64_t value)
{
	pat = value;
	return 0;
}

static const struct cpu_ops test_cpu = { NULL, double_read, double_write };

TEST(page_attributes)
{
	const uint64_t reset = 0x0007040600070406ULL;
	struct msr_journal j = { .cpu = &test_cpu };

	pat = reset;
	assert_null(pat_prepare(&j));
	assert_int_equal(0x0007040600070106ULL, pat);
	pat_undo(&j);
	assert_int_equal(reset, pat);
	assert_null(pat_prepare(&j));
	assert_int_equal(0, msr_restore(&j, 0));
	assert_int_equal(reset, pat);
	pat = NOT_THERE;
	assert_non_null(pat_prepare(&j));
}

/* Boards that leave memory out of what is write-back, by their MTRRs (Linux: "BIOS bug: ..."). */

static void expect_cached(const char *name, const uint64_t (*ranges)[2], unsigned n,
	uint64_t otherwise, uint64_t base, uint64_t bytes)
{
	static const struct memory_entry board[] = { FREE_RAM(MIB, 3 * GIB - MIB, BACK),
		FREE_RAM(4 * GIB, 13 * GIB, BACK) };

	boot_memory_types = (struct memory_types){ .known = true,
		.on = true,
		.otherwise = otherwise,
		.ranges = n,
		.pat0 = TYPE_WRITE_BACK };
	for (unsigned i = 0; i < n; i++) {
		boot_memory_types.range[i].base = ranges[i][0];
		boot_memory_types.range[i].mask = ranges[i][1];
	}
	srat = slit = NULL;
	area_used = 0;
	struct machine m = choose(board, 2, 0);

	print_message("%s: %#llx\n", name, (unsigned long long)m.arena.base);
	expect_arena(&m, NODE_UNKNOWN, base, bytes);
	assert_int_equal(mtrr_type(&boot_memory_types, base, bytes), TYPE_WRITE_BACK);
	memset(&boot_memory_types, 0, sizeof boot_memory_types);
}

#define SPAN(gib) (0x8000000000ULL - (gib)*GIB)

/* The highest whole gigabytes below what is left out; half of nothing is better than all of it. */
TEST(memory_that_is_not_write_back_is_left_alone)
{
	static const uint64_t lost64[][2] = { { 6, SPAN(2) }, { 2 * GIB | 6, SPAN(1) },
		{ 4 * GIB | 6, SPAN(4) }, { 8 * GIB | 6, SPAN(8) }, { 16 * GIB | 6, SPAN(1) },
		{ 17 * GIB - 64 * MIB, 0x8000000000ULL - 64 * MIB } };
	static const uint64_t lost2g[][2] = { { 6, SPAN(2) }, { 2 * GIB | 6, SPAN(1) },
		{ 4 * GIB | 6, SPAN(4) }, { 8 * GIB | 6, SPAN(4) }, { 12 * GIB | 6, SPAN(2) },
		{ 14 * GIB | 6, SPAN(1) } };
	static const uint64_t nothing_above[][2] = { { 6, SPAN(2) }, { 2 * GIB | 6, SPAN(1) } };

	expect_cached("64 MiB", lost64, 6, TYPE_UNCACHED, 12 * GIB, 4 * GIB);
	expect_cached("2 GiB", lost2g, 6, TYPE_UNCACHED, 11 * GIB, 4 * GIB);
	expect_cached("all above 4 GiB", nothing_above, 2, TYPE_UNCACHED, GIB, 2 * GIB);
	expect_cached("none", nothing_above, 0, TYPE_WRITE_BACK, 13 * GIB, 4 * GIB);
}

/* Where hardly anything is write-back, what there is is measured, and the run line says what. */
TEST(without_write_back_memory_any_is_taken)
{
	static const struct memory_entry board[] = { FREE_RAM(4 * GIB, 8 * GIB, BACK) };

	boot_memory_types = (struct memory_types){ .known = true, .on = false };
	srat = slit = NULL;
	area_used = 0;
	struct machine m = choose(board, 1, 0);

	expect_arena(&m, NODE_UNKNOWN, 8 * GIB, 4 * GIB);
	memset(&boot_memory_types, 0, sizeof boot_memory_types);
}

/* An unprivileged program may not read MSRs: here each reads 0, which tells nothing of a type. */
static void read_msr(int signal, siginfo_t *info, void *context)
{
	static const unsigned char rdmsr[] = { 0x0f, 0x32 };
	greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;

	if (memcmp((void *)g[REG_RIP], rdmsr, sizeof rdmsr))
		abort();
	g[REG_RIP] += sizeof rdmsr;
	g[REG_RAX] = g[REG_RDX] = 0;
}

/* No page is larger than what may be measured, or than the arena has whole. */
TEST(gigabyte_pages_need_a_gigabyte)
{
	static const struct {
		uint64_t base, bytes, limit;
		bool gigabytes;
	} rows[] = { { TOP, GIB, 0, true }, { TOP, GIB, GIB, true },
		{ TOP, 4 * GIB, 2 * GIB, true }, { TOP, 4 * GIB, GIB - 1, false },
		{ TOP, 4 * GIB, 512 * MIB, false }, { TOP, 4 * GIB, 1, false },
		{ TOP, GIB - PAGE_2M, 0, false },
		{ TOP + PAGE_2M, 2 * GIB - 2 * PAGE_2M, 0, false },
		{ TOP + PAGE_2M, 2 * GIB - PAGE_2M, 0, true } };
	struct sigaction on_fault = { .sa_sigaction = read_msr, .sa_flags = SA_SIGINFO }, before;
	struct machine m = { 0 };

	sigaction(SIGSEGV, &on_fault, &before);
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int has = 0; has < 2; has++) {
			struct config c = { .options.max_bytes = rows[i].limit };
			struct room room = { 0 };

			address_space.tables.has.gigabyte_pages = has;
			address_space.arena =
				(struct remappable){ rows[i].base, rows[i].bytes, NULL, NULL };
			arena_open(&room, &m, &c);
			if (!!(room.facts.pages & PAGE_1G) != (has && rows[i].gigabytes))
				fail_msg("%llx bytes at %llx, at most %llx: pages %llx",
					(unsigned long long)rows[i].bytes,
					(unsigned long long)rows[i].base,
					(unsigned long long)rows[i].limit,
					(unsigned long long)room.facts.pages);
			assert_int_equal(room.facts.pages & ~PAGE_1G, PAGE_4K | PAGE_2M);
		}
	sigaction(SIGSEGV, &before, NULL);
}

/* From the first whole page to the last one; of a limit, the page that it ends in. */
TEST(an_arena_is_whole_pages)
{
	static const struct {
		uint64_t page, limit, base, bytes; /* MiB */
	} rows[] = { { 2, 0, 4, 10 }, { 2, 100, 4, 10 }, { 2, 5, 4, 6 }, { 2, 6, 4, 6 },
		{ 2, 10, 4, 10 }, { 8, 0, 8, 0 }, { 1, 0, 3, 12 }, { 4, 3, 4, 4 } };
	const struct remappable r = { .base = 3 * MIB, .bytes = 12 * MIB };

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		state.limit = rows[i].limit * MIB;
		struct arena a = whole_pages(&r, rows[i].page * MIB, 1);

		assert_int_equal(rows[i].base * MIB, a.base);
		assert_int_equal(rows[i].bytes * MIB, a.bytes);
	}
	state.limit = 0;
}
