/* SPDX-License-Identifier: MIT */
/* Tests the members that probes add to a row's line against the row's own number. */
#include "probes/loops/leaf.h"
#include "tests/unit/lines_of_rows.h"

static unsigned count_at; /* index of the loop argument that is 0 in the empty call */
static unsigned rows;     /* begun */

/* Each row takes longer than the one before; a chase and adds take their usual time. */
static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = fake_call(e, loop, a);
	uint64_t more = a[count_at] ? 100000 + 5000 * rows : 0;

	if (loop == loop_add_chain || loop == loop_add_chain_double || loop == loop_chase)
		return t;
	t.ticks += more;
	fake_time += more;
	return t;
}

static void begin_row(struct room *e, const char *line, size_t n, double part)
{
	rows++;
}

static void start(const char *probes, unsigned count)
{
	prepare_run(probes, call);
	fake_arena_bytes = MIB;
	options.node = 128;
	options.largest = 2 * KIB;
	count_at = count;
	room.progress = begin_row;
	rows = 0;
}

/* Returns a number of the variant's row whose parameter has this value. */
static double of(const char *variant, const char *param, double value, const char *key)
{
	of_row(param, value);
	double is = number(variant, key);

	of_row(NULL, 0);
	return is;
}

static void expect_of(const char *variant, const char *param, double value, const char *key,
	double is)
{
	double came = of(variant, param, value, key);

	if (isnan(is) ? !isnan(came) : !(fabs(came - is) <= 1e-5 * is))
		fail_msg("%s, %s %g, %s: expected %g, came %g", variant, param, value, key, is,
			came);
}

/* Check a row with one chain in each buffer; `one` is the time of a single chain. */
static void expect_chains(const char *variant, const char *param, double value, double one)
{
	double ns = of(variant, param, value, "median");

	expect_of(variant, param, value, "gb_per_s", 64 / ns); /* nodes are 128 apart */
	expect_of(variant, param, value, "speedup", one / ns);
}

TEST(batches_over_one_chain)
{
	start("mlp:batch,mlp:batch-work", 1);
	options.profile = PROFILE_DEFAULT;
	options.largest = KIB;
	assert_int_equal(0, bench_run(&room, &options));
	double one = of("batch", "lanes", 1, "median");

	for (unsigned lanes = 1; lanes <= 8; lanes *= 2)
		expect_chains("batch", "lanes", lanes, one);
	start("mlp:batch,mlp:batch-work", 1);
	options.profile = PROFILE_DEFAULT;
	assert_int_equal(0, bench_run(&room, &options));
	one = of("batch", "bytes", 2 * KIB, "median"); /* the first of that size */
	assert_true(one > 1.1 * of("batch", "lanes", 1, "median"));
	expect_chains("batch", "lanes", 32, one);
	one = of("batch", "lanes", 1, "median");
	for (unsigned work = 3; work <= 12; work *= 2)
		expect_chains("batch-work", "work", work, one);
}

TEST(no_speed_up_without_one_chain)
{
	start("mlp:batch-work", 1);
	options.profile = PROFILE_DEFAULT;
	assert_int_equal(0, bench_run(&room, &options));
	expect_of("batch-work", "work", 3, "gb_per_s", 64 / of("batch-work", "work", 3, "median"));
	expect_of("batch-work", "work", 3, "speedup", NAN);
}

TEST(chains_over_one_of_them)
{
	start("mlp:chains", 1);
	assert_int_equal(0, bench_run(&room, &options));
	double one = of("chains", "lanes", 1, "median");

	for (unsigned lanes = 1; lanes <= 8; lanes *= 2)
		expect_chains("chains", "lanes", lanes, one);
}

TEST(streams_in_cycles_and_words)
{
	static const char *const variants[] = { "words-read", "words-write", "read", "write" };

	start("bandwidth:words-read,bandwidth:words-write,bandwidth:read,bandwidth:write", 2);
	options.profile = PROFILE_DEFAULT;
	assert_int_equal(0, bench_run(&room, &options));
	for (unsigned i = 0; i < 4; i++)
		for (unsigned bits = 32; bits <= 128; bits *= 2) {
			double rate = of(variants[i], "width_bits", bits, "median") * 1e9;

			expect_of(variants[i], "width_bits", bits, "bytes_per_cycle",
				rate / of(variants[i], "width_bits", bits, "core_hz"));
			if (i < 2) /* Pikus's */
				expect_of(variants[i], "width_bits", bits, "words_per_s",
					rate / (bits / 8));
		}
}

TEST(accesses_in_words_and_bytes)
{
	start("random", 3);
	assert_int_equal(0, bench_run(&room, &options));
	for (unsigned writes = 0; writes < 2; writes++)
		for (unsigned bits = 32; bits <= 128; bits *= 2) {
			const char *variant = writes ? "write" : "read";
			double ns = of(variant, "width_bits", bits, "median");

			expect_of(variant, "width_bits", bits, "words_per_s", 1e9 / ns);
			expect_of(variant, "width_bits", bits, "gb_per_s", bits / 8 / ns);
		}
}

TEST(elements_in_all)
{
	start("ilp:odd-inlined,ilp:odd-calls", 1);
	assert_int_equal(0, bench_run(&room, &options));
	double inlined = number("odd-inlined", "median"), calls = number("odd-calls", "median");

	expect("odd-inlined", "ns_in_all", 999 * inlined);
	expect("odd-calls", "ns_in_all", 999 * calls);
	expect("odd-calls", "ratio", calls / inlined);
	assert_true(isnan(number("odd-inlined", "ratio")));
	start("ilp:odd-calls", 1);
	assert_int_equal(0, bench_run(&room, &options));
	assert_true(isnan(number("odd-calls", "ratio")));
}

