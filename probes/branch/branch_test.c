/* SPDX-License-Identifier: MIT */
/* Rows of branches as they are prepared: data, what they prove, how often they are done. */
#include "probes/branch/branch.c"
#include "probes/states.h"
#include "tests/unit/lines_of_rows.h"
#include "tests/unit/prepared.h"

#define MANY 10000 /* elements that are copied */

BEFORE_EACH(reset)
{
	plan_of(probe_named("branch"), PROFILE_DEFAULT);
	give_code_memory(&room);
}

/* The row made ready, and called with two sets of data: the loop says what plain C does. */
static void prepare(const char *variant, const char *param, double value)
{
	expect_ready(row_with(variant, param, value));
	for (unsigned i = 0; i < 2 && job.loop; i++)
		expect_sample(job.row);
}

static void expect_job(double ops, unsigned warm_calls, unsigned min_samples)
{
	if (job.ops != ops || job.warm_calls != warm_calls || job.min_samples != min_samples)
		fail_msg("%s: expected %.0f operations, %u calls before, %u samples; came %.0f, "
			 "%u, %u",
			job.row->variant, ops, warm_calls, min_samples, job.ops, job.warm_calls,
			job.min_samples);
}

/* Returns the percentage of n elements, each `bytes` long, that have the bit set. */
static double share(const unsigned char *at, unsigned n, unsigned bytes, unsigned bit)
{
	unsigned ones = 0;

	for (unsigned i = 0; i < n; i++)
		ones += at[i * bytes] >> bit & 1;
	return 100. * ones / n;
}

static const struct {
	const char *variant;
	loop_fn *loop;
	double odd; /* hundredths of the elements, about */
	unsigned bytes;
	bool again; /* the same data in each sample, learned before the first */
} copy_rows[] = {
	{ "copy", loop_branch_copy, 50, 1 },
	{ "copy-odd-random", loop_branch_copy_odd, 50, 1 },
	{ "copy-odd-odd", loop_branch_copy_odd, 100, 1 },
	{ "copy-odd-even", loop_branch_copy_odd, 0, 1 },
	{ "nobranch-random", loop_branch_copy_odd_free, 50, 1 },
	{ "nobranch-odd", loop_branch_copy_odd_free, 100, 1 },
	{ "word-copy", loop_words_copy, 50, 8 },
	{ "word-odd-random", loop_words_odd, 50, 8 },
	{ "word-odd-odd", loop_words_odd, 100, 8 },
	{ "word-odd-even", loop_words_odd, 0, 8 },
	{ "word-free-random", loop_words_odd_free, 50, 8 },
	{ "word-free-odd", loop_words_odd_free, 100, 8 },
	{ "printed-copy", loop_singly_copy, 50, 8, true },
	{ "printed-odd-random", loop_singly_odd, 50, 8, true },
	{ "printed-odd-odd", loop_singly_odd, 100, 8, true },
	{ "printed-odd-even", loop_singly_odd, 0, 8, true },
	{ "printed-free-random", loop_singly_odd_free, 50, 8, true },
};

/* New data in each sample; as the source prints it, the same again. */
TEST(copies_are_of_new_data)
{
	for (unsigned i = 0; i < sizeof copy_rows / sizeof *copy_rows; i++) {
		static unsigned char before[8 * MANY];
		unsigned bytes = copy_rows[i].bytes;

		prepare(copy_rows[i].variant, "elements", MANY);
		const unsigned char *from = (const unsigned char *)(uintptr_t)job.args[1];
		double odd = share(from, MANY, bytes, 0), second = share(from, MANY, bytes, 1);

		assert_ptr_equal(copy_rows[i].loop, job.loop);
		assert_int_equal(MANY, job.args[2]);
		assert_int_equal(0, job.empty_args[2]);
		expect_job(MANY, copy_rows[i].again ? 200 : 0, 0);
		if (fabs(odd - copy_rows[i].odd) > (copy_rows[i].odd == 50 ? 3 : 0) ||
			fabs(second - 50) > 3)
			fail_msg("%s: %g %% are odd, %g %% have the second bit",
				copy_rows[i].variant, odd, second);
		assert_int_equal(copy_rows[i].again, !job.refresh);
		if (!job.refresh)
			continue;
		memcpy(before, from, MANY * bytes);
		job.refresh(&planner, &job);
		assert_memory_not_equal(before, from, MANY * bytes);
	}
}

