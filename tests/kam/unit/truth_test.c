/* SPDX-License-Identifier: MIT */
/* No probe is silently unjudged: each truth judges something, or says why it does not. */
#include "tests/kam/judge/truth.h"
#include "tests/unit/test.h"

static bool judges(const struct truth *t)
{
	return t->rule_count || t->rows || t->expect;
}

TEST(each_probe_is_judged_or_its_truth_says_why_not)
{
	for (size_t i = 0; i < truth_count; i++) {
		const struct truth *t = truths[i].truth;

		if (!!t->none == judges(t))
			fail_msg("%s: %s", truths[i].probe,
				t->none ? "judged, although its truth says why not"
					: "not judged, and its truth does not say why");
		if (t->none)
			assert_true(strlen(t->none) > 20);
	}
}

TEST(rules_units_and_sweeps_are_complete)
{
	for (size_t i = 0; i < truth_count; i++) {
		const struct truth *t = truths[i].truth;

		for (size_t k = 0; k < t->rule_count; k++)
			assert_true(t->rules[k].variant && t->rules[k].wanted);
		for (const struct row_unit *u = t->units; u && u->unit; u++)
			assert_non_null(u->variant);
		for (const struct sweep *s = t->sweeps; s && s->variant; s++)
			assert_true(s->param && s->first > 0 && s->step > 0 &&
				(!s->last || s->last > s->first));
	}
}

TEST(a_truth_is_found_by_its_probe)
{
	assert_ptr_equal(truth_of(truths[0].probe), truths[0].truth);
	assert_null(truth_of("no-such-probe"));
}
