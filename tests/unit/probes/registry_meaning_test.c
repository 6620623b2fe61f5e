/* SPDX-License-Identifier: MIT */
/*
 * Tests the sentences that a probe prints about rows that it planned itself: it knows them by more
 * than their names.
 */
#include "lib/text.h"
#include "probes/noise/noise_scan.h"
#include "tests/unit/summary_rows.h"

/* The rows are planned by the probe itself; the tests give some of them a result. */

static struct plan plan;

/* Plan all rows of the probe that begin_of() chose, with no results yet. */
static void plan_rows(void)
{
	static const struct level_size levels[LEVELS] = {
		[LEVEL_L1] = { "l1", 24 * KIB, "measured" },
		[LEVEL_L2] = { "l2", MIB, "measured" },
		[LEVEL_MEMORY] = { "memory", 64 * MIB, "measured" },
	};

	memcpy(m.b.levels, levels, sizeof levels);
	m.b.arena.bytes = GIB;
	m.b.node_bytes = 128;
	m.b.plan = &plan;
	plan.n = 0;
	snprintf(m.opt.probes, sizeof m.opt.probes, "%s", m.b.probe->name);
	m.b.probe->hooks->plan(&m.b);
}

static void plan_of(const char *name)
{
	begin_of(name);
	plan_rows();
}

static void plan_cores(unsigned cpus, const struct cpu_location *places)
{
	begin_of("cores");
	m.room.facts.cpus = cpus;
	m.room.facts.topology = places;
	plan_rows();
}

static void meaning(void)
{
	*m.said = 0;
	m.b.probe->hooks->meaning(&m.b);
}

/* The row of a variant with up to two parameters; ns is its median. */
static struct result *measured(const char *variant, const char *a, double x, const char *b,
	double y, double ns)
{
	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];

		if (strcmp(row->variant, variant) || (a && row_get(row, a, -1) != x) ||
			(b && row_get(row, b, -1) != y))
			continue;
		m.results[m.b.nresults] = (struct result){
			.row = row, .median = ns, .page_bytes = row->page_bytes, .cycles = 3 * ns
		};
		return &m.results[m.b.nresults++];
	}
	fail_msg("%s with %s %g, %s %g is not planned", variant, a, x, b, y);
	return NULL;
}

TEST(shuffles)
{
	static const double kib[] = { 16, 64, 1024 };

	plan_of("shuffle");
	for (unsigned i = 0; i < 3; i++) {
		struct result *r = measured("fisher-yates", "bytes", kib[i] * KIB, NULL, 0, 9);

		r->mean = 2 + i;
		r->min = 1 + i;
		r->max = 5 + i;
	}
	meaning();
	assert_string_equal(m.said,
		"  16 KiB: average 2.00, min 1.00, max 5.00 ns an element.\n"
		"  1024 KiB: average 4.00, min 3.00, max 7.00 ns an element.\n");
	m.b.nresults = 1;
	meaning();
	assert_string_equal(m.said, "  16 KiB: average 2.00, min 1.00, max 5.00 ns an element.\n");
	m.b.nresults = 0;
	meaning();
	assert_string_equal(m.said, "");
}

/* Returns a scan of one second, of which `ppm` millionths were gaps, in two slices. */
static struct cpu_gaps scanned(struct gap_monitor *m, unsigned cpu, double ppm, double *longest_ns)
{
	return (struct cpu_gaps){
		.monitor = m,
		.cpu = cpu,
		.longest_ns = longest_ns,
		.observed_ticks = 2e9,
		.gap_ticks = ppm * 2e9 / 1e6,
	};
}

/* Returns the monitor of a variant's rows, which is the first field of their spec. */
static struct gap_monitor *monitor_of(const char *variant, struct cpu_gaps *cpus)
{
	struct gap_monitor *m =
		*row_spec(measured(variant, NULL, 0, NULL, 0, 1)->row, struct gap_monitor *);

