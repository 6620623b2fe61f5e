/* SPDX-License-Identifier: MIT */
/* The engine's services for probes: reasons, scratch memory, arenas, the machine's features. */
#include "engine/probe_api.c"
#include "tests/unit/fake_room.h"

static struct room room;
static struct options options;
static struct bench b;

BEFORE_EACH(reset)
{
	fake_reset(&room);
	options = (struct options){ 0 };
	b = (struct bench){ .room = &room, .opt = &options };
	b.work.base = room.work;
	b.work.bytes = room.work_bytes;
}

static void expect_skip(struct job *job, int came, const char *reason)
{
	assert_int_equal(-1, came);
	assert_string_equal(reason, job->skip);
}

TEST(reasons_are_told)
{
	struct job job = { .arena.bytes = 5 * MIB - 1 };

	assert_ptr_equal(room.work, job_alloc(&b, &job, FAKE_WORK));
	assert_string_equal("", job.skip);
	expect_skip(&job, job_skip(&job, "%d of %s", 3, "it"), "3 of it");
	assert_false(job.disproved);
	expect_skip(&job, job_too_large(&job, 7 * MIB - 1), "needs 7 MiB, the arena has 4");
	expect_skip(&job, job_too_large(&job, 7 * MIB), "needs 8 MiB, the arena has 4");
	expect_skip(&job, job_disproved(&job, "%d of %s", 3, "it"), "proof failed: 3 of it");
	assert_true(job.disproved);
	job_disproved(&job, "%0200d", 0);
	assert_int_equal(sizeof job.skip - 1, strlen(job.skip));
	assert_null(job_alloc(&b, &job, 1));
	assert_string_equal("no scratch memory", job.skip);
}

TEST(a_call_of_nothing_has_no_count)
{
	const uint64_t args[LOOP_ARGS] = { 11, 12, 13, 14, 15, 16 };

	for (unsigned count = 0; count < LOOP_ARGS; count++) {
		struct job job = { 0 };

		job_call(&job, loop_add_chain, count, args);
		assert_true(job.loop == loop_add_chain);
		for (unsigned i = 0; i < LOOP_ARGS; i++) {
			assert_int_equal(args[i], job.args[i]);
			assert_int_equal(i == count ? 0 : args[i], job.empty_args[i]);
		}
	}
}

TEST(scratch_memory_shares_no_line)
{
	for (size_t bytes = 1; bytes < 300; bytes += 37)
		assert_int_equal(0, (uintptr_t)row_alloc(&b, bytes) % 128);
}

/* A request that does not fit is refused and takes nothing from later ones that fit. */
TEST(scratch_memory_has_an_end)
{
	b.work.bytes = 1024;
	assert_null(row_alloc(&b, 1025));
	assert_null(row_alloc(&b, SIZE_MAX));
	assert_ptr_equal(room.work, row_alloc(&b, 128));
	assert_null(row_alloc(&b, 897));
	assert_ptr_equal(room.work + 128, row_alloc(&b, 896));
	assert_null(row_alloc(&b, 1));
}

TEST(memory_of_the_run_is_from_the_end)
{
	unsigned char *end = room.work + 1024;

	memset(room.work, 0xa5, 1024);
	b.work.bytes = 1024;
	b.work.used = 640;
	assert_ptr_equal(end - 64, run_alloc(&b, 1));
	assert_ptr_equal(end - 128, run_alloc(&b, 64));
	assert_ptr_equal(end - 256, run_alloc(&b, 65));
	for (unsigned char *p = end - 256; p < end; p++)
		assert_int_equal(0, *p);
	assert_int_equal(0xa5, end[-257]);
	assert_null(run_alloc(&b, 129));
	assert_ptr_equal(end - 384, run_alloc(&b, 128));
	assert_null(run_alloc(&b, 1));
	assert_int_equal(640, b.work.bytes);
}

