/* SPDX-License-Identifier: MIT */
/* The card's line of SMIs: as many, as long and as far apart as is known. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "infer/card.h"
#include "tests/unit/test.h"

static struct card card;
static char said[2048];

static void hear(void *to, const char *text, size_t n)
{
	(void)to;
	assert_true(strlen(said) + n < sizeof said);
	strncat(said, text, n);
}

static void lone(const char *name, double value, const char *unit, const char *reason)
{
	struct card_value *v = &card.values[card.n++];

	*v = (struct card_value){ .value = value,
		.low = NAN,
		.high = NAN,
		.claimed = NAN,
		.floor = NAN,
		.rise = { NAN, NAN, NAN },
		.confidence = 0.9 };
	strcpy(v->name, name);
	strcpy(v->unit, unit);
	strcpy(v->reason, reason);
}

static void expect(double rate, double length, double longest, double period, const char *line)
{
	card_begin(&card);
	lone("smis_per_second", rate, "1/s", "SMIs are not counted here");
	lone("smi_length_ns", length, "ns", "none");
	lone("smi_longest_ns", longest, "ns", "none");
	lone("smi_period_ns", period, "ns", "none");
	*said = 0;
	card_print(&card, hear, NULL);
	if (!strstr(said, line))
		fail_msg("expected '%s' in:\n%s", line, said);
}

/* Columns 19 to 73, then how sure it is. */
static void expect_line(double rate, double length, double longest, double period, const char *text)
{
	char line[96];

	snprintf(line, sizeof line, "\nSMIs               %-54s 90 %%\n", text);
	expect(rate, length, longest, period, line);
}

TEST(as_much_as_is_known)
{
	expect(NAN, NAN, NAN, NAN, "\nSMIs               ? SMIs are not counted here\n");
	expect_line(0, NAN, NAN, NAN, "0/s");
	expect_line(2.08, 181234, 12415333, NAN, "2.08/s, of 181 to 12415 us");
	expect_line(2.08, 181234, 12415333, 481e6, "2.08/s, of 181 to 12415 us, every 0.481 s");
}

TEST(without_a_value_there_is_no_line)
{
	card_begin(&card);
	*said = 0;
	card_print(&card, hear, NULL);
	assert_null(strstr(said, "SMIs"));
}
