/* SPDX-License-Identifier: MIT */
/* What the probes said, kept for the end line. */
#include <stdio.h>
#include <string.h>

#include "engine/run_text.h"
#include "tests/unit/test.h"
#include "engine/probe_api.h"

static const struct probe one = { .name = "one" }, two = { .name = "two" };

static struct remarks said;
static char line[64 * 1024];

static const char *put(void)
{
	struct jsonl l;

	jsonl_begin(&l, line, sizeof line);
	remarks_put(&said, &l);
	line[l.used] = 0;
	return line;
}

static void say_of(const struct probe *probe, const char *text)
{
	remarks_begin(&said, probe);
	remarks_add(&said, text, strlen(text));
	remarks_end(&said);
}

TEST(each_probe_has_its_lines)
{
	said = (struct remarks){ 0 };
	remarks_add(&said, "title\n", 6); /* nobody's */
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

	said = (struct remarks){ 0 };
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
	said = (struct remarks){ 0 };
	assert_string_equal(put(), "{");
	remarks_begin(NULL, &one);
	remarks_add(NULL, "x", 1);
	remarks_end(NULL);
}

TEST(what_does_not_fit_is_told)
{
	said = (struct remarks){ 0 };
	remarks_begin(&said, &one);
	for (int i = 0; i < SAID_BYTES / 16; i++)
		remarks_add(&said, "  fifteen bytes\n", 16);
	remarks_add(&said, "  one more\n", 11);
	remarks_add(&said, "\n", 1); /* nor what follows */
	remarks_end(&said);
	say_of(&two, "  not this\n");
	put();
	assert_null(strstr(line, "one more"));
	assert_non_null(strstr(line,
		"fifteen bytes\",\"  ...\"]},"
		"{\"probe\":\"two\",\"text\":[\"  ...\"]}]"));
}

TEST(more_probes_than_places_are_left_out)
{
	said = (struct remarks){ 0 };
	for (int i = 0; i < SAID_PROBES; i++)
		say_of(&one, "x\n");
	say_of(&two, "y\n");
	assert_null(strstr(put(), "\"two\""));
}
