/* SPDX-License-Identifier: MIT */
/*
 * Tests the rows that the probes plan on a machine of 4 CPUs, 3 levels and 1 GiB: no two rows are
 * alike, each profile fits its time, and the sums over each probe's rows are those of
 * planned_sums.inc.
 */
#include "tests/unit/planned.h"

static const char *const answer_names[] = {
#define ANSWER(symbol, profile, what) #symbol,
#define CORE_ANSWER                   ANSWER
#include "engine/answers.inc"
#undef CORE_ANSWER
#undef ANSWER
};

static bool alike(const struct row *a, const struct row *b)
{
	if (strcmp(a->variant, b->variant) || a->page_bytes != b->page_bytes ||
		a->nparams != b->nparams ||
		(a->level ? a->level : "") != (b->level ? b->level : ""))
		return false;
	for (unsigned i = 0; i < a->nparams; i++)
		if (strcmp(a->params[i].name, b->params[i].name) ||
			a->params[i].value != b->params[i].value)
			return false;
	return true;
}

TEST(no_two_rows_are_alike)
{
	for (unsigned p = 0; p < probe_count; p++)
		for (unsigned profile = PROFILE_SMOKE; profile <= PROFILE_FULL; profile++) {
			plan_of(&probes[p], profile);
			for (unsigned i = 0; i < plan.n; i++)
				for (unsigned k = 0; k < i; k++)
					if (alike(&plan.rows[i], &plan.rows[k]))
						fail_msg("%s: rows %u and %u are both %s",
							probes[p].name, k, i, plan.rows[i].variant);
		}
}

/*
 * Among 100 CPUs no CPU is paired with itself, no pair comes twice, and 99 pairs have the first
 * CPU.
 */
TEST(pairs_of_many_cpus)
{
	bool seen[CPUS_MOST][CPUS_MOST] = { { false } };
	unsigned of_first = 0, others = 0;

	cpus = CPUS_MOST;
	for (unsigned p = 0; p < probe_count; p++)
		if (!strcmp(probes[p].name, "cores"))
			plan_of(&probes[p], PROFILE_FULL);
	cpus = 4;
	for (unsigned i = 0; i < plan.n; i++) {
		unsigned a = (unsigned)row_get(&plan.rows[i], "cpu_a", 0);
		unsigned b = (unsigned)row_get(&plan.rows[i], "cpu_b", 0);

		if (strcmp(plan.rows[i].variant, "bounce"))
			continue;
		if (a >= b || b >= CPUS_MOST || seen[a][b])
			fail_msg("CPUs %u and %u%s", a, b, a < b ? " again" : "");
		seen[a][b] = true;
		of_first += !a;
		others += a > 0;
	}
	assert_int_equal(99, of_first);
	assert_int_equal(1024, others);
}

static bool is_planned(const struct row *row)
{
	for (unsigned i = 0; i < plan.n; i++)
		if (alike(row, &plan.rows[i]))
			return true;
	return false;
}

/*
 * Whoever has pages of 1 GiB measures every row that the others do, so that these can be compared,
 * and some in these pages besides.
 */
TEST(larger_pages_only_add_rows)
{
	static struct plan without;
	unsigned large = 0;

	for (unsigned p = 0; p < probe_count; p++)
		for (unsigned profile = PROFILE_SMOKE; profile <= PROFILE_FULL; profile++) {
			plan_of(&probes[p], profile);
			without = plan;
			large_pages = PAGE_2M | PAGE_1G;
			plan_of(&probes[p], profile);
			large_pages = PAGE_2M;
			for (unsigned i = 0; i < without.n; i++)
				if (without.rows[i].nparams && !is_planned(&without.rows[i]) &&
					row_get(&without.rows[i], "page_bytes", 0) != PAGE_1G)
					fail_msg("%s: row %u (%s) is missing beside 1 GiB pages",
						probes[p].name, i, without.rows[i].variant);
			for (unsigned i = 0; i < plan.n; i++)
				large += plan.rows[i].page_bytes == PAGE_1G;
		}
	assert_true(large > 100);
}

