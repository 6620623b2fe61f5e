/* SPDX-License-Identifier: MIT */
/* Rows of several CPUs: clocks and caches one by one, and what all move together. */
#include "tests/unit/cores_room.h"

BEFORE_EACH(reset);

/* Two pairs of chains that agree. */
#define CLOCK(cpu) cpu ":twice-512 " cpu ":adds-512 " cpu ":twice-512 " cpu ":adds-512 "

TEST(a_clock_is_taken_after_warming)
{
	plan_kind("cpu-");
	prepare(planned("cpu-clock", "cpu", 0, NULL, 0));
	assert_int_equal(0, take());
	expect_did("0:adds-8192 " CLOCK("0"));
	near("GHz", 1, sample.value);
	near("Hz", 1e9, sample.core_hz);
	prepare(planned("cpu-clock", "cpu", 5, "core_type", 0x20));
	eight.adds[0] = 4;
	assert_int_equal(0, take());
	expect_did("0:starts-5 5:adds-8192 " CLOCK("5"));
	near("GHz", 0.25, sample.value);
	eight.deaf = 5;
	expect_skip("CPU 5 did not answer", false);
}

/* A sample with a clock that is not known, before or after, counts as disturbed. */
static void expect_clock(double before, double after, double hz)
{
	eight.adds[0] = before;
	eight.adds[1] = after;
	assert_int_equal(0, take());
	near("ns a load", 4, sample.value);
	near("Hz", hz, sample.core_hz);
	assert_int_equal(!(before > 0 && after > 0), sample.disturbed);
}

/* A chase is walked once before; its clock is the mean of before and after, if both are known. */
TEST(a_chase_is_between_two_clocks)
{
	plan_kind("cpu-");
	prepare(planned("cpu-l2", "cpu", 5, "bytes", 64 * KIB));
	expect_clock(1, 2, 0.75e9);
	expect_did("0:starts-5 5:adds-8192 " CLOCK("5") "5:chase 5:chase " CLOCK("5"));
	expect_clock(2e9, 2e9, 0.5);
	expect_clock(0, 1, 0);
	expect_clock(1, 0, 0);
	fake_wrong = true;
	expect_skip("proof failed: the chase ended at a wrong node", true);
	fake_wrong = false;
	prepare(planned("cpu-l1", "cpu", 0, "bytes", 16 * KIB));
	expect_clock(1, 1, 1e9);
}

/*
 * Beyond 64 CPUs every second, beyond 128 every third, and the first of each type; where time is
 * short some 8.
 */
TEST(a_sample_of_many_cpus)
{
	static const unsigned counts[][2] = { { 1, 1 }, { 64, 64 }, { 65, 33 }, { 128, 64 },
		{ 129, 43 } };
	static struct cpu_location many[129];

	b.levels[LEVEL_L1].bytes = 0;
	room.facts.topology = NULL;
	room.facts.cpus = 64;
	plan.n = 0;
	options = (struct options){ .profile = PROFILE_DEFAULT };
	plan_kind("cpu-");
	assert_int_equal(8, planned_of("cpu-clock"));
	options.profile = PROFILE_FULL;
	for (unsigned i = 0; i < 5; i++) {
		plan.n = 0;
		room.facts.cpus = counts[i][0];
		plan_kind("cpu-");
		assert_int_equal(counts[i][1], planned_of("cpu-clock"));
		assert_int_equal(counts[i][1], planned_of("cpu-l2"));
		assert_int_equal(0, planned_of("cpu-l1"));
		assert_int_equal(ANSWER_CORES, planned("cpu-clock", "cpu", 0, NULL, 0)->answer);
	}
	b.levels[LEVEL_L2].bytes = 0;
	many[4].core_type = 0x20;
	many[127].core_type = 0x20;
	room.facts.topology = many;
	plan.n = 0;
	plan_kind("cpu-");
	assert_int_equal(44, plan.n);
	assert_int_equal(ANSWER_CORES, planned("cpu-clock", "cpu", 4, "core_type", 0x20)->answer);
	assert_int_equal(ANSWER_CORES_MORE,
		planned("cpu-clock", "cpu", 6, "core_type", -1)->answer);
}

/* Check the memory parts of three CPUs, whose last-level caches are l3[0], l3[1] and l3[2]. */
static void expect_parts(const unsigned *l3, const char *text)
{
	static struct cpu_location of[3];

	for (unsigned i = 0; i < 3; i++)
		of[i] = (struct cpu_location){ .core = i, .l3 = l3[i] };
	room.facts.topology = of;
	room.facts.cpus = 3;
	plan.n = 0;
	plan_kind("");
	prepare(planned("read", "cpus", 3, NULL, 0));
	expect_extra(text);
}

