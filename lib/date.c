/* SPDX-License-Identifier: MIT */
#include "lib/date.h"

/* Years begin in March, so that leap days come last. */
int64_t date_to_days(int64_t year, int64_t month, int64_t day)
{
	year -= month <= 2;
	int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return 365 * year + year / 4 - year / 100 + year / 400 + day_of_year - 719468;
}