	m->slices = m->done = 2;
	m->cpus = cpus;
	return m;
}

TEST(gaps_of_several_cpus)
{
	double quiet[] = { 1500, 2500 }, noisy[] = { 71230, 9000 };
	struct cpu_gaps alone[1], together[2];
	struct gap_monitor *one, *all;

	begin_of("noise");
	m.room.facts.cpus = 2;
	m.room.facts.tsc_hz = 2e9;
	plan_rows();
	one = monitor_of("gaps", alone);
	alone[0] = scanned(one, 0, 3, quiet);
	alone[0].smallest_ticks = 50;
	alone[0].threshold_ticks = 400;
	alone[0].above[0] = 7;
	all = monitor_of("gaps-all", together);
	together[0] = scanned(all, 0, 3, quiet);
	together[1] = scanned(all, 1, 40, noisy);
	meaning();
	expect_said(
		"Scanned for 1.0 s. The loop itself takes 25.0 ns; a gap is more than 200.0 ns.");
	expect_said("): noisy.\n");
	expect_said("): quiet.\n");
	expect_said("All 2 CPUs: at worst 40.0 ppm stolen (CPU 1), its longest gap 71.23 us.");
	expect_said("No two CPUs were taken away together.");
}

/* If not all gaps were recorded, some are known to be above a threshold, but never that none is. */
TEST(gaps_above_each_threshold)
{
	static const char *const names[] = { "noise_gaps_above_0.1us", "noise_gaps_above_1us",
		"noise_gaps_above_10us", "noise_gaps_above_20us", "noise_gaps_above_150us" };
	struct cpu_gaps alone[1];

	for (unsigned unrecorded = 0; unrecorded < 2; unrecorded++) {
		plan_of("noise");
		struct gap_monitor *one = monitor_of("gaps", alone);
		struct result *length = measured("longest", NULL, 0, NULL, 0, 5);

		alone[0] = scanned(one, 0, 3, (double[]){ 1, 2 });
		alone[0].unrecorded = unrecorded;
		for (unsigned i = 0; i < 5; i++)
			alone[0].above[i] = 40 - 10 * i;
		m.results[0].mean = 17;
		length->max = 9000;
		run_find(&m.b, &m.found, "noise");
		for (unsigned i = 0; i < 5; i++) {
			const struct summary *s = find_value(&m.found, value_by_name(names[i]));

			assert_non_null(s);
			if (unrecorded)
				assert_string_equal(s->reason, "more gaps than could be recorded");
			else
				assert_true(s->value == 40 - 10. * i && s->confidence == 1);
		}
		assert_true(find_value(&m.found, VALUE_noise_gaps_per_second)->value == 17);
		assert_true(find_value(&m.found, VALUE_noise_longest_ns)->value == 9000);
		assert_string_equal(find_value(&m.found, VALUE_noise_stolen_ppm)->reason,
			NOT_MEASURED);
		meaning();
		expect_said("): noisy.\n");
		expect_said(unrecorded ? "(BITS): not known.\n" : "(BITS): quiet.\n");
	}
}

/*
 * One common cause is named if chance explains none of the coincidences, but not if it explains
 * most.
 */
TEST(gaps_of_several_cpus_at_once)
{
	double ns[] = { 1500, 2500 };
	struct cpu_gaps together[2];

	begin_of("noise");
	m.room.facts.cpus = 2;
	plan_rows();
	struct gap_monitor *all = monitor_of("gaps-all", together);

	for (unsigned i = 0; i < 2; i++)
		together[i] = scanned(all, i, 30, ns);
	all->moments = (struct moments){ .count = 5, .most = 2 };
	meaning();
	expect_said("  5 times several CPUs, up to 2, were taken away together; by chance some\n"
		    "  0 times: there is a common cause.\n");
	expect_said("at worst 30.0 ppm stolen (CPU 0)");
	together[0].gaps = 100000;
	meaning();
	expect_said("  3 times: it may be no more than that.\n");
}