TEST(rates_of_all_are_added)
{
	room.facts.cpus = 4;
	plan_kind("");
	prepare(planned("read", "cpus", 4, "bytes", 2 * BYTES + 2 * PAGE_4K));
	assert_int_equal(0, take());
	expect_did("0:starts-1 0:starts-2 0:starts-3 0:stream-262144 1:stream-262144 "
		   "2:stream-262144 3:stream-262144 ");
	expect_about("GB/s", 1 + 2 + 3 + 4, sample.value);
	expect_extra("{\"cpu_bytes_least\":1400832,\"cpu_bytes_most\":4194304,");
	eight.deaf = 2;
	expect_skip("CPU 2 did not answer", false);
	prepare(planned("copy", "cpus", 1, "bytes", BYTES));
	assert_int_equal(0, take());
	expect_about("GB/s", 2, sample.value);
	expect_extra("{\"cpu_bytes_least\":4194304,\"cpu_bytes_most\":4194304,");
}

static void expect_loaded(double pause, unsigned chunks, const char *did, double gbs)
{
	double came;

	prepare(planned("loaded-latency", "cpus", 3, "pause_ns", pause));
	eight.most = chunks;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t since = fake_time;

		assert_int_equal(0, take());
		expect_did(did);
		near("ns a load", 2, sample.value);
		expect_about("a tenth of a turn before it", 1e6, (double)(eight.chased_at - since));
		assert_int_equal(chunks, eight.streams);
	}
	assert_int_equal(1, sscanf(extra(), "{\"load_gbs\":%lf", &came));
	expect_about("GB/s of the others", gbs, came);
}

TEST(the_largest_and_the_smallest_part)
{
	expect_parts((const unsigned[]){ 0, 1, 0 },
		"{\"cpu_bytes_least\":2097152,\"cpu_bytes_most\":4194304,");
	expect_parts((const unsigned[]){ 0, 1, 1 },
		"{\"cpu_bytes_least\":2097152,\"cpu_bytes_most\":4194304,");
}

/* With a pause the others read 2 KiB at a time; without, for longer than a turn of theirs. */
TEST(a_chase_beside_readers)
{
	room.facts.cpus = 3;
	room.facts.tsc_hz = 2e9;
	plan_kind("loaded-");
	expect_loaded(0, 1000, "0:starts-1 0:starts-2 1:stream-262144 2:stream-262144 0:chase ",
		2 * (2 + 3));
	expect_loaded(6400, 100, "0:starts-1 0:starts-2 1:stream-2048 2:stream-2048 0:chase ",
		2048 / (6400 + 512.) + 2048 / (6400 + 341.5));
	fake_wrong = true;
	expect_skip("proof failed: the chase under load ended at a wrong node", true);
	eight.deaf = 2;
	expect_skip("CPU 2 did not answer", false);
}

TEST(pauses_of_one_curve)
{
	static const double pauses[] = { 0, 100, 400, 1600, 200, 800, 6400, 50, 300, 3200, 25600 };
	unsigned at = 0;

	options.profile = PROFILE_FULL;
	plan_kind("loaded-");
	for (unsigned i = 0; i < plan.n; i++) {
		if (row_get(&plan.rows[i], "cpus", 0) != CPUS)
			continue;
		near("pause", pauses[at], row_get(&plan.rows[i], "pause_ns", -1));
		assert_int_equal(ANSWER_LOADED, plan.rows[i].answer);
		at++;
	}
	assert_int_equal(11, at);
}

static void plan_all(void)
{
	plan.n = 0;
	plan_kind("");
}

/* Check how many near loads, far loads, chain nodes, bytes and calls a row's estimate counts. */
static void expect_cost(const struct row *row, const double parts[5])
{
	double *pace[] = { &b.pace.ns_per_near_load, &b.pace.ns_per_far_load, &b.pace.ns_per_node,
		&b.pace.ns_per_byte, &b.pace.ns_per_call };
	unsigned at = (unsigned)(row - plan.rows);
	double time = row->cost_ns;

	for (unsigned i = 0; i < 5; i++) {
		*pace[i] = 1;
		plan_all();
		near(row->variant, parts[i], plan.rows[at].cost_ns - time);
		*pace[i] = 0;
	}
	plan_all();
}

#define MILLIS 5000000. /* of a turn */

