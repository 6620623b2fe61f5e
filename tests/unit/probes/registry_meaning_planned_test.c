/* SPDX-License-Identifier: MIT */
/* What a probe says of rows that it has planned itself: it knows them by more than their names. */
#include "probes/noise/noise_scan.h"
#include "tests/unit/meaning_rows.h"
#include "tests/unit/test.h"

TEST(shuffles)
{
	static const double kib[] = { 16, 64, 1024 };

	begin();
	plan_of("shuffle");
	for (unsigned i = 0; i < 3; i++) {
		struct result *r = measured("fisher-yates", "bytes", kib[i] * KIB, NULL, 0, 9);

		r->mean = 2 + i;
		r->min = 1 + i;
		r->max = 5 + i;
	}
	m.b.probe->hooks->meaning(&m.b);
	assert_string_equal(m.said,
		"  16 KiB: average 2.00, min 1.00, max 5.00 ns an element.\n"
		"  1024 KiB: average 4.00, min 3.00, max 7.00 ns an element.\n");
	m.b.nresults = 1;
	*m.said = 0;
	m.b.probe->hooks->meaning(&m.b);
	assert_string_equal(m.said, "  16 KiB: average 2.00, min 1.00, max 5.00 ns an element.\n");
	m.b.nresults = 0;
	*m.said = 0;
	m.b.probe->hooks->meaning(&m.b);
	assert_string_equal(m.said, "");
}

/* What a scan found: so many ppm of a second were gaps, in two slices. */
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

/* That of the rows of a variant, the first field of what they measure. */
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

	begin();
	m.room.facts.cpus = 2;
	m.room.facts.tsc_hz = 2e9;
	plan_of("noise");
	one = monitor_of("gaps", alone);
	alone[0] = scanned(one, 0, 3, quiet);
	alone[0].smallest_ticks = 50;
	alone[0].threshold_ticks = 400;
	alone[0].above[0] = 7;
	all = monitor_of("gaps-all", together);
	together[0] = scanned(all, 0, 3, quiet);
	together[1] = scanned(all, 1, 40, noisy);
	m.b.probe->hooks->meaning(&m.b);
	expect("Scanned for 1.0 s. The loop itself takes 25.0 ns; a gap is more than 200.0 ns.");
	expect("): noisy.\n");
	expect("): quiet.\n");
	expect("All 2 CPUs: at worst 40.0 ppm stolen (CPU 1), its longest gap 71.23 us.");
	expect("No two CPUs were taken away together.");
}

/* Of gaps that were not all recorded it is known that some are as long, never that none is. */
TEST(gaps_above_each_threshold)
{
	static const char *const names[] = { "noise_gaps_above_0.1us", "noise_gaps_above_1us",
		"noise_gaps_above_10us", "noise_gaps_above_20us", "noise_gaps_above_150us" };
	struct cpu_gaps alone[1];

	for (unsigned unrecorded = 0; unrecorded < 2; unrecorded++) {
		begin();
		plan_of("noise");
		struct gap_monitor *one = monitor_of("gaps", alone);
		struct result *length = measured("longest", NULL, 0, NULL, 0, 5);

		alone[0] = scanned(one, 0, 3, (double[]){ 1, 2 });
		alone[0].unrecorded = unrecorded;
		for (unsigned i = 0; i < 5; i++)
			alone[0].above[i] = 40 - 10 * i;
		m.results[0].mean = 17;
		length->max = 9000;
		run_find(&m.b, "noise");
		for (unsigned i = 0; i < 5; i++) {
			const struct summary *s = find_value(&m.b, names[i]);

			assert_non_null(s);
			if (unrecorded)
				assert_string_equal(s->reason, "more gaps than could be recorded");
			else
				assert_true(s->value == 40 - 10. * i && s->confidence == 1);
		}
		assert_true(find_value(&m.b, "noise_gaps_per_second")->value == 17);
		assert_true(find_value(&m.b, "noise_longest_ns")->value == 9000);
		assert_string_equal(find_value(&m.b, "noise_stolen_ppm")->reason, NOT_MEASURED);
		m.b.probe->hooks->meaning(&m.b);
		expect("): noisy.\n");
		expect(unrecorded ? "(BITS): not known.\n" : "(BITS): quiet.\n");
	}
}

