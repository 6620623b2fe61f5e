/* SPDX-License-Identifier: MIT */
#include "kernel/result/ending.h"

#define ENDS "AnechoicEnds"

struct ends {
	uint64_t count, ended; /* seconds, 0 unknown */
};

enum ending ending_choose(const struct circumstances *c, const char **why)
{
	enum ending stop = c->lives ? ENDING_FIRMWARE : ENDING_HALT;

	*why = NULL;
	if (c->finish == FINISH_HALT)
		return ENDING_HALT;
	if (c->finish == FINISH_FIRMWARE)
		return stop;
	if (c->uncounted) {
		*why = c->uncounted;
		return stop;
	}
	if (c->before >= ENDS_MOST) {
		*why = "the last 3 runs ended by themselves, and the machine came back";
		return ENDING_HALT;
	}
	return c->finish == FINISH_POWEROFF ? ENDING_POWEROFF : ENDING_RESET;
}

/* n digits, or -1. */
static int number(const char *s, unsigned n)
{
	int value = 0;

	for (unsigned i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		value = 10 * value + s[i] - '0';
	}
	return value;
}

/* Days by the civil calendar, years from March on: so leap days come last. */
uint64_t ending_seconds(const char *utc)
{
	int year = number(utc, 4), month, day, hour, minute, second;

	if (year < 1601 || (month = number(utc + 4, 2)) < 1 || (day = number(utc + 6, 2)) < 1 ||
		utc[8] != 'T' || (hour = number(utc + 9, 2)) < 0 ||
		(minute = number(utc + 11, 2)) < 0 || (second = number(utc + 13, 2)) < 0)
		return 0;
	year -= month <= 2;
	month += month <= 2 ? 9 : -3;
	int days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;

	return ((uint64_t)days * 24 + (uint64_t)hour) * 3600 + (uint64_t)(minute * 60 + second);
}

static bool get(const struct store_calls *c, struct ends *e)
{
	size_t n = sizeof *e;

	return c->get(ENDS, e, &n) == 0 && n == sizeof *e;
}

unsigned ends_before(const struct store_calls *c, uint64_t started)
{
	struct ends e;

	if (!get(c, &e))
		return 0;
	if (started && e.ended && started > e.ended + ENDS_GAP_SECONDS)
		return 0;
	return e.count < ENDS_MOST ? (unsigned)e.count : ENDS_MOST;
}

bool ends_keep(const struct store_calls *c, unsigned count, uint64_t ended)
{
	struct ends e = { count, ended }, back;

	return c->set(ENDS, &e, sizeof e) == 0 && get(c, &back) && back.count == count &&
		back.ended == ended;
}