/* The line of a copy of words has the time of all elements, as the original source prints it. */
TEST(words_in_all)
{
	struct result result = { .median = 1.25 };
	char text[128];
	struct jsonl l;

	prepare("word-copy", NULL, 0);
	planner.results = &result;
	planner.nresults = 1;
	jsonl_begin(&l, text, sizeof text);
	job.extra(&planner, &job, &l, NULL, 0);
	jsonl_end(&l);
	assert_non_null(strstr(text, "{\"ns_in_all\":12500,"));
}

static const unsigned char *bytes_of(uint64_t n)
{
	assert_int_equal(n, job.args[1]);
	assert_int_equal(0, job.empty_args[1]);
	return (const unsigned char *)(uintptr_t)job.args[0];
}

static void expect_periods(const unsigned char *at, unsigned period, unsigned all)
{
	for (unsigned i = period; i < all; i++)
		if (at[i] != at[i - period])
			fail_msg("element %u is not that of the period before", i);
}

/* Elements that differ from the one before. */
static unsigned changes(const unsigned char *at, unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 1; i < n; i++)
		sum += at[i] != at[i - 1];
	return sum;
}

/* The integers of a state machine that is called `laps` times over n of them. */
static const int *states_of(const void *function, uint64_t laps, uint64_t n)
{
	assert_ptr_equal(loop_timed_call, job.loop);
	assert_int_equal((uintptr_t)function, job.args[0]);
	assert_int_equal(laps, job.args[1]);
	assert_int_equal(0, job.empty_args[1]);
	assert_int_equal(n, job.args[3]);
	assert_int_equal(50, job.args[4]);
	return (const int *)(uintptr_t)job.args[2];
}

/* The same integers of 0 to 99, in order or not, as often as makes 16 Ki; passes until learned. */
TEST(states_are_twins)
{
	static const struct {
		unsigned elements, laps, warm;
	} rows[] = { { 16, 1024, 1 }, { 512, 32, 2 }, { 16384, 1, 40 }, { 65536, 1, 40 },
		{ 131072, 1, 3 } };

	for (unsigned i = 0; i < 5; i++) {
		unsigned n = rows[i].elements, count[100] = { 0 }, odd = 0, above = 0, falls = 0;

		prepare("states-random", "elements", n);
		expect_job((double)rows[i].laps * n, rows[i].warm, 0);
		const int *data = states_of(leaf_states, rows[i].laps, n);

		for (unsigned k = 0; k < n; k++) {
			assert_in_range(data[k], 0, 99);
			count[data[k]]++;
			odd += data[k] & 1;
			above += data[k] > 50;
			falls += k && data[k] < data[k - 1];
		}
		assert_true(fabs(odd - n / 2.) < 3 * sqrt(n) &&
			fabs(above - n / 2.) < 4 * sqrt(n) + n / 50.);
		assert_true(falls > n / 4);
		prepare("states-sorted", "elements", n);
		expect_job((double)rows[i].laps * n, rows[i].warm, 0);
		data = states_of(leaf_states, rows[i].laps, n);
		for (unsigned k = 0; k < n; k++) {
			assert_true(!k || data[k - 1] <= data[k]);
			count[data[k]]--;
		}
		for (unsigned value = 0; value < 100; value++)
			assert_int_equal(0, count[value]);
	}
}

/* A copy of the function, so many bytes further in the line, or called so much deeper. */
TEST(states_elsewhere)
{
	static const unsigned char moves[] = { 0x48, 0x81, 0xec };

	for (unsigned i = 0; i < 8; i++)
		for (unsigned stack = 0; stack < 2; stack++) {
			uint32_t deeper;

			prepare(stack ? "states-stack" : "states-code", "moved_bytes",
				i * (stack ? 512 : 8));
			const unsigned char *base = (const unsigned char *)(uintptr_t)job.args[0];

			states_of(base, 64, 256);
			expect_job(16384, 1, 0);
			assert_memory_equal(moves, base, 3);
			memcpy(&deeper, base + 3, 4);
			assert_int_equal(8 + (stack ? 512 * i : 0), deeper);
			assert_memory_equal(base + 64 + (stack ? 0 : 8 * i),
				stack ? (const void *)leaf_states_on_stack
				      : (const void *)leaf_states,
				192);
		}
}

