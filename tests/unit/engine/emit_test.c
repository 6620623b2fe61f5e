/* SPDX-License-Identifier: MIT */
/* engine/emit.c: the lines of rows and skips, to the letter. */
#include "engine/emit.h"
#include "engine/plan.h"
#include "engine/probe_api.h"
#include "infer/card.h"
#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

static struct room room;
static struct emit emit;
static struct card card;
static struct bench b;
static const struct probe probe = { .name = "mine" };

BEFORE_EACH(reset)
{
	fake_reset(&room);
	memset(&emit, 0, sizeof emit);
	b = (struct bench){ .room = &room, .emit = &emit };
}

/* The next line without its checksum; *at is behind it then. */
static void expect_line(const char **at, const char *expected)
{
	const char *crc = strstr(*at, ",\"crc\":\"");

	if (!crc || strlen(expected) != (size_t)(crc - *at) ||
		strncmp(*at, expected, (size_t)(crc - *at)))
		fail_msg("expected '%s', came '%s'", expected, *at);
	*at = strchr(*at, '\n') + 1;
}

TEST(a_skip_says_which_row_and_why)
{
	struct row row = { .probe = &probe, .variant = "v", .page_bytes = PAGE_4K };
	const char *at = fake_out;

	emit_skip(&b, &probe, NULL, "all of it");
	emit_skip(&b, &probe, &row, "no pages");
	row.level = "l1";
	row_param(&row, "x", 2);
	emit_skip(&b, &probe, &row, "no level");
	expect_line(&at,
		"{\"kind\":\"skip\",\"room\":\"hosted\",\"seq\":0,\"probe\":\"mine\","
		"\"reason\":\"all of it\"");
	expect_line(&at,
		"{\"kind\":\"skip\",\"room\":\"hosted\",\"seq\":1,\"probe\":\"mine\","
		"\"variant\":\"v\",\"reason\":\"no pages\"");
	expect_line(&at,
		"{\"kind\":\"skip\",\"room\":\"hosted\",\"seq\":2,\"probe\":\"mine\","
		"\"variant\":\"v\",\"level\":\"l1\",\"params\":{\"x\":2},"
		"\"reason\":\"no level\"");
	assert_int_equal(3, b.skips);
	assert_int_equal(0, b.rows);
	assert_string_equal("all of it", b.first_skip);
}

static void expect_in(const char *line, const char *part)
{
	if (!strstr(line, part))
		fail_msg("expected '%s' in '%s'", part, line);
}

TEST(a_row_has_its_values_and_flags)
{
	const struct row row = { .probe = &probe, .variant = "v", .unit = &unit_ns_load };
	const double values[] = { 4, 5, 6, 7 };
	const bool flagged[] = { false, true, true, true };
	struct result r = { .row = &row, .samples = 3, .page_bytes = PAGE_4K, .disturbed = 2 };
	struct job job = { 0 };

	r.events = (struct event_counts){ .known = EVENT_SWITCHES, .switches = 5, .smis = 6 };
	emit_row(&b, &r, &job, values, flagged);
	expect_in(fake_out,
		"{\"kind\":\"row\",\"room\":\"hosted\",\"seq\":0,\"probe\":\"mine\","
		"\"variant\":\"v\",\"params\":{\"page_bytes\":4096},"
		"\"unit\":\"ns/load\",");
	expect_in(fake_out,
		"\"counts\":{\"switches\":5},\"origin\":\"measured\","
		"\"values\":[4,5,6],\"flags\":[1,2],\"crc\"");
	assert_null(strstr(fake_out, "unsteady"));
	assert_int_equal(1, b.rows);
	r.disturbed = 0;
	r.unsteady = "drift";
	fake_used = 0;
	emit_row(&b, &r, &job, values, flagged);
	expect_in(fake_out, "\"unsteady\":\"drift\",\"counts\":");
	expect_in(fake_out, "\"values\":[4,5,6],\"crc\"");
}