/* Seconds that all rows of a profile take by their estimates, and those of core answers. */
static double profile_costs(enum profile profile, double *core)
{
	double sum = *core = 0;

	whole_profile = true;
	memset(plan.beyond, 0, sizeof plan.beyond);
	for (unsigned p = 0; p < probe_count; p++) {
		plan_of(&probes[p], profile);
		for (unsigned i = 0; i < plan.n; i++) {
			sum += plan.rows[i].cost_ns / 1e9;
			*core += plan.rows[i].answer < ANSWER_OTHER_PAIRS
				? plan.rows[i].cost_ns / 1e9
				: 0;
		}
	}
	whole_profile = false;
	return sum;
}

/*
 * A profile is what fits by design: where an ordinary machine initialises 10 GB/s and memory takes
 * 80 ns, what its answers take by their estimates is 0.8 of the profile's time at most, of which
 * what is never left out takes half.
 */
TEST(a_profile_fits_by_design)
{
	static const unsigned machines[] = { 2, 8, 64 };
	char wrong[256] = "";

	memory_bytes = 256 * MIB;
	pace.ns_per_far_load = 80;
	for (unsigned i = 0; i < 6; i++) {
		enum profile profile = i % 2 ? PROFILE_DEFAULT : PROFILE_SMOKE;
		double core, sum, time = profile_seconds(&(struct options){ .profile = profile });

		cpus = machines[i / 2];
		arena_bytes = profile == PROFILE_SMOKE ? 512 * MIB : 4ULL * GIB;
		sum = profile_costs(profile, &core);
		if (sum > 0.8 * time || core > 0.5 * time)
			snprintf(wrong, sizeof wrong,
				"%u CPUs, profile %u: expected at most %.1f s, %.1f for core "
				"answers, came %.1f and %.1f",
				cpus, profile, 0.8 * time, 0.5 * time, sum, core);
	}
	cpus = 4;
	memory_bytes = 64 * MIB;
	arena_bytes = GIB;
	pace.ns_per_far_load = 50;
	if (*wrong)
		fail_msg("%s", wrong);
}

/* In 128 regions of 2 MiB lie 4096 groups of 16 pages; in 256, twice as many. */
TEST(as_many_pages_as_the_regions_hold)
{
	static const struct {
		size_t bytes;
		unsigned rows;
	} arenas[] = { { 255 * MIB, 0 }, { 320 * MIB, 1 }, { 600 * MIB, 2 } };

	for (unsigned i = 0; i < 3; i++) {
		unsigned cold = 0;

		arena_bytes = arenas[i].bytes;
		plan_of(probe_named("tlb"), PROFILE_SMOKE);
		for (unsigned k = 0; k < plan.n; k++)
			cold += !strcmp(plan.rows[k].variant, "upper");
		if (cold != arenas[i].rows)
			fail_msg("%zu MiB: expected %u rows of tlb cold, came %u",
				arenas[i].bytes / MIB, arenas[i].rows, cold);
	}
	arena_bytes = GIB;
}

static void expect_values(const char *variant, const char *param, double of, const double *values,
	unsigned n)
{
	unsigned at = 0;

	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];

		if (strcmp(row->variant, variant) || (of > 0 && row_get(row, "elements", 0) != of))
			continue;
		if (at == n || row_get(row, param, -1) != values[at])
			fail_msg("%s: %s %g is not the %u. expected", variant, param,
				row_get(row, param, -1), at + 1);
		at++;
	}
	assert_int_equal(n, at);
}

/* A short run leaves out what lies between passes over a pattern, or depths of calls. */
TEST(a_short_run_has_fewer)
{
	static const double passes[] = { 1, 2, 5, 10, 15, 20 };
	static const double depths[] = { 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 36,
		40, 44, 48, 52, 56, 60, 64 };

	plan_of(probe_named("branch"), PROFILE_SMOKE);
	expect_values("learn", "pass", 1000, passes, 6);
	expect_values("learn", "pass", 2000, passes, 6);
	expect_values("return-stack", "depth", 0, depths, 24);
	expect_values("state-machine", "elements", 0, NULL, 0);
	expect_values("word-copy", "elements", 0, NULL, 0);
}

