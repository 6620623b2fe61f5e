/* SPDX-License-Identifier: MIT */
/*
 * Which rows the probes plan, on a machine of 4 CPUs, 3 levels and 1 GiB: as many as are wanted, no
 * two of them alike, and each with the time that it takes.
 */
#include "tests/unit/planned.h"

/* A planned row as a line of text, for tests to compare. */

static const char *const answer_names[] = {
#define ANSWER(symbol, profile, what) #symbol,
#define CORE_ANSWER                   ANSWER
#include "engine/answers.inc"
#undef CORE_ANSWER
#undef ANSWER
};

/* What a row says of itself: variant, parameters, level, unit, pages, answer and what it needs. */
static const char *text_of(const struct row *row)
{
	static char text[256];
	size_t n = (size_t)snprintf(text, sizeof text, "%s %s", row_text(row),
		row->level ? row->level : "-");

	n += (size_t)snprintf(text + n, sizeof text - n, " %s %s %s", row->unit->name,
		!row->page_bytes                     ? "-"
			: row->page_bytes == PAGE_4K ? "4K"
			: row->page_bytes == PAGE_2M ? "2M"
						     : "1G",
		answer_names[row->answer]);
#define SAYS(when, word)                                                                           \
	if (when)                                                                                  \
	n += (size_t)snprintf(text + n, sizeof text - n, " " word)
	SAYS(row->needs & NEED_AVX2, "avx2");
	SAYS(row->needs & NEED_AVX512, "avx512");
	SAYS(row->needs & NEED_ERMS, "erms");
	SAYS(row->needs & NEED_CODE, "code");
	SAYS(row->needs & NEED_CPUS, "cpus");
	SAYS(row->needs & NEED_LINUX, "linux");
	SAYS(row->needs & NEED_RDTSCP, "rdtscp");
	SAYS(row->needs & NEED_CLFLUSH, "clflush");
	SAYS(row->needs & NEED_CLFLUSHOPT, "clflushopt");
	SAYS(row->needs & NEED_CLWB, "clwb");
	SAYS(row->needs & NEED_RING0, "ring0");
	SAYS(row->needs & NEED_PCID, "pcid");
	SAYS(row->needs & NEED_INVPCID, "invpcid");
	SAYS(row->needs & NEED_SYSCALL, "syscall");
	SAYS(row->needs & NEED_AVX, "avx");
	SAYS(row->needs & NEED_XSAVE, "xsave");
	SAYS(row->needs & NEED_XSAVEOPT, "xsaveopt");
	SAYS(row->needs & NEED_XSAVEC, "xsavec");
	SAYS(row->needs & NEED_FMA, "fma");
	SAYS(row->needs & NEED_BMI2, "bmi2");
	SAYS(row->exact, "exact");
	SAYS(row->replays, "replays");
	return text;
}

static bool alike(const struct row *a, const struct row *b)
{
	if (strcmp(a->variant, b->variant) || a->page_bytes != b->page_bytes ||
		a->nparams != b->nparams ||
		(a->level ? a->level : "") != (b->level ? b->level : ""))
		return false;
	for (unsigned i = 0; i < a->nparams; i++)
		if (strcmp(a->params[i].name, b->params[i].name) ||
			a->params[i].value != b->params[i].value)
			return false;
	return true;
}

TEST(no_two_rows_are_alike)
{
	for (unsigned p = 0; p < probe_count; p++)
		for (unsigned profile = PROFILE_SMOKE; profile <= PROFILE_FULL; profile++) {
			plan_of(&probes[p], profile);
			for (unsigned i = 0; i < plan.n; i++)
				for (unsigned k = 0; k < i; k++)
					if (alike(&plan.rows[i], &plan.rows[k]))
						fail_msg("%s: rows %u and %u are both %s",
							probes[p].name, k, i, plan.rows[i].variant);
		}
}

/* Of 100 CPUs no pair is a CPU with itself, none comes twice, and the first one is in 99. */
TEST(pairs_of_many_cpus)
{
	bool seen[CPUS_MOST][CPUS_MOST] = { { false } };
	unsigned of_first = 0, others = 0;

	cpus = CPUS_MOST;
	for (unsigned p = 0; p < probe_count; p++)
		if (!strcmp(probes[p].name, "cores"))
			plan_of(&probes[p], PROFILE_FULL);
	cpus = 4;
	for (unsigned i = 0; i < plan.n; i++) {
		unsigned a = (unsigned)row_get(&plan.rows[i], "cpu_a", 0);
		unsigned b = (unsigned)row_get(&plan.rows[i], "cpu_b", 0);

		if (strcmp(plan.rows[i].variant, "bounce"))
			continue;
		if (a >= b || b >= CPUS_MOST || seen[a][b])
			fail_msg("CPUs %u and %u%s", a, b, a < b ? " again" : "");
		seen[a][b] = true;
		of_first += !a;
		others += a > 0;
	}
	assert_int_equal(99, of_first);
	assert_int_equal(1024, others);
}