TEST(coins_are_repeated)
{
	static const struct {
		unsigned elements, all, warm;
	} rows[] = { { 256, 16384, 1 }, { 724, 16652, 2 }, { 65536, 65536, 40 } };

	for (unsigned i = 0; i < 3; i++) {
		unsigned n = rows[i].elements, all = rows[i].all;

		prepare("period", "elements", n);
		assert_ptr_equal(loop_branch_walk, job.loop);
		expect_job(all, rows[i].warm, 0);
		assert_int_equal(1, job.args[2]);
		assert_int_equal(0, job.empty_args[2]);
		assert_true(fabs(share(bytes_of(all), n, 1, 0) - 50) < 7);
		assert_true(fabs(100. * changes(bytes_of(all), n) / n - 50) < 7);
		expect_periods(bytes_of(all), n, all);
	}
}

TEST(what_is_learned_is_new)
{
	unsigned char before[2000];

	prepare("learn", "pass", 7);
	assert_ptr_equal(loop_branch_walk, job.loop);
	expect_job(1000, 0, 15);
	assert_int_equal(7, job.args[2]);
	memcpy(before, bytes_of(1000), 1000);
	job.refresh(&planner, &job);
	assert_memory_not_equal(before, bytes_of(1000), 1000);
	prepare("learn", "elements", 2000);
	expect_job(2000, 0, 15);
	assert_int_equal(1, job.args[2]);
}

/* All its samples are the distribution. */
TEST(a_distribution_has_many_samples)
{
	prepare("state-machine", "elements", 4096);
	states_of(leaf_states, 1, 4096);
	expect_job(4096, 40, 512);
	assert_int_equal(SAMPLES_LIMIT, job.max_samples);
	assert_true(job.tells_disturbance);
}

TEST(bits_are_zeros_or_new)
{
	prepare("bits-zero", NULL, 0);
	assert_ptr_equal(loop_branch_bits, job.loop);
	expect_job(8192, 0, 0);
	assert_true(share(bytes_of(128), 1024, 1, 0) == 0);
	prepare("bits-random", NULL, 0);
	assert_ptr_equal(loop_branch_bits, job.loop);
	expect_job(8192, 0, 0);
	for (unsigned bit = 0; bit < 8; bit++)
		assert_true(fabs(share(bytes_of(128), 1024, 1, bit) - 50) < 7);
	prepare("penalty", NULL, 0);
	expect_job(8192, 0, 15);
}

static void expect_code(const char *variant, const char *param, double value, size_t bytes,
	uint64_t laps)
{
	prepare(variant, param, value);
	assert_ptr_equal(loop_timed_call, job.loop);
	expect_job(value * (double)laps, 4, 0);
	assert_int_equal(bytes, code_memory.bytes);
	assert_int_equal(laps, job.args[1]);
	assert_int_equal(laps, job.expect);
}

/*
 * The empty call of a row of jumps calls the lone return as often, so the difference is the jumps
 * alone. A row of calls has an empty call that does nothing.
 */
TEST(code_is_done_as_often_as_a_sample_needs)
{
	static const struct {
		unsigned jumps, laps, samples;
	} rows[] = { { 1, 16384, 0 }, { 16, 1024, 0 }, { 2896, 5, 0 }, { 4096, 4, 0 },
		{ 16384, 1, 0 }, { 23170, 1, 31 }, { 131072, 1, 31 } };

	for (unsigned i = 0; i < 7; i++) {
		expect_code("targets", "targets", rows[i].jumps, 16 * (size_t)rows[i].jumps,
			rows[i].laps);
		assert_ptr_equal(code_memory.base + CODE_RETURN,
			(unsigned char *)(uintptr_t)job.empty_args[0]);
		assert_int_equal(rows[i].laps, job.empty_args[1]);
		assert_int_equal(rows[i].samples, job.max_samples);
	}
	prepare("targets", "stride_bytes", 32);
	assert_int_equal(32, code_memory.bytes);
	for (unsigned depth = 1; depth <= 64; depth++) {
		expect_code("return-stack", "depth", depth, 64 + 64 * depth, 4096 / depth);
		assert_ptr_equal(code_memory.base + 64, (unsigned char *)(uintptr_t)job.args[0]);
		assert_int_equal(0, job.empty_args[1]);
	}
}

