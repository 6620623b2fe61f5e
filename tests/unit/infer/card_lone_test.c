/* SPDX-License-Identifier: MIT */
/* Lines of a card that has nothing else: SMIs, what a CPU takes to wake; as much as is known. */
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

static void print_card(void)
{
	*said = 0;
	card_print(&card, hear, NULL);
}

static void expect_said(const char *line)
{
	if (!strstr(said, line))
		fail_msg("expected '%s' in:\n%s", line, said);
}

static void smis(double rate, double length, double longest, double period, const char *line)
{
	card_begin(&card);
	lone("smis_per_second", rate, "1/s", "SMIs are not counted here");
	lone("smi_length_ns", length, "ns", "none");
	lone("smi_longest_ns", longest, "ns", "none");
	lone("smi_period_ns", period, "ns", "none");
	print_card();
	expect_said(line);
}

/* Columns 19 to 73, then how sure it is. */
static void smis_line(double rate, double length, double longest, double period, const char *text)
{
	char line[96];

	snprintf(line, sizeof line, "\nSMIs               %-54s 90 %%\n", text);
	smis(rate, length, longest, period, line);
}

TEST(as_much_of_smis_as_is_known)
{
	smis(NAN, NAN, NAN, NAN, "\nSMIs               ? SMIs are not counted here\n");
	smis_line(0, NAN, NAN, NAN, "0/s");
	smis_line(2.08, 181234, 12415333, NAN, "2.08/s, of 181 to 12415 us");
	smis_line(2.08, 181234, 12415333, 481e6, "2.08/s, of 181 to 12415 us, every 0.481 s");
}

TEST(without_a_value_there_is_no_line)
{
	card_begin(&card);
	print_card();
	assert_null(strstr(said, "SMIs"));
}

static void wakes(double hlt, double mwait, double deepest, double timer)
{
	static const char why[] = "not measured in this run";

	card_begin(&card);
	lone("wake_hlt_ns", hlt, "ns", why);
	lone("wake_mwait_ns", mwait, "ns", why);
	lone("wake_deepest_ns", deepest, "ns", why);
	lone("wake_timer_ns", timer, "ns", why);
	print_card();
}

TEST(as_many_ways_to_wake_as_are_known)
{
	wakes(1803.6, 819.6, 37376.2, 2659.9);
	expect_said(
		"to wake a CPU      HLT 1804, C1 820, deepest 37376, timer 2660 ns         90 %\n");
	wakes(1803.6, NAN, NAN, NAN);
	expect_said("to wake a CPU      HLT 1804 ns ");
	wakes(NAN, NAN, NAN, 1500);
	expect_said("to wake a CPU      timer 1500 ns ");
	wakes(NAN, NAN, NAN, NAN);
	assert_null(strstr(said, "to wake a CPU"));
}

/* Of a guest, whose CPUs come back when its hypervisor lets them. */
TEST(no_line_is_too_long)
{
	wakes(123456, 123456, 1234567, 12345);
	for (const char *at = said; *at; at = strchr(at, '\n') + 1)
		assert_true(strchr(at, '\n') - at <= 79);
}