TEST(random_accesses)
{
	plan_of("random");
	measured("read", "width_bits", 64, "bytes", 64 * MIB, 4.5);
	measured("write", "width_bits", 64, "bytes", 24 * KIB, 0.75);
	measured("read", "width_bits", 32, "bytes", 64 * MIB, 8.25);
	meaning();
	expect_said("memory, read, 64 bits: 4.50 ns an access.");
	expect_said("l1, write, 64 bits: 0.75 ns an access.");
	expect_said("  This is throughput, not latency: no access waits for another.\n");
	expect_not_said("8.25");
}

/* In whatever order they were measured; of another level, or with other work, is another line. */
TEST(chains_of_misses)
{
	static const struct {
		const char *variant, *param;
		double lanes, value, ns;
	} rows[] = { { "chains", "bytes", 1, 64 * MIB, 96 }, { "chains", "bytes", 8, 64 * MIB, 16 },
		{ "chains", "bytes", 16, 64 * MIB, 12.8 }, { "chains", "bytes", 32, 64 * MIB, 14 },
		{ "chains", "bytes", 16, MIB, 1.5 }, { "work", "work", 32, 6, 30 },
		{ "prefetch", "work", 32, 6, 20 } };
	enum { ROWS = sizeof rows / sizeof *rows };

	for (unsigned back = 0; back < 2; back++) {
		begin_of("mlp");
		m.opt.profile = PROFILE_DEFAULT;
		plan_rows();
		for (unsigned i = 0; i < ROWS; i++) {
			unsigned k = back ? ROWS - 1 - i : i;

			measured(rows[k].variant, "lanes", rows[k].lanes, rows[k].param,
				rows[k].value, rows[k].ns);
		}
		meaning();
		expect_said("  memory, pages of 2048 KiB: one chain 96.0 ns a line, 16 chains 12.8 "
			    "ns, 5.0 GB/s.\n");
		expect_said("  32 chains, 6 multiplications a node: 30.0 ns, with prefetch 20.0 ns "
			    "a line.\n");
		expect_not_said("12 multiplications");
	}
}

TEST(products)
{
	begin_of("matmul");
	m.opt.profile = PROFILE_FULL;
	plan_rows();
	measured("ijk", "n", 32, NULL, 0, 2);
	measured("ikj", "n", 32, NULL, 0, 0.5);
	measured("ikj", "n", 512, NULL, 0, 1);
	measured("ijk", "n", 2048, NULL, 0, 12);
	struct result *last = measured("ikj", "n", 2048, NULL, 0, 1.5);

	meaning();
	assert_string_equal(m.said,
		"  n = 32: the order ikj is 4.0 times as fast as ijk.\n"
		"  n = 2048: the order ikj is 8.0 times as fast as ijk.\n");
	last->median = 0;
	meaning();
	assert_string_equal(m.said, "  n = 32: the order ikj is 4.0 times as fast as ijk.\n");
}

/* Tests the sentences about rows of several CPUs: clocks, pairs, nodes, and all CPUs together. */

/* Package 0 has one core with two threads; package 1 has two cores, the last of another type. */
static const struct cpu_location places[] = { { .core = 0, .core_type = 0x40 },
	{ .core = 0, .thread = 1, .core_type = 0x40 },
	{ .package = 1, .core = 0, .core_type = 0x40, .node = 1 },
	{ .package = 1, .core = 1, .core_type = 0x20, .node = 1 } };

/* The sentence names how much memory each of the two rows goes through. */
static void expect_together(const char *format, const struct result *one, const struct result *all)
{
	char text[128], size[2][SIZE_TEXT];

	size_text(row_get(one->row, "bytes", 0), size[0]);
	size_text(row_get(all->row, "bytes", 0), size[1]);
	snprintf(text, sizeof text, format, size[1], size[0]);
	expect_said(text);
}