/*
 * Returns how many sizes the rows of a variant have that are at no level, if some of them are
 * within the bounds; 64 and more: as 64.
 */
static unsigned sizes_planned(const char *variant, double least, double most)
{
	bool within = false;
	double seen[64];
	unsigned n = 0, k;

	for (unsigned i = 0; i < plan.n && n < 64; i++) {
		const struct row *row = &plan.rows[i];
		double bytes = row_get(row, "bytes", 0);

		if (strcmp(row->variant, variant) || row->level || bytes == 0)
			continue;
		within |= bytes >= least && bytes <= most;
		for (k = 0; k < n && seen[k] != bytes; k++)
			;
		if (k == n)
			seen[n++] = bytes;
	}
	return within ? n : 0;
}

/*
 * Whatever goes over many sizes keeps to those that the user allows (smallest, largest), and has
 * some of them.
 */
TEST(every_sweep_keeps_to_the_users_bounds)
{
	static struct plan all;
	unsigned sweeps = 0;

	for (unsigned p = 0; p < probe_count; p++) {
		plan_of(&probes[p], PROFILE_FULL);
		all = plan;
		for (unsigned i = 0; i < all.n; i++) {
			const char *variant = all.rows[i].variant;
			unsigned within = 0;

			plan = all;
			if (sizes_planned(variant, 8 * MIB, 64 * MIB) < 4)
				continue;
			smallest = 8 * MIB;
			largest = 64 * MIB;
			plan_of(&probes[p], PROFILE_FULL);
			smallest = largest = 0;
			for (unsigned k = 0; k < plan.n; k++) {
				double bytes = row_get(&plan.rows[k], "bytes", 0);

				if (strcmp(plan.rows[k].variant, variant) || plan.rows[k].level)
					continue;
				within++;
				if (bytes && (bytes < 8 * MIB || bytes > 64 * MIB))
					fail_msg("%s: %s is planned", probes[p].name,
						row_text(&plan.rows[k]));
			}
			if (!within)
				fail_msg("%s: no %s is planned", probes[p].name, variant);
			sweeps++;
			while (i + 1 < all.n && !strcmp(all.rows[i + 1].variant, variant))
				i++;
		}
	}
	assert_in_range(sweeps, 20, 1000);
}

/* Tests the rows planned in pages of 1 GiB, and the ends of sweeps. */

/*
 * The memory rows that are repeated in pages of 1 GiB, if there are such pages and no other size
 * was asked for.
 */
static const struct {
	const char *probe;
	const char *rows[12]; /* the first ones, then NULL */
	unsigned n;           /* in all */
} in_large_pages[] = {
	{ "random", { "read bytes=67108864 width_bits=64", "write bytes=67108864 width_bits=64" },
		2 },
	{ "bandwidth",
		{ "read bytes=67108864 width_bits=128", "write bytes=67108864 width_bits=128",
			"copy bytes=67108864 width_bits=128",
			"nt-write bytes=67108864 width_bits=128" },
		4 },
	{ "mlp",
		{ "chains bytes=67108864 lanes=1", "chains bytes=67108864 lanes=2",
			"chains bytes=67108864 lanes=4", "chains bytes=67108864 lanes=8",
			"chains bytes=67108864 lanes=12" },
		16 },
};

static void expect_in_large_pages(unsigned i)
{
	unsigned n = 0;

	for (unsigned k = 0; k < plan.n; k++) {
		if (plan.rows[k].page_bytes != PAGE_1G)
			continue;
		const char *expected = n < 12 ? in_large_pages[i].rows[n] : NULL;

		if (expected && strcmp(expected, row_text(&plan.rows[k])))
			fail_msg("%s: expected row '%s', came '%s'", in_large_pages[i].probe,
				expected, row_text(&plan.rows[k]));
		n++;
	}
	if (n != in_large_pages[i].n)
		fail_msg("%s: expected %u rows in pages of 1 GiB, came %u", in_large_pages[i].probe,
			in_large_pages[i].n, n);
}

