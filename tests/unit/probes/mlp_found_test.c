/* SPDX-License-Identifier: MIT */
/* `parallel_misses` from rows of `mlp`: what the speed-up is over, and what it is refused for. */
#include "tests/unit/near.h"
#include "tests/unit/summary_rows.h"
#include "tests/unit/test.h"

#define ONE    120.0 /* ns of a miss alone */
#define MISSES 20.0  /* at once */
#define CHAINS 40

static struct result *lanes[CHAINS + 1]; /* by their number of chains */

/* Every number of chains up to 40, quiet. */
BEFORE_EACH(quiet)
{
	begin();
	for (unsigned k = 1; k <= CHAINS; k++) {
		add("mlp", "chains", "lanes", k, ONE / fmin(k, MISSES), PAGE_2M)->level = "memory";
		lanes[k] = &m.results[m.b.nresults - 1];
	}
}

/* Rows first..last took so many times as long, all samples disturbed. */
static void disturb(unsigned first, unsigned last, double times)
{
	for (unsigned k = first; k <= last; k++) {
		lanes[k]->median *= times;
		lanes[k]->floor = lanes[k]->median;
		lanes[k]->disturbed = lanes[k]->samples;
	}
}

static const struct summary *misses(void)
{
	run_find(&m.b, "mlp");
	return find_value(&m.b, "parallel_misses");
}

/* Seen on a busy machine: two chains nine times as fast as one, and 207 misses, 88 % sure. */
TEST(one_disturbed_chain_is_no_reference)
{
	for (unsigned last = 1; last <= 3; last++) {
		quiet();
		disturb(1, last, 9);
		near("misses", MISSES, misses()->value);
	}
}

TEST(more_than_k_times_as_fast_is_refused)
{
	static const struct {
		double times;
		bool refused;
	} cases[] = { { 1.09, false }, { 1.12, true }, { 9, true } };

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		quiet();
		disturb(1, 4, cases[i].times);
		if (!cases[i].refused)
			near("misses", MISSES * cases[i].times, misses()->value);
		else if (!isnan(misses()->value))
			fail_msg("x%g: expected a refusal, came %g", cases[i].times,
				misses()->value);
		else
			assert_string_equal("k chains were more than 1.1 k times as fast as one",
				misses()->reason);
	}
}

/* Of 40 rows one hardly moves the median of their doubts. */
TEST(the_doubt_of_the_reference_counts_fully)
{
	double before = misses()->confidence;

	quiet();
	disturb(1, 4, 1);
	near("half of the confidence", before / 2, misses()->confidence);
}
