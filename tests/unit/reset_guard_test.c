/* SPDX-License-Identifier: MIT */
/* The table of kernel/finish.h: no machine is reset more than three times in a row. */
#include <string.h>

#include "kernel/firmware/firmware_calls.h"
#include "kernel/finish.h"
#include "tests/unit/test.h"

#define UNSET "sets no variables"

TEST(table)
{
	static const struct {
		struct reset_request r;
		enum finish then;
		bool why;
	} rows[] = {
		{ { FINISH_FIRMWARE, true, UNSET, 0, false }, FINISH_FIRMWARE, false },
		{ { FINISH_FIRMWARE, true, NULL, 3, false }, FINISH_FIRMWARE, false },
		{ { FINISH_FIRMWARE, false, NULL, 0, false }, FINISH_HALT, false },
		{ { FINISH_FIRMWARE, false, UNSET, 0, false }, FINISH_HALT, false },
		{ { FINISH_HALT, true, NULL, 0, false }, FINISH_HALT, false },
		{ { FINISH_HALT, false, UNSET, 3, false }, FINISH_HALT, false },
		{ { FINISH_POWEROFF, true, NULL, 0, false }, FINISH_POWEROFF, false },
		{ { FINISH_POWEROFF, false, NULL, 2, false }, FINISH_POWEROFF, false },
		{ { FINISH_POWEROFF, false, NULL, 3, false }, FINISH_HALT, true },
		{ { FINISH_POWEROFF, true, NULL, 3, false }, FINISH_HALT, true },
		{ { FINISH_POWEROFF, true, UNSET, 0, false }, FINISH_FIRMWARE, true },
		{ { FINISH_POWEROFF, false, UNSET, 0, false }, FINISH_HALT, true },
		{ { FINISH_RESET, true, NULL, 0, false }, FINISH_RESET, false },
		{ { FINISH_RESET, false, NULL, 2, false }, FINISH_RESET, false },
		{ { FINISH_RESET, false, NULL, 3, false }, FINISH_HALT, true },
		{ { FINISH_RESET, true, UNSET, 0, false }, FINISH_FIRMWARE, true },
		{ { FINISH_RESET, false, UNSET, 0, false }, FINISH_HALT, true },
		{ { FINISH_RESET, true, NULL, 0, true }, FINISH_HALT, true },
		{ { FINISH_RESET, false, NULL, 0, true }, FINISH_HALT, true },
		{ { FINISH_RESET, true, UNSET, 0, true }, FINISH_FIRMWARE, true },
		{ { FINISH_POWEROFF, false, NULL, 0, true }, FINISH_POWEROFF, false },
		{ { FINISH_FIRMWARE, true, NULL, 0, true }, FINISH_FIRMWARE, false },
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

/* --- one variable, of a firmware that may forget it --- */

static unsigned char stored[32];
static size_t stored_bytes;
static uint64_t refuses;
static bool forgets;

static uint64_t get(const char *name, void *data, size_t *n)
{
	(void)name;
	if (!stored_bytes)
		return EFI_STATUS_NOT_FOUND;
	assert_true(*n >= stored_bytes);
	*n = stored_bytes;
	memcpy(data, stored, stored_bytes);
	return 0;
}

static uint64_t set(const char *name, const void *data, size_t n)
{
	(void)name;
	assert_true(n <= sizeof stored);
	if (!refuses && !forgets)
		memcpy(stored, data, stored_bytes = n);
	return refuses;
}

static const struct storage calls = { .get = get, .set = set };

/* What the file of starts says; it is not written here. */
static struct starts noted;

BEFORE_EACH(empty)
{
	stored_bytes = 0;
	noted = (struct starts){ 0 };
	refuses = 0;
	forgets = false;
}

/* A machine whose "off" is a reset: how often it is reset until the run stops. */
static unsigned resets_until_stop(uint64_t gap)
{
	uint64_t now = gap ? 1000 : 0;

	for (unsigned resets = 0; resets < 20; resets++) {
		struct reset_request c = { FINISH_POWEROFF, false, NULL,
			resets_in_a_row(&calls, &noted, now), false };
		const char *why;

		if (reset_guard(&c, &why) != FINISH_POWEROFF)
			return resets;
		assert_true(resets_record(&calls, c.before + 1, gap ? now + 20 : 0));
		now += gap ? 20 + gap : 0;
	}
	return 20;
}

TEST(a_reset_loop_stops_after_three)
{
	assert_int_equal(resets_until_stop(60), RESETS_MAX);
	empty();
	assert_int_equal(resets_until_stop(0), RESETS_MAX); /* no clock */
	assert_true(resets_record(&calls, 0, 0));           /* as the run that stops does */
	assert_int_equal(resets_until_stop(0), RESETS_MAX);
}

TEST(runs_far_apart_are_no_loop)
{
	assert_int_equal(resets_until_stop(RESET_GAP_SECONDS + 1), 20);
}

TEST(a_firmware_that_stores_nothing_is_noticed)
{
	forgets = true;
	assert_false(resets_record(&calls, 1, 0));
	forgets = false;
	refuses = 0x8000000000000003; /* EFI_UNSUPPORTED */
	assert_false(resets_record(&calls, 1, 0));
}

TEST(a_foreign_variable_is_not_counted)
{
	stored_bytes = 3;
	assert_int_equal(resets_in_a_row(&calls, &noted, 0), 0);
	memset(stored, 0xff, stored_bytes = 16);
	assert_int_equal(resets_in_a_row(&calls, &noted, 0), RESETS_MAX);
}

/* The variable is gone with every reset, and the file is there. */
TEST(a_firmware_that_forgets_is_stopped_too)
{
	unsigned resets = 0;

	for (; resets < 20; resets++) {
		struct reset_request c = { FINISH_RESET, true, NULL,
			resets_in_a_row(&calls, &noted, 1000), false };
		const char *why;

		if (reset_guard(&c, &why) != FINISH_RESET)
			break;
		assert_true(resets_record(&calls, c.before + 1, 990));
		noted = (struct starts){ .resets = c.before + 1, .ended = 990 };
		stored_bytes = 0;
	}
	assert_int_equal(resets, RESETS_MAX);
	noted.ended = 100; /* long ago */
	assert_int_equal(resets_in_a_row(&calls, &noted, 1000), 0);
	assert_true(resets_record(&calls, 1, 990)); /* the variable is what counts */
	noted.ended = 990;
	assert_int_equal(resets_in_a_row(&calls, &noted, 1000), 1);
}

/* No file, and a variable that every reset clears or that none does: how often it is reset. */
static unsigned resets_without_a_file(bool clears)
{
	unsigned resets = 0;

	for (unsigned start = 0; start < 20; start++) {
		struct reset_request c = { FINISH_RESET, false, NULL,
			resets_in_a_row(&calls, &noted, 1000), !resets_recorded(&calls) };
		const char *why;
		bool goes = reset_guard(&c, &why) == FINISH_RESET;

		resets += goes;
		assert_true(resets_record(&calls, why ? 0 : c.before + 1, 990));
		if (!goes && start)
			break; /* the first may stop, and a person starts it again */
		if (clears)
			stored_bytes = 0;
	}
	return resets;
}

TEST(without_a_file_only_what_is_known_to_stay_counts)
{
	assert_int_equal(resets_without_a_file(true), 0);
	empty();
	assert_int_equal(resets_without_a_file(false), RESETS_MAX);
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
