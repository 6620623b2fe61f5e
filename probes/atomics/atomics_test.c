/* SPDX-License-Identifier: MIT */
/* Rows and values of `atomics` where it is known what an operation takes, on which CPU. */
#include "probes/atomics/atomics.c"
#include "tests/unit/lines_of_rows.h"
#include "tests/unit/threads_room.h"

#define TRIAL 700 /* ticks of a lock across lines, when it is tried */

/* Ticks of an operation, which are cycles and ns here; of several CPUs by each of them. */
static struct {
	uint64_t add, lock_add, cas, xchg, mfence, split, trial;
	uint64_t shared[CPUS], one_line[CPUS], own[CPUS];
	uint64_t retries; /* that each call says */
	unsigned lost;    /* a CPU whose additions are lost; 0: none */
	bool fault;
} takes;

static __thread uint64_t worked; /* made-up time of this CPU */

static bool splits(uint64_t at)
{
	return at / 64 != (at + 7) / 64;
}

static uint64_t alone(loop_fn *loop, uint64_t at)
{
	if (splits(at))
		return takes.split;
	return loop == loop_atomic_add             ? takes.add
		: loop == loop_atomic_xchg         ? takes.xchg
		: loop == loop_atomic_store_mfence ? takes.mfence
		: loop == loop_atomic_lock_add     ? takes.lock_add
						   : takes.cas;
}

/* Words next to each other, on lines of their own, or the same: told by where CPU 0 has its own. */
static uint64_t together(loop_fn *loop, uint64_t at)
{
	if (loop == loop_atomic_lock_xadd || loop == loop_atomic_retry)
		return takes.shared[here];
	return at % LINE_PAIR ? takes.one_line[here] : takes.own[here];
}

static bool is_ours(loop_fn *loop)
{
	return loop == loop_atomic_add || loop == loop_atomic_lock_add ||
		loop == loop_atomic_lock_xadd || loop == loop_atomic_cas ||
		loop == loop_atomic_cas_fails || loop == loop_atomic_xchg ||
		loop == loop_atomic_store_mfence || loop == loop_atomic_retry;
}

static bool several; /* rows of several CPUs are measured */

/* A lock across lines is not made here: the word is told what it would be. */
static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t;
	bool retries = loop == loop_atomic_retry;

	if (!is_ours(loop)) {
		t = fake_call(e, loop, a);
		return t;
	}
	if (splits(a[1])) {
		uint64_t word;

		memcpy(&word, (void *)a[1], sizeof word);
		word += (retries ? 1 : 4) * a[0] * a[2];
		memcpy((void *)a[1], &word, sizeof word);
		t.value = retries ? 0 : word;
	} else if (takes.lost && here == takes.lost) {
		t.value = 0;
	} else {
		t.value = loop(a[0], a[1], a[2], 0, 0, 0).value;
	}
	if (retries)
		t.value = takes.retries;
	t.ticks = FAKE_CALL +
		(retries ? 1 : 4) * a[0] * (several ? together(loop, a[1]) : alone(loop, a[1]));
	if (retries && splits(a[1]))
		t.ticks = takes.trial;
	worked += t.ticks;
	fake_time += several ? 0 : t.ticks;
	return t;
}

/* A CPU's time is what it worked; the clock that all have ends what hangs. */
static uint64_t now(struct room *e)
{
	return several ? slow_now(e) + worked : fake_now(e);
}

static uint64_t test_ctrl;
static bool has_test_ctrl;

static int read_msr(struct room *e, uint32_t msr, uint64_t *value)
{
	*value = test_ctrl;
	return msr != 0x33 || !has_test_ctrl;
}

static int attempt(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS], const uint32_t *msrs,
	const char **why)
{
	assert_null(msrs);
	*why = "#AC";
	call(e, loop, a);
	return takes.fault ? -1 : 0;
}

static void start(const char *probes, bool of_several)
{
	prepare_run(probes, call);
	memset(&takes, 0, sizeof takes);
	takes.add = 6;
	takes.lock_add = 18;
	takes.cas = 19;
	takes.xchg = 17;
	takes.mfence = 33;
	takes.split = 500;
	takes.trial = TRIAL;
	several = of_several;
	worked = 0;
	test_ctrl = 0;
	has_test_ctrl = false;
	room.now = now;
	if (several) {
		room.facts.cpus = CPUS;
		room.run_on = run_on;
		room.run_wait = run_wait;
	}
}

TEST(a_turn_has_four_operations)
{
	start("atomics", false);
	run_rows();
	expect("add", "median", 6);
	expect("lock-add", "median", 18);
	expect("cas", "median", 19);
	expect("cas-fails", "median", 19);
	expect("lock-xadd", "median", 19);
	expect("xchg", "median", 17);
	expect("store-mfence", "median", 33);
	expect("split", "median", 500);
	assert_float_equal(18, summary("lock_add_cycles"), 0.02);
	assert_float_equal(19, summary("cas_cycles"), 0.02);
	assert_true(isnan(summary("atomics_shared_ns")));
	assert_true(isnan(summary("false_sharing_ratio")));
	expect_skip("shared", "no second processor");
	expect_skip("own-lines", "no second processor");
}