/* Two rows of equally many jumps visit them in different orders, each from a random start. */
TEST(jumps_are_visited_in_random_order)
{
	unsigned char *first;

	prepare("targets", "targets", 4096);
	first = memcpy(malloc(code_memory.bytes), code_memory.base, code_memory.bytes);
	assert_ptr_not_equal(code_memory.base, (unsigned char *)(uintptr_t)job.args[0]);
	prepare("targets", "targets", 4096);
	assert_memory_not_equal(first, code_memory.base, code_memory.bytes);
	free(first);
}

TEST(a_room_may_lack_memory_for_code)
{
	expect_code_needed(row_with("targets", "targets", 1), "no 1 KiB for generated code");
	expect_code_needed(row_with("targets", "targets", 16384), "no 256 KiB for generated code");
	expect_code_needed(row_with("return-stack", "depth", 64), "no 5 KiB for generated code");
}

/* An emulator translates each jump when it meets it first, and each call and its return. */
TEST(an_emulator_takes_longer)
{
	double jumps = row_with("targets", "targets", 1024)->cost_ns;
	double calls = row_with("return-stack", "depth", 64)->cost_ns;

	emulated = true;
	reset();
	emulated = false;
	assert_true(row_with("targets", "targets", 1024)->cost_ns - jumps == 1024 * 30000.);
	assert_true(row_with("return-stack", "depth", 64)->cost_ns - calls == 128 * 30000.);
}

/* The cost of a misprediction where each costs 20 cycles, with a counter of them and without. */

#define BITS   8192
#define MISSED 4000 /* of random bits; half of them are 4096 */
#define EVERY  50   /* mispredictions of any call, also with zero bits */
#define CYCLES 20   /* what each costs */

static uint64_t mispredicted; /* the counter of the processor */
static uint64_t missed_of_random = MISSED;
static enum { NONE, RANDOM_BITS, ZERO_BITS } wrong; /* calls whose value is */

static void begin(struct room *room, struct event_counts *q)
{
	q->mispredicts = mispredicted;
}

static void end(struct room *room, struct event_counts *q)
{
	q->known = EVENT_SWITCHES | EVENT_MISPREDICTS;
	q->mispredicts = mispredicted - q->mispredicts;
}

/* A tick is a cycle. */
static struct timed predict(struct room *room, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	const uint64_t *words = (const uint64_t *)(uintptr_t)a[0];
	struct timed t = fake_call(room, loop, a);
	uint64_t missed = EVERY;

	if (loop != loop_branch_bits || !a[1])
		return t;
	assert_int_equal(64 * a[1], BITS);
	bool random = words[0] || words[1];

	missed += random ? missed_of_random : 0;
	t.value += wrong == (random ? RANDOM_BITS : ZERO_BITS);
	t.ticks += BITS + CYCLES * missed;
	fake_time += t.ticks;
	mispredicted += missed;
	return t;
}

static void run(bool counted)
{
	prepare_run("branch:penalty", predict);
	if (counted) {
		room.timed_begin = begin;
		room.timed_end = end;
	}
	assert_int_equal(wrong ? -1 : 0, bench_run(&room, &options) ? -1 : 0);
}

static void expect_cycles(double cycles, bool counted)
{
	run(counted);
	of_row("mispredicts_counted", counted);
	expect("penalty", "median", cycles);
	assert_true(summary("mispredict_cycles") == number("penalty", "median"));
	of_row(NULL, 0);
}

/* The mispredictions of zero bits are subtracted from those of random bits before the division. */
TEST(counted_mispredictions_divide)
{
	expect_cycles(CYCLES, true);
}

TEST(without_a_counter_half_of_the_bits_are_taken)
{
	expect_cycles((double)CYCLES * MISSED / (BITS / 2.), false);
}

TEST(what_cannot_be_divided)
{
	missed_of_random = 1;
	expect_cycles(CYCLES, true);
	missed_of_random = 0;
	run(true);
	expect_skip("penalty", "the counter saw no mispredictions");
	missed_of_random = MISSED;
	wrong = RANDOM_BITS;
	run(true);
	expect_skip("penalty", "proof failed: the loop miscounted the bits");
	wrong = ZERO_BITS;
	run(true);
	expect_skip("penalty", "proof failed: the loop miscounted the bits");
	wrong = NONE;
}
