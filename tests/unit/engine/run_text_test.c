/* SPDX-License-Identifier: MIT */
/* The tables on the screen, also of what is measured after the edges have been looked for. */
#include "engine/levels.h"
#include "engine/run_text.c"
#include "engine/skipped.h"
#include "lib/result_line.h"
#include "tests/unit/summary_lines.h"

static struct room room;
static struct options options;

/* Returns the place of a text behind another one. */
static const char *after(const char *from, const char *text)
{
	const char *at = strstr(from, text);

	if (!at)
		fail_msg("'%s' was not said in:\n%s", text, from);
	return at;
}

TEST(rows_are_shown_after_the_edges)
{
	const char *at;

	fake_reset(&room);
	room.progress = fake_cache;
	options = (struct options){ .profile = PROFILE_SMOKE, .seed = 1, .edges = EDGES_BISECT };
	strcpy(options.probes, "latency:pointer-padded,ilp:add");
	assert_int_equal(0, bench_run(&room, &options));
	after(fake_said, "by fake, the only source\n"); /* nothing that it could differ from */
	at = after(fake_said, "core clock ");
	after(at, " GHz, arena ");
	at = after(fake_said,
		"\nsizes at which all other rows are measured, and their origin (pages of ");
	after(at, " memory ");
	at = after(fake_said, "\nlatency: ");
	at = after(at, "\n  pointer-padded");
	at = after(at, "\nMeasured between those sizes");
	at = after(at, "\nilp: ");
	at = after(at, "lanes");
	for (unsigned lanes = 1; lanes <= 8; lanes *= 2)
		at = after(at + 1, "\n  add ");
	at = after(at, "\nThe rows at the edges measured again");
	after(at, "What the rows show");
}

/* What is printed is less; what is measured, and what the result keeps, is the same. */
TEST(as_much_is_printed_as_is_wanted)
{
	static const char *const tables[] = { "pointer-padded", "What the rows show",
		"Not measured", "in tables: " };

	for (enum run_text text = TEXT_ALL; text <= TEXT_NONE; text++) {
		fake_reset(&room);
		room.progress = fake_cache;
		options = (struct options){ .profile = PROFILE_SMOKE, .seed = 1, .text = text };
		strcpy(options.probes, "latency:pointer-padded,memtype");
		assert_int_equal(0, bench_run(&room, &options));
		for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++)
			assert_int_equal(text == TEXT_ALL, !!strstr(fake_said, tables[i]));
		assert_int_equal(text == TEXT_CARD, !!strstr(fake_said, " ns a load\n"));
		assert_int_equal(text != TEXT_NONE, !!strstr(fake_said, "\nL1 "));
		assert_int_equal(text == TEXT_NONE, !*fake_said);
		after(fake_out, "\"said\":[{\"probe\":\"latency\"");
	}
}

/*
 * The table goes by the numbers of the line, which has six decimals: 5.6249998 ns are 5.625000
 * there, and 5.63 in the table of the run as in that of `show`.
 */
TEST(the_table_goes_by_the_line)
{
	fake_reset(&room);
	fake_load = 4;
	room.facts.tsc_hz = 4 / 5.6249998e-9;
	options = (struct options){ .profile = PROFILE_SMOKE, .seed = 1, .largest = 8 * KIB };
	strcpy(options.probes, "latency:pointer-padded");
	assert_int_equal(0, bench_run(&room, &options));
	after(fake_out, "\"median\":5.625000,");
	after(after(fake_said, "\n  pointer-padded"), " 5.63 ");
	assert_null(strstr(fake_said, " 5.62 "));
}

/*
 * Texts of a run beside its tables: the machine, the meaning of rows, and rows that were not
 * measured.
 */

#define TABLES                                                                                     \
	"in tables: p99 = 99th percentile, above the median (-: fewer than 100 samples);\n"        \
	"* = some samples were disturbed\n"

static void expect_all_said(const char *expected)
{
	if (strcmp(m.said, expected))
		fail_msg("expected '%s'\ncame '%s'", expected, m.said);
	*m.said = 0;
}