TEST(cores)
{
	plan_cores(4, places);
	struct result *one = measured("read", "cpus", 1, NULL, 0, 12.5);
	struct result *all = measured("read", "cpus", 4, NULL, 0, 40);
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
	meaning();
	expect_said("4 CPUs, as claimed: 2 package(s), 3 core(s); SMT siblings come last.");
	expect_together("4 CPUs read 40.0 GB/s of %s, 3.20 times what one does of %s (12.5).\n",
		one, all);
	expect_said("A load takes 90 ns alone and 250 ns while 3 other(s) stream.");
	expect_said("Core type 0x40, by CPU 0: 3.500 GHz.");
	expect_said("Core type 0x20, by CPU 3: 2.500 GHz.\n"
		    "                          L1 3.00 cycles, L2 18.00 cycles.");
	expect_said("one CPU at a time: 2.500 GHz (CPU 3) to 3.750 (CPU 2).");
	expect_said("from CPU to CPU in 20.0 ns (0 and 1, siblings of one core).");
	expect_said("at most in 110.0 ns (1 and 3, two packages).");
	expect_said("ns from CPU (down) to CPU (across):\n"
		    "  CPU   0      -   20.0      -      -\n"
		    "  CPU   1   20.0      -      -  110.0\n"
		    "  CPU   2      -      -      -   45.0\n"
		    "  CPU   3      -  110.0   45.0      -\n");
	expect_said("ns per load, CPU of node (down), memory of node (across):\n"
		    "             0       1\n"
		    "     0    80.0   130.0\n"
		    "     1       -       -\n");
	expect_not_said("GB/s that one CPU reads");
	expect_not_said("GB/s that all together read");
	expect_not_said("samples were disturbed");
}

/*
 * On a guest two CPUs read 3.65 times what one does: the one was disturbed. Its quietest samples
 * tell what it can; of cores of two kinds the other may be as fast.
 */
TEST(n_cpus_are_at_most_n_times_as_fast_as_one)
{
	static const char impossible[] =
		"4 CPUs read 46.0 GB/s of %s, more than 4 CPUs can by what "
		"one does of %s (10.0): it was disturbed.\n";
	static const char refused[] = "n CPUs read more than 1.1 n times what one does";
	const struct summary *gbs;
	struct cpu_location alike[4] = { { .core = 0 }, { .core = 1 }, { .core = 2 },
		{ .core = 3 } };

	for (unsigned i = 0; i < 5; i++) {
		const bool is_refused = i == 1 || i == 3;

		alike[3].core_type = i == 2 ? 0x20 : 0;
		plan_cores(4, alike);
		struct result *one = measured("read", "cpus", 1, NULL, 0, 10);
		struct result *all = measured("read", "cpus", 4, NULL, 0, i ? 46 : 44);

		one->floor = i == 3 ? 10.4 : i == 4 ? 10.5 : 0;
		meaning();
		run_find(&m.b, &m.found, "cores");
		gbs = find_value(&m.found, VALUE_memory_read_gbs);
		if (is_refused)
			expect_together(impossible, one, all);
		else
			expect_said(" times what one does of ");
		assert_string_equal(is_refused ? refused : "", gbs->reason ? gbs->reason : "");
	}
}

TEST(what_nodes_read)
{
	plan_cores(4, places);
	measured("node-read", "cpu_node", 0, "memory_node", 0, 12);
	measured("node-read-all", "cpu_node", 0, "memory_node", 0, 40);
	measured("node-read-all", "cpu_node", 1, "memory_node", 0, 25);
	meaning();
	expect_said("GB/s that one CPU reads, CPU of node (down), memory of node (across):\n"
		    "             0       1\n"
		    "     0    12.0       -\n"
		    "     1       -       -\n");
	expect_said("GB/s that all together read, CPUs of node (down), memory of node (across):\n"
		    "             0       1\n"
		    "     0    40.0       -\n"
		    "     1    25.0       -\n");
}

