/* SPDX-License-Identifier: MIT */
/* The tables on the screen, also of what is measured after the edges have been looked for. */
#include <stdio.h>

#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

static char said[65536];

static void hear(struct room *room, const char *text, size_t n)
{
	size_t used = strlen(said);

	(void)room;
	assert_true(used + n < sizeof said);
	memcpy(said + used, text, n);
	said[used + n] = 0;
}

/* A cache of 48 KiB, told by the size in the progress line. */
static void hear_progress(struct room *room, const char *line, size_t n, double part)
{
	char text[128] = "", unit = 0;
	const char *at;
	double size = 0;

	(void)room;
	memcpy(text, line, n < sizeof text ? n : sizeof text - 1);
	at = strstr(text, "pointer-padded");
	if (at)
		sscanf(at, "pointer-padded %lf%c", &size, &unit);
	size *= unit == 'M' ? 1024 : unit == 'K' ? 1 : 1 / 1024.;
	fake_load = size > 48 ? 20 : 4;
}

/* Where a text is said, behind another one. */
static const char *after(const char *from, const char *text)
{
	const char *at = strstr(from, text);

	if (!at)
		fail_msg("'%s' was not said in:\n%s", text, from);
	return at;
}

TEST(rows_are_shown_after_the_edges)
{
	static struct room room;
	static struct options options;
	const char *at;

	fake_reset(&room);
	room.say = hear;
	room.progress = hear_progress;
	options = (struct options){ .profile = PROFILE_SMOKE, .seed = 1, .edges = EDGES_BISECT };
	strcpy(options.probes, "latency:pointer-padded,ilp:add");
	*said = 0;
	assert_int_equal(0, bench_run(&room, &options));
	after(said, "by fake, the only source\n"); /* nothing that it could differ from */
	at = after(said, "core clock ");
	after(at, " GHz, arena ");
	at = after(said,
		"\nsizes at which all other rows are measured, and their origin (pages of ");
	after(at, " memory ");
	at = after(said, "\nlatency: ");
	at = after(at, "\n  pointer-padded");
	at = after(at, "\nMeasured between those sizes");
	at = after(at, "\nilp: ");
	at = after(at, "lanes");
	for (unsigned lanes = 1; lanes <= 8; lanes *= 2)
		at = after(at + 1, "\n  add ");
	at = after(at, "\nThe rows at the edges measured again");
	after(at, "What the rows show");
}

/*
 * The table goes by the numbers of the line, which has six decimals: 5.6249998 ns are 5.625000
 * there, and 5.63 in the table of the run as in that of `show`.
 */
TEST(the_table_goes_by_the_line)
{
	static struct room room;
	static struct options options;

	fake_reset(&room);
	fake_load = 4;
	room.say = hear;
	room.facts.tsc_hz = 4 / 5.6249998e-9;
	options = (struct options){ .profile = PROFILE_SMOKE, .seed = 1, .largest = 8 * KIB };
	strcpy(options.probes, "latency:pointer-padded");
	*said = 0;
	assert_int_equal(0, bench_run(&room, &options));
	after(fake_out, "\"median\":5.625000,");
	after(after(said, "\n  pointer-padded"), " 5.63 ");
	assert_null(strstr(said, " 5.62 "));
}
