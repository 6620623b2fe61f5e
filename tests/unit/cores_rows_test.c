/* SPDX-License-Identifier: MIT */
/* Rows of several CPUs: clocks and caches one by one, nodes, and what all move together. */
#include "tests/unit/cores_room.h"

static void a_clock_is_taken_after_warming(void **state)
{
	(void)state;
	cores_plan_each(&b);
	prepare(planned("cpu-clock", "cpu", 0, NULL, 0));
	assert_int_equal(0, take());
	expect_did("0:adds-8192 0:twice-512 0:adds-512 ");
	near("GHz", 1, sample.value);
	near("Hz", 1e9, sample.core_hz);
	prepare(planned("cpu-clock", "cpu", 5, "core_type", 0x20));
	room.adds[0] = 4;
	assert_int_equal(0, take());
	expect_did("0:starts-5 5:adds-8192 5:twice-512 5:adds-512 ");
	near("GHz", 0.25, sample.value);
	room.deaf = 5;
	expect_skip("CPU 5 did not answer", false);
}

static void expect_clock(double before, double after, double hz)
{
	room.adds[0] = before;
	room.adds[1] = after;
	assert_int_equal(0, take());
	near("ns a load", 4, sample.value);
	near("Hz", hz, sample.core_hz);
}

/* A chase is walked once before; its clock is the mean of before and after, if both are known. */
static void a_chase_is_between_two_clocks(void **state)
{
	(void)state;
	cores_plan_each(&b);
	prepare(planned("cpu-l2", "cpu", 5, "bytes", 64 * KIB));
	expect_clock(1, 2, 0.75e9);
	expect_did("0:starts-5 5:adds-8192 5:twice-512 5:adds-512 5:chase 5:chase "
		   "5:twice-512 5:adds-512 ");
	expect_clock(2e9, 2e9, 0.5);
	expect_clock(0, 1, 0);
	expect_clock(1, 0, 0);
	fake_wrong = true;
	expect_skip("proof failed: the chase ended at a wrong node", true);
	fake_wrong = false;
	prepare(planned("cpu-l1", "cpu", 0, "bytes", 16 * KIB));
	expect_clock(1, 1, 1e9);
}

static unsigned planned_of(const char *variant)
{
	unsigned n = 0;

	for (unsigned i = 0; i < plan.n; i++)
		n += !strcmp(plan.rows[i].variant, variant);
	return n;
}

/* Beyond 64 CPUs every second, beyond 128 every third, and the first of each type. */
static void a_sample_of_many_cpus(void **state)
{
	static const unsigned counts[][2] = { { 1, 1 }, { 64, 64 }, { 65, 33 }, { 128, 64 },
		{ 129, 43 } };
	static struct cpu_location many[129];

	(void)state;
	b.levels[LEVEL_L1].bytes = 0;
	env.facts.topology = NULL;
	for (unsigned i = 0; i < 5; i++) {
		plan.n = 0;
		env.facts.cpus = counts[i][0];
		cores_plan_each(&b);
		assert_int_equal(counts[i][1], planned_of("cpu-clock"));
		assert_int_equal(counts[i][1], planned_of("cpu-l2"));
		assert_int_equal(0, planned_of("cpu-l1"));
		assert_int_equal(RANK_MAIN, planned("cpu-clock", "cpu", 0, NULL, 0)->rank);
	}
	b.levels[LEVEL_L2].bytes = 0;
	many[4].core_type = 0x20;
	many[127].core_type = 0x20;
	env.facts.topology = many;
	plan.n = 0;
	cores_plan_each(&b);
	assert_int_equal(44, plan.n);
	assert_int_equal(RANK_MAIN, planned("cpu-clock", "cpu", 4, "core_type", 0x20)->rank);
	assert_int_equal(RANK_USEFUL, planned("cpu-clock", "cpu", 6, "core_type", -1)->rank);
}

static bool within(uint64_t at, unsigned node, uint64_t bytes)
{
	uint64_t base = (uint64_t)(uintptr_t)memory_of[node];

	return at >= base && at <= base + bytes;
}

static void each_node_from_each(void **state)
{
	(void)state;
	cores_plan_nodes(&b);
	assert_int_equal(8, plan.n);
	prepare(planned("node-latency", "cpu_node", 0, "memory_node", 1));
	assert_int_equal(0, take());
	expect_did("0:chase ");
	near("ns a load", 4, sample.value);
	prepare(planned("node-latency", "cpu_node", 1, "memory_node", 0));
	assert_int_equal(0, take());
	expect_did("0:starts-4 4:chase ");
	near("ns a load", 4, sample.value);
	fake_wrong = true;
	expect_skip("proof failed: the chase ended at a wrong node", true);
	room.deaf = 4;
	expect_skip("CPU 4 did not answer", false);
}

static void a_node_is_read_by_one_cpu(void **state)
{
	(void)state;
	cores_plan_nodes(&b);
	prepare(planned("node-read", "cpu_node", 1, "memory_node", 1));
	assert_int_equal(0, take());
	expect_did("0:starts-4 4:stream-262144 ");
	expect_about("GB/s", 5, sample.value);
	assert_true(within(room.from, 1, 0) && within(room.to, 1, BYTES));
	assert_int_equal(BYTES, room.to - room.from);
	prepare(planned("node-read", "cpu_node", 0, "memory_node", 1));
	assert_int_equal(0, take());
	expect_did("0:stream-262144 ");
	expect_about("GB/s", 1, sample.value);
}

