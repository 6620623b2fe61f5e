/* SPDX-License-Identifier: MIT */
/* Several rows and values of one quantity: where they differ, all are doubted. */
#include "engine/witnesses.h"
#include "tests/unit/fake_room.h"

#define ROWS 12

static struct room room;
static struct options options;
static struct found_values values;
static struct row rows[ROWS];
static struct result results[ROWS];
static struct bench b;

BEFORE_EACH(reset)
{
	fake_reset(&room);
	memset(&values, 0, sizeof values);
	memset(results, 0, sizeof results);
	b = (struct bench){ .room = &room, .opt = &options, .found = &values, .results = results };
	b.work.base = room.work;
	b.work.bytes = room.work_bytes;
}

/* Adds a row; mad is its scatter. */
static struct row *add(const char *probe, const char *variant, const char *level, double median,
	double mad)
{
	struct row *row = &rows[b.nresults];

	*row = (struct row){ .variant = variant, .level = level };
	for (unsigned i = 0; i < probe_count; i++)
		if (!strcmp(probes[i].name, probe))
			row->probe = &probes[i];
	assert_non_null(row->probe);
	results[b.nresults++] = (struct result){ .row = row,
		.page_bytes = PAGE_2M,
		.median = median,
		.cycles = 3 * median,
		.mad = mad,
		.samples = 15 };
	return row;
}

static void param(struct row *row, const char *name, double value)
{
	row->params[row->nparams++] = (struct param){ name, value };
}

static void value(const char *name, double v, double confidence)
{
	values.list[values.n++] =
		(struct summary){ .name = name, .value = v, .confidence = confidence };
}

/* One chain, the rows at the size of memory, and the least of the window's curve. */
static void memory(double curve, double chain, double window)
{
	value("memory_walk_latency_ns", curve, 0.9);
	value("memory_walk_latency_cycles", 3 * curve, 0.9);
	value("parallel_misses_walk", 10, 0.8);
	value("l2_latency_ns", 4, 0.9);
	param(add("mlp", "chains", "memory", chain, 0), "lanes", 1);
	param(add("mlp", "chains", "memory", chain / 10, 0), "lanes", 10);
	param(add("mlp", "chains", "l2", 4, 0), "lanes", 1);
	add("window", "two-misses", NULL, window, 0);
	add("window", "two-misses", NULL, 2 * window, 0);
}

static void expect_confidences(double ns, double cycles, double misses, const char *disputed)
{
	const double expected[] = { ns, cycles, misses, 0.9 };

	witnesses_compare(&b);
	for (unsigned i = 0; i < 4; i++) {
		const struct summary *v = &values.list[i];
		const char *said = v->disputed ? v->disputed : "nothing";

		near(v->name, expected[i], v->confidence);
		if (strcmp(said, disputed && i < 3 ? disputed : "nothing"))
			fail_msg("%s: expected '%s', said is '%s'", v->name,
				disputed ? disputed : "nothing", said);
	}
}

TEST(those_who_agree_are_believed)
{
	memory(100, 100, 100);
	expect_confidences(0.9, 0.9, 0.8, NULL);
	reset();
	memory(133, 100, 110); /* 1.3, and what a doubt of 0.1 allows: 1.339 */
	expect_confidences(0.9, 0.9, 0.8, NULL);
}

TEST(those_who_differ_are_doubted_all)
{
	double factor = 1.3 * (1 + 0.1 * 0.3) * 150 / 485;

	memory(485, 150, 158);
	expect_confidences(0.9 * factor, 0.9 * factor, 0.8 * factor,
		"memory latency in large buffers: 150 ns by chains, 485 by memory_walk_latency_ns");
}

/* A row whose samples scatter says less against the others. */
TEST(who_is_doubted_already_may_differ)
{
	memory(100, 100, 100);
	add("latency", "pointer-padded", "memory", 170, 170 / 3.);
	expect_confidences(0.9, 0.9, 0.8, NULL);
	results[b.nresults - 1].median = 260;
	results[b.nresults - 1].mad = 260 / 3.;
	double factor = 1.3 * (1 + (1 + 0.1) * 0.3) * 100 / 260;

	expect_confidences(0.9 * factor, 0.9 * factor, 0.8 * factor,
		"memory latency in large buffers: 100 ns by memory_walk_latency_ns, 260 by "
		"pointer-padded");
}

TEST(a_value_may_be_doubted_away)
{
	memory(5000, 100, 100);
	witnesses_compare(&b);
	assert_string_equal(ROWS_DISAGREE, values.list[0].reason);
	assert_false(math_finite(values.list[0].value));
	near("confidence", 0, values.list[0].confidence);
}