TEST(events_that_disturb)
{
	struct event_counts none = { 0 },
			    measures = { .core_cycles = 1, .mispredicts = 1, .instructions = 1 };

	assert_int_equal(0, disturbing_events(&none));
	assert_int_equal(0, disturbing_events(&measures));
#define EXPECT(NAME, name)                                                                         \
	assert_int_equal(EVENT_##NAME, disturbing_events(&(struct event_counts){ .name = 1 }));
	EXPECT(SMIS, smis)
	EXPECT(INTERRUPTS, interrupts)
	EXPECT(NMIS, nmis)
	EXPECT(SWITCHES, switches)
	EXPECT(FAULTS, faults)
	EXPECT(MACHINE_CHECKS, machine_checks)
#undef EXPECT
}

TEST(time_and_pages)
{
	room.facts.tsc_hz = 2e9;
	near("ns of 3 ticks", 1.5, ticks_to_ns(&b, 3));
	room.facts.pages = PAGE_4K | PAGE_1G;
	assert_int_equal(PAGE_4K, common_page(&b));
	room.facts.pages |= PAGE_2M;
	assert_int_equal(PAGE_2M, common_page(&b));
	options.page = PAGE_1G;
	assert_int_equal(PAGE_1G, common_page(&b));
}

static unsigned mapped;
static bool no_memory;

static int map(struct room *e, size_t page_bytes, struct arena *out)
{
	mapped++;
	*out = (struct arena){ .bytes = 8 * MIB, .page_bytes = page_bytes, .node = 1 };
	return no_memory ? -1 : 0;
}

/* Mapped anew for other pages only, and no larger than the user wants it. */
TEST(the_arena_is_mapped_once)
{
	struct arena arena;

	room.arena = map;
	mapped = 0;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(0, bench_arena(&b, PAGE_4K, 0, &arena));
	assert_true(mapped == 1 && b.arena_uses == 1 && b.arena_page == PAGE_4K);
	assert_true(arena.bytes == 8 * MIB && arena.page_bytes == PAGE_4K);
	options.max_bytes = 5 * MIB + 1;
	assert_int_equal(0, bench_arena(&b, PAGE_2M, 0, &arena));
	assert_true(mapped == 2 && arena.bytes == 4 * MIB && b.arena.bytes == 4 * MIB);
	options.max_bytes = 9 * MIB;
	assert_int_equal(0, bench_arena(&b, PAGE_4K, 0, &arena));
	assert_int_equal(8 * MIB, arena.bytes);
	options.max_bytes = MIB;
	assert_int_equal(-1, bench_arena(&b, PAGE_2M, 0, &arena)); /* not one page */
	no_memory = true;
	assert_int_equal(-1, bench_arena(&b, PAGE_4K, 0, &arena));
	assert_int_equal(0, b.arena_page);
	assert_int_equal(-1, bench_arena(&b, PAGE_4K, 0, &arena));
	assert_int_equal(6, mapped);
	no_memory = false;
}

static uint64_t ready_asks[8], most_there;
static unsigned nready;

static int map_large(struct room *e, size_t page_bytes, struct arena *out)
{
	*out = (struct arena){ .bytes = page_bytes == PAGE_1G ? 4 * GIB : 300 * MIB,
		.page_bytes = page_bytes };
	return 0;
}

static int map_gib(struct room *e, size_t page_bytes, struct arena *out)
{
	*out = (struct arena){ .bytes = GIB, .page_bytes = page_bytes };
	return 0;
}

static int make_ready(struct room *e, size_t bytes, struct arena *out)
{
	assert_true(nready < 8);
	ready_asks[nready++] = bytes;
	if (bytes <= most_there)
		return 0;
	out->bytes = most_there;
	return -1;
}

/* Expect what came of `bytes` of the arena, and for how much (in MiB) the room was asked. */
static void expect_part(uint64_t bytes, int came, uint64_t part, const char *asks)
{
	size_t page = b.arena_page ? b.arena_page : PAGE_4K;
	struct arena arena;
	char text[128] = "";

	nready = 0;
	if (bench_arena(&b, page, bytes, &arena) != came || (!came && arena.bytes != part))
		fail_msg("%llu bytes: expected %d and %llu, came %llu", (unsigned long long)bytes,
			came, (unsigned long long)part, (unsigned long long)arena.bytes);
	for (unsigned i = 0; i < nready; i++)
		sprintf(strchr(text, 0), " %g", (double)ready_asks[i] / MIB);
	assert_string_equal(asks, text);
}

TEST(the_arena_is_made_ready_part_by_part)
{
	room.arena = map_large;
	room.arena_ready = make_ready;
	options.max_bytes = 0;
	most_there = 300 * MIB;
	b.arena_page = 0;
	expect_part(0, 0, 64 * MIB, " 64");
	expect_part(0, 0, 64 * MIB, "");
	expect_part(200 * MIB + 2 * KIB, 0, 200 * MIB + PAGE_4K, " 200.004");
	expect_part(100 * MIB, 0, 100 * MIB, "");
	expect_part(300 * MIB + 1, -1, 0, "");
	most_there = 220 * MIB; /* the system has no more */
	expect_part(300 * MIB, -1, 0, " 300");
	assert_int_equal(220 * MIB, b.arena.bytes);
	expect_part(300 * MIB, -1, 0, "");
	expect_part(220 * MIB, 0, 220 * MIB, " 220");
	most_there = 4 * GIB;
	struct arena arena;

	assert_int_equal(0, bench_arena(&b, PAGE_1G, 0, &arena)); /* a page is the least */
	assert_int_equal(GIB, arena.bytes);
	expect_part(2 * GIB + 1, 0, 3 * GIB, " 2048 3072");
	b.arena_page = 0;
	room.arena = map_gib;
	expect_part(700 * MIB, 0, 700 * MIB, " 256 512 700");
	room.arena = map_large;
	room.arena_ready = NULL; /* all is there, and given */
	b.arena_page = 0;
	expect_part(0, 0, 300 * MIB, "");
	expect_part(10 * MIB, 0, 300 * MIB, "");
	room.arena = map;
	b.arena_page = 0;
}

static struct arena of_node;

static int map_on(struct room *e, uint32_t node, size_t page_bytes, struct arena *out)
{
	assert_int_equal(PAGE_2M, page_bytes);
	*out = of_node;
	return node == of_node.node ? 0 : -1;
}

static void expect_on(uint32_t node, uint64_t bytes, const char *reason)
{
	struct job job = { .arena = { .bytes = 8 * MIB, .page_bytes = PAGE_2M, .node = 1 } };
	struct arena out;
	int came = job_arena_on(&b, &job, node, bytes, &out);

	if (came != (*reason ? -1 : 0) || strcmp(reason, job.skip))
		fail_msg("node %u, %lu bytes: expected '%s', came %d, '%s'", node, bytes, reason,
			came, job.skip);
	if (!*reason)
		assert_int_equal(node == 2 ? 6 * MIB : 8 * MIB, out.bytes);
}

TEST(memory_of_a_node)
{
	expect_on(1, 8 * MIB, "");
	expect_on(NODE_UNKNOWN, 8 * MIB, "");
	expect_on(1, 8 * MIB + 1, "needs 9 MiB, the arena has 8");
	expect_on(2, MIB, "the room has no memory of node 2");
	room.arena_on = map_on;
	of_node = (struct arena){ .bytes = 6 * MIB, .page_bytes = PAGE_2M, .node = 2 };
	expect_on(1, 8 * MIB, "");
	expect_on(2, 6 * MIB, "");
	expect_on(2, 6 * MIB + 1, "needs 6 MiB of node 2, which has 6");
	expect_on(3, MIB, "the room has no memory of node 3");
	of_node.page_bytes = PAGE_4K;
	expect_on(2, MIB, "memory of node 2 has pages of 4 KiB, the arena of 2048");
}

/* A job may ask for memory of several nodes, and then has no one node. */
TEST(the_node_of_a_job)
{
	struct job job = { .arena = { .bytes = 8 * MIB, .page_bytes = PAGE_2M, .node = 1 } };
	struct arena out;

	room.arena_on = map_on;
	of_node = (struct arena){ .bytes = 6 * MIB, .page_bytes = PAGE_2M, .node = 2 };
	assert_int_equal(-1, job_arena_on(&b, &job, 3, MIB, &out));
	assert_false(job.placed);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(0, job_arena_on(&b, &job, 2, MIB, &out));
		assert_true(job.placed);
		assert_int_equal(2, job.node);
	}
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(0, job_arena_on(&b, &job, 1, MIB, &out));
		assert_int_equal(NODE_UNKNOWN, job.node);
	}
	job.placed = false;
	assert_int_equal(0, job_arena_on(&b, &job, NODE_UNKNOWN, MIB, &out));
	assert_int_equal(1, job.node);
}