/*
 * Each is called nine times. A call of a CPU's clock makes 56 times 16 Ki adds, four of which take
 * as long as a load.
 */
TEST(what_is_done_is_estimated)
{
	const double nodes = BYTES / LINE_PAIR, chase = 9 * 16384, clock = 9 * 56 * 16384 / 4.;
	const double all = 4 * BYTES + 2 * PAGE_4K;
	const struct row *row;

	plan_all();
	expect_cost(planned("cpu-clock", "cpu", 5, NULL, 0), (double[]){ clock, 0, 0, 0, 9 * 4 });
	expect_cost(planned("cpu-l2", "cpu", 5, NULL, 0),
		(double[]){ clock + 2 * chase, 0, 0, 0, 9 * 4 });
	row = planned("node-latency", "cpu_node", 1, "memory_node", 0);
	expect_cost(row, (double[]){ 0, chase, nodes, 0, 9 });
	near("fixed", 0, row->cost_ns);
	row = planned("node-read", "cpu_node", 1, "memory_node", 0);
	expect_cost(row, (double[]){ 0, 0, 0, BYTES, 9 });
	near("fixed", 9 * MILLIS, row->cost_ns);
	row = planned("node-read-all", "cpu_node", 1, "memory_node", 0);
	expect_cost(row, (double[]){ 0, 0, 0, 2 * BYTES, 9 * 4 });
	near("fixed", 9 * MILLIS, row->cost_ns);
	row = planned("copy", "cpus", CPUS, NULL, 0);
	expect_cost(row, (double[]){ 0, 0, 0, all, 9 * CPUS });
	near("fixed", 9 * MILLIS, row->cost_ns);
	row = planned("loaded-latency", "cpus", CPUS, "pause_ns", 0);
	expect_cost(row, (double[]){ 0, 3 * chase, nodes, all + BYTES, 9 * CPUS });
	near("fixed", 9 * MILLIS / 10, row->cost_ns);
	row = planned("loaded-latency", "cpus", 1, "pause_ns", 0);
	expect_cost(row, (double[]){ 0, chase, nodes, 2 * BYTES, 9 });
}

TEST(a_row_may_lack_memory)
{
	plan_all();
	for (unsigned i = 0; i < plan.n; i++)
		for (unsigned lack = 0; lack < 3; lack++) {
			const struct row *row = &plan.rows[i];
			bool alone = !strncmp(row->variant, "cpu-", 4);

			if (lack && !strcmp(row->variant, "cpu-clock"))
				continue;
			b.work.used = 0;
			b.work.bytes = lack ? 256 * KIB : 64;
			job = (struct job){ .row = row, .arena = b.arena };
			job.arena.bytes = lack ? PAGE_4K : NODE_BYTES;
			room.arena_on = lack == 2 || alone ? NULL : arena_on;
			if (lack == 1 && !alone)
				continue;
			if (row->prepare(&b, row, &job) != -1 || !*job.skip)
				fail_msg("%s: prepared without memory (%u)", row->variant, lack);
		}
}

/* Rows of nodes: each node's memory from each, by one CPU and by all of a node. */

static bool within(uint64_t at, unsigned node, uint64_t bytes)
{
	uint64_t base = (uint64_t)(uintptr_t)memory_of[node];

	return at >= base && at <= base + bytes;
}

TEST(each_node_from_each)
{
	plan_kind("node-");
	assert_int_equal(12, plan.n);
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
	eight.deaf = 4;
	expect_skip("CPU 4 did not answer", false);
}

TEST(a_node_is_read_by_one_cpu)
{
	plan_kind("node-");
	prepare(planned("node-read", "cpu_node", 1, "memory_node", 1));
	assert_int_equal(0, take());
	expect_did("0:starts-4 4:stream-262144 ");
	expect_about("GB/s", 5, sample.value);
	assert_true(within(eight.from, 1, 0) && within(eight.to, 1, BYTES));
	assert_int_equal(BYTES, eight.to - eight.from);
	prepare(planned("node-read", "cpu_node", 0, "memory_node", 1));
	assert_int_equal(0, take());
	expect_did("0:stream-262144 ");
	expect_about("GB/s", 1, sample.value);
}