TEST(a_lock_across_lines_that_is_trapped_is_left_out)
{
	start("atomics:split", false);
	room.facts.split_locks_trapped = true;
	run_rows();
	expect_skip("split", "locks across lines are trapped: split_lock_detect");
	start("atomics:split", false); /* a host that traps it may end its guest */
	room.facts.hypervisor = "KVMKVMKVM";
	run_rows();
	expect_skip("split", "locks across lines are trapped: perhaps by the hypervisor");
	start("atomics:split", false);
	room.read_msr = read_msr;
	test_ctrl = 1 << 29;
	has_test_ctrl = true;
	run_rows();
	expect_skip("split", "locks across lines are trapped: MSR 33h, bit 29");
	start("atomics:split", false);
	room.attempt = attempt;
	takes.fault = true;
	run_rows();
	expect_skip("split", "locks across lines are trapped: #AC");
	start("atomics:split", false);
	takes.trial = 1000200;
	run_rows();
	expect_skip("split", "locks across lines are trapped: one took more than 1 ms");
}

TEST(one_that_is_not_is_measured)
{
	start("atomics:split", false);
	room.read_msr = read_msr;
	room.attempt = attempt;
	run_rows();
	expect("split", "median", 500);
	start("atomics:split", false);
	room.read_msr = read_msr;
	has_test_ctrl = true;
	test_ctrl = ~(1ull << 29);
	takes.trial = 999000;
	run_rows();
	expect("split", "median", 500);
}

static void expect_of(double cpus, const char *variant, double is, double least, double most)
{
	of_row("cpus", cpus);
	expect(variant, "median", is);
	expect(variant, "cpu_ns_least", least);
	expect(variant, "cpu_ns_most", most);
}

/* n CPUs take n / sum(1 / ns). The words of one line: CPU 0 has the first of a pair of lines. */
TEST(the_number_is_that_of_all_cpus_together)
{
	start("atomics", true);
	memcpy(takes.shared, (uint64_t[]){ 100, 300, 150 }, sizeof takes.shared);
	memcpy(takes.one_line, (uint64_t[]){ 0, 80, 80 }, sizeof takes.one_line);
	memcpy(takes.own, (uint64_t[]){ 20, 20, 20 }, sizeof takes.own);
	takes.retries = 64;
	run_rows();
	expect_of(2, "shared", 150, 100, 300);
	expect_of(3, "shared", 150, 100, 300);
	expect_of(2, "shared-cas", 150, 100, 300);
	expect_of(2, "own-lines", 20, 20, 20);
	expect_of(2, "false-sharing", 32, 20, 80);
	expect_of(3, "false-sharing", 40, 20, 80);
	expect_of(2, "false-sharing-add", 32, 20, 80);
	expect_of(2, "own-lines-add", 20, 20, 20);
	of_row("cpus", 2);
	expect("shared-cas", "retries", 64.0 / (4 * CHUNK / 2));
	assert_true(isnan(number("shared", "retries")));
	assert_float_equal(150, summary("atomics_shared_ns"), 0.1);
	assert_float_equal(1.6, summary("false_sharing_ratio"), 0.01);
}

/*
 * The notes are a ring: the last of the three samples has wrapped around to place 0. The median is
 * over all three, not the last one alone.
 */
TEST(what_each_cpu_has_is_the_median_of_the_samples)
{
	struct members all = { .calls = CROWD_MOST + 1 };

	all.least[0] = 9;
	all.least[CROWD_MOST - 1] = 3;
	all.least[CROWD_MOST - 2] = 2;
	all.least[CROWD_MOST - 3] = 1;
	assert_true(median_of(&all, all.least, 3) == 3);
	assert_true(median_of(&all, all.least, 1) == 9);
	assert_true(median_of(&all, all.least, CROWD_MOST + 5) == 0);
}

TEST(an_addition_that_is_lost_is_a_wrong_row)
{
	start("atomics:shared,atomics:false-sharing", true);
	memcpy(takes.shared, (uint64_t[]){ 100, 100, 100 }, sizeof takes.shared);
	memcpy(takes.one_line, (uint64_t[]){ 100, 100, 100 }, sizeof takes.one_line);
	memcpy(takes.own, (uint64_t[]){ 100, 100, 100 }, sizeof takes.own);
	takes.lost = 1;
	fake_used = 0;
	assert_int_equal(1, bench_run(&room, &options));
	assert_non_null(strstr(fake_out, "proof failed: "));
	assert_non_null(strstr(fake_out, " additions, and the words have "));
}