static void expect_need(uint32_t need, const char *why)
{
	const char *came = NULL;
	bool has = machine_has(&b, need, &came);

	if (has != !why || (why && strcmp(came, why)))
		fail_msg("expected '%s', came '%s'", why ? why : "there", came ? came : "there");
}

static void *no_code(struct room *e, size_t bytes)
{
	return NULL;
}

static int no_seal(struct room *e)
{
	return -1;
}

static int no_cpu(struct room *e, unsigned cpu, void (*fn)(void *), void *arg)
{
	return -1;
}

static uint32_t highest; /* leaf, of both ranges */

static struct cpuid old_cpuid(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	assert_int_equal(0, subleaf);
	return leaf & 0x7fffffff ? (struct cpuid){ -1U, -1U, -1U, -1U }
				 : (struct cpuid){ leaf + highest, 0, 0, 0 };
}

TEST(what_the_room_has)
{
	expect_need(0, NULL);
	expect_need(NEED_LEVELS | GIVES_LEVELS | ALL_FIRST | BY_PREFETCH, NULL);
	expect_need(NEED_CODE, "no memory for generated code in this room");
	room.code_open = no_code;
	expect_need(NEED_CODE, "no memory for generated code in this room");
	room.code_seal = no_seal;
	expect_need(NEED_CODE, NULL);
	room.facts.cpus = 2;
	expect_need(NEED_CPUS, "no second processor");
	room.run_on = no_cpu;
	expect_need(NEED_CPUS, NULL);
	room.facts.cpus = 1;
	expect_need(NEED_CPUS, "no second processor");
	expect_need(NEED_RING0, "needs ring 0");
	room.facts.ring0 = true;
	expect_need(NEED_RING0, NULL);
	expect_need(NEED_LINUX, NULL);
	room.kind = ROOM_BARE;
	expect_need(NEED_LINUX, "only under Linux");
	expect_need(NEED_SYSTEM, "needs an operating system");
	expect_need(NEED_FAULTS, "no page faults here");
	expect_need(NEED_FAULTS | NEED_CPUS, "no second processor");
}

