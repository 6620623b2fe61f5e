/* SPDX-License-Identifier: MIT */
/*
 * Which rows the probes plan, on a machine of 4 CPUs, 3 levels and 1 GiB: as many as are wanted, no
 * two of them alike, and each with the time that it takes.
 */
#include "engine/plan.h"
#include "engine/probe_api.h"
#include "tests/unit/planned.h"
#include "tests/unit/test.h"

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

	n += (size_t)snprintf(text + n, sizeof text - n, " %s %lluK %s", row->unit->name,
		row->page_bytes / KIB, answer_names[row->answer]);
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
		{ "read bytes=67108864 width_bits=64 memory ns/op 1048576K PAGES_1G",
			"write bytes=67108864 width_bits=64 memory ns/op 1048576K PAGES_1G" },
		2 },
	{ "bandwidth",
		{ "read bytes=67108864 width_bits=128 memory GB/s 1048576K PAGES_1G",
			"write bytes=67108864 width_bits=128 memory GB/s 1048576K PAGES_1G",
			"copy bytes=67108864 width_bits=128 memory GB/s 1048576K PAGES_1G",
			"nt-write bytes=67108864 width_bits=128 memory GB/s 1048576K PAGES_1G" },
		4 },
	{ "mlp",
		{ "chains bytes=67108864 lanes=1 memory ns/line 1048576K PAGES_1G clflush",
			"chains bytes=67108864 lanes=2 memory ns/line 1048576K PAGES_1G clflush",
			"chains bytes=67108864 lanes=4 memory ns/line 1048576K PAGES_1G clflush",
			"chains bytes=67108864 lanes=8 memory ns/line 1048576K PAGES_1G clflush",
			"chains bytes=67108864 lanes=12 memory ns/line 1048576K PAGES_1G clflush" },
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

/* In profile default, some of each kind that there is. */
static const struct {
	const char *probe, *row;
} says[] = {
	{ "clock", "rdtsc - ticks 0K CLOCK" },
	{ "clock", "rdtscp - ticks 0K CLOCK rdtscp" },
	{ "clock", "lfence-rdtsc - ticks 0K CLOCK" },
	{ "clock", "cpuid-rdtsc - ticks 0K CLOCK" },
	{ "clock", "step - ticks 0K CLOCK" },
	{ "clock", "div3-bare - ticks 0K CLOCK" },
	{ "clock", "div3-rdtscp - ticks 0K CLOCK rdtscp" },
	{ "clock", "div3-lfence - ticks 0K CLOCK" },
	{ "clock", "div3-cpuid - ticks 0K CLOCK" },
	{ "clock", "core-clock - GHz 0K CLOCK" },
	{ "clock", "adds-plain - ns/op 0K CLOCK" },
	{ "clock", "adds-delta - ns/op 0K CLOCK" },
	{ "clock", "os-clock - ns/call 0K CLOCK linux" },
	{ "clock", "os-clock-step - ns 0K CLOCK linux" },
	{ "latency", "pointer-padded bytes=1024 - ns/load 2048K LATENCY" },
	{ "latency", "pointer-padded bytes=24576 l1 ns/load 4K LATENCY_4K" },
	{ "latency", "pointer-padded bytes=24576 l1 ns/load 2048K LATENCY" },
	{ "latency", "pointer bytes=24576 l1 ns/load 2048K ACCESS" },
	{ "latency", "index bytes=24576 l1 ns/load 2048K ACCESS" },
	{ "latency", "index-checked bytes=1048576 l2 ns/load 2048K ACCESS" },
	{ "latency", "index-padded bytes=24576 l1 ns/load 2048K ACCESS" },
	{ "latency", "sequential bytes=24576 stride_bytes=64 l1 ns/load 2048K ACCESS" },
	{ "latency", "stride bytes=67108864 stride_bytes=1088 memory ns/load 2048K FAR_ACCESS" },
	{ "latency", "pointer-padded bytes=67108864 memory ns/load 4K LATENCY_4K" },
	{ "latency", "pointer-padded bytes=67108864 memory ns/load 2048K LATENCY_4K" },
	{ "latency", "pointer bytes=67108864 memory ns/load 2048K FAR_ACCESS" },
	{ "latency", "pointer-padded bytes=16384 - ns/load 4K LATENCY_PAGES" },
	{ "latency", "pointer-padded - ns/load 0K LATENCY_PAGES" },
	{ "latency", "method-checked bytes=1024 - ns/load 4K METHODS" },
	{ "latency", "method-unchecked bytes=1024 - ns/load 4K METHODS" },
	{ "latency", "method-raw bytes=1024 - ns/load 4K METHODS" },
	{ "latency", "method-padded bytes=1024 - ns/load 4K METHODS" },
	{ "latency", "method-padded bytes=1024 - ns/load 2048K METHODS" },
	{ "latency", "method-raw-padded bytes=1024 - ns/load 4K METHODS" },
	{ "latency", "method-raw-padded bytes=1024 - ns/load 2048K METHODS" },
	{ "mlp", "chains bytes=67108864 lanes=1 memory ns/line 2048K MISSES clflush" },
	{ "mlp", "chains bytes=67108864 lanes=1 memory ns/line 4K MISSES_4K clflush" },
	{ "mlp", "chains bytes=67108864 lanes=3 memory ns/line 2048K MISSES clflush" },
	{ "mlp", "work bytes=67108864 lanes=32 work=3 memory ns/line 2048K WORK clflush" },
	{ "mlp", "work bytes=67108864 lanes=1 work=12 memory ns/line 2048K WORK clflush" },
	{ "mlp", "prefetch bytes=67108864 lanes=32 work=6 memory ns/line 2048K WORK clflush" },
	{ "mlp", "batch bytes=1024 lanes=1 - ns/line 2048K BATCHES" },
	{ "mlp", "batch bytes=131072 lanes=32 - ns/line 2048K BATCHES" },
	{ "mlp", "batch-work bytes=2048 lanes=16 work=3 - ns/line 2048K BATCHES" },
	{ "mlp", "batch-prefetch bytes=2048 lanes=16 work=12 - ns/line 2048K BATCHES" },
	{ "mlp", "batch-prefetch bytes=2048 lanes=16 work=0 - ns/line 2048K BATCHES" },
	{ "mlp", "batch-prefetch bytes=4096 lanes=32 work=0 - ns/line 2048K BATCHES" },
	{ "bandwidth", "read bytes=24576 width_bits=32 l1 GB/s 2048K WIDTHS" },
	{ "bandwidth", "read bytes=24576 width_bits=128 l1 GB/s 2048K BANDWIDTH" },
	{ "bandwidth", "write bytes=24576 width_bits=256 l1 GB/s 2048K WIDTHS avx2" },
	{ "bandwidth", "copy bytes=24576 width_bits=512 l1 GB/s 2048K WIDTHS avx512" },
	{ "bandwidth", "nt-write bytes=67108864 width_bits=64 memory GB/s 2048K FAR_WIDTHS" },
	{ "bandwidth", "rep-movsb bytes=24576 l1 GB/s 2048K BANDWIDTH erms" },
	{ "bandwidth", "rep-stosb bytes=67108864 memory GB/s 2048K BANDWIDTH erms" },
	{ "bandwidth", "mix-3-1 bytes=67108864 width_bits=128 memory GB/s 2048K MIXES" },
	{ "bandwidth", "mix-2-1 bytes=67108864 width_bits=128 memory GB/s 2048K MIXES" },
	{ "bandwidth", "mix-1-1 bytes=67108864 width_bits=128 memory GB/s 2048K MIXES" },
	{ "bandwidth",
		"one-byte-per-line bytes=939524096 stride_bytes=64 - GB/s 2048K BYTE_PER_LINE" },
	{ "bandwidth", "read bytes=1024 width_bits=128 - GB/s 2048K READ_CURVE" },
	{ "bandwidth", "read bytes=94906240 width_bits=128 - GB/s 2048K FAR_CURVES" },
	{ "bandwidth", "copy bytes=94906240 width_bits=128 - GB/s 2048K FAR_CURVES" },
	{ "bandwidth", "rep-movsb bytes=1024 - GB/s 2048K STRING_CURVES erms" },
	{ "bandwidth", "rep-stosb bytes=94906240 - GB/s 2048K FAR_CURVES erms" },
	{ "bandwidth", "words-write bytes=1024 width_bits=32 - GB/s 2048K WORDS" },
	{ "random", "read bytes=24576 width_bits=64 l1 ns/op 2048K RANDOM" },
	{ "random", "write bytes=24576 width_bits=32 l1 ns/op 2048K RANDOM_CURVES" },
	{ "random", "write bytes=67108864 width_bits=256 memory ns/op 2048K RANDOM_CURVES avx2" },
	{ "random", "read bytes=1048576 width_bits=512 l2 ns/op 2048K RANDOM_CURVES avx512" },
	{ "random", "read bytes=1024 width_bits=32 - ns/op 2048K RANDOM_CURVES" },
	{ "random", "write bytes=268435456 width_bits=128 - ns/op 2048K RANDOM_CURVES" },
	{ "stride", "even stride_bytes=16 bytes=67108864 - ns/op 2048K LINE" },
	{ "stride", "odd stride_bytes=15 bytes=67108864 - ns/op 2048K STRIDES" },
	{ "stride", "even stride_bytes=24 bytes=67108864 - ns/op 2048K STRIDES" },
	{ "stride", "odd stride_bytes=23 bytes=67108864 - ns/op 2048K STRIDES" },
	{ "stride", "even stride_bytes=4096 bytes=67108864 - ns/op 2048K LINE" },
	{ "stride", "odd stride_bytes=4095 bytes=67108864 - ns/op 2048K STRIDES" },
	{ "stride", "flush-beside apart_bytes=256 - ns/load 2048K LINE clflush" },
	{ "shuffle", "fisher-yates bytes=16384 elements=4096 - ns/element 2048K SHUFFLE" },
	{ "shuffle", "fisher-yates bytes=23168 elements=5792 - ns/element 2048K SHUFFLE_STEPS" },
	{ "tlb", "cost pages=1 stride_bytes=65536 - ns/load 4K TLB" },
	{ "tlb", "spread pages=1024 stride_bytes=65536 - ns/load 4K TLB" },
	{ "tlb", "control pages=1448 stride_bytes=65536 - ns/load 4K TLB" },
	{ "tlb", "upper pages=8192 stride_bytes=2097152 - ns/load 4K TLB" },
	{ "tlb", "cost pages=128 stride_bytes=2097152 - ns/load 2048K TLB_2M" },
	{ "tlb", "control pages=128 stride_bytes=2097152 - ns/load 2048K TLB_2M" },
	{ "walks", "cr3 levels=4 reads=1 flushed=0 - ns/load 4K WALK clflush ring0" },
	{ "walks", "cr3 levels=4 reads=3 flushed=0 - ns/load 4K WALKS clflush ring0" },
	{ "walks", "cr3 levels=3 reads=1 flushed=0 - ns/load 2048K WALKS clflush ring0" },
	{ "walks", "invlpg levels=4 reads=4 flushed=4 - ns/load 4K WALKS clflush ring0" },
	{ "walks", "code-pages pages=861 stride_bytes=4096 - ns/jump 0K CODE_PAGES code" },
	{ "window", "two-misses instructions=3 bytes=67108864 - ns/op 2048K WINDOW code clflush" },
	{ "window", "two-misses instructions=35 bytes=67108864 - ns/op 2048K WINDOW code clflush" },
	{ "window", "two-misses instructions=67 bytes=67108864 - ns/op 2048K WINDOW code clflush" },
	{ "window", "two-misses instructions=11 bytes=67108864 - ns/op 2048K WINDOW code clflush" },
	{ "window",
		"two-misses instructions=1027 bytes=67108864 - ns/op 2048K WINDOW code clflush" },
	{ "backend", "any entries=2 bytes=67108864 - ns/op 2048K BACKEND code clflush" },
	{ "backend", "integer entries=706 bytes=67108864 - ns/op 2048K BACKEND code clflush" },
	{ "backend", "mask entries=80 bytes=67108864 - ns/op 2048K BACKEND avx512 code clflush" },
	{ "backend", "load-waiting entries=5 bytes=67108864 - ns/op 2048K BACKEND code clflush" },
	{ "frontend", "dense bytes=1024 - ns/op 0K FRONTEND code" },
	{ "frontend", "six bytes=1024 - ns/op 0K FRONTEND_MORE code" },
	{ "frontend", "long bytes=524288 - ns/op 0K FRONTEND_MORE code" },
	{ "frontend", "jump-end bytes=2048 - ns/op 0K FRONTEND code" },
	{ "ways", "same-set ways=1 stride_bytes=65536 - ns/load 2048K WAYS" },
	{ "ways", "same-pages ways=32 stride_bytes=65600 - ns/load 2048K WAYS" },
	{ "ways", "same-index ways=8 stride_bytes=4096 - ns/load 2048K WAYS" },
	{ "indirect", "order targets=1 - ns/jump 0K INDIRECT code" },
	{ "indirect", "order targets=8192 - ns/jump 0K INDIRECT code" },
	{ "indirect", "period targets=2 elements=16 - ns/jump 0K INDIRECT code" },
	{ "indirect", "period targets=64 elements=8192 - ns/jump 0K INDIRECT_MORE code" },
	{ "indirect", "random targets=64 - ns/jump 0K INDIRECT code" },
	{ "indirect", "returns targets=64 depth=2 - ns/call 0K INDIRECT_MORE code" },
	{ "indirect", "returns-random targets=64 depth=192 - ns/call 0K INDIRECT_MORE code" },
	{ "ilp", "differences elements=100 - ns/element 0K SUMS" },
	{ "ilp", "prefix-sum elements=100 - ns/element 0K SUMS" },
	{ "ilp", "add lanes=1 - ns/op 0K SUMS" },
	{ "ilp", "multiply lanes=8 - ns/op 0K SUMS" },
	{ "ilp", "odd-inlined elements=999 - ns/element 0K SUMS" },
	{ "ilp", "odd-calls elements=999 - ns/element 0K SUMS" },
	{ "ilp", "factorial-loop n=20 - ns/op 0K SUMS" },
	{ "ilp", "factorial-calls n=20 - ns/op 0K SUMS" },
	{ "storeload",
		"forward store_bytes=8 load_bytes=8 offset_bytes=0 - ns/op 2048K FORWARDING" },
	{ "storeload",
		"same-register store_bytes=8 load_bytes=8 offset_bytes=0 - ns/op 2048K "
		"FORWARDING" },
	{ "storeload",
		"larger store_bytes=4 load_bytes=8 offset_bytes=0 - ns/op 2048K FORWARDING" },
	{ "storeload", "alias offset_bytes=4096 - ns/op 2048K FORWARDING" },
	{ "storeload", "apart offset_bytes=3584 - ns/op 2048K FORWARDING" },
	{ "storeload", "load-page - ns/op 2048K FORWARDING" },
	{ "storeload",
		"sizes store_bytes=8 load_bytes=2 offset_bytes=6 - ns/op 2048K FORWARDING_SIZES" },
	{ "storeload",
		"sizes store_bytes=32 load_bytes=16 offset_bytes=1 - ns/op 2048K "
		"FORWARDING_SIZES avx2" },
	{ "storeload",
		"sizes store_bytes=64 load_bytes=64 offset_bytes=0 - ns/op 2048K "
		"FORWARDING_SIZES avx512" },
	{ "storeload",
		"overlap store_bytes=8 load_bytes=8 offset_bytes=4 - ns/op 2048K "
		"FORWARDING_SIZES" },
	{ "storeload", "store-line - ns/op 2048K FORWARDING_SIZES" },
	{ "limits", "nop - ns/op 0K LIMITS code" },
	{ "limits", "shlx - ns/op 0K LIMITS code bmi2" },
	{ "limits", "load-64 - ns/op 0K LIMITS code" },
	{ "limits", "load-256 - ns/op 0K LIMITS avx2 code" },
	{ "limits", "store-512 - ns/op 0K LIMITS avx512 code" },
	{ "limits", "branch-taken - ns/op 0K LIMITS code" },
	{ "limits", "fma-256 - ns/op 0K LIMITS avx2 code fma" },
	{ "limits", "mix - ns/op 0K LIMITS code" },
	{ "matmul", "ijk n=32 rows=32 - ns/madd 2048K MATMUL_CACHED" },
	{ "matmul", "ikj n=512 rows=16 - ns/madd 2048K MATMUL" },
	{ "matmul", "ijk n=2048 rows=1 - ns/madd 2048K MATMUL_LARGE" },
	{ "matmul", "ikj n=2048 rows=1 - ns/madd 2048K MATMUL_LARGE" },
	{ "privileged", "rdtscp - ns/op 0K PRIVILEGED rdtscp" },
	{ "privileged", "cpuid - ns/op 0K PRIVILEGED" },
	{ "privileged", "verw - ns/op 0K PRIVILEGED" },
	{ "privileged", "cr3 - ns/op 0K PRIVILEGED ring0" },
	{ "privileged", "cr3-kept - ns/op 0K PRIVILEGED ring0 pcid" },
	{ "privileged", "invlpg - ns/op 4K PRIVILEGED ring0" },
	{ "privileged", "invpcid-address - ns/op 4K PRIVILEGED ring0 invpcid" },
	{ "privileged", "wrmsr - ns/op 0K PRIVILEGED ring0" },
	{ "privileged", "syscall - ns/op 0K PRIVILEGED linux" },
	{ "privileged", "interrupt - ns/op 0K PRIVILEGED ring0" },
	{ "privileged", "xsavec-avx - ns/op 0K PRIVILEGED avx xsave xsavec" },
	{ "privileged", "xrstor-avx512 - ns/op 0K PRIVILEGED avx512 xsave" },
	{ "privileged", "wbinvd-half - ns/op 2048K PRIVILEGED ring0" },
	{ "privileged", "cr3-touch pages=64 - ns/op 4K PRIVILEGED ring0" },
	{ "privileged", "cr3-kept-touch pages=64 - ns/op 4K PRIVILEGED ring0 pcid" },
	{ "privileged", "clflush-absent - ns/line 0K PRIVILEGED clflush" },
	{ "privileged", "clflushopt-clean - ns/line 0K PRIVILEGED clflush clflushopt" },
	{ "privileged", "clwb-dirty - ns/line 0K PRIVILEGED clflush clwb" },
	{ "oscost", "syscall - ns/op 0K SYSTEM" },
	{ "oscost", "clock-gettime - ns/op 0K SYSTEM" },
	{ "oscost", "clock-syscall - ns/op 0K SYSTEM" },
	{ "oscost", "signal - ns/op 0K SYSTEM" },
	{ "oscost", "switch-pipe - ns/op 0K SYSTEM" },
	{ "oscost", "switch-futex - ns/op 0K SYSTEM" },
	{ "oscost", "cross-cpu-pipe - ns/op 0K SYSTEM cpus" },
	{ "oscost", "cross-cpu-futex - ns/op 0K SYSTEM cpus" },
	{ "oscost", "minor-fault - ns/op 0K SYSTEM" },
	{ "oscost", "minor-fault-2m - ns/op 0K SYSTEM" },
	{ "oscost", "mmap-munmap - ns/op 0K SYSTEM" },
	{ "oscost", "mmap-touch-munmap - ns/op 0K SYSTEM" },
	{ "oscost", "thread-create - ns/op 0K SYSTEM" },
	{ "oscost", "timer-wakeup - ns/op 0K SYSTEM" },
	{ "oscost", "timer-precise - ns/op 0K SYSTEM" },
	{ "noise", "gaps seconds=10 - gaps/s 0K NOISE exact" },
	{ "noise", "stolen seconds=10 - ppm 0K NOISE exact replays" },
	{ "noise", "longest seconds=10 - ns 0K NOISE exact replays" },
	{ "noise", "gaps-all seconds=5 cpu=0 - gaps/s 0K NOISE_ALL cpus exact" },
	{ "noise", "gaps-all seconds=5 cpu=3 - gaps/s 0K NOISE_ALL cpus exact replays" },
	{ "noise", "stolen-all seconds=5 cpu=2 - ppm 0K NOISE_ALL cpus exact replays" },
	{ "noise", "longest-all seconds=5 cpu=1 - ns 0K NOISE_ALL cpus exact replays" },
	{ "noise", "quanta quantum_ns=10000 - ns/quantum 0K QUANTA" },
	{ "noise", "quanta quantum_ns=1000000 - ns/quantum 0K QUANTA" },
	{ "branch", "copy elements=10000 - ns/element 0K COPIES" },
	{ "branch", "nobranch-odd elements=10000 - ns/element 0K COPIES" },
	{ "branch", "word-copy elements=10000 - ns/element 0K COPIES" },
	{ "branch", "word-free-odd elements=10000 - ns/element 0K COPIES" },
	{ "branch", "penalty mispredicts_counted=0 - cycles 0K MISPREDICTION" },
	{ "branch", "bits-zero - ns/branch 0K MISPREDICTION" },
	{ "branch", "bits-random - ns/branch 0K MISPREDICTION" },
	{ "branch", "period elements=256 - ns/branch 0K PATTERNS" },
	{ "branch", "period elements=362 - ns/branch 0K PATTERNS" },
	{ "branch", "period elements=11585 - ns/branch 0K PATTERNS" },
	{ "branch", "period elements=65536 - ns/branch 0K PATTERNS" },
	{ "branch", "states-sorted elements=16 - ns/branch 0K LEARNING" },
	{ "branch", "states-random elements=131072 - ns/branch 0K LEARNING" },
	{ "branch", "states-sorted elements=262144 - ns/branch 0K LONG_STATES" },
	{ "branch", "states-random elements=1048576 - ns/branch 0K LONG_STATES" },
	{ "branch", "learn elements=1000 pass=1 - ns/branch 0K LEARNING" },
	{ "branch", "learn elements=2000 pass=20 - ns/branch 0K LEARNING" },
	{ "branch", "state-machine elements=4096 - ns/element 0K LEARNING" },
	{ "branch", "targets targets=1 stride_bytes=16 - ns/jump 0K TARGETS code" },
	{ "branch", "targets targets=131072 stride_bytes=16 - ns/jump 0K TARGETS code" },
	{ "branch", "targets targets=1 stride_bytes=32 - ns/jump 0K TARGETS code" },
	{ "branch", "targets targets=131072 stride_bytes=32 - ns/jump 0K TARGETS code" },
	{ "branch", "return-stack depth=1 - ns/call 0K RETURNS code" },
	{ "branch", "return-stack depth=64 - ns/call 0K RETURNS code" },
	{ "skew", "offset cpu=1 - ns ahead 2048K SKEW cpus" },
	{ "skew", "adjust cpus=4 - ticks away 0K SKEW cpus ring0" },
	{ "skew", "drift cpu=3 - ppm 2048K SKEW cpus" },
	{ "atomics", "lock-add - ns/op 2048K ATOMICS" },
	{ "atomics", "xchg - ns/op 2048K ATOMICS_MORE" },
	{ "atomics", "split - ns/op 2048K ATOMICS_MORE" },
	{ "atomics", "shared cpus=2 - ns/op 2048K ATOMICS cpus" },
	{ "atomics", "shared-cas cpus=2 - ns/op 2048K ATOMICS_MORE cpus" },
	{ "atomics", "false-sharing cpus=2 - ns/op 2048K ATOMICS cpus" },
	{ "atomics", "own-lines cpus=4 - ns/op 2048K ATOMICS_MORE cpus" },
	{ "atomics", "own-lines-add cpus=2 - ns/op 2048K ATOMICS_MORE cpus" },
	{ "cores", "bounce cpu_a=0 cpu_b=1 - ns/hop 2048K PAIRS cpus" },
	{ "cores", "bounce cpu_a=2 cpu_b=3 - ns/hop 2048K OTHER_PAIRS cpus" },
	{ "cores", "cpu-clock cpu=0 - GHz 0K CORES cpus" },
	{ "cores", "cpu-clock cpu=3 - GHz 0K CORES_STEPS cpus" },
	{ "cores", "cpu-l1 cpu=0 bytes=24576 l1 ns/load 2048K CORES cpus" },
	{ "cores", "cpu-l1 cpu=3 bytes=24576 l1 ns/load 2048K CORES_STEPS cpus" },
	{ "cores", "cpu-l2 cpu=0 bytes=1048576 l2 ns/load 2048K CORES cpus" },
	{ "cores", "cpu-l2 cpu=1 bytes=1048576 l2 ns/load 2048K CORES_STEPS cpus" },
	{ "cores",
		"node-latency cpu_node=0 memory_node=0 bytes=67108864 memory ns/load 2048K CORES "
		"cpus" },
	{ "cores",
		"node-read cpu_node=0 memory_node=0 bytes=67108864 memory GB/s 2048K CORES cpus" },
	{ "cores", "read cpus=1 bytes=67108864 memory GB/s 2048K CORES cpus" },
	{ "cores", "read cpus=2 bytes=67108864 memory GB/s 2048K CORES_STEPS cpus" },
	{ "cores", "read cpus=4 bytes=67108864 memory GB/s 2048K CORES cpus" },
	{ "cores", "copy cpus=1 bytes=67108864 memory GB/s 2048K CORES_STEPS cpus" },
	{ "cores", "write cpus=2 bytes=67108864 memory GB/s 2048K CORES_STEPS cpus" },
	{ "cores", "mix-3-1 cpus=4 bytes=67108864 memory GB/s 2048K CORES_STEPS cpus" },
	{ "cores", "mix-2-1 cpus=1 bytes=67108864 memory GB/s 2048K CORES_STEPS cpus" },
	{ "cores", "mix-1-1 cpus=4 bytes=67108864 memory GB/s 2048K CORES_STEPS cpus" },
	{ "cores",
		"loaded-latency cpus=1 bytes=67108864 pause_ns=0 memory ns/load 2048K LOADED "
		"cpus" },
	{ "cores",
		"loaded-latency cpus=4 bytes=67108864 pause_ns=0 memory ns/load 2048K LOADED "
		"cpus" },
	{ "cores",
		"loaded-latency cpus=4 bytes=67108864 pause_ns=100 memory ns/load 2048K LOADED "
		"cpus" },
	{ "cores",
		"loaded-latency cpus=4 bytes=67108864 pause_ns=400 memory ns/load 2048K LOADED "
		"cpus" },
	{ "cores",
		"loaded-latency cpus=4 bytes=67108864 pause_ns=1600 memory ns/load 2048K LOADED "
		"cpus" },
	{ "cores",
		"loaded-latency cpus=4 bytes=67108864 pause_ns=200 memory ns/load 2048K LOADED "
		"cpus" },
	{ "cores",
		"loaded-latency cpus=4 bytes=67108864 pause_ns=800 memory ns/load 2048K LOADED "
		"cpus" },
	{ "cores",
		"loaded-latency cpus=4 bytes=67108864 pause_ns=6400 memory ns/load 2048K LOADED "
		"cpus" },
	{ "cores",
		"loaded-latency cpus=2 bytes=67108864 pause_ns=0 memory ns/load 2048K CORES_STEPS "
		"cpus" },
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
	const char *probe = "";

	for (unsigned i = 0; i < sizeof says / sizeof *says; i++) {
		if (strcmp(probe, says[i].probe)) {
			probe = says[i].probe;
			plan_of(probe_named(probe), PROFILE_DEFAULT);
		}
		if (planned_as(says[i].row) != 1)
			fail_msg("%s: expected one row '%s', came %u", probe, says[i].row,
				planned_as(says[i].row));
	}
}
