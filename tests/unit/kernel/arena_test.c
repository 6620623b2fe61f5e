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

/* Memory types by MTRRs and the page attribute table, as machines have set them. */

#define NOT_THERE UINT64_MAX

static uint64_t capabilities, defaults, ranges[6], pat;
static uint64_t syscfg = NOT_THERE, top_mem2 = NOT_THERE;
static bool amd;

static uint64_t *find(uint32_t msr)
{
	switch (msr) {
	case 0xfe:
		return &capabilities;
	case 0x2ff:
		return &defaults;
	case 0x277:
		return &pat;
	case 0xc0010010:
		return &syscfg;
	case 0xc001001d:
		return &top_mem2;
	}
	return msr >= 0x200 && msr < 0x206 ? &ranges[msr - 0x200] : NULL;
}

static int double_read(uint32_t msr, uint64_t *value)
{
	const uint64_t *at = find(msr);

	if (!at || *at == NOT_THERE)
		return 13;
	*value = *at;
	return 0;
}

static int double_write(uint32_t msr, uint64_t value)
{
	uint64_t *at = find(msr);

	if (!at || *at == NOT_THERE)
		return 13;
	*at = value;
	return 0;
}

static struct cpuid double_cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid name = { 0x10, 0x756e6547, 0x6c65746e, 0x49656e69 }; /* GenuineIntel */

	if (amd)
		name = (struct cpuid){ 0x10, 0x68747541, 0x444d4163, 0x69746e65 }; /* AMD */
	return name;
}

static const struct cpu_ops test_cpu = { double_cpuid, double_read, double_write };

#define ON      (1 << 11)
#define GIB_(n) ((uint64_t)(n) << 30)
#define MASK(n) (((1ULL << 39) - GIB_(n)) | ON)

static void expect(const char *name, uint64_t base, uint64_t bytes)
{
	const char *is = type_name(mtrr_type(&test_cpu, base, bytes));

	if (__builtin_strcmp(name, is))
		fail_msg("%#llx and %#llx bytes: expected %s, came %s", (unsigned long long)base,
			(unsigned long long)bytes, name, is);
}

static void set(uint64_t otherwise, const uint64_t values[6])
{
	capabilities = 3;
	defaults = otherwise;
	__builtin_memcpy(ranges, values, sizeof ranges);
}

/* EDK II's form: write-back by default, a hole for devices. */
TEST(a_hole_in_write_back)
{
	static const uint64_t hole[6] = { GIB_(2) | TYPE_UNCACHED, MASK(2) };

	set(ON | TYPE_WRITE_BACK, hole);
	expect("write-back", GIB_(1), GIB_(1));
	expect("write-back", GIB_(4), GIB_(8));
	expect("uncached", GIB_(3), GIB_(1));
	expect("mixed", GIB_(1), GIB_(2));
	expect("mixed", GIB_(3), GIB_(2));
}

/* Older firmware's form: uncached by default, memory in two ranges, a hole over the second. */
TEST(write_back_in_uncached)
{
	static const uint64_t memory[6] = { 0 | TYPE_WRITE_BACK, MASK(4), GIB_(4) | TYPE_WRITE_BACK,
		MASK(4), GIB_(3) | TYPE_UNCACHED, MASK(1) };

	set(ON | TYPE_UNCACHED, memory);
	expect("write-back", GIB_(1), GIB_(2));
	expect("uncached", GIB_(3), GIB_(1)); /* uncached wins */
	expect("write-back", GIB_(4), GIB_(4));
	expect("mixed", GIB_(4), GIB_(5));
	expect("uncached", GIB_(8), GIB_(1));
}

TEST(through_beats_back)
{
	static const uint64_t both[6] = { GIB_(1) | TYPE_WRITE_BACK, MASK(1),
		GIB_(1) | TYPE_WRITE_THROUGH, MASK(1) };

	set(ON | TYPE_UNCACHED, both);
	expect("write-through", GIB_(1), GIB_(1));
}

#define TOM2_ON   (1 << 21)
#define TOM2_BACK (1 << 22)

/* AMD's form on servers: ranges only for memory below 4 GiB, and SYSCFG for the rest. */
TEST(forced_above_4g)
{
	static const uint64_t below[6] = { 0 | TYPE_WRITE_BACK, MASK(2), GIB_(16) | TYPE_UNCACHED,
		MASK(1) };

	set(ON | TYPE_UNCACHED, below);
	syscfg = TOM2_ON | TOM2_BACK;
	top_mem2 = GIB_(20);
	expect("uncached", GIB_(4), GIB_(8)); /* not this vendor's */
	amd = true;
	expect("write-back", GIB_(4), GIB_(8));
	expect("write-back", GIB_(1), GIB_(1));
	expect("uncached", GIB_(2), GIB_(2));
	expect("mixed", GIB_(2), GIB_(3));
	expect("uncached", GIB_(16), GIB_(1)); /* a range overrides it */
	expect("mixed", GIB_(12), GIB_(5));
	expect("write-back", GIB_(17), GIB_(3));
	expect("uncached", GIB_(20), GIB_(1)); /* beyond memory */
	expect("mixed", GIB_(18), GIB_(4));
	syscfg = TOM2_BACK; /* the register of the top is off */
	expect("uncached", GIB_(4), GIB_(8));
	syscfg = TOM2_ON;
	expect("uncached", GIB_(4), GIB_(8));
	syscfg = NOT_THERE; /* a hypervisor that hides it */
	expect("uncached", GIB_(4), GIB_(8));
	syscfg = TOM2_ON | TOM2_BACK;
	defaults = TYPE_WRITE_BACK; /* without MTRRs it has no effect */
	expect("uncached", GIB_(4), GIB_(8));
	amd = false;
}

TEST(off_and_absent)
{
	static const uint64_t unused[6] = { TYPE_UNCACHED, 0 };

	set(TYPE_WRITE_BACK, unused);
	expect("uncached", GIB_(1), GIB_(1)); /* MTRRs off: nothing is cached */
	capabilities = 0;
	expect("unknown", GIB_(1), GIB_(1)); /* an emulator that ignores them */
	capabilities = NOT_THERE;
	expect("unknown", GIB_(1), GIB_(1));
}

TEST(page_attributes)
{
	const uint64_t reset = 0x0007040600070406ULL;
	struct msr_journal j = { .cpu = &test_cpu };

	pat = reset;
	assert_int_equal(TYPE_WRITE_BACK, pat_type(&test_cpu, 0));
	assert_null(pat_prepare(&j));
	assert_int_equal(0x0007040600070106ULL, pat);
	assert_int_equal(TYPE_WRITE_COMBINING, pat_type(&test_cpu, 1));
	assert_int_equal(TYPE_UNCACHED, pat_type(&test_cpu, 3));
	pat_undo(&j);
	assert_int_equal(reset, pat);
	assert_null(pat_prepare(&j));
	assert_int_equal(0, msr_restore(&j, 0));
	assert_int_equal(reset, pat);
	pat = NOT_THERE;
	assert_non_null(pat_prepare(&j));
	assert_int_equal(TYPE_UNKNOWN, pat_type(&test_cpu, 0));
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