static bool is_planned(const struct row *row)
{
	for (unsigned i = 0; i < plan.n; i++)
		if (alike(row, &plan.rows[i]))
			return true;
	return false;
}

/*
 * Whoever has pages of 1 GiB measures every row that the others do, so that these can be compared,
 * and some in these pages besides.
 */
TEST(larger_pages_only_add_rows)
{
	static struct plan without;
	unsigned large = 0;

	for (unsigned p = 0; p < probe_count; p++)
		for (unsigned profile = PROFILE_SMOKE; profile <= PROFILE_FULL; profile++) {
			plan_of(&probes[p], profile);
			without = plan;
			large_pages = PAGE_2M | PAGE_1G;
			plan_of(&probes[p], profile);
			large_pages = PAGE_2M;
			for (unsigned i = 0; i < without.n; i++)
				if (without.rows[i].nparams && !is_planned(&without.rows[i]))
					fail_msg("%s: row %u (%s) is missing beside 1 GiB pages",
						probes[p].name, i, without.rows[i].variant);
			for (unsigned i = 0; i < plan.n; i++)
				large += plan.rows[i].page_bytes == PAGE_1G;
		}
	assert_true(large > 100);
}

/* Seconds that all rows of a profile take by their estimates, and those of core answers. */
static double profile_costs(enum profile profile, double *core)
{
	double sum = *core = 0;

	whole_profile = true;
	memset(plan.beyond, 0, sizeof plan.beyond);
	for (unsigned p = 0; p < probe_count; p++) {
		plan_of(&probes[p], profile);
		for (unsigned i = 0; i < plan.n; i++) {
			sum += plan.rows[i].cost_ns / 1e9;
			*core += plan.rows[i].answer < ANSWER_OTHER_PAIRS
				? plan.rows[i].cost_ns / 1e9
				: 0;
		}
	}
	whole_profile = false;
	return sum;
}

/*
 * A profile is what fits by design: where an ordinary machine initialises 10 GB/s and memory takes
 * 80 ns, what its answers take by their estimates is 0.8 of the profile's time at most, of which
 * what is never left out takes half.
 */
TEST(a_profile_fits_by_design)
{
	static const unsigned machines[] = { 2, 8, 64 };
	char wrong[256] = "";

	memory_bytes = 256 * MIB;
	pace.ns_per_far_load = 80;
	for (unsigned i = 0; i < 6; i++) {
		enum profile profile = i % 2 ? PROFILE_DEFAULT : PROFILE_SMOKE;
		double core, sum, time = profile_seconds(profile);

		cpus = machines[i / 2];
		arena_bytes = profile == PROFILE_SMOKE ? 512 * MIB : 4ULL * GIB;
		sum = profile_costs(profile, &core);
		if (sum > 0.8 * time || core > 0.5 * time)
			snprintf(wrong, sizeof wrong,
				"%u CPUs, profile %u: expected at most %.1f s, %.1f for core "
				"answers, came %.1f and %.1f",
				cpus, profile, 0.8 * time, 0.5 * time, sum, core);
	}
	cpus = 4;
	memory_bytes = 64 * MIB;
	arena_bytes = GIB;
	pace.ns_per_far_load = 50;
	if (*wrong)
		fail_msg("%s", wrong);
}

/* A change of what is planned changes its line. */
static const struct {
	const char *probe;
	unsigned rows[PROFILE_FULL + 1];
} wanted[] = {
	{ "clock", { 17, 17, 17 } },
	{ "latency", { 48, 225, 453 } },
	{ "mlp", { 76, 402, 1167 } },
	{ "bandwidth", { 139, 444, 666 } },
	{ "random", { 30, 138, 138 } },
	{ "stride", { 24, 40, 72 } },
	{ "shuffle", { 14, 27, 53 } },
	{ "tlb", { 77, 140, 254 } },
	{ "walks", { 42, 42, 42 } },
	{ "window", { 24, 51, 87 } },
	{ "backend", { 468, 468, 468 } },
	{ "frontend", { 42, 42, 78 } },
	{ "ways", { 96, 96, 96 } },
	{ "branch", { 120, 222, 283 } },
	{ "indirect", { 77, 106, 164 } },
	{ "ilp", { 20, 24, 24 } },
	{ "storeload", { 42, 42, 42 } },
	{ "limits", { 23, 23, 23 } },
	{ "matmul", { 8, 12, 12 } },
	{ "bytouch", { 2, 2, 2 } },
	{ "memtype", { 9, 9, 9 } },
	{ "privileged", { 47, 47, 47 } },
	{ "oscost", { 15, 15, 15 } },
	{ "noise", { 17, 17, 20 } },
	{ "cores", { 47, 47, 51 } },
	{ "skew", { 7, 7, 7 } },
	{ "wake", { 10, 10, 10 } },
	{ "atomics", { 20, 20, 20 } },
	{ "smm", { 5, 5, 5 } },
	{ "remedies", { 0, 16, 16 } },
	{ "code", { 0, 0, 0 } },
};

