/* SPDX-License-Identifier: MIT */
/* Op cache, L1I and what comes from there, from rows of `frontend`. */
#include "probes/frontend/frontend.c"
#include "tests/unit/summary_rows.h"

/* Cycles of an instruction in code of up to `bytes`; the last entry holds for all larger sizes. */
struct cycles_to {
	double bytes, cycles;
};

static double cycles_at(const struct cycles_to *l, double bytes)
{
	while (bytes > l->bytes)
		l++;
	return l->cycles;
}

/* Rows of a kind: those of the sweep, and near its edges. */
static void curve(unsigned kind, const struct cycles_to *levels)
{
	static const double near[] = { 5 / 8., 3 / 4., 7 / 8., 15 / 16., 1, 33 / 32., 17 / 16.,
		9 / 8., 5 / 4. };
	double x[64];
	unsigned n = 0;

	for (double bytes = LEAST; bytes <= FULL_END; bytes *= 2)
		for (unsigned i = 0; i < 9; i++)
			if (near[i] * bytes >= LEAST && near[i] * bytes > (n ? x[n - 1] : 0) &&
				n < 64 && (i % 4 == 0 || bytes <= 64 * KIB))
				x[n++] = near[i] * bytes;
	for (unsigned i = 0; i < n; i++)
		add("frontend", kinds[kind].variant, "bytes", x[i],
			cycles_at(levels, x[i]) * 1e9 / HZ, 0);
}

static void expect(const char *name, double is)
{
	expect_found(name, is, 0.001);
}

#define ALL INFINITY

/* Six ops of a line, in 32 bytes of code, as they have been in Intel's since 2011. */
static void lines_of_six(void)
{
	begin_of("frontend");
	curve(DENSE, (const struct cycles_to[]){ { 4 * KIB, 0.25 }, { ALL, 0.63 } });
	curve(SIX, (const struct cycles_to[]){ { 8 * KIB, 0.25 }, { ALL, 0.83 } });
	curve(SHORT, (const struct cycles_to[]){ { 32 * KIB, 0.25 }, { ALL, 0.5 } });
	curve(LONG, (const struct cycles_to[]){ { 8 * KIB, 0.25 }, { 32 * KIB, 0.5 }, { ALL, 1 } });
}

TEST(six_ops_of_32_bytes)
{
	lines_of_six();
	expect("op_cache_ops", 1536);
	near("low", 1536, value("op_cache_ops")->low);
	near("high", 1536 * 33 / 32., value("op_cache_ops")->high);
	expect("op_cache_ops_per_cycle", 4);
	expect("l1i_bytes", 32 * KIB);
	expect("fetch_l1i_bytes_per_cycle", 16);
	expect("fetch_l2_bytes_per_cycle", 8);
	/* The op cache may hold 33/128 of 32 KiB, at 0.25: the rest takes 0.587 each. */
	near("low", 16 * 0.5 / ((0.5 - 33 / 128. * 0.25) / (1 - 33 / 128.)),
		value("fetch_l1i_bytes_per_cycle")->low);
}

/* Brackets that meet within 15 %, whichever is the wider and whichever is above. */
TEST(edges_at_the_same_bytes)
{
	static const struct {
		double low, high;
		bool same;
	} others[] = { { 22.9, 30, true }, { 23.1, 30, false }, { 5, 8.8, true }, { 5, 8.6, false },
		{ 12, 13, true }, { 1, 100, true } };
	const struct estimate e = { .low = 10, .high = 20 }, none = { .reason = NOT_MEASURED };

	for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
		const struct estimate o = { .low = others[i].low, .high = others[i].high };

		assert_int_equal(others[i].same, same_bytes(&e, &o));
		assert_int_equal(others[i].same, same_bytes(&o, &e));
	}
	assert_false(same_bytes(&e, &none));
	assert_false(same_bytes(&none, &e));
}

