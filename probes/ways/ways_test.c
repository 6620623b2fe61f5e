/* SPDX-License-Identifier: MIT */
/*
 * Tests the ways of L1 from rows of `ways`: the end of a set, and the spacing that it is read from;
 * and the policy, from what sets that replace by it miss.
 */
#include "tests/unit/summary_rows.h"

#define FLAT 99 /* ways: no step */

/* Add rows of a spacing that cost `more` beyond `ways` lines. */
static void lines_of(const char *variant, unsigned ways, double more)
{
	for (unsigned x = 1; x <= 32; x++)
		add("ways", variant, "ways", x, x <= ways ? 1.5 : 1.5 + more, PAGE_2M);
}

static void expect(const char *what, double ways, const char *rests_on)
{
	const struct summary *s = value("l1d_ways");

	if (isnan(ways) ? !s->reason : !(s->value == ways))
		fail_value(s, what);
	if (strcmp(s->rests_on, rests_on))
		fail_msg("%s: expected it to rest on '%s', came '%s'", what, rests_on, s->rests_on);
}

/* The last number of lines that cost no more, and the next one. */
TEST(a_set_ends_between_two_numbers)
{
	for (unsigned ways = 2; ways <= 30; ways++) {
		begin_of("ways");
		lines_of("same-set", ways, 3.5);
		lines_of("same-pages", FLAT, 0);
		expect_range("l1d_ways", ways, ways, ways + 1);
	}
}

/* Eight ways replaced at random: each line more misses more often, and twelve rise most. */
TEST(a_set_ends_where_the_rise_begins)
{
	begin_of("ways");
	for (unsigned x = 1; x <= 32; x++)
		add("ways", "same-set", "ways", x,
			x <= 8           ? 1.5
				: x < 12 ? 1.5 + 0.1 * (x - 8)
					 : 5,
			PAGE_2M);
	expect_range("l1d_ways", 8, 8, 9);
	assert_true(find_value(&m.found, VALUE_l1d_ways)->claimed == 12);
}

/* One number alone that cost more, or less, is no end. */
TEST(a_single_row_is_not_believed)
{
	begin_of("ways");
	lines_of("same-set", 8, 3.5);
	m.results[4].median = m.results[4].min = 4; /* 5 lines */
	m.results[19].median = m.results[19].min = 1.5;
	expect("5 lines cost more, 20 less", 8, "ways same-set, same-pages");
}

/*
 * The number comes from a spacing that the page size allows and whose step only the set can cause.
 */
TEST(which_spacing_says_it)
{
	static const struct {
		const char *what;
		unsigned set, pages, index; /* 0: not measured */
		double ways;
		const char *rests_on;
	} cases[] = {
		{ "all", 12, FLAT, 8, 12, "ways same-set, same-pages" },
		{ "no small pages' rows", 12, FLAT, 0, 12, "ways same-set, same-pages" },
		{ "a step of the pages", 12, 12, 8, 8, "ways same-index" },
		{ "a step of the pages alone", FLAT, 12, 8, 8, "ways same-index" },
		{ "a step of the pages, nothing else", 12, 12, 0, 12, "ways same-set, same-pages" },
		{ "no step of the set", FLAT, FLAT, 8, 8, "ways same-index" },
		{ "no large pages", 0, 0, 8, 8, "ways same-index" },
		{ "no step at all", FLAT, FLAT, FLAT, NAN, "ways same-index" },
		{ "nothing", 0, 0, 0, NAN, "ways same-set, same-pages" },
	};

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin_of("ways");
		if (cases[i].set)
			lines_of("same-set", cases[i].set, 3.5);
		if (cases[i].pages)
			lines_of("same-pages", cases[i].pages, 3.5);
		if (cases[i].index)
			lines_of("same-index", cases[i].index, 3.5);
		expect(cases[i].what, cases[i].ways, cases[i].rests_on);
	}
}

/* Whatever is in the way of the number has its reason. */
TEST(without_a_step_there_is_a_reason)
{
	begin_of("ways");
	expect_open("l1d_ways", NOT_MEASURED);
	begin_of("ways");
	lines_of("same-set", FLAT, 0);
	expect_open("l1d_ways", "the curve is flat");
}

enum kind { LRU, FIFO, TREE, BITS, NRU, CHANCE, QLRU };

/* The lines of a set; mark: TREE: where a fork points, the root is 1; BITS, NRU: used; QLRU: age */
struct model {
	enum kind kind;
	unsigned ways, line[16], mark[16];
};

static unsigned marked(const struct model *s, unsigned mark)
{
	unsigned i = 0;

	while (i < s->ways && s->mark[i] != mark)
		i++;
	return i;
}

/* The way that goes; QLRU ages all until one is 3. */
static unsigned gone(struct model *s)
{
	unsigned node = 1;

	if (s->kind == LRU || s->kind == FIFO)
		return s->ways - 1;
	if (s->kind == CHANCE)
		return (unsigned)random_below(&m.b.random, s->ways);
	if (s->kind == NRU && marked(s, 0) == s->ways)
		memset(s->mark, 0, sizeof s->mark);
	while (s->kind == TREE && node < s->ways)
		node = 2 * node + s->mark[node];
	while (s->kind == QLRU && marked(s, 3) == s->ways)
		for (unsigned i = 0; i < s->ways; i++)
			s->mark[i]++;
	return s->kind == TREE ? node - s->ways : marked(s, s->kind == QLRU ? 3 : 0);
}

