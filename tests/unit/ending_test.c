/* SPDX-License-Identifier: MIT */
/* The table of kernel/result/ending.h: no run ends by itself more than three times in a row, on any machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/result/ending.h"

#define UNSET "sets no variables"

static void table(void **state)
{
	static const struct {
		struct circumstances c;
		enum ending then;
		bool why;
	} rows[] = {
		{ { FINISH_FIRMWARE, true, UNSET, 0 }, ENDING_FIRMWARE, false },
		{ { FINISH_FIRMWARE, true, NULL, 3 }, ENDING_FIRMWARE, false },
		{ { FINISH_FIRMWARE, false, NULL, 0 }, ENDING_HALT, false },
		{ { FINISH_FIRMWARE, false, UNSET, 0 }, ENDING_HALT, false },
		{ { FINISH_HALT, true, NULL, 0 }, ENDING_HALT, false },
		{ { FINISH_HALT, false, UNSET, 3 }, ENDING_HALT, false },
		{ { FINISH_POWEROFF, true, NULL, 0 }, ENDING_POWEROFF, false },
		{ { FINISH_POWEROFF, false, NULL, 2 }, ENDING_POWEROFF, false },
		{ { FINISH_POWEROFF, false, NULL, 3 }, ENDING_HALT, true },
		{ { FINISH_POWEROFF, true, NULL, 3 }, ENDING_HALT, true },
		{ { FINISH_POWEROFF, true, UNSET, 0 }, ENDING_FIRMWARE, true },
		{ { FINISH_POWEROFF, false, UNSET, 0 }, ENDING_HALT, true },
		{ { FINISH_RESET, true, NULL, 0 }, ENDING_RESET, false },
		{ { FINISH_RESET, false, NULL, 2 }, ENDING_RESET, false },
		{ { FINISH_RESET, false, NULL, 3 }, ENDING_HALT, true },
		{ { FINISH_RESET, true, UNSET, 0 }, ENDING_FIRMWARE, true },
		{ { FINISH_RESET, false, UNSET, 0 }, ENDING_HALT, true },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *why;
		enum ending then = ending_choose(&rows[i].c, &why);

		if (then != rows[i].then || (why != NULL) != rows[i].why)
			fail_msg("row %u of this table: ending %d, not %d, because: %s "
				 "(kernel/result/ending.c)",
				i, then, rows[i].then, why ? why : "-");
	}
}

/* --- one variable, of a firmware that may forget it --- */

static unsigned char kept[32];
static size_t kept_bytes;
static uint64_t refuses;
static bool forgets;

static uint64_t get(const char *name, void *data, size_t *n)
{
	(void)name;
	if (!kept_bytes)
		return STORE_NOT_FOUND;
	assert_true(*n >= kept_bytes);
	*n = kept_bytes;
	memcpy(data, kept, kept_bytes);
	return 0;
}

static uint64_t set(const char *name, const void *data, size_t n)
{
	(void)name;
	assert_true(n <= sizeof kept);
	if (!refuses && !forgets)
		memcpy(kept, data, kept_bytes = n);
	return refuses;
}

static const struct store_calls calls = { .get = get, .set = set };

static int empty(void **state)
{
	(void)state;
	kept_bytes = 0;
	refuses = 0;
	forgets = false;
	return 0;
}

/* A machine whose "off" is a reset: how often it ends by itself until it stops. */
static unsigned ends_until_stop(uint64_t gap)
{
	uint64_t now = gap ? 1000 : 0;

	for (unsigned ends = 0; ends < 20; ends++) {
		struct circumstances c = { FINISH_POWEROFF, false, NULL, ends_before(&calls, now) };
		const char *why;

		if (ending_choose(&c, &why) != ENDING_POWEROFF)
			return ends;
		assert_true(ends_keep(&calls, c.before + 1, gap ? now + 20 : 0));
		now += gap ? 20 + gap : 0;
	}
	return 20;
}

static void a_loop_ends_after_three(void **state)
{
	(void)state;
	assert_int_equal(ends_until_stop(60), ENDS_MOST);
	empty(NULL);
	assert_int_equal(ends_until_stop(0), ENDS_MOST); /* no clock */
	assert_true(ends_keep(&calls, 0, 0));            /* as the run that stops does */
	assert_int_equal(ends_until_stop(0), ENDS_MOST);
}

static void runs_far_apart_are_no_loop(void **state)
{
	(void)state;
	assert_int_equal(ends_until_stop(ENDS_GAP_SECONDS + 1), 20);
}

static void a_firmware_that_keeps_nothing_is_found_out(void **state)
{
	(void)state;
	forgets = true;
	assert_false(ends_keep(&calls, 1, 0));
	forgets = false;
	refuses = 0x8000000000000003; /* EFI_UNSUPPORTED */
	assert_false(ends_keep(&calls, 1, 0));
}

static void a_variable_that_is_not_ours_counts_nothing(void **state)
{
	(void)state;
	kept_bytes = 3;
	assert_int_equal(ends_before(&calls, 0), 0);
	memset(kept, 0xff, kept_bytes = 16);
	assert_int_equal(ends_before(&calls, 0), ENDS_MOST);
}

static void seconds(void **state)
{
	uint64_t day = 24 * 3600;

	(void)state;
	assert_int_equal(ending_seconds("20260101T000000Z") - ending_seconds("20251231T235959Z"),
		1);
	assert_int_equal(ending_seconds("20240301T000000Z") - ending_seconds("20240228T000000Z"),
		2 * day);
	assert_int_equal(ending_seconds("20260301T000000Z") - ending_seconds("20260228T000000Z"),
		day);
	assert_int_equal(ending_seconds("20270715T123456Z") - ending_seconds("20260715T123456Z"),
		365 * day);
	assert_int_equal(ending_seconds(""), 0);
	assert_int_equal(ending_seconds("00000000T000000Z"), 0);
	assert_int_equal(ending_seconds("2026x101T000000Z"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test_setup(a_loop_ends_after_three, empty),
		cmocka_unit_test_setup(runs_far_apart_are_no_loop, empty),
		cmocka_unit_test_setup(a_firmware_that_keeps_nothing_is_found_out, empty),
		cmocka_unit_test_setup(a_variable_that_is_not_ours_counts_nothing, empty),
		cmocka_unit_test(seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
