/* SPDX-License-Identifier: MIT */
/* What a run gives out goes to the room as it is, and the time that takes is counted apart. */
#include <stdio.h>

#include "engine/emit.h"
#include "tests/unit/near.h"
#include "tests/unit/test.h"
#include "engine/probe_api.h"

#define TSC_HZ 2e9

static uint64_t ticks;
static char heard[64];
static double heard_part;

static uint64_t now(struct room *room)
{
	(void)room;
	return ticks;
}

static void hear(struct room *room, const char *text, size_t n)
{
	(void)room;
	snprintf(heard, sizeof heard, "%.*s", (int)n, text);
	ticks += 1000;
}

static void hear_progress(struct room *room, const char *text, size_t n, double part)
{
	hear(room, text, n);
	heard_part = part;
}

static void expect(const struct bench *b, const char *what, double measuring, double output)
{
	near(what, measuring, measuring_ns(b));
	near(what, output, output_ns(b));
}

/* 0.5 ns a tick: each output takes 500 ns, and 300 ns are none of theirs. */
TEST(output_takes_no_time_of_the_rows)
{
	struct room room = { .facts.tsc_hz = TSC_HZ, .now = now, .write = hear, .say = hear };
	struct bench b = { .room = &room, .start_ticks = 5000 };

	ticks = 5000;
	expect(&b, "at the start", 0, 0);
	ticks += 600;
	expect(&b, "before any output", 300, 0);
	output_line(&b, "line and more", 4);
	assert_string_equal("line", heard);
	expect(&b, "after a line", 300, 500);
	output_text(&b, "text and more", 4);
	assert_string_equal("text", heard);
	expect(&b, "after a text", 300, 1000);
	output_progress(&b, "progress", 8, 0.25);
	assert_string_equal("text", heard); /* the room shows none */
	room.progress = hear_progress;
	output_progress(&b, "progress", 4, 0.25);
	assert_string_equal("prog", heard);
	assert_true(heard_part == 0.25);
	expect(&b, "after progress", 300, 1500);
}
