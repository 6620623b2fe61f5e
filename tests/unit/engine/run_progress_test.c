/* SPDX-License-Identifier: MIT */
/* engine/run.c: the row, the time left and the part done that are said during a run. */
#include <math.h>
#include <stdio.h>

#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

#define SMOKE_SECONDS 10

static struct {
	unsigned lines;
	double left, part; /* of the line before */
} heard;

/* "[at/of] at most N s left: probe variant": N and `part` are of one time. */
static void hear(struct room *room, const char *line, size_t n, double part)
{
	char text[128] = "";
	unsigned at, of;
	double left;

	(void)room;
	memcpy(text, line, n < sizeof text ? n : sizeof text - 1);
	if (sscanf(text, "[%u/%u] at most %lf s left: ", &at, &of, &left) != 3)
		return;
	if (!at || at > of || left > heard.left || part < heard.part ||
		fabs(left - SMOKE_SECONDS * (1 - part)) > 0.51)
		fail_msg("'%s', part %g of %u s: after %g s left, part %g", text, part,
			SMOKE_SECONDS, heard.left, heard.part);
	heard.lines++;
	heard.left = left;
	heard.part = part;
}

TEST(time_runs_out)
{
	static struct room room;
	const struct options options = { .profile = PROFILE_SMOKE, .seed = 1 };

	fake_reset(&room);
	fake_slowness = 20;
	room.progress = hear;
	heard.left = SMOKE_SECONDS;
	assert_int_equal(0, bench_run(&room, &options));
	fake_slowness = 1;
	assert_true(heard.lines > 10);
	assert_true(heard.part > 0.1 && heard.left < 0.9 * SMOKE_SECONDS);
}