TEST(as_many_as_are_wanted)
{
	for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
		for (unsigned profile = PROFILE_SMOKE; profile <= PROFILE_FULL; profile++) {
			plan_of(probe_named(wanted[i].probe), profile);
			if (plan.n != wanted[i].rows[profile])
				fail_msg("%s, profile %u: expected %u rows, came %u",
					wanted[i].probe, profile, wanted[i].rows[profile], plan.n);
		}
}

/* In 128 regions of 2 MiB lie 4096 groups of 16 pages; in 256, twice as many. */
TEST(as_many_pages_as_the_regions_hold)
{
	static const struct {
		size_t bytes;
		unsigned rows;
	} arenas[] = { { 255 * MIB, 0 }, { 320 * MIB, 1 }, { 600 * MIB, 2 } };

	for (unsigned i = 0; i < 3; i++) {
		unsigned cold = 0;

		arena_bytes = arenas[i].bytes;
		plan_of(probe_named("tlb"), PROFILE_SMOKE);
		for (unsigned k = 0; k < plan.n; k++)
			cold += !strcmp(plan.rows[k].variant, "upper");
		if (cold != arenas[i].rows)
			fail_msg("%zu MiB: expected %u rows of tlb cold, came %u",
				arenas[i].bytes / MIB, arenas[i].rows, cold);
	}
	arena_bytes = GIB;
}

static void expect_values(const char *variant, const char *param, double of, const double *values,
	unsigned n)
{
	unsigned at = 0;

	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];

		if (strcmp(row->variant, variant) || (of > 0 && row_get(row, "elements", 0) != of))
			continue;
		if (at == n || row_get(row, param, -1) != values[at])
			fail_msg("%s: %s %g is not the %u. expected", variant, param,
				row_get(row, param, -1), at + 1);
		at++;
	}
	assert_int_equal(n, at);
}

/* A short run leaves out what lies between passes over a pattern, or depths of calls. */
TEST(a_short_run_has_fewer)
{
	static const double passes[] = { 1, 2, 5, 10, 15, 20 };
	static const double depths[] = { 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 36,
		40, 44, 48, 52, 56, 60, 64 };

	plan_of(probe_named("branch"), PROFILE_SMOKE);
	expect_values("learn", "pass", 1000, passes, 6);
	expect_values("learn", "pass", 2000, passes, 6);
	expect_values("return-stack", "depth", 0, depths, 24);
	expect_values("state-machine", "elements", 0, NULL, 0);
	expect_values("word-copy", "elements", 0, NULL, 0);
}

/* Which rows are planned in pages of 1 GiB, and where sweeps end. */

/* Memory once more in pages of 1 GiB, where there are such and no other pages were asked for. */
static const struct {
	const char *probe;
	const char *rows[12]; /* the first ones, then NULL */
	unsigned n;           /* in all */
} in_large_pages[] = {
	{ "random",
		{ "read bytes=67108864 width_bits=64 memory ns/op 1G PAGES_1G",
			"write bytes=67108864 width_bits=64 memory ns/op 1G PAGES_1G" },
		2 },
	{ "bandwidth",
		{ "read bytes=67108864 width_bits=128 memory GB/s 1G PAGES_1G",
			"write bytes=67108864 width_bits=128 memory GB/s 1G PAGES_1G",
			"copy bytes=67108864 width_bits=128 memory GB/s 1G PAGES_1G",
			"nt-write bytes=67108864 width_bits=128 memory GB/s 1G PAGES_1G" },
		4 },
	{ "mlp",
		{ "chains bytes=67108864 lanes=1 memory ns/line 1G PAGES_1G clflush",
			"chains bytes=67108864 lanes=2 memory ns/line 1G PAGES_1G clflush",
			"chains bytes=67108864 lanes=4 memory ns/line 1G PAGES_1G clflush",
			"chains bytes=67108864 lanes=8 memory ns/line 1G PAGES_1G clflush",
			"chains bytes=67108864 lanes=12 memory ns/line 1G PAGES_1G clflush" },
		16 },
};

