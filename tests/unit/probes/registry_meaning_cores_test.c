/* SPDX-License-Identifier: MIT */
/* What is said of rows of several CPUs: clocks, pairs, nodes, and all together. */
#include "tests/unit/meaning_rows.h"
#include "tests/unit/test.h"

/* Two packages of a core of two threads and one more core, of another type. */
static const struct cpu_location places[] = { { .core = 0, .core_type = 0x40 },
	{ .core = 0, .thread = 1, .core_type = 0x40 },
	{ .package = 1, .core = 0, .core_type = 0x40, .node = 1 },
	{ .package = 1, .core = 1, .core_type = 0x20, .node = 1 } };

TEST(cores)
{
	begin();
	m.room.facts.cpus = 4;
	m.room.facts.topology = places;
	plan_of("cores");
	measured("read", "cpus", 1, NULL, 0, 12.5);
	measured("read", "cpus", 4, NULL, 0, 40);
	measured("loaded-latency", "cpus", 1, NULL, 0, 90);
	measured("loaded-latency", "cpus", 4, "pause_ns", 0, 250);
	measured("cpu-clock", "cpu", 0, NULL, 0, 3.5);
	measured("cpu-clock", "cpu", 2, NULL, 0, 3.75);
	measured("cpu-clock", "cpu", 3, NULL, 0, 2.5);
	measured("cpu-l1", "cpu", 3, NULL, 0, 1);
	measured("cpu-l2", "cpu", 3, NULL, 0, 6);
	measured("bounce", "cpu_a", 0, "cpu_b", 1, 20);
	measured("bounce", "cpu_a", 1, "cpu_b", 3, 110);
	measured("bounce", "cpu_a", 2, "cpu_b", 3, 45);
	measured("node-latency", "cpu_node", 0, "memory_node", 0, 80);
	measured("node-latency", "cpu_node", 0, "memory_node", 1, 130);
	m.b.probe->hooks->meaning(&m.b);
	expect("4 CPUs, as claimed: 2 package(s), 3 core(s); SMT siblings come last.");
	expect("4 CPUs read 40.0 GB/s, 3.20 times what one does (12.5).");
	expect("A load takes 90 ns alone and 250 ns while 3 other(s) stream.");
	expect("Core type 0x40, by CPU 0: 3.500 GHz.");
	expect("Core type 0x20, by CPU 3: 2.500 GHz.\n"
	       "                          L1 3.00 cycles, L2 18.00 cycles.");
	expect("one CPU at a time: 2.500 GHz (CPU 3) to 3.750 (CPU 2).");
	expect("from CPU to CPU in 20.0 ns (0 and 1, siblings of one core).");
	expect("at most in 110.0 ns (1 and 3, two packages).");
	expect("ns from CPU (down) to CPU (across):\n"
	       "  CPU   0      -   20.0      -      -\n"
	       "  CPU   1   20.0      -      -  110.0\n"
	       "  CPU   2      -      -      -   45.0\n"
	       "  CPU   3      -  110.0   45.0      -\n");
	expect("ns per load, CPU of node (down), memory of node (across):\n"
	       "             0       1\n"
	       "     0    80.0   130.0\n"
	       "     1       -       -\n");
	expect_not("GB/s that one CPU reads");
	expect_not("GB/s that all together read");
	expect_not("samples were disturbed");
}

TEST(what_nodes_read)
{
	begin();
	m.room.facts.cpus = 4;
	m.room.facts.topology = places;
	plan_of("cores");
	measured("node-read", "cpu_node", 0, "memory_node", 0, 12);
	measured("node-read-all", "cpu_node", 0, "memory_node", 0, 40);
	measured("node-read-all", "cpu_node", 1, "memory_node", 0, 25);
	m.b.probe->hooks->meaning(&m.b);
	expect("GB/s that one CPU reads, CPU of node (down), memory of node (across):\n"
	       "             0       1\n"
	       "     0    12.0       -\n"
	       "     1       -       -\n");
	expect("GB/s that all together read, CPUs of node (down), memory of node (across):\n"
	       "             0       1\n"
	       "     0    40.0       -\n"
	       "     1    25.0       -\n");
}

