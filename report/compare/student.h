/* SPDX-License-Identifier: MIT */
/*
 * Student's distribution, and the derivatives of log gamma that its variances need. Our own,
 * because the library that has them (GSL) is under the GPL, and this program's licence is MIT's. To
 * at least nine digits (tests/unit/student_test.c).
 */
#ifndef REPORT_COMPARE_STUDENT_H
#define REPORT_COMPARE_STUDENT_H

/* P(T > t), t >= 0, of df > 0 degrees of freedom. */
double student_tail(double t, double df);

/* t with student_tail(t, df) = tail; 0 < tail < 0.5. */
double student_quantile(double tail, double df);

/* First and second derivative of log gamma; x > 0. */
double digamma(double x);
double trigamma(double x);

/* x with trigamma(x) = y > 0. */
double trigamma_inverse(double y);

#endif
