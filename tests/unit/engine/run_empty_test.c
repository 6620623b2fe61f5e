/* SPDX-License-Identifier: MIT */
/* A run that measured nothing is not complete: it says so, with a reason. */
#include <stdio.h>

#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"
#include "engine/probe_api.h"

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

TEST(rows_skipped)
{
	expect_end("clock:os-clock", "empty",
		"\"no row was measured; the first skip: only under Linux\"");
}

TEST(no_row_planned)
{
	expect_end("remedies", "empty", "\"no row was planned\""); /* not in profile smoke */
}

TEST(a_row_measured)
{
	expect_end("clock:rdtsc", "complete", NULL);
}

TEST(a_row_measured_however_slow)
{
	slowness = 1000000;
	expect_end("clock:rdtsc,clock:core-clock", "complete", NULL);
	slowness = 1;
}