/* The screen holds ten lines of a matrix; of eleven CPUs the first ten are shown. */
TEST(a_matrix_of_ten_cpus)
{
	for (unsigned n = 10; n <= 11; n++) {
		plan_cores(n, NULL);
		measured("bounce", "cpu_a", 0, "cpu_b", 1, 20);
		meaning();
		expect_said(n == 10 ? "CPU (across):\n  CPU   0"
				    : "(across), the first ten:\n  CPU   0");
		expect_said("\n  CPU   9      -");
		expect_not_said("CPU  10");
	}
}

/* A machine that describes no nodes counts as one node, and its rows name no node numbers. */
TEST(a_node_without_a_number)
{
	static const struct cpu_location nowhere[] = { { .core = 0, .node = NODE_UNKNOWN },
		{ .core = 1, .node = NODE_UNKNOWN } };

	plan_cores(2, nowhere);
	measured("node-latency", NULL, 0, NULL, 0, 80);
	meaning();
	expect_said("ns per load, CPU of node (down), memory of node (across):\n"
		    "             ?\n"
		    "     ?    80.0\n");
}

/* Firmware may give nodes any numbers: a line has them all. */
TEST(nodes_of_many_digits)
{
	static struct cpu_location far[16];

	for (unsigned i = 0; i < 16; i++)
		far[i] = (struct cpu_location){ .core = i, .node = i ? 4000000000 + i : 0 };
	plan_cores(16, far);
	measured("node-latency", "cpu_node", 0, "memory_node", 0, 80);
	meaning();
	expect_said("       0 4000000001 4000000002");
	expect_said(" 4000000015\n     0    80.0       -");
}

/*
 * If both CPUs were busy with other work, the median is the scheduler's time, so the least is
 * printed too.
 */
TEST(disturbed_cores)
{
	plan_cores(2, places);
	measured("bounce", "cpu_a", 0, "cpu_b", 1, 60032);
	struct result *r = &m.b.results[m.b.nresults - 1];
	r->samples = 9;
	r->disturbed = 5;
	r->min = 33.26;
	meaning();
	expect_said("from CPU to CPU in 60032.0 ns (0 and 1, siblings of one core).\n"
		    "    5 of its 9 samples were disturbed; the least is 33.3 ns.\n");
}

/*
 * Nothing is printed about missing or unknown results; among equal clocks the first CPU is named.
 */
TEST(cores_in_part)
{
	struct result *clock;

	plan_cores(4, places);
	measured("loaded-latency", "cpus", 1, NULL, 0, 90);
	measured("loaded-latency", "cpus", 4, "pause_ns", 100, 150);
	struct result *one = measured("read", "cpus", 1, NULL, 0, 1);
	struct result *all = measured("read", "cpus", 4, NULL, 0, 0);
	measured("cpu-clock", "cpu", 0, NULL, 0, 3.5);
	clock = measured("cpu-clock", "cpu", 3, NULL, 0, 3.5);
	struct result *l1 = measured("cpu-l1", "cpu", 0, NULL, 0, 1 / 3.);
	struct result *l2 = measured("cpu-l2", "cpu", 0, NULL, 0, 0);
	meaning();
	expect_not_said("A load takes");
	expect_not_said("CPUs read");
	expect_not_said("cycles");
	expect_said("3.500 GHz (CPU 0) to 3.500 (CPU 0).");
	clock->median = 0;
	all->median = 1;
	l1->cycles = l2->cycles = 1;
	meaning();
	expect_together("4 CPUs read 1.0 GB/s of %s, 1.00 times what one does of %s (1.0).\n", one,
		all);
	expect_said("L1 1.00 cycles, L2 1.00 cycles.");
	*m.said = 0;
	l1->cycles = 0;
	m.results[2].median = 0;
	meaning();
	expect_not_said("cycles");
	expect_not_said("CPUs read");
}