/* What a row says of its memory's node, beside a run line that says `arena`. */
static void expect_node(uint32_t arena, const struct job *job, size_t page_bytes, const char *part)
{
	const struct row row = { .probe = &probe, .variant = "v", .unit = &unit_ns_load };
	const double values[] = { 4 };
	const bool flagged[] = { false };
	const struct result r = { .row = &row, .samples = 1, .page_bytes = page_bytes };
	struct job of = *job;

	b.arena_node = arena;
	fake_used = 0;
	emit_row(&b, &r, &of, values, flagged);
	if (*part)
		expect_in(fake_out, part);
	else if (strstr(fake_out, "\"node\""))
		fail_msg("expected no node, came %s", fake_out);
}

TEST(a_row_has_its_node_where_it_is_not_the_arenas)
{
	const struct job here = { .arena.node = 1 }, unknown = { .arena.node = NODE_UNKNOWN };
	const struct job there = { .arena.node = 1, .placed = true, .node = 2 };
	const struct job both = { .arena.node = 1, .placed = true, .node = NODE_UNKNOWN };

	expect_node(1, &here, PAGE_4K, "");
	expect_node(1, &there, PAGE_4K, "\"params\":{\"page_bytes\":4096},\"node\":2,\"unit\"");
	expect_node(2, &there, PAGE_4K, "");
	expect_node(1, &both, PAGE_4K, "\"node\":null,");
	expect_node(0, &here, PAGE_4K, "\"node\":1,");
	expect_node(NODE_UNKNOWN, &unknown, PAGE_4K, "");
	expect_node(0, &unknown, PAGE_4K, "\"node\":null,");
	expect_node(NODE_UNKNOWN, &there, PAGE_4K, "\"node\":2,");
	expect_node(0, &there, 0, "");
}

static uint64_t at_7_s(struct room *e)
{
	(void)e;
	return 7000000000;
}

static void more_of_it(struct bench *of, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	(void)of;
	(void)job;
	jsonl_number(l, "last", values[n - 1]);
}

TEST(a_row_has_its_time_and_what_its_probe_adds)
{
	const struct row row = { .probe = &probe, .variant = "v", .unit = &unit_ns_load };
	const double values[] = { 4, 5, 6, 7 };
	const bool flagged[4] = { false };
	const struct result r = { .row = &row, .samples = 3 };
	struct job job = { .extra = more_of_it };

	room.now = at_7_s;
	b.start_ticks = 4000000000;
	emit_row(&b, &r, &job, values, flagged);
	expect_in(fake_out, "\"at_seconds\":3,");
	expect_in(fake_out, "\"values\":[4,5,6],\"more\":{\"last\":6},\"crc\"");
}

TEST(the_end_counts_all)
{
	const char *at = fake_out;

	room.now = at_7_s;
	b.start_ticks = 4000000000;
	b.output_ticks = 500000000;
	b.rows = 11;
	b.summaries = 12;
	b.skips = 13;
	emit.seq = 37;
	emit.crc_all = 0x9abcdef0;
	emit_end(&b, "faulted", "why not");
	expect_line(&at,
		"{\"kind\":\"end\",\"room\":\"hosted\",\"seq\":37,"
		"\"status\":\"faulted\",\"why\":\"why not\",\"rows\":11,"
		"\"summaries\":12,\"skips\":13,\"lines\":37,\"seconds\":3,"
		"\"output_seconds\":0.500000,\"crc_all\":\"9abcdef0\"");
}

/* What is asked of the CPUs is answered for in a room that has never heard of it, too. */
TEST(a_control_is_answered_for_in_every_room)
{
	const struct options fixed = { .clock = CLOCK_FIXED }, as_found = { .clock = CLOCK_FREE };

	b.card = &card;
	b.opt = &fixed;
	emit_run(&b);
	expect_in(fake_out,
		"\"clock\":{\"asked\":\"fixed\",\"set\":false,\"how\":\"\","
		"\"cpus_not_set\":1,\"why\":\"room hosted has no way to set it\"}");
	room.controls[CONTROL_clock] = (struct control_answer){ "cpufreq", 0, NULL };
	fake_used = 0;
	emit_run(&b);
	expect_in(fake_out,
		"\"clock\":{\"asked\":\"fixed\",\"set\":true,\"how\":\"cpufreq\","
		"\"cpus_not_set\":0}");
	b.opt = &as_found;
	fake_used = 0;
	emit_run(&b);
	expect_in(fake_out, "\"clock\":{\"asked\":\"free\"}");
}
