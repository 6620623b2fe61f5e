/* SPDX-License-Identifier: MIT */
/* What a row's unit means. */
#ifndef REPORT_COMPARE_UNITS_H
#define REPORT_COMPARE_UNITS_H

enum better {
	BETTER_LOW,     /* times */
	BETTER_HIGH,    /* rates */
	BETTER_NEITHER, /* counts, fractions, ...: not a speed */
};

enum better unit_better(const char *unit);

/*
 * How much slower b is than a, 1 = as fast; NAN where the unit is no speed or a value is not > 0.
 */
double slowdown(const char *unit, double a, double b);

#endif
