/* SPDX-License-Identifier: MIT */
/* The table of kernel/finish.h: no machine is reset more than three times in a row. */
#include "kernel/finish.c"
#include "lib/math.h"
#include "tests/unit/test.h"

#define UNSET "sets no variables"
#define NONE  "has no setup"

TEST(table)
{
	static const struct {
		struct reset_request r;
		enum finish then;
		bool why;
	} rows[] = {
		{ { FINISH_FIRMWARE, true, UNSET, 0, false, NULL }, FINISH_FIRMWARE, false },
		{ { FINISH_FIRMWARE, true, NULL, 3, false, NULL }, FINISH_FIRMWARE, false },
		{ { FINISH_FIRMWARE, false, NULL, 0, false, NULL }, FINISH_HALT, false },
		{ { FINISH_FIRMWARE, false, UNSET, 0, false, NULL }, FINISH_HALT, false },
		{ { FINISH_HALT, true, NULL, 0, false, NULL }, FINISH_HALT, false },
		{ { FINISH_HALT, false, UNSET, 3, false, NULL }, FINISH_HALT, false },
		{ { FINISH_POWEROFF, true, NULL, 0, false, NULL }, FINISH_POWEROFF, false },
		{ { FINISH_POWEROFF, false, NULL, 2, false, NULL }, FINISH_POWEROFF, false },
		{ { FINISH_POWEROFF, false, NULL, 3, false, NULL }, FINISH_HALT, true },
		{ { FINISH_POWEROFF, true, NULL, 3, false, NULL }, FINISH_HALT, true },
		{ { FINISH_POWEROFF, true, UNSET, 0, false, NULL }, FINISH_FIRMWARE, true },
		{ { FINISH_POWEROFF, false, UNSET, 0, false, NULL }, FINISH_HALT, true },
		{ { FINISH_RESET, true, NULL, 0, false, NULL }, FINISH_RESET, false },
		{ { FINISH_RESET, false, NULL, 2, false, NULL }, FINISH_RESET, false },
		{ { FINISH_RESET, false, NULL, 3, false, NULL }, FINISH_HALT, true },
		{ { FINISH_RESET, true, UNSET, 0, false, NULL }, FINISH_FIRMWARE, true },
		{ { FINISH_RESET, false, UNSET, 0, false, NULL }, FINISH_HALT, true },
		{ { FINISH_RESET, true, NULL, 0, true, NULL }, FINISH_HALT, true },
		{ { FINISH_RESET, false, NULL, 0, true, NULL }, FINISH_HALT, true },
		{ { FINISH_RESET, true, UNSET, 0, true, NULL }, FINISH_FIRMWARE, true },
		{ { FINISH_POWEROFF, false, NULL, 0, true, NULL }, FINISH_POWEROFF, false },
		{ { FINISH_FIRMWARE, true, NULL, 0, true, NULL }, FINISH_FIRMWARE, false },
		{ { FINISH_SETUP, true, NULL, 0, false, NULL }, FINISH_SETUP, false },
		{ { FINISH_SETUP, false, NULL, 2, false, NULL }, FINISH_SETUP, false },
		{ { FINISH_SETUP, true, NULL, 3, false, NULL }, FINISH_HALT, true },
		{ { FINISH_SETUP, true, UNSET, 0, false, NULL }, FINISH_FIRMWARE, true },
		{ { FINISH_SETUP, false, UNSET, 0, false, NULL }, FINISH_HALT, true },
		{ { FINISH_SETUP, true, NULL, 0, true, NULL }, FINISH_HALT, true },
		{ { FINISH_SETUP, true, NULL, 0, false, NONE }, FINISH_FIRMWARE, true },
		{ { FINISH_SETUP, false, NULL, 3, true, NONE }, FINISH_HALT, true },
		{ { FINISH_RESET, true, NULL, 0, false, NONE }, FINISH_RESET, false },
	};

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *why;
		enum finish then = reset_guard(&rows[i].r, &why);

		if (then != rows[i].then || (why != NULL) != rows[i].why)
			fail_msg("row %u of this table: finish %d, not %d, because: %s "
				 "(kernel/finish.c)",
				i, then, rows[i].then, why ? why : "-");
	}
}

TEST(seconds)
{
	uint64_t day = 24 * 3600;

	assert_int_equal(utc_seconds("20260101T000000Z") - utc_seconds("20251231T235959Z"), 1);
	assert_int_equal(utc_seconds("20240301T000000Z") - utc_seconds("20240228T000000Z"),
		2 * day);
	assert_int_equal(utc_seconds("20260301T000000Z") - utc_seconds("20260228T000000Z"), day);
	assert_int_equal(utc_seconds("20270715T123456Z") - utc_seconds("20260715T123456Z"),
		365 * day);
	assert_int_equal(utc_seconds(""), 0);
	assert_int_equal(utc_seconds("00000000T000000Z"), 0);
	assert_int_equal(utc_seconds("2026x101T000000Z"), 0);
}

/* docs/boot.md: screen_seconds, but no shorter than countdown; with countdown = 0, not at all. */
TEST(countdowns)
{
	static const struct {
		uint64_t countdown, screen;
		unsigned text, pictures;
	} of[] = { { 10, 30, 10, 30 }, { 120, 30, 120, 120 }, { 10, 0, 10, 10 }, { 0, 30, 0, 0 } };

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		const struct config c = { .countdown = of[i].countdown,
			.screen_seconds = of[i].screen };

		assert_int_equal(of[i].text, countdown_seconds(&c, false));
		assert_int_equal(of[i].pictures, countdown_seconds(&c, true));
	}
}