TEST(memory_once_more_in_large_pages)
{
	for (unsigned i = 0; i < sizeof in_large_pages / sizeof *in_large_pages; i++) {
		const struct probe *p = probe_named(in_large_pages[i].probe);
		unsigned without, all;

		plan_of(p, PROFILE_DEFAULT);
		without = plan.n;
		large_pages = PAGE_2M | PAGE_1G;
		plan_of(p, PROFILE_DEFAULT);
		expect_in_large_pages(i);
		all = plan.n;
		wanted_page = PAGE_1G;
		plan_of(p, PROFILE_DEFAULT);
		wanted_page = 0;
		large_pages = PAGE_2M;
		if (without + in_large_pages[i].n != all)
			fail_msg("%s: %u rows, but %u with pages of 1 GiB", p->name, without, all);
		if (strcmp(p->name, "mlp") && plan.n != without)
			fail_msg("%s: %u rows, but %u all in pages of 1 GiB", p->name, without,
				plan.n);
	}
}

/* Powers of two up to the sweep's limit, and that one, too. */
TEST(sweeps_end_at_their_limit)
{
	static const char *const rows[][2] = { { "random", "read bytes=1073741824 width_bits=32" },
		{ "random", "write bytes=1073741824 width_bits=64" },
		{ "bandwidth", "words-write bytes=1073741824 width_bits=64" },
		{ "bandwidth", "copy bytes=1073741824 width_bits=128" } };

	arena_bytes = 2 * GIB;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		plan_of(probe_named(rows[i][0]), PROFILE_DEFAULT);
		assert_int_equal(PAGE_2M, row_planned(rows[i][1])->page_bytes);
	}
	arena_bytes = GIB;
}

/*
 * Tests sums over each probe's rows: the number of rows in each profile, and for the default
 * profile the number of rows of each answer, needed feature, page size, level and unit, the sums of
 * their parameters, and the parts of their costs.
 */

enum { BYTES, NODES, NEAR, FAR, CALLS, THINGS };

static const char *const things[THINGS] = { "bytes", "nodes", "near", "far", "calls" };
static const struct pace usual = { 0.1, 20, 1, 50, 100 };

/* Returns the pace of one of the things: the time that one of it takes, ns. */
static double *figure(struct pace *p, unsigned thing)
{
	double *const each[] = { &p->ns_per_byte, &p->ns_per_node, &p->ns_per_near_load,
		&p->ns_per_far_load, &p->ns_per_call };

	return each[thing];
}

/* If one of the things takes longer, no row's estimate shrinks, and some row's grows. */
TEST(nothing_slower_costs_less)
{
	static double before[PLAN_ROWS];
	unsigned more[THINGS] = { 0 };

	request = no_request;
	for (unsigned i = 0; i < probe_count; i++) {
		pace = usual;
		plan_of(&probes[i], PROFILE_DEFAULT);
		unsigned n = plan.n;

		for (unsigned k = 0; k < n; k++)
			before[k] = plan.rows[k].cost_ns;
		for (unsigned thing = 0; thing < THINGS; thing++) {
			pace = usual;
			*figure(&pace, thing) *= 3;
			plan_of(&probes[i], PROFILE_DEFAULT);
			assert_int_equal(n, plan.n);
			for (unsigned k = 0; k < n; k++) {
				double now = plan.rows[k].cost_ns;

				if (now < before[k])
					fail_msg("%s:%s: %g ns, but %g where %s take three times "
						 "as long",
						probes[i].name, row_text(&plan.rows[k]), before[k],
						now, things[thing]);
				more[thing] += now > before[k];
			}
		}
	}
	pace = usual;
	for (unsigned thing = 0; thing < THINGS; thing++)
		assert_true(more[thing] > 0);
}

