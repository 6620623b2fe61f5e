/* SPDX-License-Identifier: MIT */
/* Whether what CPUID claims agrees with a value: docs/format.md, "summary". */
#include "engine/emit.h"
#include "tests/unit/test.h"

struct claim {
	double value, low, high, claimed;
	bool agrees;
};

static void expect_agreement(const char *unit, const struct claim *c)
{
	struct summary s = { .value = c->value,
		.low = c->low,
		.high = c->high,
		.claimed = c->claimed,
		.unit = unit,
		.edge = c->low > 0 };

	if (summary_agrees(&s) != c->agrees)
		fail_msg("%g %s in %g..%g, claimed %g: expected that it %s", c->value, unit, c->low,
			c->high, c->claimed, c->agrees ? "agrees" : "differs");
}

/* docs/format.md, "summary": the bracket, of bytes with both its ends, or 1 % of the value. */
TEST(claims_agree_by_one_definition)
{
	static const struct claim bytes[] = { { 32768, 32768, 65536, 65536, true },
		{ 32768, 32768, 65536, 32768, true }, { 32768, 32768, 65536, 65537, false },
		{ 1 << 20, 1 << 20, 2 << 20, 512 << 10, false },
		{ 1 << 20, 1 << 20, 2 << 20, 1000 << 10, false }, { 64, 64, 64, 64, true },
		{ 64, 64, 64, 65, false }, { 12, 0, 0, 12, true }, { 12, 0, 0, 13, false },
		{ 1000, 0, 0, 1010, true }, { 1000, 0, 0, 990, true },
		{ 1000, 0, 0, 1011, false } };

	for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
		expect_agreement("bytes", &bytes[i]);
}

/* With so many as the upper end they did not fit: 11 in 11..12 are not the 12 that are claimed. */
TEST(of_a_count_the_upper_end_is_too_many)
{
	static const struct claim ways[] = { { 11, 11, 12, 11, true }, { 11, 11, 12, 12, false },
		{ 11, 11, 12, 10, false }, { 64, 60, 80, 79, true }, { 64, 60, 80, 80, false },
		{ 64, 64, 64, 64, true } };

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		expect_agreement("ways", &ways[i]);
}

/* A soft edge is a range: the card shows where its rise is, and a claim in there agrees. */
TEST(claims_agree_with_a_soft_edge)
{
	static const struct {
		double claimed;
		bool agrees;
	} all[] = { { 2, false }, { 3, true }, { 32, true }, { 33, true }, { 34, false } };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct summary s = { .value = 5,
			.low = 3,
			.high = 8,
			.claimed = all[i].claimed,
			.unit = "entries",
			.edge = true };

		s.rise[0] = 5;
		s.rise[2] = 33;
		assert_int_equal(summary_agrees(&s), all[i].agrees);
	}
}
