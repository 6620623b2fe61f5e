/* SPDX-License-Identifier: MIT */
/* The READMEs' form: its blocks, their text without marks, and the names that items explain. */
#include "linux/readme.h"
#include "tests/unit/test.h"

static const char readme[] = "# `p`: a title\n"
			     "\n"
			     "A question over\n"
			     "two lines?\n"
			     "\n"
			     "## What is timed\n"
			     "\n"
			     "    x = *p;\n"
			     "    - no item\n"
			     "\n"
			     "- `a`, `b-*`: the *first* of\n"
			     "  [two `x`](../q/README.md), \"a[i]\"\n"
			     "- `c`: third, `d`\n"
			     "1. a step\n"
			     "\n"
			     "| what | `1` | 2 |\n"
			     "|---|---|---|\n"
			     "| all of it | | 3 |\n"
			     "\n"
			     "### Part\n"
			     "- `e`: fourth\n"
			     "## Values\n"
			     "- `v` (ns): a number\n"
			     "- plain: no name\n"
			     "## Sources\n"
			     "- `s`: of none\n";

/* Every block: its kind's letter, "+" where an empty line stands before it, and its plain text. */
TEST(blocks_are_told_apart_and_lose_their_marks)
{
	static const char *const blocks[] = { "H p: a title", "T+A question over two lines?",
		"H+What is timed", "C+x = *p;", "C - no item",
		"I+a, b-*: the first of two x, \"a[i]\"", "I c: third, d", "I a step",
		"R+what: 1; 2", "R all of it: 3", "H+Part", "I e: fourth", "H Values",
		"I v (ns): a number", "I plain: no name", "H Sources", "I s: of none" };
	const char *at = readme;
	struct readme_block b;

	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		char came[128];

		assert_true(block_next(&at, &b));
		char *text = block_plain(&b);
		snprintf(came, sizeof came, "%c%c%s", "HTIRC"[b.kind], b.apart ? '+' : ' ',
			b.kind == BLOCK_CODE ? "" : text);
		if (b.kind == BLOCK_CODE)
			snprintf(came + 2, sizeof came - 2, "%.*s", (int)b.n, b.text);
		assert_string_equal(came, blocks[i]);
		free(text);
	}
	assert_false(block_next(&at, &b));
}

TEST(items_are_variants_or_values_by_their_heading_with_the_names_before_the_colon)
{
	static const struct {
		enum item_sort sort;
		const char *names;
	} items[] = { { ITEM_VARIANT, "a b-* " }, { ITEM_VARIANT, "c " }, { ITEM_VARIANT, "" },
		{ ITEM_VARIANT, "e " }, { ITEM_VALUE, "v " }, { ITEM_VALUE, "" } };
	const char *at = readme;
	enum item_sort sort = ITEM_OTHER;
	struct readme_block b;

	for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
		char names[128] = "", name[ITEM_NAME];

		assert_true(item_next(&at, &sort, &b));
		for (const char *from = NULL; item_name(&b, &from, name);)
			strcat(strcat(names, name), " ");
		assert_string_equal(names, items[i].names);
		assert_int_equal(sort, items[i].sort);
	}
	assert_false(item_next(&at, &sort, &b));
}

TEST(a_file_that_ends_within_a_table_or_a_link_is_read_to_its_end)
{
	static const char *const ends[] = { "|---", "| a |\n|--", "- [a](b", "[a]", "##", "    " };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		char *text = strdup(ends[i]);
		const char *at = text;
		struct readme_block b;

		for (unsigned n = 0; block_next(&at, &b); n++) {
			assert_true(n < 8);
			free(block_plain(&b));
		}
		free(text);
	}
}