static void expect_in_large_pages(unsigned i)
{
	unsigned n = 0;

	for (unsigned k = 0; k < plan.n; k++) {
		if (plan.rows[k].page_bytes != PAGE_1G)
			continue;
		const char *expected = n < 12 ? in_large_pages[i].rows[n] : NULL;

		if (expected && strcmp(expected, text_of(&plan.rows[k])))
			fail_msg("%s: expected row '%s', came '%s'", in_large_pages[i].probe,
				expected, text_of(&plan.rows[k]));
		n++;
	}
	if (n != in_large_pages[i].n)
		fail_msg("%s: expected %u rows in pages of 1 GiB, came %u", in_large_pages[i].probe,
			in_large_pages[i].n, n);
}

TEST(memory_once_more_in_large_pages)
{
	for (unsigned i = 0; i < sizeof in_large_pages / sizeof *in_large_pages; i++) {
		const struct probe *p = probe_named(in_large_pages[i].probe);
		unsigned without, all;

		plan_of(p, PROFILE_DEFAULT);
		without = plan.n;
		large_pages = PAGE_2M | PAGE_1G;
		plan_of(p, PROFILE_DEFAULT);
		expect_in_large_pages(i);
		all = plan.n;
		wanted_page = PAGE_1G;
		plan_of(p, PROFILE_DEFAULT);
		wanted_page = 0;
		large_pages = PAGE_2M;
		if (without + in_large_pages[i].n != all)
			fail_msg("%s: %u rows, but %u with pages of 1 GiB", p->name, without, all);
		if (strcmp(p->name, "mlp") && plan.n != without)
			fail_msg("%s: %u rows, but %u all in pages of 1 GiB", p->name, without,
				plan.n);
	}
}

/* Powers of two up to the sweep's limit, and that one, too. */
TEST(sweeps_end_at_their_limit)
{
	static const char *const rows[][2] = { { "random", "read bytes=1073741824 width_bits=32" },
		{ "random", "write bytes=1073741824 width_bits=64" },
		{ "bandwidth", "words-write bytes=1073741824 width_bits=64" },
		{ "bandwidth", "copy bytes=1073741824 width_bits=128" } };

	arena_bytes = 2 * GIB;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		plan_of(probe_named(rows[i][0]), PROFILE_DEFAULT);
		assert_int_equal(PAGE_2M, row_planned(rows[i][1])->page_bytes);
	}
	arena_bytes = GIB;
}

/* What each planned row says of itself. */