/* It may hold up to 16.5 KiB of long code, more than half of L1I: then the rest does not show. */
TEST(an_op_cache_of_half_of_l1i)
{
	begin_of("frontend");
	curve(DENSE, (const struct cycles_to[]){ { 8 * KIB, 0.25 }, { ALL, 0.63 } });
	curve(SHORT, (const struct cycles_to[]){ { 32 * KIB, 0.25 }, { ALL, 0.5 } });
	curve(LONG,
		(const struct cycles_to[]){ { 16 * KIB, 0.25 }, { 32 * KIB, 0.5 }, { ALL, 1 } });
	expect("l1i_bytes", 32 * KIB);
	expect_open("fetch_l1i_bytes_per_cycle",
		"the op cache still has a part of all that L1I holds");
}

/* Eight ops of 64 bytes: long code leaves the op cache where it leaves L1I. */
TEST(eight_ops_of_64_bytes)
{
	begin_of("frontend");
	curve(DENSE, (const struct cycles_to[]){ { 16 * KIB, 0.167 }, { ALL, 0.5 } });
	curve(SIX, (const struct cycles_to[]){ { 16 * KIB, 0.167 }, { ALL, 0.67 } });
	curve(SHORT, (const struct cycles_to[]){ { 32 * KIB, 0.167 }, { ALL, 0.3125 } });
	curve(LONG, (const struct cycles_to[]){ { 32 * KIB, 0.167 }, { ALL, 0.625 } });
	expect("op_cache_ops", 4096);
	expect("op_cache_ops_per_cycle", 1 / 0.167);
	expect("l1i_bytes", 32 * KIB);
	expect_open("fetch_l1i_bytes_per_cycle",
		"long code comes from the op cache up to the end of L1I");
	expect("fetch_l2_bytes_per_cycle", 12.8);
}

/* There is no rate in bytes either if an instruction of any length takes a third of a cycle. */
TEST(without_an_op_cache)
{
	for (unsigned third = 0; third < 2; third++) {
		begin_of("frontend");
		curve(DENSE, (const struct cycles_to[]){ { 32 * KIB, 0.33 }, { ALL, 0.8 } });
		curve(SHORT, (const struct cycles_to[]){ { 32 * KIB, 0.33 }, { ALL, 0.8 } });
		curve(LONG,
			(const struct cycles_to[]){
				{ 32 * KIB, third ? 0.333 : 0.5 }, { ALL, 1.6 } });
		expect_open("op_cache_ops", "no step that moves with the length of instructions");
		expect("l1i_bytes", 32 * KIB);
		const struct summary *fetch = value("fetch_l1i_bytes_per_cycle");

		if (third ? !(fetch->value > 24 && isinf(fetch->high))
			  : fabs(fetch->value - 16) > 0.016)
			fail_value(fetch, third ? "more than 24, or any more" : "16");
		expect("fetch_l2_bytes_per_cycle", 5);
	}
}

/* A step that both kinds have at other bytes is not L1I's; flat curves show nothing. */
TEST(steps_elsewhere_and_none)
{
	begin_of("frontend");
	curve(DENSE, (const struct cycles_to[]){ { 16 * KIB, 0.25 }, { ALL, 0.5 } });
	curve(SHORT, (const struct cycles_to[]){ { 16 * KIB, 0.25 }, { ALL, 0.5 } });
	curve(LONG, (const struct cycles_to[]){ { 48 * KIB, 0.25 }, { ALL, 1 } });
	expect("op_cache_ops", 4096);
	expect_open("l1i_bytes", "no step of short and long code at the same bytes");
	expect_open("fetch_l2_bytes_per_cycle", "no step of short and long code at the same bytes");
	begin_of("frontend");
	for (unsigned i = 0; i < CURVES; i++)
		curve(i, (const struct cycles_to[]){ { ALL, 0.25 } });
	assert_true(isnan(value("op_cache_ops")->value));
	assert_true(isnan(value("l1i_bytes")->value));
	begin_of("frontend");
	expect_open("op_cache_ops", NOT_MEASURED);
	expect_open("l1i_bytes", NOT_MEASURED);
	expect_open("jcc_erratum", NOT_MEASURED);
}

TEST(jumps_at_the_end_of_32_bytes)
{
	begin_of("frontend");
	add("frontend", "jump-inside", "bytes", JUMP_CODE, 0.1, 0);
	add("frontend", "jump-end", "bytes", JUMP_CODE, 0.17, 0);
	expect("jcc_erratum", 1.7);
}