static void used(struct model *s, unsigned way, bool missed)
{
	unsigned line = s->line[way];

	switch (s->kind) {
	case LRU:
	case FIFO: /* the newest stands first */
		if (missed || s->kind == LRU)
			memmove(s->line + 1, s->line, way * sizeof line), s->line[0] = line;
		break;
	case TREE:
		for (unsigned node = s->ways + way; node > 1; node /= 2)
			s->mark[node / 2] = !(node % 2);
		break;
	case QLRU: /* H11_M2_R0_U0_UMO in nanoBench's notation */
		s->mark[way] = missed ? 2 : s->mark[way] > 1;
		break;
	default:
		s->mark[way] = 1;
		if (s->kind == BITS && marked(s, 0) == s->ways)
			memset(s->mark, 0, sizeof s->mark), s->mark[way] = 1;
	}
}

static bool misses(struct model *s, unsigned line)
{
	unsigned way = 0;
	bool missed;

	while (way < s->ways && s->line[way] != line)
		way++;
	missed = way == s->ways;
	if (missed)
		way = gone(s), s->line[way] = line;
	used(s, way, missed);
	return missed;
}

/* Adds a row of that order: what 4096 loads through so many lines cost, 1.5 or 3.5 ns more. */
static void add_walk(const char *variant, enum kind kind, unsigned ways, unsigned lines)
{
	bool twice = !strcmp(variant, "same-index-twice"), back = strstr(variant, "back");
	unsigned steps = twice ? 2 * lines : back ? 2 * lines - 2 : lines, missed = 0;
	struct model s = { .kind = kind, .ways = ways };

	for (unsigned i = 0; i < 32; i++)
		misses(&s, 100 + i);
	for (unsigned i = 0; i < 4096; i++) {
		unsigned at = i % steps, line = at < lines ? at : steps - at;

		if (twice)
			line = at % 2 ? (at / 2 + lines - lines / 4) % lines : at / 2;
		missed += misses(&s, 1 + line);
	}
	add("ways", variant, "ways", lines, 1.5 + 3.5 * missed / 4096, PAGE_2M);
}

static const struct summary *policy_of(enum kind kind, unsigned ways)
{
	begin_of("ways");
	random_seed(&m.b.random, 7);
	for (unsigned lines = 1; lines <= 32; lines++)
		add_walk("same-index", kind, ways, lines);
	for (unsigned lines = 6; lines <= 20; lines++) {
		add_walk("same-index-twice", kind, ways, lines);
		add_walk("same-index-back", kind, ways, lines);
	}
	return value("l1d_policy");
}

TEST(a_policy_is_known_by_what_it_misses)
{
	static const char *const names[] = {
		[LRU] = "LRU",
		[FIFO] = "FIFO",
		[TREE] = "tree-PLRU",
		[BITS] = "bit-PLRU",
		[NRU] = "NRU",
		[CHANCE] = "random",
	};

	for (enum kind kind = 0; kind < QLRU; kind++)
		for (unsigned ways = 6; ways <= 16; ways += 2) {
			if (kind == TREE && ways & (ways - 1))
				continue;
			const struct summary *s = policy_of(kind, ways);

			if (s->reason || strcmp(s->form, names[kind]) || s->confidence < 0.5)
				fail_msg("%s, %u ways: came '%s' %s, %.2f sure", names[kind], ways,
					s->form, s->reason ? s->reason : "", s->confidence);
		}
	assert_true(policy_of(LRU, 8)->value == 0.5);
}

/* Where the core clock changes from row to row, core cycles do not. */
TEST(a_policy_is_read_in_core_cycles)
{
	policy_of(TREE, 8);
	for (unsigned i = 32; i < m.b.nresults; i += 2)
		m.results[i].median *= 1.2;
	assert_string_equal("tree-PLRU", value("l1d_policy")->form);
	for (unsigned i = 0; i < m.b.nresults; i++)
		m.results[i].cycles = NAN;
	expect_open("l1d_policy", MEASURED_NO_NUMBER);
}

TEST(what_no_policy_misses_has_no_name)
{
	static const struct {
		enum kind kind;
		unsigned ways;
		const char *reason;
	} cases[] = {
		{ QLRU, 8, "it is none of the policies that are tried" },
		{ QLRU, 12, "it is none of the policies that are tried" },
		{ LRU, 4, "two policies miss alike" },
		{ LRU, 2, "looked for in sets of 4 to 16 ways only" },
	};

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct summary *s = policy_of(cases[i].kind, cases[i].ways);

		if (!s->reason || strcmp(s->reason, cases[i].reason) || *s->form)
			fail_msg("%s: came %s '%s'", cases[i].reason, s->reason, s->form);
	}
	begin_of("ways");
	lines_of("same-set", 8, 3.5);
	lines_of("same-index", 16, 3.5);
	expect_open("l1d_policy", NOT_MEASURED);
	for (unsigned lines = 6; lines <= 20; lines++) {
		add("ways", "same-index-twice", "ways", lines, 1.5, PAGE_2M);
		add("ways", "same-index-back", "ways", lines, 1.5, PAGE_2M);
	}
	expect_open("l1d_policy", "twice as many lines as ways cost no more");
}