TEST(the_machine_is_described)
{
	begin();
	m.room.facts.cpus = 4;
	m.room.facts.tsc_hz = 2.1e9;
	m.b.arena = (struct arena){ .bytes = 16 * MIB, .page_bytes = PAGE_2M };
	say_machine(&m.b);
	expect_all_said("\nroom hosted, 4 CPU(s)\nTSC 2.100000 GHz by fake, the only source\n"
			"core clock not known, arena 16 MiB in 2048 KiB pages\n" TABLES);
	m.room.kind = ROOM_BARE;
	m.room.facts.hypervisor = "K";
	m.b.core_hz = 2.5e9;
	say_machine(&m.b);
	expect_all_said("\nroom bare, 4 CPU(s)\nTSC 2.100000 GHz by fake, the only source\n"
			"core clock 2.500 GHz, arena 16 MiB in 2048 KiB pages\n" TABLES
			"VIRTUAL: a hypervisor is in the room; timings include it\n");
	m.room.facts.emulated = true;
	say_machine(&m.b);
	assert_non_null(strstr(m.said,
		TABLES "EMULATED: an emulator runs this; its timings mean nothing\n"));
	*m.said = 0;
	m.room.facts.hypervisor = HYPERVISOR_SIMULATED;
	say_machine(&m.b);
	assert_non_null(strstr(m.said,
		TABLES "SIMULATED: times are those of the stated processor\n"));
	*m.said = 0;
	m.room.facts.hypervisor = "K";
	m.room.facts.emulated = false;
	m.room.facts.may_be = DOUBT_EMULATED;
	strcpy(m.room.facts.may_be_why, "it is slow; it is odd");
	say_machine(&m.b);
	assert_non_null(strstr(m.said,
		TABLES "VIRTUAL: a hypervisor is in the room; timings include it\n"
		       "MAY BE EMULATED\n  it is slow\n  it is odd\n"));
	*m.said = 0;
	m.room.facts.hypervisor = "";
	m.room.facts.may_be = DOUBT_VIRTUAL;
	say_machine(&m.b);
	assert_non_null(strstr(m.said, TABLES "MAY BE VIRTUAL\n  it is slow\n"));
}

/* Only another source that was timed can differ; the first of them is looked at as well. */
TEST(sources_of_the_tsc_are_compared)
{
	static const struct {
		struct tsc_source source;
		bool differ;
	} cases[] = { { { "other", 1e9, false }, true }, { { "other", 1e9, true }, false },
		{ { "other", 0, false }, false }, { { "fake", 1e9, false }, false } };

	for (unsigned i = 0; i < 4; i++) {
		begin();
		m.room.facts.tsc_disagree_ppm = 12;
		m.room.facts.tsc[0] = cases[i].source;
		m.room.facts.tsc[1] = cases[0].source; /* beyond those that there are */
		m.room.facts.tsc_sources = 1;
		say_machine(&m.b);
		assert_int_equal(cases[i].differ,
			!!strstr(m.said, " by fake (sources differ by 12 ppm)\n"));
		assert_int_equal(!cases[i].differ, !!strstr(m.said, " by fake, the only source\n"));
	}
}

/* A source more than 1 % away is named, also one that only claims; one within is not. */
TEST(sources_that_are_wrong_are_named)
{
	begin();
	double hz = m.room.facts.tsc_hz;

	m.room.facts.tsc_disagree_ppm = 2;
	m.room.facts.tsc[0] = (struct tsc_source){ "pit", 1.009 * hz, false };
	m.room.facts.tsc[1] = (struct tsc_source){ "stall", 0.6 * hz, false };
	m.room.facts.tsc[2] = (struct tsc_source){ "cpuid15", 1.02 * hz, true };
	m.room.facts.tsc[3] = (struct tsc_source){ "none", 0, true };
	m.room.facts.tsc_sources = 4;
	say_machine(&m.b);
	assert_non_null(strstr(m.said,
		" (sources differ by 2 ppm; stall is -40.0 % off; cpuid15 (claimed) is 2.0 % "
		"off)\n"));
	m.room.facts.tsc_sources = 1;
	m.said[0] = 0;
	begin();
	m.room.facts.tsc[0] = (struct tsc_source){ "cpuid15", 2 * hz, true };
	m.room.facts.tsc_sources = 1;
	say_machine(&m.b);
	assert_non_null(strstr(m.said, ", the only source; cpuid15 (claimed) is 100.0 % off\n"));
}

