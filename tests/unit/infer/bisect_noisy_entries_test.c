/* SPDX-License-Identifier: MIT */
/* The entries of tables of sets, bisected on costs that scatter: see synthetic.h. */
#include <string.h>

#include "tests/unit/synthetic.h"
#include "tests/unit/test.h"

#define SEEDS 100

static const struct noisy {
	unsigned first, second, ways; /* entries of the levels, and the ways of the second */
	double noise;                 /* standard deviation over the cost, after the offset */
	unsigned exact;               /* of SEEDS, at least */
} all[] = {
	{ 64, 1536, 12, 0, 100 },
	{ 64, 1536, 12, 0.002, 100 },
	{ 64, 1536, 12, 0.005, 97 },
	{ 48, 2048, 8, 0.005, 82 },
	{ 36, 1280, 5, 0.005, 82 },
	{ 96, 3072, 12, 0.005, 79 },
};

/* One measurement of a count, in core cycles. */
static double measure(const struct synthetic *m, double x, double noise, struct random *r)
{
	double y = synthetic_time(m, 64 * x);

	return y + gauss(r) * noise * (y + entry_rules.offset);
}

/* The edge of the second level, as bisection finds it with that seed. */
static struct estimate second_edge(const struct noisy *of, uint64_t seed)
{
	const struct resolution to = { .grain = 1, .ratio = 1 };
	const struct synthetic m = { 2,
		{ { of->first * 64., 0.01, 4, POLICY_LRU },
			{ of->second * 64., 7, of->ways, POLICY_LRU } },
		30, 0, 0, 64 };
	struct point p[INFER_POINTS];
	struct staircase s;
	struct random r;
	double next[16];
	unsigned n = 0, count;

	random_seed(&r, seed);
	while (n < 13) {
		p[n] = (struct point){ 4 << n, measure(&m, 4 << n, of->noise, &r) };
		n++;
	}
	while (n + 16 < INFER_POINTS &&
		(count = infer_bisect_staircase(p, n, &entry_rules, &to, next, 16)))
		for (unsigned k = 0; k < count; k++)
			insert_point(p, &n,
				(struct point){ next[k], measure(&m, next[k], of->noise, &r) });
	return infer_staircase(p, n, &entry_rules, &s) > 1 ? s.level[1].edge
							   : not_resolved(s.reason);
}

TEST(scatter_moves_few_edges)
{
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		unsigned exact = 0;

		for (uint64_t seed = 1; seed <= SEEDS; seed++)
			exact += second_edge(&all[i], seed).value == all[i].second;
		if (exact < all[i].exact)
			fail_msg("%u entries, noise of %g: expected %u of %u exact, came %u",
				all[i].second, all[i].noise, all[i].exact, SEEDS, exact);
	}
}
