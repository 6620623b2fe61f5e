/* SPDX-License-Identifier: MIT */
/* The table of summary values: what its readers rely on. */
#include "lib/values.h"

#include "engine/bench.h"
#include "page/pictures.h"
#include "tests/unit/test.h"

TEST(a_value_is_found_by_its_name)
{
	for (unsigned id = VALUE_none + 1; id < VALUES_KNOWN; id++)
		assert_int_equal(id, value_by_name(value_facts((enum value_id)id).name));
	assert_int_equal(VALUE_none, value_by_name("l1d_byte"));
	assert_int_equal(VALUE_none, value_by_name(""));
	assert_string_equal("noise_gaps_above_0.1us", value_facts(VALUE_noise_gaps_above).name);
}

TEST(its_facts_are_those_of_its_line){
#define VALUE(called, in, of, variant, when, on, as)                                               \
	{                                                                                          \
		struct value_facts facts = value_facts(VALUE_##called);                            \
                                                                                                   \
		assert_string_equal(#called, facts.name);                                          \
		assert_string_equal(in, facts.unit);                                               \
		assert_string_equal(as, facts.part);                                               \
		assert_int_equal(CARD_##on, facts.line);                                           \
	}
#include "probes/values.inc"
#undef VALUE
}

TEST(its_probe_is_one_that_there_is)
{
	static const char *const of[] = {
#define VALUE(name, unit, probe, ...) #probe,
#include "probes/values.inc"
#undef VALUE
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		unsigned p = 0;

		while (p < probe_count && strcmp(probes[p].name, of[i]))
			p++;
		if (p == probe_count)
			fail_msg("%s: no probe '%s'", value_facts((enum value_id)(i + 1)).name,
				of[i]);
	}
}

TEST(each_line_of_the_card_has_all_its_values)
{
	unsigned placed[CARD_LINES] = { 0 };
	enum value_id of[LINE_VALUES];

	for (unsigned id = 0; id < VALUES_KNOWN; id++)
		placed[value_facts((enum value_id)id).line]++;
	for (unsigned line = CARD_NONE + 1; line < CARD_LINES; line++) {
		assert_in_range(placed[line], 1, LINE_VALUES);
		assert_int_equal(placed[line], values_on_line((enum card_line)line, of));
	}
}

/* Fails for a name that the table lacks. */
static void expect_known(const char *name, size_t bytes)
{
	char text[64];

	snprintf(text, sizeof text, "%.*s", (int)bytes, name);
	if (!value_by_name(text))
		fail_msg("page/pictures.c: no value '%s'", text);
}

TEST(the_pictures_name_values_that_there_are)
{
	unsigned names = 0;

	for (size_t i = 0; i < pictures_count; i++) {
		for (const char *at = pictures[i].says; at && (at = strchr(at, '{')); at++, names++)
			expect_known(at + 1, strcspn(at + 1, "}"));
		for (const char *at = pictures[i].marks; at && *at; names++) {
			size_t n = strcspn(at, "|"), from = n;

			while (from && at[from - 1] != ' ')
				from--;
			expect_known(at + from, n - from);
			at += n + (at[n] == '|');
		}
	}
	assert_true(names > 40);
}