TEST(a_title_has_the_mark)
{
	char title[128];

	for (unsigned guest = 0; guest < 2; guest++) {
		fake_reset(&room);
		room.facts.hypervisor = guest ? "K" : "";
		options = (struct options){ .profile = PROFILE_SMOKE, .seed = 1 };
		strcpy(options.probes, "ilp:add");
		assert_int_equal(0, bench_run(&room, &options));
		snprintf(title, sizeof title, "\nilp: %s%s\n", probe("ilp")->what,
			guest ? "  VIRTUAL" : "");
		after(fake_said, title);
	}
}

/* Returns the beginning of a measured probe's lines in the output. */
static const char *section_of(const struct probe *of)
{
	char name[40];

	snprintf(name, sizeof name, "\n%s\n", of->name);
	const char *at = strstr(m.said, name);

	if (!at)
		fail_msg("%s is not named in:\n%s", of->name, m.said);
	return at ? at + strlen(name) : NULL;
}

/* Each value in the section of its probe, then the probe's words, which are kept for the result. */
TEST(each_probe_shows_what_it_found)
{
	unsigned measured = 0;

	begin();
	add("oscost", "the-only-row", "n", 1, 1, 0);
	add_all();
	summarise();
	*m.said = 0;
	say_found(&m.b);
	assert_int_equal(0, strncmp(m.said, FOUND_TITLE, strlen(FOUND_TITLE)));
	for (unsigned i = 0; i < m.found.n; i++) {
		const struct card_value *v = card_value(&m.card, m.found.list[i].name);
		char text[CARD_TEXT], line[CARD_TEXT + 64];

		if (!v || !m.found.by[i])
			continue;
		card_value_text(v, text);
		snprintf(line, sizeof line, CARD_VALUE_LINE, m.found.list[i].name, text);
		bool rows = false;

		for (unsigned k = 0; k < m.b.nresults; k++)
			rows |= m.rows[k].probe == m.found.by[i];
		if (!rows) {
			assert_null(strstr(m.said, line));
			continue;
		}
		if (!strstr(section_of(m.found.by[i]), line))
			fail_msg("'%s' does not stand under %s in:\n%s", line, m.found.by[i]->name,
				m.said);
	}
	assert_non_null(m.b.remarks);
	for (unsigned i = 0; i < probe_count; i++)
		for (unsigned k = 0; k < m.b.nresults; k++)
			if (m.rows[k].probe == &probes[i]) {
				assert_ptr_equal(&probes[i], m.b.remarks->by[measured++].probe);
				section_of(&probes[i]);
				break;
			}
	assert_int_equal(measured, m.b.remarks->n);
	assert_null(m.b.remarks->now);
	assert_true(m.b.remarks->used > 0);
}

TEST(sizes_are_said_with_their_pages)
{
	char text[LEVELS_TEXT];

	begin();
	add_memory();
	m.b.arena.page_bytes = PAGE_2M;
	levels_text(m.b.levels, PAGE_2M, text);
	say_levels(&m.b);
	assert_non_null(strstr(text, "24K"));
	expect_all_said(text);
}

TEST(skips_and_the_card_are_said)
{
	static struct skipped skipped;
	char card[sizeof m.said];

	begin();
	skipped_add(&skipped, "one", "a", "no such thing");
	m.b.skipped = &skipped;
	say_skipped(&m.b);
	assert_non_null(strstr(m.said, "no such thing"));
	begin();
	add_all();
	summarise();
	*m.said = 0;
	card_print(&m.card, NULL, hear_card, &m.room);
	memcpy(card, m.said, sizeof card);
	assert_true(strlen(card) > 100);
	*m.said = 0;
	say_card(&m.b, &m.card, "");
	expect_all_said(card);
}

/* Text has as many bytes as fit, and the time that it takes is none of the rows'. */
static uint64_t ticks;
static size_t heard_bytes;
static struct remarks kept;

static uint64_t now_in_ticks(struct room *room)
{
	return ticks;
}