static void sixteen_nodes_at_most(void **state)
{
	static struct cpu_location many[17];

	(void)state;
	for (unsigned i = 0; i < 17; i++)
		many[i].core = many[i].node = i;
	env.facts.topology = many;
	for (env.facts.cpus = 15; env.facts.cpus <= 17; env.facts.cpus++) {
		unsigned nodes = env.facts.cpus < 16 ? env.facts.cpus : 16;

		plan.n = 0;
		cores_plan_nodes(&b);
		assert_int_equal(2 * nodes * nodes, plan.n);
		assert_int_equal(RANK_MAIN,
			planned("node-read", "cpu_node", 0, "memory_node", 1)->rank);
		assert_int_equal(RANK_USEFUL,
			planned("node-read", "cpu_node", 1, "memory_node", 0)->rank);
	}
}

/* What the row's probe adds to its line. */
static const char *extra(void)
{
	static char text[256];
	struct jsonl l;

	jsonl_begin(&l, text, sizeof text);
	job.extra(&b, &job, &l, NULL, 0);
	text[jsonl_end(&l)] = 0;
	return text;
}

static void expect_extra(const char *text)
{
	if (strncmp(text, extra(), strlen(text)))
		fail_msg("expected %s, came %s", text, extra());
}

static void rates_of_all_are_added(void **state)
{
	(void)state;
	env.facts.cpus = 4;
	cores_plan_bandwidth(&b);
	prepare(planned("read", "cpus", 4, "bytes", 2 * BYTES + 2 * PAGE_4K));
	assert_int_equal(0, take());
	expect_did("0:starts-1 0:starts-2 0:starts-3 0:stream-262144 1:stream-262144 "
		   "2:stream-262144 3:stream-262144 ");
	expect_about("GB/s", 1 + 2 + 3 + 4, sample.value);
	expect_extra("{\"cpu_bytes_least\":1400832,\"cpu_bytes_most\":4194304,");
	room.deaf = 2;
	expect_skip("CPU 2 did not answer", false);
	prepare(planned("copy", "cpus", 1, "bytes", BYTES));
	assert_int_equal(0, take());
	expect_about("GB/s", 2, sample.value);
	expect_extra("{\"cpu_bytes_least\":4194304,\"cpu_bytes_most\":4194304,");
}

static void expect_loaded(double pause, const char *did, double gbs)
{
	double came;

	prepare(planned("loaded-latency", "cpus", 3, "pause_ns", pause));
	for (unsigned i = 0; i < 2; i++) {
		uint64_t since = fake_time;

		assert_int_equal(0, take());
		expect_did(did);
		near("ns a load", 4, sample.value);
		assert_true(fake_time - since > 500000); /* a tenth of a turn before it begins */
	}
	assert_int_equal(1, sscanf(extra(), "{\"load_gbs\":%lf", &came));
	expect_about("GB/s of the others", gbs, came);
}

/* With a pause the others read 2 KiB at a time: so they move less. */
static void a_chase_beside_readers(void **state)
{
	(void)state;
	env.facts.cpus = 3;
	cores_plan_loaded(&b);
	room.most = 100;
	expect_loaded(0, "0:starts-1 0:starts-2 1:stream-262144 2:stream-262144 0:chase ", 5);
	expect_loaded(6400, "0:starts-1 0:starts-2 1:stream-2048 2:stream-2048 0:chase ",
		2048 / (6400 + 1024.) + 2048 / (6400 + 683.));
	fake_wrong = true;
	expect_skip("proof failed: the chase under load ended at a wrong node", true);
	room.deaf = 2;
	expect_skip("CPU 2 did not answer", false);
}

static void pauses_by_what_they_tell(void **state)
{
	static const double pauses[] = { 0, 100, 400, 1600, 200, 800, 6400, 50, 300, 3200, 25600 };
	unsigned at = 0;

	(void)state;
	options.profile = PROFILE_FULL;
	cores_plan_loaded(&b);
	for (unsigned i = 0; i < plan.n; i++) {
		if (row_get(&plan.rows[i], "cpus", 0) != CPUS)
			continue;
		near("pause", pauses[at], row_get(&plan.rows[i], "pause_ns", -1));
		assert_int_equal(at > 3 ? RANK_USEFUL + 1
				: at    ? RANK_USEFUL
					: RANK_MAIN,
			plan.rows[i].rank);
		at++;
	}
	assert_int_equal(11, at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_clock_is_taken_after_warming, reset),
		cmocka_unit_test_setup(a_chase_is_between_two_clocks, reset),
		cmocka_unit_test_setup(a_sample_of_many_cpus, reset),
		cmocka_unit_test_setup(each_node_from_each, reset),
		cmocka_unit_test_setup(a_node_is_read_by_one_cpu, reset),
		cmocka_unit_test_setup(sixteen_nodes_at_most, reset),
		cmocka_unit_test_setup(rates_of_all_are_added, reset),
		cmocka_unit_test_setup(a_chase_beside_readers, reset),
		cmocka_unit_test_setup(pauses_by_what_they_tell, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
