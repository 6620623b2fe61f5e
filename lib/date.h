/* SPDX-License-Identifier: MIT */
#ifndef LIB_DATE_H
#define LIB_DATE_H

#include <stdint.h>

/* Days from 1970-01-01 to a date, by the proleptic Gregorian calendar; month 1..12, day 1..31. */
int64_t date_to_days(int64_t year, int64_t month, int64_t day);

#endif