/* One cause is said where chance explains none of them, and not where it explains most. */
TEST(gaps_of_several_cpus_at_once)
{
	double ns[] = { 1500, 2500 };
	struct cpu_gaps together[2];

	begin();
	m.room.facts.cpus = 2;
	plan_of("noise");
	struct gap_monitor *all = monitor_of("gaps-all", together);

	for (unsigned i = 0; i < 2; i++)
		together[i] = scanned(all, i, 30, ns);
	all->moments = (struct moments){ .count = 5, .most = 2 };
	m.b.probe->hooks->meaning(&m.b);
	expect("  5 times several CPUs, up to 2, were taken away together; by chance some\n"
	       "  0 times: there is a common cause.\n");
	expect("at worst 30.0 ppm stolen (CPU 0)");
	together[0].gaps = 100000;
	*m.said = 0;
	m.b.probe->hooks->meaning(&m.b);
	expect("  3 times: it may be no more than that.\n");
}

TEST(random_accesses)
{
	begin();
	plan_of("random");
	measured("read", "width_bits", 64, "bytes", 64 * MIB, 4.5);
	measured("write", "width_bits", 64, "bytes", 24 * KIB, 0.75);
	measured("read", "width_bits", 32, "bytes", 64 * MIB, 8.25);
	m.b.probe->hooks->meaning(&m.b);
	expect("memory, read, 64 bits: 4.50 ns an access.");
	expect("l1, write, 64 bits: 0.75 ns an access.");
	expect("  This is throughput, not latency: no access waits for another.\n");
	expect_not("8.25");
}

TEST(chains_of_misses)
{
	begin();
	m.opt.profile = PROFILE_DEFAULT;
	plan_of("mlp");
	measured("chains", "lanes", 1, "bytes", 64 * MIB, 96);
	measured("chains", "lanes", 8, "bytes", 64 * MIB, 16);
	measured("chains", "lanes", 16, "bytes", 64 * MIB, 12.8);
	measured("chains", "lanes", 32, "bytes", 64 * MIB, 14);
	measured("chains", "lanes", 16, "bytes", MIB, 1.5); /* of another level */
	measured("work", "lanes", 32, "work", 6, 30);
	measured("prefetch", "lanes", 32, "work", 6, 20);
	m.b.probe->hooks->meaning(&m.b);
	expect("memory, pages of 2048 KiB: one chain 96.0 ns a line, 16 chains 12.8 ns, 10.0 "
	       "GB/s.");
	expect("32 chains, 6 multiplications a node: 30.0 ns, with prefetch 20.0 ns");
	expect_not("12 multiplications");
}

/* In whatever order they were measured. */
TEST(the_fastest_chains_first)
{
	begin();
	m.opt.profile = PROFILE_DEFAULT;
	plan_of("mlp");
	measured("prefetch", "lanes", 32, "work", 3, 20);
	measured("work", "lanes", 32, "work", 3, 30);
	measured("chains", "lanes", 8, "bytes", 64 * MIB, 16);
	measured("chains", "lanes", 1, "bytes", 64 * MIB, 96);
	m.b.probe->hooks->meaning(&m.b);
	assert_string_equal(m.said,
		"  memory, pages of 2048 KiB: one chain 96.0 ns a line, 8 chains 16.0 ns, 8.0 "
		"GB/s.\n"
		"  32 chains, 3 multiplications a node: 30.0 ns, with prefetch 20.0 ns a line.\n");
}

TEST(products)
{
	begin();
	m.opt.profile = PROFILE_FULL;
	plan_of("matmul");
	measured("ijk", "n", 32, NULL, 0, 2);
	measured("ikj", "n", 32, NULL, 0, 0.5);
	measured("ikj", "n", 512, NULL, 0, 1);
	measured("ijk", "n", 2048, NULL, 0, 12);
	struct result *last = measured("ikj", "n", 2048, NULL, 0, 1.5);

	m.b.probe->hooks->meaning(&m.b);
	assert_string_equal(m.said,
		"  n = 32: the order ikj is 4.0 times as fast as ijk.\n"
		"  n = 2048: the order ikj is 8.0 times as fast as ijk.\n");
	last->median = 0;
	*m.said = 0;
	m.b.probe->hooks->meaning(&m.b);
	assert_string_equal(m.said, "  n = 32: the order ikj is 4.0 times as fast as ijk.\n");
}
