/* SPDX-License-Identifier: MIT */
/* The core clocks of a run's rows: what they take from the confidence of a clock, and of times. */
#include "tests/unit/summary_rows.h"
#include "tests/unit/test.h"

#define L1_BYTES (48 * KIB)

/* The curve of `latency`, at the usual clock, and the row of the clock at `hz`. */
static void run_with_clock_row(double hz)
{
	begin();
	add_latency();
	add("clock", "core-clock", "x", 1, hz / 1e9, 0)->nparams = 0;
	m.results[m.b.nresults - 1].core_hz = hz;
}

static double confidence(const char *name)
{
	run_find(&m.b, "clock");
	run_find(&m.b, "latency");
	const struct summary *s = find_value(&m.b, name);

	if (!s || s->reason)
		fail_msg("%s: expected a value, came %s", name, s ? s->reason : "nothing");
	return s->confidence;
}

TEST(the_clock_of_a_run_is_that_of_its_rows)
{
	begin();
	for (unsigned i = 0; i < 501; i++) {
		add("latency", "pointer-padded", "bytes", KIB, 1, PAGE_2M);
		m.results[i].core_hz = 2e9 + 1e6 * ((i + 250) % 501);
	}
	add("latency", "pointer-padded", "bytes", KIB, 1, PAGE_2M);
	m.results[501].core_hz = 0;   /* not known */
	m.results[502].core_hz = 9e9; /* of an earlier run */
	m.b.work.bytes = 502 * sizeof(double);
	struct run_clock c = run_clock(&m.b);

	assert_true(c.low == 2e9 && c.median == 2.25e9 && c.high == 2.5e9);
	assert_true(fabs(c.doubt - 2 * 0.4e9 / 2.25e9) < 1e-9);
	assert_int_equal(0, m.b.work.used);
	m.b.work.bytes--;
	assert_true(run_clock(&m.b).high == 0); /* there is no memory for it */
}

TEST(no_clock_takes_nothing)
{
	begin();
	assert_true(run_clock(&m.b).high == 0);
	assert_true(other_clock_loss(&m.b, 3e9) == 0);
	add("latency", "pointer-padded", "bytes", KIB, 1, PAGE_2M);
	assert_true(other_clock_loss(&m.b, 0) == 0);
	m.results[0].core_hz = 1;
	assert_true(run_clock(&m.b).high == 1);
	assert_true(fabs(other_clock_loss(&m.b, 0.9) - 0.2) < 1e-9);
	m.results[0].core_hz = 0;
	assert_true(other_clock_loss(&m.b, 3e9) == 0);
}

/* A tenth beside the clock of most rows takes a fifth; never more than half. */
TEST(a_clock_beside_that_of_the_run_is_doubted)
{
	run_with_clock_row(HZ);
	double sure = confidence("core_clock_hz");

	run_with_clock_row(0.9 * HZ);
	assert_true(fabs(confidence("core_clock_hz") / sure - 0.8) < 0.001);
	assert_true(fabs(confidence("core_tsc_ratio") / sure - 0.8) < 0.001);
	run_with_clock_row(1.1 * HZ);
	assert_true(fabs(confidence("core_clock_hz") / sure - 0.8) < 0.001);
	run_with_clock_row(0.4 * HZ);
	assert_true(fabs(confidence("core_clock_hz") / sure - 0.5) < 0.001);
}

/* L1 was measured while the clock still rose: its cycles are right, its time is not. */
TEST(a_time_at_another_clock_is_doubted)
{
	run_with_clock_row(HZ);
	double ns = confidence("l1d_latency_ns"), cycles = confidence("l1d_latency_cycles");
	double memory = confidence("memory_latency_ns");

	run_with_clock_row(HZ);
	for (unsigned i = 0; i < m.b.nresults; i++)
		if (row_get(&m.rows[i], "bytes", GIB) <= L1_BYTES)
			m.results[i].core_hz = 0.9 * HZ;
	assert_true(fabs(confidence("l1d_latency_ns") / ns - 0.8) < 0.001);
	assert_true(confidence("l1d_latency_cycles") == cycles);
	assert_true(confidence("memory_latency_ns") == memory);
}
