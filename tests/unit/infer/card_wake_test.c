/* SPDX-License-Identifier: MIT */
/* The card's line of what a CPU takes to wake: those ways that are known. */
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

static void lone(const char *name, double value)
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
	strcpy(v->unit, "ns");
	strcpy(v->reason, "not measured in this run");
}

static void print_card(double hlt, double mwait, double deepest, double timer)
{
	card_begin(&card);
	lone("wake_hlt_ns", hlt);
	lone("wake_mwait_ns", mwait);
	lone("wake_deepest_ns", deepest);
	lone("wake_timer_ns", timer);
	*said = 0;
	card_print(&card, hear, NULL);
}

static void expect(const char *line)
{
	if (!strstr(said, line))
		fail_msg("expected '%s' in:\n%s", line, said);
}

TEST(as_many_as_are_known)
{
	print_card(1803.6, 819.6, 37376.2, 2659.9);
	expect("to wake a CPU      HLT 1804, C1 820, deepest 37376, timer 2660 ns         90 %\n");
	print_card(1803.6, NAN, NAN, NAN);
	expect("to wake a CPU      HLT 1804 ns ");
	print_card(NAN, NAN, NAN, 1500);
	expect("to wake a CPU      timer 1500 ns ");
	print_card(NAN, NAN, NAN, NAN);
	assert_null(strstr(said, "to wake a CPU"));
}

/* Of a guest, whose CPUs come back when its hypervisor lets them. */
TEST(no_line_is_too_long)
{
	print_card(123456, 123456, 1234567, 12345);
	for (const char *at = said; *at; at = strchr(at, '\n') + 1)
		assert_true(strchr(at, '\n') - at <= 79);
}