/* The operations of one sample: just enough work for the timer. */
static const struct {
	const char *probe;
	unsigned count_at;
	const char *variant, *param;
	double value, ops;
} works[] = {
	{ "clock", 0, "rdtsc", NULL, 0, 512 },
	{ "clock", 0, "cpuid-rdtsc", NULL, 0, 16 },
	{ "clock", 0, "adds-plain", NULL, 0, 16384 },
	{ "latency:pointer-padded", 1, "pointer-padded", "bytes", 1024, 65536 },
	{ "mlp:batch", 1, "batch", "lanes", 1, 16384 },
	{ "mlp:batch", 1, "batch", "lanes", 16, 16384 },
	{ "bandwidth:rep-stosb", 2, "rep-stosb", "bytes", 1024, 2097152 },
	{ "ilp", 1, "differences", NULL, 0, 6400 },
	{ "ilp", 1, "odd-calls", NULL, 0, 7992 },
	{ "ilp", 1, "factorial-loop", NULL, 0, 5120 },
	{ "ilp", 0, "multiply", "lanes", 8, 7680 },
	{ "random", 3, "read", "bytes", 1024, 65536 },
	{ "matmul", 1, "ijk", "n", 32, 262144 },
};

TEST(as_much_work_in_a_sample)
{
	const char *probe = "";

	for (unsigned i = 0; i < sizeof works / sizeof *works; i++) {
		if (strcmp(probe, works[i].probe)) {
			probe = works[i].probe;
			start(probe, works[i].count_at);
			options.profile = PROFILE_FULL;
			assert_int_equal(0, bench_run(&room, &options));
		}
		expect_of(works[i].variant, works[i].param, works[i].value, "ops",
			works[i].ops *
				of(works[i].variant, works[i].param, works[i].value, "samples"));
	}
}

static unsigned quanta; /* calls of the shorter quantum */

/* One in four is disturbed for 1000 ns. */
static struct timed disturbed_call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = fake_call(e, loop, a);

	if (loop == loop_add_chain && a[0] == 156 && ++quanta % 4 == 0)
		t.ticks += 1000;
	return t;
}

/*
 * A quantum has as many groups of 64 adds as fit at 1 GHz. The moments are of two values, one of
 * which is every fourth.
 */
TEST(quanta_have_moments)
{
	prepare_run("noise:quanta", disturbed_call);
	assert_int_equal(0, bench_run(&room, &options));
	expect_of("quanta", "quantum_ns", 1e4, "min", 156 * 64);
	expect_of("quanta", "quantum_ns", 1e4, "samples", 1024);
	expect_of("quanta", "quantum_ns", 1e4, "deviation", 433.2243);
	expect_of("quanta", "quantum_ns", 1e4, "skew", 1.1547005);
	expect_of("quanta", "quantum_ns", 1e6, "median", 1e6);
	expect_of("quanta", "quantum_ns", 1e6, "samples", 1024);
	expect_of("quanta", "quantum_ns", 1e6, "deviation", 0);
}

/* Tests the lines of single probes' rows, run in a room that makes up the time. */

/*
 * C functions and divisions take time as well: a called test takes four times as long as an inlined
 * one.
 */
static struct timed call_of_probes(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = fake_call(e, loop, a);
	uint64_t more = 0;

	if (loop == loop_timed_call && a[0] == (uint64_t)(uintptr_t)leaf_sum_odd_calls)
		more = 8 * a[1] * a[2];
	else if (loop == loop_timed_call && a[0] == (uint64_t)(uintptr_t)leaf_sum_odd_inlined)
		more = 2 * a[1] * a[2];
	else if (loop == loop_timed_call)
		more = 1000 * a[1];
	else if (loop == loop_div_rdtscp || loop == loop_div_lfence || loop == loop_div_cpuid)
		more = 64 * a[2];
	t.ticks += more;
	fake_time += more;
	return t;
}

TEST(a_row_of_calls_has_its_ratio_to_the_inlined_test)
{
	prepare_run("ilp:odd-inlined,ilp:odd-calls", call_of_probes);
	bench_run(&room, &options);
	expect("odd-inlined", "median", 2);
	expect("odd-calls", "median", 8);
	expect("odd-calls", "ratio", 4);
}

/* However soon they agree. */
TEST(rows_of_clocks_have_many_samples)
{
	static const char *const variants[] = { "div3-lfence", "div3-cpuid", "core-clock" };

	prepare_run("clock", call_of_probes);
	bench_run(&room, &options);
	for (unsigned i = 0; i < sizeof variants / sizeof *variants; i++)
		if (number(variants[i], "samples") < 31)
			fail_msg("%s: expected 31 samples at least, came %g", variants[i],
				number(variants[i], "samples"));
}

/* All of the arena is no numbers before each row. */
static void poison(struct room *e, const char *line, size_t n, double part)
{
	struct arena arena;

	assert_int_equal(0, fake_arena(e, PAGE_2M, &arena));
	memset(arena.base, 0xff, arena.bytes);
}

TEST(products_are_of_what_was_filled_in)
{
	prepare_run("matmul", call_of_probes);
	fake_arena_bytes = FAKE_ARENA;
	room.progress = poison;
	bench_run(&room, &options);
	json_t *skip = line_of("skip", "ijk");

	if (skip)
		fail_msg("expected no skip, came: %s",
			json_string_value(json_object_get(skip, "reason")));
	assert_true(number("ijk", "median") > 0);
	assert_true(number("ikj", "median") > 0);
}
