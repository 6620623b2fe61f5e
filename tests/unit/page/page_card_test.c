/* SPDX-License-Identifier: MIT */
/* The card's lines on a page, and the names in page/files/. */
#include "page/page_card.c"
#include "lib/values.h"
#include "tests/unit/test.h"

static const char *files[PAGE_FILES];
static char shown[4096];

static void *zeroed(size_t bytes)
{
	return calloc(1, bytes);
}

static void say(void *to, const char *text, size_t n)
{
	snprintf(shown + strlen(shown), sizeof shown - strlen(shown), "%.*s", (int)n, text);
}

BEFORE_ALL(open_texts)
{
	page_memory_use(zeroed, free);
	page_texts(files);
}

static void expect_card(const char *lines, const char *want)
{
	struct report_page page = { .files = files };
	struct sink out = { say, NULL };
	struct shown_run run;

	*shown = 0;
	shown_run_read(&run, lines, strlen(lines));
	page_card(&page, &run, &out);
	shown_run_free(&run);
	assert_string_equal(shown, want);
}

#define VALUE(name, unit, value, more)                                                             \
	"{\"kind\":\"summary\",\"name\":\"" name "\",\"unit\":\"" unit "\",\"value\":" value more  \
	"}\n"

TEST(a_line_has_its_values_and_the_least_sure_of_them)
{
	expect_card(VALUE("l1d_bytes", "bytes", "49152",
			    ",\"claimed\":49152,\"agrees\":true,\"confidence\":0.91")
			    VALUE("l1d_latency_cycles", "cycles", "4", ",\"confidence\":0.79")
				    VALUE("l3_bytes", "bytes", "9437184",
					    ",\"claimed\":33554432,\"agrees\":false,"
					    "\"confidence\":0.4"),
		"<dl>\n<div><dt>L1 data cache</dt><dd>48K (CPUID agrees), 4 cycles</dd>"
		"<dd class=\"likely\">79&nbsp;% likely</dd></div>\n"
		"<div><dt>L3 cache</dt><dd>9M (CPUID claims 32M)</dd>"
		"<dd class=\"guess\">40&nbsp;% guess</dd></div>\n</dl>\n");
}

/* The entries of the first level are sure, whatever the second has. */
TEST(a_part_that_is_a_guess_among_sure_ones_says_so_itself)
{
	expect_card(VALUE("dtlb_4k_entries", "entries", "96", ",\"confidence\":0.94")
			    VALUE("stlb_entries", "entries", "3000", ",\"confidence\":0.1")
				    VALUE("walk_cycles", "cycles", "36", ",\"confidence\":0.8"),
		"<dl>\n<div><dt>TLB, 4 KiB pages</dt><dd>96 entries, 3000 in the second level "
		"(10&nbsp;% guess), a walk +36 cycles</dd>"
		"<dd class=\"sure\">80&nbsp;% sure</dd></div>\n</dl>\n");
}

TEST(a_share_is_in_per_cent_and_a_bracket_has_its_upper_end)
{
	expect_card(VALUE("noise_stolen_ppm", "ppm", "503500", ",\"confidence\":1")
			    VALUE("noise_longest_ns", "ns", "4042068", ",\"confidence\":1")
				    VALUE("tsc_skew_ns", "ns", "19.6",
					    ",\"low\":0,\"high\":146.7,\"confidence\":0.95"),
		"<dl>\n<div><dt>The room</dt><dd>50.4 % of the time lost, the longest 4.042 ms"
		"</dd><dd class=\"sure\">100&nbsp;% sure</dd></div>\n"
		"<div><dt>Time stamps</dt><dd>of CPUs differ by at most 146.7 ns</dd>"
		"<dd class=\"sure\">95&nbsp;% sure</dd></div>\n</dl>\n");
}

TEST(why_a_value_is_unknown_if_anybody_looked_for_it)
{
	expect_card(VALUE("l4_bytes", "bytes", "null", ",\"reason\":\"too unsure\"")
			    VALUE("return_stack", "calls", "null",
				    ",\"reason\":\"not measured in this run\""),
		"<dl>\n<div><dt>L4 cache</dt><dd>? too unsure</dd></div>\n</dl>\n");
}

TEST(every_name_in_the_card_is_a_value)
{
	size_t names = 0;

	for (const char *at = files[PAGE_CARD]; (at = strchr(at, '{')); names++) {
		char name[NAME];
		size_t n = strcspn(++at, "}%^");

		snprintf(name, sizeof name, "%.*s", (int)n, at);
		if (value_by_name(name) == VALUE_none)
			fail_msg("no value %s", name);
	}
	assert_true(names > 50);
}

TEST(every_probe_has_words)
{
	static const char *const probes[] = {
#define PROBE(name, ...) #name "=",
#include "probes/probes.inc"
#undef PROBE
	};
	size_t lines = 0;

	for (const char *at = files[PAGE_SECTIONS]; *at; at = strchr(at, '\n') + 1)
		lines++;
	assert_int_equal(lines, sizeof probes / sizeof *probes);
	for (size_t i = 0; i < lines; i++)
		if (!strstr(files[PAGE_SECTIONS], probes[i]))
			fail_msg("no words for %s", probes[i]);
}
