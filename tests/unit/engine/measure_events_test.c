/* SPDX-License-Identifier: MIT */
/* What is counted during the samples of a row stands in its line (engine/measure.c). */
#include <stdio.h>

#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

/* Two context switches in each sample, and what a predictor missed; SMIs cannot be counted. */
static void end(struct room *room, struct event_counts *q)
{
	(void)room;
	q->known = EVENT_SWITCHES | EVENT_MISPREDICTS;
	q->switches = 2;
	q->mispredicts = 7;
}

static unsigned number_of(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	return at ? (unsigned)strtoul(at + strlen(key), NULL, 10) : UINT32_MAX;
}

TEST(rows_have_the_sum_of_their_samples)
{
	static struct room room;
	static struct options options;
	unsigned rows = 0;

	fake_reset(&room);
	options = (struct options){ .profile = PROFILE_SMOKE, .seed = 1 };
	strcpy(options.probes, "latency:pointer-padded");
	room.timed_end = end;
	assert_int_equal(0, bench_run(&room, &options));
	for (char *line = strtok(fake_out, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned samples = number_of(line, "\"samples\":");

		if (!strstr(line, "\"kind\":\"row\"") || !strstr(line, "\"pointer-padded\""))
			continue;
		rows++;
		assert_true(samples > 0);
		assert_int_equal(2 * samples, number_of(line, "\"switches\":"));
		assert_int_equal(7 * samples, number_of(line, "\"mispredicts\":"));
		assert_int_equal(samples, number_of(line, "\"disturbed\":"));
		assert_null(strstr(line, "\"smis\""));
	}
	assert_true(rows >= 10);
}