/* Leaves beyond the highest say anything. */
TEST(leaves_that_there_are_not)
{
	room.cpuid = old_cpuid;
	highest = 6;
	room.facts.xcr0 = ~0ULL;
	expect_need(NEED_AVX, NULL);
	expect_need(NEED_AVX2, "no AVX2 (CPUID.7 or XCR0)");
	expect_need(NEED_AVX512, "no AVX-512 (CPUID.7 or XCR0)");
	expect_need(NEED_ERMS, "no enhanced rep movsb/stosb (CPUID.7)");
	highest = 7;
	expect_need(NEED_AVX2, NULL);
	highest = 1;
	expect_need(NEED_RDTSCP, NULL);
	room.facts.xcr0 = 2;
	expect_need(NEED_AVX, "no AVX (CPUID.1 or XCR0)");
}

/* Each need of a row is read from its own bits of CPUID and XCR0, and from no others. */

/* Intel SDM volume 2, CPUID, and volume 1, 13.3; AMD APM volume 3, appendix E. */
static const struct cpuid_bit {
	const char *name;
	enum need need;
	uint32_t leaf, subleaf, mask;
	unsigned reg;
	uint64_t xcr0;
} all_bits[] = {
	{ "AVX", NEED_AVX, 1, 0, 1U << 28, ECX, 0x6 },
	{ "AVX2", NEED_AVX2, 7, 0, 1U << 5, EBX, 0x6 },
	{ "AVX-512", NEED_AVX512, 7, 0, 1U << 16 | 1U << 30, EBX, 0xe6 },
	{ "ERMS", NEED_ERMS, 7, 0, 1U << 9, EBX, 0 },
	{ "RDTSCP", NEED_RDTSCP, 0x80000001, 0, 1U << 27, EDX, 0 },
	{ "CLFLUSH", NEED_CLFLUSH, 1, 0, 1U << 19, EDX, 0 },
	{ "PCID", NEED_PCID, 1, 0, 1U << 17, ECX, 0 },
	{ "CLFLUSHOPT", NEED_CLFLUSHOPT, 7, 0, 1U << 23, EBX, 0 },
	{ "CLWB", NEED_CLWB, 7, 0, 1U << 24, EBX, 0 },
	{ "SYSCALL", NEED_SYSCALL, 0x80000001, 0, 1U << 11, EDX, 0 },
	{ "INVPCID", NEED_INVPCID, 7, 0, 1U << 10, EBX, 0 },
	{ "XSAVE", NEED_XSAVE, 1, 0, 1U << 26, ECX, 0x3 },
	{ "XSAVEOPT", NEED_XSAVEOPT, 0xd, 1, 1U << 0, EAX, 0x3 },
	{ "XSAVEC", NEED_XSAVEC, 0xd, 1, 1U << 1, EAX, 0x3 },
	{ "FMA", NEED_FMA, 1, 0, 1U << 12, ECX, 0x6 },
	{ "BMI2", NEED_BMI2, 7, 0, 1U << 8, EBX, 0 },
};