TEST(sixteen_nodes_at_most)
{
	static struct cpu_location many[17];

	for (unsigned i = 0; i < 17; i++)
		many[i].core = many[i].node = i;
	room.facts.topology = many;
	for (room.facts.cpus = 15; room.facts.cpus <= 17; room.facts.cpus++) {
		unsigned nodes = room.facts.cpus < 16 ? room.facts.cpus : 16;

		plan.n = 0;
		plan_kind("node-");
		assert_int_equal(3 * nodes * nodes, plan.n);
		for (unsigned all = 0; all < 2; all++) {
			const char *variant = all ? "node-read-all" : "node-read";

			assert_int_equal(ANSWER_CORES,
				planned(variant, "cpu_node", 0, "memory_node", 1)->answer);
			assert_int_equal(ANSWER_CORES_STEPS,
				planned(variant, "cpu_node", 1, "memory_node", 0)->answer);
		}
	}
}

/* The last sample read these bytes of a node, all but for the end of a part that is no chunk. */
static void expect_read(unsigned node, double bytes)
{
	double came = (double)(eight.to - eight.from);

	if (!within(eight.from, node, 0) || !within(eight.to, node, (uint64_t)bytes) ||
		came < bytes - 256 * KIB)
		fail_msg("expected %.0f bytes of node %u, came %.0f, at %td of it", bytes, node,
			came, (unsigned char *)(uintptr_t)eight.from - memory_of[node]);
}

/* Each CPU of the node, and only those, in its share of the memory of one node. */
TEST(a_node_is_read_by_all_its_cpus)
{
	const double parts = 2 * BYTES + 2 * PAGE_4K, whole = 2 * BYTES;

	plan_kind("node-");
	prepare(planned("node-read-all", "cpu_node", 1, "memory_node", 0));
	near("CPUs", 4, row_get(job.row, "cpus", 0));
	near("bytes", whole, row_get(job.row, "bytes", 0));
	assert_int_equal(0, take());
	expect_did("0:starts-4 0:starts-5 0:starts-6 0:starts-7 4:stream-262144 5:stream-262144 "
		   "6:stream-262144 7:stream-262144 ");
	expect_about("GB/s", 5 + 6 + 7 + 8, sample.value);
	expect_read(0, whole);
	expect_extra("{\"cpu_bytes_least\":2097152,\"cpu_bytes_most\":2097152,");
	prepare(planned("node-read-all", "cpu_node", 0, "memory_node", 1));
	near("bytes", parts, row_get(job.row, "bytes", 0));
	assert_int_equal(0, take());
	expect_did("0:starts-1 0:starts-2 0:starts-3 0:stream-262144 1:stream-262144 "
		   "2:stream-262144 3:stream-262144 ");
	expect_about("GB/s", 1 + 2 + 3 + 4, sample.value);
	expect_read(1, parts);
	eight.deaf = 2;
	expect_skip("CPU 2 did not answer", false);
}

/* Eight CPUs' tasks and that of the measuring CPU, which only waits: none in another's memory. */
TEST(a_task_for_the_cpu_that_waits)
{
	static struct cpu_location many[9];

	for (unsigned i = 0; i < 9; i++)
		many[i] = (struct cpu_location){ .core = i, .node = i > 0, .l3 = i > 0 };
	room.facts.topology = many;
	room.facts.cpus = 9;
	plan_kind("node-");
	prepare(planned("node-read-all", "cpu_node", 1, "memory_node", 0));
	expect_extra("{\"cpu_bytes_least\":524288,\"cpu_bytes_most\":524288,");
}

/* With one node, a matrix would repeat the rate at which all CPUs read. */
TEST(one_node_has_no_matrix)
{
	room.facts.cpus = 4;
	plan_kind("node-");
	assert_int_equal(2, plan.n);
	assert_int_equal(0, planned_of("node-read-all"));
}

static void expect_written(const char *variant, const char *param, double value, unsigned node,
	size_t bytes)
{
	memset(memory_of[node], 0x5a, NODE_BYTES);
	prepare(planned(variant, param, value, NULL, 0));
	const unsigned char *left = memchr(memory_of[node], 0x5a, bytes);

	if (left)
		fail_msg("%s: byte %td of %zu of node %u was not written", variant,
			left - memory_of[node], bytes, node);
}

/*
 * Pages that nobody has written may be no memory yet: a hypervisor can show them all as one page of
 * zeroes, which is in a cache.
 */
TEST(what_is_read_was_written)
{
	plan_kind("");
	expect_written("read", "cpus", 8, 0, 2 * BYTES);
	expect_written("read", "cpus", 8, 1, 2 * BYTES);
	expect_written("node-read", "memory_node", 1, 1, BYTES);
	expect_written("node-read-all", "memory_node", 1, 1, 2 * BYTES);
}
