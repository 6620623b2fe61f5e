/* SPDX-License-Identifier: MIT */
/* Rows of nodes: each node's memory from each, by one CPU and by all of a node. */
#include "tests/unit/cores_room.h"
#include "tests/unit/test.h"

static bool within(uint64_t at, unsigned node, uint64_t bytes)
{
	uint64_t base = (uint64_t)(uintptr_t)memory_of[node];

	return at >= base && at <= base + bytes;
}

BEFORE_EACH(reset);

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

			assert_int_equal(DROP_LATE,
				planned(variant, "cpu_node", 0, "memory_node", 1)->drop_order);
			assert_int_equal(DROP_MIDDLE,
				planned(variant, "cpu_node", 1, "memory_node", 0)->drop_order);
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

/* Of one node it would be what all CPUs read. */
TEST(one_node_has_no_matrix)
{
	room.facts.cpus = 4;
	plan_kind("node-");
	assert_int_equal(2, plan.n);
	assert_int_equal(0, planned_of("node-read-all"));
}