/* The answer of CPUID in one register of one leaf; all others are the opposite. */
static const struct cpuid_bit *asked;
static uint32_t there, elsewhere;

static struct cpuid cpuid_of(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	uint32_t r[4] = { elsewhere, elsewhere, elsewhere, elsewhere };

	if ((leaf & 0x7fffffff) == 0)
		r[EAX] = 0xffffffff; /* the highest leaf */
	else if (leaf == asked->leaf && subleaf == asked->subleaf)
		r[asked->reg] = there;
	return (struct cpuid){ r[EAX], r[EBX], r[ECX], r[EDX] };
}

static void expect(bool has, uint64_t xcr0, const char *when)
{
	struct room room = { .cpuid = cpuid_of, .facts.xcr0 = xcr0 };
	struct bench b = { .room = &room };
	const char *why = NULL;

	if (machine_has(&b, asked->need, &why) != has)
		fail_msg("%s with %s: expected %d, came %d", asked->name, when, has, !has);
	if (!has && !why)
		fail_msg("%s: no reason", asked->name);
}

TEST(each_by_its_own_bits)
{
	for (unsigned i = 0; i < sizeof all_bits / sizeof *all_bits; i++) {
		asked = &all_bits[i];
		there = asked->mask;
		elsewhere = 0;
		expect(true, asked->xcr0, "its bits only");
		elsewhere = 0xffffffff;
		for (unsigned bit = 0; bit < 32; bit++) {
			there = ~(asked->mask & 1U << bit);
			expect(!(asked->mask >> bit & 1), ~0ULL, "all bits but one");
		}
	}
}

static int answer;
static unsigned attempts;

static int attempt(struct room *r, loop_fn *loop, const uint64_t args[LOOP_ARGS],
	const uint32_t *msrs, const char **why)
{
	assert_ptr_equal(loop_rdtscp, loop);
	assert_int_equal(1, args[0]);
	attempts++;
	return answer;
}

/* CPUID may hide an RDTSCP that executes; it is tried only then, and nothing else is. */
TEST(an_rdtscp_without_its_bit_is_tried)
{
	struct room room = { .cpuid = cpuid_of, .attempt = attempt };
	struct bench b = { .room = &room };
	const char *why;

	attempts = 0;
	for (unsigned i = 0; i < sizeof all_bits / sizeof *all_bits; i++) {
		asked = &all_bits[i];
		elsewhere = there = 0;
		for (answer = -1; answer <= 0; answer++)
			assert_int_equal(asked->need == NEED_RDTSCP && !answer,
				machine_has(&b, asked->need, &why));
	}
	assert_int_equal(2, attempts);
	asked = &all_bits[4];
	there = asked->mask;
	assert_true(machine_has(&b, NEED_RDTSCP, &why));
	assert_int_equal(2, attempts);
}

TEST(the_system_must_keep_its_registers)
{
	for (unsigned i = 0; i < sizeof all_bits / sizeof *all_bits; i++) {
		asked = &all_bits[i];
		there = elsewhere = 0xffffffff;
		for (unsigned bit = 0; bit < 64; bit++)
			expect(!(asked->xcr0 >> bit & 1), ~(1ULL << bit),
				"all of XCR0 but one bit");
	}
}

static int no_pages(struct room *room, size_t bytes, size_t page_bytes, struct arena *out)
{
	return -1;
}

TEST(faults_need_pages_that_nobody_touched)
{
	struct room room = { .system.untouched = no_pages };
	struct bench b = { .room = &room };
	const char *why = NULL;

	assert_true(machine_has(&b, NEED_FAULTS, &why));
	room.system.untouched = NULL;
	assert_false(machine_has(&b, NEED_FAULTS, &why));
	assert_non_null(why);
}

TEST(a_row_has_eight_parameters)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
	struct row row = { .variant = "v" };

	for (unsigned i = 0; i < 8; i++)
		row_param(&row, names[i], i + 1);
	assert_int_equal(8, row.nparams);
	for (unsigned i = 0; i < 9; i++)
		assert_true(row_get(&row, names[i], -5) == (i < 8 ? i + 1 : -5.));
	expect_broken("row->nparams < ROW_PARAMS", row_param(&row, names[8], 9));
}
