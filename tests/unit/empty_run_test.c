/* SPDX-License-Identifier: MIT */
/* A run that measured nothing is not complete: it says so, with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/fake_room.h"

static bool remarks_nothing;
static unsigned slowness = 1;

static void hear(struct room *e, const char *text, size_t n)
{
	(void)e;
	remarks_nothing |= memmem(text, n, "NOTHING was measured", 20) != NULL;
}

static void expect_end(const char *probes, const char *status, const char *why)
{
	struct options options = { .profile = PROFILE_SMOKE, .seed = 1 };
	struct room room;
	char want[160];

	fake_reset(&room);
	fake_slowness = slowness;
	remarks_nothing = false;
	room.kind = ROOM_BARE;
	room.say = hear;
	snprintf(options.probes, sizeof options.probes, "%s", probes);
	bench_run(&room, &options);
	snprintf(want, sizeof want, "\"status\":\"%s\"%s%s", status, why ? ",\"why\":" : "",
		why ? why : "");
	if (!strstr(fake_out, want))
		fail_msg("the end line lacks %s", want);
	assert_int_equal(why != NULL, remarks_nothing);
}

static void rows_skipped(void **state)
{
	(void)state;
	expect_end("clock:os-clock", "empty",
		"\"no row was measured; the first skip: only under Linux\"");
}

static void no_row_planned(void **state)
{
	(void)state;
	expect_end("remedies", "empty", "\"no row was planned\""); /* not in profile smoke */
}

static void a_row_measured(void **state)
{
	(void)state;
	expect_end("clock:rdtsc", "complete", NULL);
}

static void a_row_measured_however_slow(void **state)
{
	(void)state;
	slowness = 1000000;
	expect_end("clock:rdtsc,clock:core-clock", "complete", NULL);
	slowness = 1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_skipped),
		cmocka_unit_test(no_row_planned),
		cmocka_unit_test(a_row_measured),
		cmocka_unit_test(a_row_measured_however_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