/* Other pages, other levels, and a value that is not there say nothing. */
TEST(only_those_who_saw_it_are_heard)
{
	memory(100, 100, 100);
	add("latency", "pointer-padded", "l3", 40, 0);
	add("latency", "pointer-padded", "memory", 400, 0);
	results[b.nresults - 1].page_bytes = PAGE_4K;
	values.list[0].value = NOT_A_NUMBER;
	expect_confidences(0.9, 0.9, 0.8, NULL);
}

/* Rates are compared by the highest of each probe: here those of the widest accesses. */
TEST(rates_are_compared_at_their_highest)
{
	value("read_bytes_per_cycle_memory", 4, 0.9);
	add("bandwidth", "read", "memory", 5, 0);
	add("bandwidth", "read", "memory", 10, 0);
	param(add("cores", "read", "memory", 11, 0), "cpus", 1);
	param(add("cores", "read", "memory", 40, 0), "cpus", 4);
	witnesses_compare(&b);
	near("confidence", 0.9, values.list[0].confidence);
	results[2].median = 20;
	witnesses_compare(&b);
	near("confidence", 0.9 * 0.7, values.list[0].confidence);
}

/*
 * A core whose other thread comes and goes, as on a guest under load: L1 of 48 KiB and 12 ways, of
 * which some samples had all.
 */
static void latency_row(double bytes, double median, double least)
{
	param(add("latency", "pointer-padded", NULL, median, 0), "bytes", bytes);
	results[b.nresults - 1].min = least;
}

static void ways_row(double ways, double median, double least)
{
	param(add("ways", "same-set", NULL, median, 0), "ways", ways);
	results[b.nresults - 1].min = least;
}

static void edge_below(const char *name, const char *rests_on, double v, double low, double high,
	double claimed)
{
	value(name, v, 0.8);
	values.list[values.n - 1].low = low;
	values.list[values.n - 1].high = high;
	values.list[values.n - 1].claimed = claimed;
	values.list[values.n - 1].rests_on = rests_on;
}

static void shared_core(void)
{
	edge_below("l1d_bytes", "latency pointer-padded, the sweep over bytes", 46336, 28672, 47104,
		49152);
	edge_below("l1d_ways", "ways same-set, same-pages", 8, 8, 13, 12); /* 12 at another time */
	value("window_instructions", 216, 0.9);
	value("l2_latency_ns", 4, 0.9);
	latency_row(16384, 1.109, 1.108);
	latency_row(46336, 1.140, 1.138);
	latency_row(46336, 3.480, 2.632); /* at another time */
	latency_row(65536, 3.881, 3.875);
	ways_row(1, 1.191, 1.184);
	ways_row(9, 1.269, 1.221);
	ways_row(10, 1.451, 1.230);
	ways_row(14, 4.244, 4.171);
}

static void expect_shared(bool shared)
{
	static const char text[] =
		"another thread sits on this core: of L1, its ways and the window it has a part";
	const double before[] = { 0.8, 0.8, 0.9, 0.9 };

	witnesses_compare(&b);
	for (unsigned i = 0; i < 4; i++) {
		const struct summary *v = &values.list[i];
		bool is = shared && i < 3;

		near(v->name, is ? before[i] / 2 : before[i], v->confidence);
		assert_string_equal(is ? text : "", v->disputed ? v->disputed : "");
	}
}

TEST(another_thread_of_the_core_is_seen)
{
	shared_core();
	expect_shared(true);
	reset();
	shared_core();
	values.list[1].rests_on = "ways same-index";
	expect_shared(false); /* no such rows */
	for (unsigned i = 0; i < b.nresults; i++)
		if (!strcmp(rows[i].variant, "same-set"))
			rows[i].variant = "same-index";
	expect_shared(true);
}

/* Each of these is seen without another thread: a claim that is wrong, an edge that moved. */
TEST(one_sign_is_no_other_thread)
{
	enum { CLAIM_KEPT, WAYS_KEPT, NO_CLAIM, BYTES_STEADY, WAYS_STEADY, BEYOND_CLAIM, CASES };

	for (unsigned i = 0; i < CASES; i++) {
		reset();
		shared_core();
		if (i == CLAIM_KEPT)
			values.list[0].value = 49152;
		else if (i == WAYS_KEPT)
			values.list[1].value = 12;
		else if (i == NO_CLAIM)
			values.list[1].claimed = NOT_A_NUMBER;
		else if (i == BYTES_STEADY)
			results[1].min = results[1].median = 1.3;
		else if (i == WAYS_STEADY)
			results[6].min = 1.4;
		else
			rows[6].params[0].value = 13;
		expect_shared(false);
	}
}