/*
 * Tests the sentences that a probe prints beyond the summary, number by number.
 */

/* Add a row of the variant with parameter n = 0. */
static struct row *plain(const char *variant, double y)
{
	return add(m.b.probe->name, variant, "n", 0, y, PAGE_2M);
}

TEST(chains_and_sums)
{
	static const double adds[] = { 4, 2, 0.5, 0.5 }, products[] = { 3, 1.5, 1, 0.75 };

	begin_of("ilp");
	add("ilp", "differences", "elements", 100, 2, 0);
	add("ilp", "prefix-sum", "elements", 100, 7, 0);
	add("ilp", "odd-inlined", "elements", 999, 2, 0);
	add("ilp", "odd-calls", "elements", 999, 9, 0);
	for (unsigned i = 0; i < 4; i++) {
		add("ilp", "add", "lanes", 1 << i, adds[i], 0);
		add("ilp", "multiply", "lanes", 1 << i, products[i], 0);
	}
	plain("int-differences", 4);
	plain("int-prefix-sum", 6);
	plain("factorials-loop", 10);
	plain("factorials-calls", 25);
	meaning();
	expect_said("one before costs 3.5 times a difference");
	expect_said("4 independent chains of add run 8.0 times as fast"); /* as eight do */
	expect_said("8 independent chains of multiply run 4.0 times as fast");
	expect_said("costs 4.5 times the inlined test");
	expect_said("loaded again costs 1.5 times a difference");
	expect_said("Factorials of 1 to 999 by recursion take 2.5 times");
}

/* Chains of several are compared with one, and where that was not measured nothing is said. */
TEST(several_chains_without_one)
{
	begin_of("ilp");
	add("ilp", "add", "lanes", 4, 0.5, 0);
	add("ilp", "prefix-sum", "elements", 100, 7, 0);
	add("ilp", "odd-calls", "elements", 999, 9, 0);
	meaning();
	expect_not_said("independent");
	expect_not_said("times");
}

/* One table, of what was measured and has a number. */
TEST(what_issues_in_a_cycle)
{
	begin_of("limits");
	meaning();
	expect_not_said("cycle");
	for (unsigned i = 0; i < 3; i++)
		plain((const char *[]){ "nop", "load-64", "mix" }[i], 1 / (3. * (i + 1)));
	meaning();
	expect_said("  in a cycle: nop 1.00, load-64 2.00, mix 3.00\n");
	m.results[1].cycles = 0; /* the core clock is not known */
	meaning();
	expect_said("  in a cycle: nop 1.00, mix 3.00\n");
}

TEST(lists_and_indices)
{
	static const double cycles[] = { 5, 7, 9.5 };
	static const char *const styles[] = { "pointer", "index", "index-checked" };

	begin_of("latency");
	m.room.facts.pages = PAGE_4K | PAGE_2M;
	for (unsigned i = 0; i < 3; i++) { /* only those in L1, in the pages that are best */
		add("latency", styles[i], "bytes", 8192, 100 + i, PAGE_4K)->level = "l1";
		add("latency", styles[i], "bytes", 65536, 200 + i, PAGE_2M)->level = "l2";
		add("latency", styles[i], "bytes", 8192, cycles[i] / 3, PAGE_2M)->level = "l1";
	}
	plain("list-one", 2);
	plain("list-two", 1.25);
	plain("list-shuffled-one", 90);
	plain("list-shuffled-two", 50);
	plain("list-one-4k", 2.5);
	plain("list-two-4k", 1.5);
	meaning();
	expect_said("index costs +2.0 core cycles a load over a pointer, checked +4.5.");
	for (unsigned i = 0; i < m.b.nresults; i++)
		m.results[i].cycles = 0; /* the core clock is not known */
	meaning();
	expect_not_said("core cycles");
	expect_said("nodes: 2.00 ms, two at once 2.50 ms.");
	expect_said("nodes, shuffled: 90.00 ms, two at once 100.00 ms.");
	expect_said("nodes, 4 KiB pages: 2.50 ms, two at once 3.00 ms.");
}