static void hear_slowly(struct room *room, const char *text, size_t n)
{
	snprintf(m.said, sizeof m.said, "%.*s", (int)n, text);
	heard_bytes = n;
	ticks += 1000;
}

TEST(what_is_said_has_511_bytes)
{
	begin();
	m.room.now = now_in_ticks;
	m.room.say = hear_slowly;
	m.b.remarks = &kept;
	remarks_begin(&kept, &probes[0]);
	say(&m.b, "%d of %s", 3, "it");
	assert_string_equal("3 of it", m.said);
	assert_string_equal("3 of it", kept.text); /* as well */
	for (int n = 510; n <= 513; n++) {
		say(&m.b, "%0*d", n, 0);
		assert_int_equal(n < 511 ? n : 511, strlen(m.said));
		assert_int_equal(strlen(m.said), heard_bytes);
	}
	say_text(&m.b, "text and more", 4);
	assert_string_equal("text", m.said);
	assert_int_equal(6 * 1000, m.b.output_ticks);
}

/* The texts of the probes, kept for the end line. */

static const struct probe one = { .name = "one" }, two = { .name = "two" };

static char line[64 * 1024];

static const char *put(void)
{
	struct jsonl l;

	jsonl_begin(&l, line, sizeof line);
	remarks_put(&kept, &l);
	line[l.used] = 0;
	return line;
}

static void say_of(const struct probe *probe, const char *text)
{
	remarks_begin(&kept, probe);
	remarks_add(&kept, text, strlen(text));
	remarks_end(&kept);
}

TEST(each_probe_has_its_lines)
{
	kept = (struct remarks){ 0 };
	remarks_add(&kept, "title\n", 6); /* nobody's */
	say_of(&one, "  A takes 1 ns.\n  B \"2\".\n");
	say_of(&two, "");
	assert_string_equal(put(),
		"{\"said\":[{\"probe\":\"one\",\"text\":[\"  A takes 1 ns.\",\"  B \\\"2\\\".\"]},"
		"{\"probe\":\"two\",\"text\":[]}]");
}

/* A blank line is a line, the last one needs no newline, and none has more than 159 bytes. */
TEST(lines_are_as_they_were_said)
{
	char text[162], expected[200];

	kept = (struct remarks){ 0 };
	memset(text, 'x', sizeof text);
	text[sizeof text - 1] = 0;
	say_of(&two, "a\n\nbc");
	say_of(&one, "d");
	say_of(&two, text);
	snprintf(expected, sizeof expected, "{\"probe\":\"two\",\"text\":[\"%.159s\"]}]", text);
	put();
	const char *first = "{\"said\":[{\"probe\":\"two\",\"text\":[\"a\",\"\",\"bc\"]},"
			    "{\"probe\":\"one\",\"text\":[\"d\"]},";

	if (strncmp(line, first, strlen(first)) || strcmp(line + strlen(first), expected))
		fail_msg("expected '%s%s'\ncame '%s'", first, expected, line);
}

TEST(nobody_asked_is_no_member)
{
	kept = (struct remarks){ 0 };
	assert_string_equal(put(), "{");
	remarks_begin(NULL, &one);
	remarks_add(NULL, "x", 1);
	remarks_end(NULL);
}

TEST(what_does_not_fit_is_told)
{
	kept = (struct remarks){ 0 };
	remarks_begin(&kept, &one);
	for (int i = 0; i < SAID_BYTES / 16; i++)
		remarks_add(&kept, "  fifteen bytes\n", 16);
	remarks_add(&kept, "  one more\n", 11);
	remarks_add(&kept, "\n", 1); /* nor what follows */
	remarks_end(&kept);
	say_of(&two, "  not this\n");
	put();
	assert_null(strstr(line, "one more"));
	assert_non_null(strstr(line,
		"fifteen bytes\",\"  ...\"]},"
		"{\"probe\":\"two\",\"text\":[\"  ...\"]}]"));
}

TEST(there_is_a_place_for_each_probe)
{
	kept = (struct remarks){ 0 };
	assert_in_range(probe_count, 1, SAID_PROBES);
	for (int i = 0; i < SAID_PROBES; i++)
		say_of(&one, "x\n");
	expect_broken("s->n < SAID_PROBES", say_of(&two, "y\n"));
}