/* In profile default, some of each kind that there is; those of `oscost` are in its own test. */
static const struct {
	const char *probe, *rows[27];
} says[] = {
	{ "clock",
		{ "rdtsc - ticks - CLOCK", "rdtscp - ticks - CLOCK rdtscp",
			"lfence-rdtsc - ticks - CLOCK", "cpuid-rdtsc - ticks - CLOCK",
			"step - ticks - CLOCK", "div3-bare - ticks - CLOCK",
			"div3-rdtscp - ticks - CLOCK rdtscp", "div3-lfence - ticks - CLOCK",
			"div3-cpuid - ticks - CLOCK", "core-clock - GHz - CLOCK",
			"adds-plain - ns/op - CLOCK", "adds-delta - ns/op - CLOCK",
			"os-clock - ns/call - CLOCK linux", "os-clock-step - ns - CLOCK linux" } },
	{ "latency",
		{ "pointer-padded bytes=1024 - ns/load 2M LATENCY",
			"pointer-padded bytes=24576 l1 ns/load 4K LATENCY_4K",
			"pointer-padded bytes=24576 l1 ns/load 2M LATENCY",
			"pointer bytes=24576 l1 ns/load 2M ACCESS",
			"index bytes=24576 l1 ns/load 2M ACCESS",
			"index-checked bytes=1048576 l2 ns/load 2M ACCESS",
			"index-padded bytes=24576 l1 ns/load 2M ACCESS",
			"sequential bytes=24576 stride_bytes=64 l1 ns/load 2M ACCESS",
			"stride bytes=67108864 stride_bytes=1088 memory ns/load 2M FAR_ACCESS",
			"pointer-padded bytes=67108864 memory ns/load 4K LATENCY_4K",
			"pointer-padded bytes=67108864 memory ns/load 2M LATENCY_4K",
			"pointer bytes=67108864 memory ns/load 2M FAR_ACCESS",
			"pointer-padded bytes=16384 - ns/load 4K LATENCY_PAGES",
			"pointer-padded - ns/load - LATENCY_PAGES",
			"method-checked bytes=1024 - ns/load 4K METHODS",
			"method-unchecked bytes=1024 - ns/load 4K METHODS",
			"method-raw bytes=1024 - ns/load 4K METHODS",
			"method-padded bytes=1024 - ns/load 4K METHODS",
			"method-padded bytes=1024 - ns/load 2M METHODS",
			"method-raw-padded bytes=1024 - ns/load 4K METHODS",
			"method-raw-padded bytes=1024 - ns/load 2M METHODS" } },
	{ "mlp",
		{ "chains bytes=67108864 lanes=1 memory ns/line 2M MISSES clflush",
			"chains bytes=67108864 lanes=1 memory ns/line 4K MISSES_4K clflush",
			"chains bytes=67108864 lanes=3 memory ns/line 2M MISSES clflush",
			"work bytes=67108864 lanes=32 work=3 memory ns/line 2M WORK clflush",
			"work bytes=67108864 lanes=1 work=12 memory ns/line 2M WORK clflush",
			"prefetch bytes=67108864 lanes=32 work=6 memory ns/line 2M WORK clflush",
			"batch bytes=1024 lanes=1 - ns/line 2M BATCHES",
			"batch bytes=131072 lanes=32 - ns/line 2M BATCHES",
			"batch-work bytes=2048 lanes=16 work=3 - ns/line 2M BATCHES",
			"batch-prefetch bytes=2048 lanes=16 work=12 - ns/line 2M BATCHES",
			"batch-prefetch bytes=2048 lanes=16 work=0 - ns/line 2M BATCHES",
			"batch-prefetch bytes=4096 lanes=32 work=0 - ns/line 2M BATCHES" } },
	{ "bandwidth",
		{ "read bytes=24576 width_bits=32 l1 GB/s 2M WIDTHS",
			"read bytes=24576 width_bits=128 l1 GB/s 2M BANDWIDTH",
			"write bytes=24576 width_bits=256 l1 GB/s 2M WIDTHS avx2",
			"copy bytes=24576 width_bits=512 l1 GB/s 2M WIDTHS avx512",
			"nt-write bytes=67108864 width_bits=64 memory GB/s 2M FAR_WIDTHS",
			"rep-movsb bytes=24576 l1 GB/s 2M BANDWIDTH erms",
			"rep-stosb bytes=67108864 memory GB/s 2M BANDWIDTH erms",
			"mix-3-1 bytes=67108864 width_bits=128 memory GB/s 2M MIXES",
			"mix-2-1 bytes=67108864 width_bits=128 memory GB/s 2M MIXES",
			"mix-1-1 bytes=67108864 width_bits=128 memory GB/s 2M MIXES",
			"one-byte-per-line bytes=939524096 stride_bytes=64 - GB/s 2M BYTE_PER_LINE",
			"read bytes=1024 width_bits=128 - GB/s 2M READ_CURVE",
			"read bytes=94906240 width_bits=128 - GB/s 2M FAR_CURVES",
			"copy bytes=94906240 width_bits=128 - GB/s 2M FAR_CURVES",
			"rep-movsb bytes=1024 - GB/s 2M STRING_CURVES erms",
			"rep-stosb bytes=94906240 - GB/s 2M FAR_CURVES erms",
			"words-write bytes=1024 width_bits=32 - GB/s 2M WORDS" } },
	{ "random",
		{ "read bytes=24576 width_bits=64 l1 ns/op 2M RANDOM",
			"write bytes=24576 width_bits=32 l1 ns/op 2M RANDOM_CURVES",
			"write bytes=67108864 width_bits=256 memory ns/op 2M RANDOM_CURVES avx2",
			"read bytes=1048576 width_bits=512 l2 ns/op 2M RANDOM_CURVES avx512",
			"read bytes=1024 width_bits=32 - ns/op 2M RANDOM_CURVES",
			"write bytes=268435456 width_bits=128 - ns/op 2M RANDOM_CURVES" } },
	{ "stride",
		{ "even stride_bytes=16 bytes=67108864 - ns/op 2M LINE",
			"odd stride_bytes=15 bytes=67108864 - ns/op 2M STRIDES",
			"even stride_bytes=24 bytes=67108864 - ns/op 2M STRIDES",
			"odd stride_bytes=23 bytes=67108864 - ns/op 2M STRIDES",
			"even stride_bytes=4096 bytes=67108864 - ns/op 2M LINE",
			"odd stride_bytes=4095 bytes=67108864 - ns/op 2M STRIDES",
			"flush-beside apart_bytes=256 - ns/load 2M LINE clflush" } },
	{ "shuffle",
		{ "fisher-yates bytes=16384 elements=4096 - ns/element 2M SHUFFLE",
			"fisher-yates bytes=23168 elements=5792 - ns/element 2M SHUFFLE_STEPS" } },
	{ "tlb",
		{ "cost pages=1 stride_bytes=65536 - ns/load 4K TLB",
			"spread pages=1024 stride_bytes=65536 - ns/load 4K TLB",
			"control pages=1448 stride_bytes=65536 - ns/load 4K TLB",
			"upper pages=8192 stride_bytes=2097152 - ns/load 4K TLB",
			"cost pages=128 stride_bytes=2097152 - ns/load 2M TLB_2M",
			"control pages=128 stride_bytes=2097152 - ns/load 2M TLB_2M" } },
	{ "walks",
		{ "cr3 levels=4 reads=1 flushed=0 - ns/load 4K WALK clflush ring0",
			"cr3 levels=4 reads=3 flushed=0 - ns/load 4K WALKS clflush ring0",
			"cr3 levels=3 reads=1 flushed=0 - ns/load 2M WALKS clflush ring0",
			"invlpg levels=4 reads=4 flushed=4 - ns/load 4K WALKS clflush ring0",
			"code-pages pages=861 stride_bytes=4096 - ns/jump - CODE_PAGES code" } },
	{ "window",
		{ "two-misses instructions=3 bytes=67108864 - ns/op 2M WINDOW code clflush",
			"two-misses instructions=35 bytes=67108864 - ns/op 2M WINDOW code clflush",
			"two-misses instructions=67 bytes=67108864 - ns/op 2M WINDOW code clflush",
			"two-misses instructions=11 bytes=67108864 - ns/op 2M WINDOW code clflush",
			"two-misses instructions=1027 bytes=67108864 - ns/op 2M WINDOW code "
			"clflush" } },
	{ "backend",
		{ "any entries=2 bytes=67108864 - ns/op 2M BACKEND code clflush",
			"integer entries=706 bytes=67108864 - ns/op 2M BACKEND code clflush",
			"mask entries=80 bytes=67108864 - ns/op 2M BACKEND avx512 code clflush",
			"load-waiting entries=5 bytes=67108864 - ns/op 2M BACKEND code clflush" } },
	{ "frontend",
		{ "dense bytes=1024 - ns/op - FRONTEND code",
			"six bytes=1024 - ns/op - FRONTEND_MORE code",
			"long bytes=524288 - ns/op - FRONTEND_MORE code",
			"jump-end bytes=2048 - ns/op - FRONTEND code" } },
	{ "ways",
		{ "same-set ways=1 stride_bytes=65536 - ns/load 2M WAYS",
			"same-pages ways=32 stride_bytes=65600 - ns/load 2M WAYS",
			"same-index ways=8 stride_bytes=4096 - ns/load 2M WAYS" } },
	{ "indirect",
		{ "order targets=1 - ns/jump - INDIRECT code",
			"order targets=8192 - ns/jump - INDIRECT code",
			"period targets=2 elements=16 - ns/jump - INDIRECT code",
			"period targets=64 elements=8192 - ns/jump - INDIRECT_MORE code",
			"random targets=64 - ns/jump - INDIRECT code",
			"returns targets=64 depth=2 - ns/call - INDIRECT_MORE code",
			"returns-random targets=64 depth=192 - ns/call - INDIRECT_MORE code" } },
	{ "ilp",
		{ "differences elements=100 - ns/element - SUMS",
			"prefix-sum elements=100 - ns/element - SUMS", "add lanes=1 - ns/op - SUMS",
			"multiply lanes=8 - ns/op - SUMS",
			"odd-inlined elements=999 - ns/element - SUMS",
			"odd-calls elements=999 - ns/element - SUMS",
			"factorial-loop n=20 - ns/op - SUMS",
			"factorial-calls n=20 - ns/op - SUMS" } },
	{ "storeload",
		{ "forward store_bytes=8 load_bytes=8 offset_bytes=0 - ns/op 2M FORWARDING",
			"same-register store_bytes=8 load_bytes=8 offset_bytes=0 - ns/op 2M "
			"FORWARDING",
			"larger store_bytes=4 load_bytes=8 offset_bytes=0 - ns/op 2M FORWARDING",
			"alias offset_bytes=4096 - ns/op 2M FORWARDING",
			"apart offset_bytes=3584 - ns/op 2M FORWARDING",
			"load-page - ns/op 2M FORWARDING",
			"sizes store_bytes=8 load_bytes=2 offset_bytes=6 - ns/op 2M "
			"FORWARDING_SIZES",
			"sizes store_bytes=32 load_bytes=16 offset_bytes=1 - ns/op 2M "
			"FORWARDING_SIZES avx2",
			"sizes store_bytes=64 load_bytes=64 offset_bytes=0 - ns/op 2M "
			"FORWARDING_SIZES avx512",
			"overlap store_bytes=8 load_bytes=8 offset_bytes=4 - ns/op 2M "
			"FORWARDING_SIZES",
			"store-line - ns/op 2M FORWARDING_SIZES" } },
	{ "limits",
		{ "nop - ns/op - LIMITS code", "shlx - ns/op - LIMITS code bmi2",
			"load-64 - ns/op - LIMITS code", "load-256 - ns/op - LIMITS avx2 code",
			"store-512 - ns/op - LIMITS avx512 code",
			"branch-taken - ns/op - LIMITS code",
			"fma-256 - ns/op - LIMITS avx2 code fma", "mix - ns/op - LIMITS code" } },
	{ "matmul",
		{ "ijk n=32 rows=32 - ns/madd 2M MATMUL_CACHED",
			"ikj n=512 rows=16 - ns/madd 2M MATMUL",
			"ijk n=2048 rows=1 - ns/madd 2M MATMUL_LARGE",
			"ikj n=2048 rows=1 - ns/madd 2M MATMUL_LARGE" } },
	{ "privileged",
		{ "rdtscp - ns/op - PRIVILEGED rdtscp", "cpuid - ns/op - PRIVILEGED",
			"verw - ns/op - PRIVILEGED", "cr3 - ns/op - PRIVILEGED ring0",
			"cr3-kept - ns/op - PRIVILEGED ring0 pcid",
			"invlpg - ns/op 4K PRIVILEGED ring0",
			"invpcid-address - ns/op 4K PRIVILEGED ring0 invpcid",
			"wrmsr - ns/op - PRIVILEGED ring0", "syscall - ns/op - PRIVILEGED linux",
			"interrupt - ns/op - PRIVILEGED ring0",
			"xsavec-avx - ns/op - PRIVILEGED avx xsave xsavec",
			"xrstor-avx512 - ns/op - PRIVILEGED avx512 xsave",
			"wbinvd-half - ns/op 2M PRIVILEGED ring0",
			"cr3-touch pages=64 - ns/op 4K PRIVILEGED ring0",
			"cr3-kept-touch pages=64 - ns/op 4K PRIVILEGED ring0 pcid",
			"clflush-absent - ns/line - PRIVILEGED clflush",
			"clflushopt-clean - ns/line - PRIVILEGED clflush clflushopt",
			"clwb-dirty - ns/line - PRIVILEGED clflush clwb" } },
	{ "oscost",
		{ "syscall - ns/op - SYSTEM", "cross-cpu-pipe - ns/op - SYSTEM cpus",
			"cross-cpu-futex - ns/op - SYSTEM cpus",
			"timer-wakeup - ns/op - SYSTEM" } },
	{ "noise",
		{ "gaps seconds=10 - gaps/s - NOISE exact",
			"stolen seconds=10 - ppm - NOISE exact replays",
			"longest seconds=10 - ns - NOISE exact replays",
			"gaps-all seconds=5 cpu=0 - gaps/s - NOISE_ALL cpus exact",
			"gaps-all seconds=5 cpu=3 - gaps/s - NOISE_ALL cpus exact replays",
			"stolen-all seconds=5 cpu=2 - ppm - NOISE_ALL cpus exact replays",
			"longest-all seconds=5 cpu=1 - ns - NOISE_ALL cpus exact replays",
			"quanta quantum_ns=10000 - ns/quantum - QUANTA",
			"quanta quantum_ns=1000000 - ns/quantum - QUANTA" } },
	{ "branch",
		{ "copy elements=10000 - ns/element - COPIES",
			"nobranch-odd elements=10000 - ns/element - COPIES",
			"word-copy elements=10000 - ns/element - COPIES",
			"word-free-odd elements=10000 - ns/element - COPIES",
			"penalty mispredicts_counted=0 - cycles - MISPREDICTION",
			"bits-zero - ns/branch - MISPREDICTION",
			"bits-random - ns/branch - MISPREDICTION",
			"period elements=256 - ns/branch - PATTERNS",
			"period elements=362 - ns/branch - PATTERNS",
			"period elements=11585 - ns/branch - PATTERNS",
			"period elements=65536 - ns/branch - PATTERNS",
			"states-sorted elements=16 - ns/branch - LEARNING",
			"states-random elements=131072 - ns/branch - LEARNING",
			"states-sorted elements=262144 - ns/branch - LONG_STATES",
			"states-random elements=1048576 - ns/branch - LONG_STATES",
			"learn elements=1000 pass=1 - ns/branch - LEARNING",
			"learn elements=2000 pass=20 - ns/branch - LEARNING",
			"state-machine elements=4096 - ns/element - LEARNING",
			"targets targets=1 stride_bytes=16 - ns/jump - TARGETS code",
			"targets targets=131072 stride_bytes=16 - ns/jump - TARGETS code",
			"targets targets=1 stride_bytes=32 - ns/jump - TARGETS code",
			"targets targets=131072 stride_bytes=32 - ns/jump - TARGETS code",
			"return-stack depth=1 - ns/call - RETURNS code",
			"return-stack depth=64 - ns/call - RETURNS code" } },
	{ "skew",
		{ "offset cpu=1 - ns ahead 2M SKEW cpus",
			"adjust cpus=4 - ticks away - SKEW cpus ring0",
			"drift cpu=3 - ppm 2M SKEW cpus" } },
	{ "atomics",
		{ "lock-add - ns/op 2M ATOMICS", "xchg - ns/op 2M ATOMICS_MORE",
			"split - ns/op 2M ATOMICS_MORE", "shared cpus=2 - ns/op 2M ATOMICS cpus",
			"shared-cas cpus=2 - ns/op 2M ATOMICS_MORE cpus",
			"false-sharing cpus=2 - ns/op 2M ATOMICS cpus",
			"own-lines cpus=4 - ns/op 2M ATOMICS_MORE cpus",
			"own-lines-add cpus=2 - ns/op 2M ATOMICS_MORE cpus" } },
	{ "cores",
		{ "bounce cpu_a=0 cpu_b=1 - ns/hop 2M PAIRS cpus",
			"bounce cpu_a=2 cpu_b=3 - ns/hop 2M OTHER_PAIRS cpus",
			"cpu-clock cpu=0 - GHz - CORES cpus",
			"cpu-clock cpu=3 - GHz - CORES_STEPS cpus",
			"cpu-l1 cpu=0 bytes=24576 l1 ns/load 2M CORES cpus",
			"cpu-l1 cpu=3 bytes=24576 l1 ns/load 2M CORES_STEPS cpus",
			"cpu-l2 cpu=0 bytes=1048576 l2 ns/load 2M CORES cpus",
			"cpu-l2 cpu=1 bytes=1048576 l2 ns/load 2M CORES_STEPS cpus",
			"node-latency cpu_node=0 memory_node=0 bytes=67108864 memory ns/load 2M "
			"CORES cpus",
			"node-read cpu_node=0 memory_node=0 bytes=67108864 memory GB/s 2M CORES "
			"cpus",
			"read cpus=1 bytes=67108864 memory GB/s 2M CORES cpus",
			"read cpus=2 bytes=67108864 memory GB/s 2M CORES_STEPS cpus",
			"read cpus=4 bytes=67108864 memory GB/s 2M CORES cpus",
			"copy cpus=1 bytes=67108864 memory GB/s 2M CORES_STEPS cpus",
			"write cpus=2 bytes=67108864 memory GB/s 2M CORES_STEPS cpus",
			"mix-3-1 cpus=4 bytes=67108864 memory GB/s 2M CORES_STEPS cpus",
			"mix-2-1 cpus=1 bytes=67108864 memory GB/s 2M CORES_STEPS cpus",
			"mix-1-1 cpus=4 bytes=67108864 memory GB/s 2M CORES_STEPS cpus",
			"loaded-latency cpus=1 bytes=67108864 pause_ns=0 memory ns/load 2M LOADED "
			"cpus",
			"loaded-latency cpus=4 bytes=67108864 pause_ns=0 memory ns/load 2M LOADED "
			"cpus",
			"loaded-latency cpus=4 bytes=67108864 pause_ns=100 memory ns/load 2M "
			"LOADED cpus",
			"loaded-latency cpus=4 bytes=67108864 pause_ns=400 memory ns/load 2M "
			"LOADED cpus",
			"loaded-latency cpus=4 bytes=67108864 pause_ns=1600 memory ns/load 2M "
			"LOADED cpus",
			"loaded-latency cpus=4 bytes=67108864 pause_ns=200 memory ns/load 2M "
			"LOADED cpus",
			"loaded-latency cpus=4 bytes=67108864 pause_ns=800 memory ns/load 2M "
			"LOADED cpus",
			"loaded-latency cpus=4 bytes=67108864 pause_ns=6400 memory ns/load 2M "
			"LOADED cpus",
			"loaded-latency cpus=2 bytes=67108864 pause_ns=0 memory ns/load 2M "
			"CORES_STEPS cpus" } },
};

static unsigned planned_as(const char *row)
{
	unsigned n = 0;

	for (unsigned i = 0; i < plan.n; i++)
		n += !strcmp(text_of(&plan.rows[i]), row);
	return n;
}

TEST(each_says_what_it_is)
{
	for (unsigned i = 0; i < sizeof says / sizeof *says; i++) {
		plan_of(probe_named(says[i].probe), PROFILE_DEFAULT);
		for (unsigned k = 0; k < sizeof says->rows / sizeof *says->rows; k++)
			if (says[i].rows[k] && planned_as(says[i].rows[k]) != 1)
				fail_msg("%s: expected one row '%s', came %u", says[i].probe,
					says[i].rows[k], planned_as(says[i].rows[k]));
	}
}
