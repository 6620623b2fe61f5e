/* SPDX-License-Identifier: MIT */
#include "kernel/reset_guard.h"

#include "lib/math.h"

#define RESETS "AnechoicEnds" /* the variable that counts resets and power-offs */

struct resets {
	uint64_t count; /* of resets and power-offs in a row */
	uint64_t ended; /* time of the last one, seconds since 1970; 0: unknown */
};

enum finish reset_guard(const struct reset_request *r, const char **why)
{
	enum finish stop = r->boot_services ? FINISH_FIRMWARE : FINISH_HALT;

	*why = NULL;
	if (r->wanted == FINISH_HALT)
		return FINISH_HALT;
	if (r->wanted == FINISH_FIRMWARE)
		return stop;
	if (r->not_counted) {
		*why = r->not_counted;
		return stop;
	}
	if (r->before >= RESETS_MAX) {
		*why = "the last 3 runs ended so, and the machine started the program again";
		return FINISH_HALT;
	}
	if (r->wanted == FINISH_RESET && r->in_vain) {
		*why = "no file can be written, and variables are not known to outlive a reset";
		return FINISH_HALT;
	}
	return r->wanted;
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

uint64_t utc_seconds(const char *utc)
{
	int year = number(utc, 4), month, day, hour, minute, second;

	if (year < 1970 || (month = number(utc + 4, 2)) < 1 || (day = number(utc + 6, 2)) < 1 ||
		utc[8] != 'T' || (hour = number(utc + 9, 2)) < 0 ||
		(minute = number(utc + 11, 2)) < 0 || (second = number(utc + 13, 2)) < 0)
		return 0;
	return ((uint64_t)date_to_days(year, month, day) * 24 + (uint64_t)hour) * 3600 +
		(uint64_t)(minute * 60 + second);
}

static bool get(const struct storage *s, struct resets *r)
{
	size_t n = sizeof *r;

	return s->get(RESETS, r, &n) == 0 && n == sizeof *r;
}

unsigned resets_in_a_row(const struct storage *s, const struct starts *noted, uint64_t started)
{
	struct resets r;

	if (!get(s, &r))
		r = (struct resets){ noted->resets, noted->ended }; /* none, or forgotten */
	if (started && r.ended && started > r.ended + RESET_GAP_SECONDS)
		return 0;
	return r.count < RESETS_MAX ? (unsigned)r.count : RESETS_MAX;
}

bool resets_note(const struct storage *s, uint32_t machine, uint64_t started, uint64_t ends,
	struct starts *noted)
{
	struct starts next;
	unsigned before;

	starts_read(s, machine, noted);
	before = resets_in_a_row(s, noted, started);
	next = *noted;
	next.resets = before < RESETS_MAX ? before + 1 : 0; /* it halts then, and begins again */
	next.ended = ends;
	return starts_write(s, &next);
}

bool resets_recorded(const struct storage *s)
{
	struct resets r;

	return get(s, &r);
}

bool resets_record(const struct storage *s, unsigned count, uint64_t ended)
{
	struct resets r = { count, ended }, back;

	return s->set(RESETS, &r, sizeof r) == 0 && get(s, &back) && back.count == count &&
		back.ended == ended;
}
