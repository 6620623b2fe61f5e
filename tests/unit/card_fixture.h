/* SPDX-License-Identifier: MIT */
/* A card for tests, made of values, or of a result's lines, and what was printed of it. */
#ifndef TESTS_UNIT_CARD_FIXTURE_H
#define TESTS_UNIT_CARD_FIXTURE_H

#include "engine/infer/card.h"
#include "engine/infer/infer.h"
#include "tests/unit/test.h"

static struct card card;
__attribute__((unused)) static char said[8192];

static inline void hear(void *to, const char *text, size_t n)
{
	size_t used = strlen(said);

	assert_ptr_equal(to, &card);
	assert_int_equal(strlen(text), n);
	assert_true(used + n < sizeof said);
	memcpy(said + used, text, n + 1);
}

static inline void card_line(const char *line)
{
	card_read(&card, (struct line){ line, strlen(line) });
}

static inline void expect(const char *text)
{
	if (!strstr(said, text))
		fail_msg("the card lacks '%s':\n%s", text, said);
}

static inline void begin(void)
{
	card_begin(&card);
	strcpy(card.room, "bare");
	strcpy(card.cpu, "Fast CPU");
	card.family = 6;
	card.model = 143;
	card.stepping = 8;
}

/* A value without a claim, and without a bracket. */
static inline struct card_value *lone(const char *name, double value, const char *unit)
{
	struct card_value *v = &card.values[card.n++];

	*v = (struct card_value){ .value = value,
		.low = value,
		.high = value,
		.claimed = NAN,
		.floor = NAN,
		.rise = { NAN, NAN, NAN },
		.confidence = 0.9 };
	snprintf(v->name, sizeof v->name, "%s", name);
	snprintf(v->unit, sizeof v->unit, "%s", unit);
	return v;
}

static inline struct card_value *between(const char *name, double low, double value, double high,
	const char *unit)
{
	struct card_value *v = lone(name, value, unit);

	v->low = low;
	v->high = high;
	return v;
}

static inline struct card_value *unresolved(const char *name, const char *why)
{
	struct card_value *v = lone(name, NAN, "bytes");

	snprintf(v->reason, sizeof v->reason, "%s", why);
	v->confidence = 0;
	return v;
}

static inline void claim(struct card_value *v, double claimed)
{
	v->claimed = claimed;
	v->agrees = claimed == v->value;
}

static inline void soft(struct card_value *v, double from, double middle, double to)
{
	v->rise[0] = from;
	v->rise[1] = middle;
	v->rise[2] = to;
}

/* Expect all that was said; the message has the first line that differs. */
static inline void expect_lines(const char *is)
{
	for (const char *came = said; *came || *is;) {
		int n = (int)strcspn(came, "\n"), m = (int)strcspn(is, "\n");

		if (n != m || strncmp(came, is, (size_t)n) || came[n] != is[m])
			fail_msg("expected the line\n'%.*s', came\n'%.*s'", m, is, n, came);
		came += n + (came[n] != 0);
		is += m + (is[m] != 0);
	}
}

#endif