static struct sum {
	char name[32];
	double value;
} sums[64];

static unsigned nsums;

static void add(const char *name, double value)
{
	unsigned i = 0;

	while (i < nsums && strcmp(sums[i].name, name))
		i++;
	assert_true(i < sizeof sums / sizeof *sums);
	if (i == nsums)
		snprintf(sums[nsums++].name, sizeof sums->name, "%s", name);
	sums[i].value += value;
}

static double all_costs(const struct probe *probe, enum profile profile, struct pace p)
{
	double sum = 0;

	pace = p;
	plan_of(probe, profile);
	for (unsigned i = 0; i < plan.n; i++)
		sum += plan.rows[i].cost_ns;
	pace = usual;
	return sum;
}

static void add_row(const struct row *row)
{
	char name[32];

	add(answer_names[row->answer], 1);
	for (unsigned bit = 0; bit < 32; bit++)
		if (row->needs >> bit & 1) {
			snprintf(name, sizeof name, "need%u", bit);
			add(name, 1);
		}
	add(row->unit->name, 1);
	if (row->level)
		add(row->level, 1);
	if (row->page_bytes)
		add(row->page_bytes == PAGE_4K               ? "4K"
				: row->page_bytes == PAGE_2M ? "2M"
							     : "1G",
			1);
	if (row->exact)
		add("exact", 1);
	if (row->replays)
		add("replays", 1);
	for (unsigned i = 0; i < row->nparams; i++)
		add(row->params[i].name, row->params[i].value);
}

static void add_costs(const struct probe *probe)
{
	const struct pace none = { 0 };
	double time = all_costs(probe, PROFILE_DEFAULT, none);

	for (unsigned thing = 0; thing < THINGS; thing++) {
		struct pace p = { 0 };
		char name[32];

		*figure(&p, thing) = 1;
		snprintf(name, sizeof name, "cost-%s", things[thing]);
		add(name, all_costs(probe, PROFILE_DEFAULT, p) - time);
	}
	add("cost-time", time);
	add("cost", all_costs(probe, PROFILE_DEFAULT, usual));
	add("cost-smoke", all_costs(probe, PROFILE_SMOKE, usual));
	add("rows-smoke", plan.n);
	add("cost-full", all_costs(probe, PROFILE_FULL, usual));
	add("rows-full", plan.n);
	emulated = true;
	add("cost-emulated", all_costs(probe, PROFILE_DEFAULT, usual));
	emulated = false;
}

static const char *sums_of(const struct probe *probe)
{
	static char text[2048];
	size_t n = 0;

	nsums = 0;
	memset(sums, 0, sizeof sums);
	plan_of(probe, PROFILE_DEFAULT);
	for (unsigned i = 0; i < plan.n; i++)
		add_row(&plan.rows[i]);
	add_costs(probe);
	*text = 0;
	for (unsigned i = 0; i < nsums; i++)
		if (sums[i].value)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %.9g", i ? " " : "",
				sums[i].name, sums[i].value);
	return text;
}

/* A change of a probe's plan changes its line: the message has the new one. */
static const struct {
	const char *probe, *sums;
} wanted[] = {
#include "tests/unit/probes/planned_sums.inc"
};

TEST(the_rows_sum_up_to_these)
{
	unsigned wrong = 0;

	request = no_request;
	for (unsigned i = 0; i < probe_count; i++) {
		const char *expected = "nothing", *came = sums_of(&probes[i]);

		for (unsigned k = 0; k < sizeof wanted / sizeof *wanted; k++)
			if (!strcmp(wanted[k].probe, probes[i].name))
				expected = wanted[k].sums;
		if (strcmp(expected, came)) {
			print_error("%s: expected %s\n", probes[i].name, expected);
			print_error("%s: came     %s\n", probes[i].name, came);
			wrong++;
		}
	}
	if (wrong)
		fail_msg("%u probes plan other rows; if they should, change "
			 "tests/unit/probes/planned_sums.inc",
			wrong);
}
