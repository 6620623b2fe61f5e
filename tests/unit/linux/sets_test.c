/* SPDX-License-Identifier: MIT */
/* A run's value of a row: its samples tell the error of the median, if all of them are there. */
#include "linux/report/compare/sets.c"
#include "tests/unit/test.h"

TEST(an_error_by_samples_or_by_their_spread)
{
	double values[] = { 1, 5, 2, 4, 3, 1, 5, 2, 4, 3 };
	struct row_data row = { .median = 3,
		.mad = 1,
		.min = 1,
		.p99 = 5,
		.core_hz = 3e9,
		.samples = 10,
		.values = values,
		.nvalues = 10 };
	struct run_value v = run_value_of(&row);

	near("error", median_error(values, 10), v.error);
	near("tail", 5, v.tail);
	near("spread", MAD_TO_SIGMA / 3, v.spread);
	near("n", 10, v.n);
	row.samples = 1000; /* a thinned row: of the others only the spread is known */
	v = run_value_of(&row);
	near("error of a thinned row", median_error_by_mad(1, 1000), v.error);
	row.undisturbed = 500;
	v = run_value_of(&row);
	near("n of the undisturbed", 500, v.n);
	row.nvalues = 0;
	row.mad = NAN;
	v = run_value_of(&row);
	assert_true(v.error == 0 && v.spread == 0);
}