/* So many lines of a matrix fit the screen. */
TEST(a_matrix_of_ten_cpus)
{
	for (unsigned n = 10; n <= 11; n++) {
		begin();
		m.room.facts.cpus = n;
		plan_of("cores");
		measured("bounce", "cpu_a", 0, "cpu_b", 1, 20);
		m.b.probe->hooks->meaning(&m.b);
		expect(n == 10 ? "CPU (across):\n  CPU   0"
			       : "(across), the first ten:\n  CPU   0");
		expect("\n  CPU   9      -");
		expect_not("CPU  10");
	}
}

/* A machine that describes no nodes has one: its rows have no numbers of nodes. */
TEST(a_node_without_a_number)
{
	static const struct cpu_location nowhere[] = { { .core = 0, .node = NODE_UNKNOWN },
		{ .core = 1, .node = NODE_UNKNOWN } };

	begin();
	m.room.facts.cpus = 2;
	m.room.facts.topology = nowhere;
	plan_of("cores");
	measured("node-latency", NULL, 0, NULL, 0, 80);
	m.b.probe->hooks->meaning(&m.b);
	expect("ns per load, CPU of node (down), memory of node (across):\n"
	       "             ?\n"
	       "     ?    80.0\n");
}

/* Firmware may give nodes any numbers: a line has them all. */
TEST(nodes_of_many_digits)
{
	static struct cpu_location far[16];

	begin();
	for (unsigned i = 0; i < 16; i++)
		far[i] = (struct cpu_location){ .core = i, .node = i ? 4000000000 + i : 0 };
	m.room.facts.cpus = 16;
	m.room.facts.topology = far;
	plan_of("cores");
	measured("node-latency", "cpu_node", 0, "memory_node", 0, 80);
	m.b.probe->hooks->meaning(&m.b);
	expect("       0 4000000001 4000000002");
	expect(" 4000000015\n     0    80.0       -");
}

/* Where both CPUs were at work for others, the median is the scheduler's time. */
TEST(disturbed_cores)
{
	begin();
	m.room.facts.cpus = 2;
	m.room.facts.topology = places;
	plan_of("cores");
	measured("bounce", "cpu_a", 0, "cpu_b", 1, 60032);
	struct result *r = &m.b.results[m.b.nresults - 1];
	r->samples = 9;
	r->disturbed = 5;
	r->min = 33.26;
	m.b.probe->hooks->meaning(&m.b);
	expect("from CPU to CPU in 60032.0 ns (0 and 1, siblings of one core).\n"
	       "    5 of its 9 samples were disturbed; the least is 33.3 ns.\n");
}

/* Of what is missing or not known nothing is said; of equal clocks the first CPUs are named. */
TEST(cores_in_part)
{
	struct result *clock;

	begin();
	m.room.facts.cpus = 4;
	m.room.facts.topology = places;
	plan_of("cores");
	measured("loaded-latency", "cpus", 1, NULL, 0, 90);
	measured("loaded-latency", "cpus", 4, "pause_ns", 100, 150);
	measured("read", "cpus", 1, NULL, 0, 1);
	struct result *all = measured("read", "cpus", 4, NULL, 0, 0);
	measured("cpu-clock", "cpu", 0, NULL, 0, 3.5);
	clock = measured("cpu-clock", "cpu", 3, NULL, 0, 3.5);
	struct result *l1 = measured("cpu-l1", "cpu", 0, NULL, 0, 1 / 3.);
	struct result *l2 = measured("cpu-l2", "cpu", 0, NULL, 0, 0);
	m.b.probe->hooks->meaning(&m.b);
	expect_not("A load takes");
	expect_not("CPUs read");
	expect_not("cycles");
	expect("3.500 GHz (CPU 0) to 3.500 (CPU 0).");
	clock->median = 0;
	all->median = 1;
	l1->cycles = l2->cycles = 1;
	m.b.probe->hooks->meaning(&m.b);
	expect("4 CPUs read 1.0 GB/s, 1.00 times what one does (1.0).");
	expect("L1 1.00 cycles, L2 1.00 cycles.");
	*m.said = 0;
	l1->cycles = 0;
	m.results[2].median = 0;
	m.b.probe->hooks->meaning(&m.b);
	expect_not("cycles");
	expect_not("CPUs read");
}