TEST(loads_of_what_was_stored)
{
	begin_of("storeload");
	plain("forward", 1.67);
	plain("same-register", 0.18);
	meaning();
	expect_not_said("register");
	plain("other-register", 0.19);
	meaning();
	expect_said("just stored takes 1.67 ns. If its address has no index\n");
	expect_said("0.18 ns by the store's register, 0.19 ns by another one.");
}

TEST(kinds_of_memory)
{
	static const struct unit load = { "ns/load", SCALE_NS }, gbs = { "GB/s", SCALE_GBS };

	begin_of("memtype");
	plain("wb-latency", 1.5)->unit = &load;
	plain("uc-latency", 250)->unit = &load;
	plain("wb-write", 20)->unit = &gbs;
	plain("wc-write", 12)->unit = &gbs;
	plain("wc-read", 0.25)->unit = &gbs; /* none beside it */
	meaning();
	expect_said("An uncached load: 250.00 ns/load, 1.50 where it is cached.");
	expect_said("Stores to write-combining memory: 12.00 GB/s, 20.00 where");
	expect_not_said("Loads from write-combining");
}

TEST(first_touch)
{
	begin_of("bytouch");
	plain("touch-4k", 1024);
	meaning();
	expect_said("a page of 4 KiB takes 1.02 us, 4.00 GB/s.");
	expect_not_said("2048 KiB");
}

TEST(clocks)
{
	begin_of("clock");
	m.room.facts.tsc_hz = 2e9;
	m.room.facts.tsc[0] = (struct tsc_source){ "hpet", 2.0002e9, false };
	m.room.facts.tsc[1] = (struct tsc_source){ "cpuid-16h", 1.999e9, true };
	m.room.facts.tsc[2] = (struct tsc_source){ "pit", 0, false };
	m.room.facts.tsc_sources = 3;
	meaning();
	expect_said("TSC by hpet                  2000.200000 MHz (timed, +100 ppm)");
	expect_said("TSC by cpuid-16h             1999.000000 MHz (claimed, -500 ppm)");
	expect_said("TSC by pit                  not available");
}

/* Each by its own line, in a unit that is read easily; what was not measured is not said. */
TEST(requests_to_the_system)
{
	begin_of("oscost");
	plain("syscall", 250);
	plain("clock-gettime", 40);
	plain("clock-syscall", 50);
	plain("signal", 1500);
	plain("switch-futex", 1750);
	plain("cross-cpu-futex", 8250);
	plain("minor-fault", 0);
	plain("thread-create", 20000);
	plain("timer-wakeup", 52500);
	m.results[m.b.nresults - 1].max = 812300;
	meaning();
	assert_string_equal(m.said,
		"  A system call that does nothing takes 0.25 us.\n"
		"  A signal, with its handler's return, takes 1.50 us.\n"
		"  A switch to another thread of this CPU (futex) takes 1.75 us.\n"
		"  A hand-over to a thread of another CPU (futex) takes 8.25 us.\n"
		"  A thread, started and joined, takes 20.00 us.\n"
		"  The time takes 40 ns, by a system call 50 ns.\n"
		"  A timer wakes a thread 52.5 us late, at worst 812.3 us.\n");
	m.results[2].median = 49;
	meaning();
	expect_said("  The time takes 40 ns, by a system call 49 ns: the vDSO makes one, too.\n");
	begin_of("oscost");
	plain("minor-fault", 600);
	plain("clock-gettime", 40);
	meaning();
	assert_string_equal(m.said, "  The first touch of a page of 4 KiB takes 0.60 us.\n");
}
