/* SPDX-License-Identifier: MIT */
/*
 * Which rows the probes plan, on a machine of 4 CPUs, 3 levels and 1 GiB: as many as are wanted, no
 * two of them alike, and each with the time that it takes.
 */
#include "tests/unit/planned.h"
#include "tests/unit/test.h"

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

/* Of 100 CPUs no pair is a CPU with itself, none comes twice, and the first one is in 99. */
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
				if (without.rows[i].nparams && !is_planned(&without.rows[i]))
					fail_msg("%s: row %u (%s) is missing beside 1 GiB pages",
						probes[p].name, i, without.rows[i].variant);
			for (unsigned i = 0; i < plan.n; i++)
				large += plan.rows[i].page_bytes == PAGE_1G;
		}
	assert_true(large > 100);
}

static unsigned kept_of(const char *probe, const char *variant)
{
	unsigned n = 0;

	plan_of(probe_named(probe), PROFILE_DEFAULT);
	for (unsigned i = 0; i < plan.n; i++)
		n += plan.rows[i].first && !strcmp(plan.rows[i].variant, variant);
	return n;
}

/* One noise scan, the pairs of 4 CPUs, and a curve of loaded latency with its row alone. */
TEST(what_is_kept)
{
	assert_int_equal(1, kept_of("noise", "gaps"));
	assert_int_equal(1, kept_of("noise", "stolen"));
	assert_int_equal(1, kept_of("noise", "longest"));
	assert_int_equal(0, kept_of("noise", "gaps-all"));
	assert_int_equal(6, kept_of("cores", "bounce"));
	assert_int_equal(8, kept_of("cores", "loaded-latency"));
	assert_int_equal(0, kept_of("latency", "pointer-padded"));
}

/* A change of what is planned changes its line. */
static const struct {
	const char *probe;
	unsigned rows[PROFILE_FULL + 1];
} wanted[] = {
	{ "clock", { 17, 17, 17 } },
	{ "latency", { 48, 225, 453 } },
	{ "mlp", { 66, 397, 1116 } },
	{ "bandwidth", { 159, 431, 671 } },
	{ "random", { 30, 138, 138 } },
	{ "stride", { 24, 40, 72 } },
	{ "shuffle", { 14, 27, 53 } },
	{ "tlb", { 77, 140, 254 } },
	{ "window", { 24, 51, 87 } },
	{ "ways", { 96, 96, 96 } },
	{ "branch", { 118, 225, 289 } },
	{ "ilp", { 17, 21, 21 } },
	{ "matmul", { 8, 12, 12 } },
	{ "bytouch", { 2, 2, 2 } },
	{ "memtype", { 9, 9, 9 } },
	{ "oscost", { 15, 15, 15 } },
	{ "noise", { 17, 17, 20 } },
	{ "cores", { 47, 47, 51 } },
	{ "remedies", { 0, 16, 16 } },
};

TEST(as_many_as_are_wanted)
{
	for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
		for (unsigned profile = PROFILE_SMOKE; profile <= PROFILE_FULL; profile++) {
			plan_of(probe_named(wanted[i].probe), profile);
			if (plan.n != wanted[i].rows[profile])
				fail_msg("%s, profile %u: expected %u rows, came %u",
					wanted[i].probe, profile, wanted[i].rows[profile], plan.n);
		}
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
			cold += !strcmp(plan.rows[k].variant, "cold");
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
