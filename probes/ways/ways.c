/* SPDX-License-Identifier: MIT */
/* Ways and replacement of L1: chases over n lines that all belong to the same set. */
#include "probes/probe.h"
#include "engine/claims.h"
#include "lib/math.h"
#include "lib/text.h"

#define LOADS      (4 * 1024)
#define LINES_MOST 32
#define WAYS_RISE  1.05 /* cost over that of one line: above it, the set does not hold all lines */

/* Replacement is looked for in sets of so many ways, with 2 to 4 lines more than ways. */
#define WAYS_LEAST 4
#define WAYS_MOST  16
#define BEYOND     2
#define MORE       3
#define OTHERS     32 /* other lines of the set, visited before */

/*
 * Lines 64 KiB apart, in a large page, belong to one set of any L1 whose ways are no larger. Their
 * pages may belong to one set of the TLB, where a hypervisor backs the large page with small ones
 * (seen on an Emerald Rapids VM): same-pages has the same pages and a set for each line, and a step
 * there takes the word from same-set. Then, and in small pages, there is same-index: lines 4 KiB
 * apart, which agree in the bits that are the same in virtual and physical addresses.
 */
#define APART (64 * KIB)

/* A row repeats a way through the lines. A line's second visit uses its second word. */
enum walk_order {
	ROUND, /* each line once: 0 1 2 ... */
	TWICE, /* each line again when a quarter of the others came after it: 0 6 1 7 2 0 3 1 ... */
	BACK,  /* forth and back: 0 1 2 3 2 1 */
	ORDERS
};

static unsigned steps_of(enum walk_order order, unsigned lines)
{
	return order == ROUND ? lines : order == TWICE ? 2 * lines : 2 * lines - 2;
}

static unsigned line_at(enum walk_order order, unsigned lines, unsigned step)
{
	if (order == TWICE)
		return step % 2 ? (step / 2 + lines - lines / 4) % lines : step / 2;
	return step < lines ? step : 2 * lines - 2 - step;
}

enum { SAME_SET, SAME_PAGES, SAME_INDEX, SPACINGS, SAME_TWICE = SPACINGS, SAME_BACK, VARIANTS };

static const struct spacing {
	const char *variant;
	uint64_t stride;
	uint64_t least_page;
	enum walk_order order;
	unsigned least, most; /* lines */
} spacings[VARIANTS] = {
	[SAME_SET] = { "same-set", APART, PAGE_2M, ROUND, 1, LINES_MOST },
	[SAME_PAGES] = { "same-pages", APART + 64, PAGE_2M, ROUND, 1, LINES_MOST },
	[SAME_INDEX] = { "same-index", PAGE_4K, PAGE_4K, ROUND, 1, LINES_MOST },
	[SAME_TWICE] = { "same-index-twice", PAGE_4K, PAGE_4K, TWICE, WAYS_LEAST + BEYOND,
		WAYS_MOST + BEYOND + MORE - 1 },
	[SAME_BACK] = { "same-index-back", PAGE_4K, PAGE_4K, BACK, WAYS_LEAST + BEYOND,
		WAYS_MOST + BEYOND + MORE - 1 },
};

/* Parameters of a row. */
struct set_lines {
	unsigned spacing, ways;
};

/* A row's walk is here. */
struct set_walk {
	struct chain lines;
	enum walk_order order;
	unsigned steps, at;
};

static uint64_t address(const struct set_walk *w, unsigned step)
{
	unsigned lines = (unsigned)w->lines.nodes;
	bool again = w->order == TWICE ? step % 2 : step >= lines;

	return chain_at(&w->lines, CHAIN_POINTER, line_at(w->order, lines, step)) +
		again * sizeof(uint64_t);
}

static void refresh(struct bench *b, struct job *job)
{
	struct set_walk *w = job->priv;

	job->args[0] = address(w, w->at);
	w->at = (w->at + LOADS) % w->steps;
	job->expect = address(w, w->at);
}

/*
 * Links the walk. Some policies go on as they were when it began: then other lines of the set,
 * behind its own, are visited before it. Returns where to start.
 */
static uint64_t link_walk(const struct set_walk *w, unsigned before)
{
	uint64_t stride = w->lines.stride, end = (uint64_t)w->lines.base + w->lines.nodes * stride;
	uint64_t next = address(w, 0);

	for (unsigned i = 0; i < w->steps; i++)
		*(uint64_t *)(uintptr_t)address(w, i) = address(w, (i + 1) % w->steps);
	for (unsigned i = before; i--; next = end + i * stride)
		*(uint64_t *)(uintptr_t)(end + i * stride) = next;
	return next;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct set_lines *spec = row_spec(row, struct set_lines);
	const struct spacing *spacing = &spacings[spec->spacing];
	unsigned before = spacing->order == ROUND ? 0 : OTHERS;
	uint64_t bytes = (spec->ways + before) * spacing->stride;
	struct set_walk *w = job_alloc(b, job, sizeof *w);

	if (!w)
		return -1;
	if (job->arena.page_bytes < spacing->least_page)
		return job_skip(job, "needs pages of 2 MiB");
	if (bytes > job->arena.bytes ||
		chain_layout(&w->lines, &job->arena, spec->ways, spacing->stride))
		return job_too_large(job, bytes);
	chain_order_random(&w->lines, &b->random);
	w->order = spacing->order;
	w->steps = steps_of(w->order, spec->ways);
	w->at = 0;
	const uint64_t args[LOOP_ARGS] = { link_walk(w, before), LOADS / 16, before / 16 };

	job_call(job, before ? loop_chase_warm : loop_chase, 1, args);
	job->expect = address(w, LOADS % w->steps);
	job->refresh = before ? NULL : refresh;
	job->priv = w;
	job->ops = LOADS;
	return 0;
}

static void add(struct bench *b, unsigned spacing, unsigned ways)
{
	struct row row = row_new(spacings[spacing].variant, &unit_ns_load, ANSWER_WAYS, prepare);

	row.page_bytes = common_page(b);
	*row_spec(&row, struct set_lines) = (struct set_lines){ spacing, ways };
	row.cost_ns = 12 * LOADS * 4 * b->pace.ns_per_near_load + 20 * b->pace.ns_per_call;
	row_param(&row, "ways", ways);
	row_param(&row, "stride_bytes", (double)spacings[spacing].stride);
	plan_add(b, &row);
}

static void ways_plan(struct bench *b)
{
	for (unsigned i = 0; i < VARIANTS; i++)
		for (unsigned ways = spacings[i].least; ways <= spacings[i].most; ways++)
			add(b, i, ways);
}

/*
 * The most lines that cost no more than one does. Where a set replaces at random, one line more
 * than it holds costs little, and the steepest rise comes later; but every larger number costs
 * more.
 */
static struct estimate before_rise(const struct curve *c, const struct stair *l)
{
	const struct curve_point *p = c->point;
	struct estimate e = l->edge;
	unsigned at = c->n - 1;

	if (e.reason)
		return e;
	while (at > 1 && math_median_of_three(p[at - 2].y, p[at - 1].y, p[at].y) > WAYS_RISE * l->y)
		at--;
	e.value = e.low = p[at - 1].x;
	e.high = p[at].x;
	return e;
}

/* Lines of a spacing before its first step. */
static struct estimate ways_of(struct bench *b, struct reader *reader, unsigned spacing,
	struct curve *c)
{
	const struct pick pick = { .variant = spacings[spacing].variant, .x = "ways" };
	struct estimate e = not_resolved("no step up to the most lines");
	struct staircase s;

	if (!infer_staircase(c->point, take_curve(reader, &pick, c), &cache_rules, &s))
		e.reason = s.reason;
	else if (s.rising || s.count > 1)
		e = edge_of(reader, c, before_rise(c, &s.level[0]));
	return e;
}

static bool was_measured(const struct bench *b, unsigned spacing)
{
	return find_row(b, spacings[spacing].variant, NULL, 0) != NULL;
}

/* How a set chooses the line that goes: README.md. */
enum line_policy { LRU, TREE, BITS, NRU, FIFO, CHANCE, POLICIES };

static const char *const policies[POLICIES] = {
	[LRU] = "LRU",
	[TREE] = "tree-PLRU",
	[BITS] = "bit-PLRU",
	[NRU] = "NRU",
	[FIFO] = "FIFO",
	[CHANCE] = "random",
};

/* A policy is tried on this set. */
struct policy_set {
	enum line_policy policy;
	unsigned ways, now;
	unsigned line[WAYS_MOST]; /* of each way; 0: none */
	unsigned used[WAYS_MOST]; /* the number of its last use, of FIFO of its line's first */
	unsigned recent;          /* a bit for each way that was used */
	struct random random;
};

static unsigned newest(const struct policy_set *s, unsigned from, unsigned ways)
{
	unsigned most = 0;

	for (unsigned i = from; i < from + ways; i++)
		if (s->used[i] > most)
			most = s->used[i];
	return most;
}

/*
 * A tree points at each fork to the part that was not used last: in two, and three where there are
 * three times a power of two. LRU and FIFO have one fork to all ways.
 */
static unsigned victim(struct policy_set *s)
{
	unsigned from = 0, ways = s->ways, all = (1u << ways) - 1;

	if (s->policy == CHANCE)
		return (unsigned)random_below(&s->random, ways);
	if (s->policy == NRU && s->recent == all)
		s->recent = 0;
	if (s->policy == BITS || s->policy == NRU)
		return (unsigned)__builtin_ctz(~s->recent);
	while (ways > 1) {
		unsigned parts = s->policy != TREE ? ways : ways % 3 ? 2 : 3, oldest = 0;

		ways /= parts;
		for (unsigned i = 1; i < parts; i++)
			if (newest(s, from + i * ways, ways) <
				newest(s, from + oldest * ways, ways))
				oldest = i;
		from += oldest * ways;
	}
	return from;
}

/* Returns true if the line was missing. */
static bool visit(struct policy_set *s, unsigned line)
{
	unsigned way = 0;
	bool missing;

	while (way < s->ways && s->line[way] != line)
		way++;
	missing = way == s->ways;
	if (missing)
		way = victim(s);
	s->line[way] = line;
	if (missing || s->policy != FIFO)
		s->used[way] = ++s->now;
	s->recent |= 1u << way;
	if (s->policy == BITS && s->recent == (1u << s->ways) - 1)
		s->recent = 1u << way;
	return missing;
}

#define LAPS        32 /* the last three quarters are counted */
#define LAPS_CHANCE 128

/* Returns the part of the loads that miss. */
static double share(enum line_policy policy, unsigned ways, enum walk_order order, unsigned lines)
{
	struct policy_set s = { .policy = policy, .ways = ways };
	unsigned steps = steps_of(order, lines), missed = 0;
	unsigned visits = steps * (policy == CHANCE ? LAPS_CHANCE : LAPS);

	random_seed(&s.random, 1);
	for (unsigned i = 0; i < OTHERS; i++)
		visit(&s, LINES_MOST + 1 + i);
	for (unsigned i = 0; i < visits; i++)
		if (visit(&s, 1 + line_at(order, lines, i % steps)) && i >= visits / 4)
			missed++;
	return missed / (visits * 0.75);
}

/* Core cycles of a load: where all hit, where most miss, in the rows that tell policies apart. */
struct replacing {
	unsigned ways;
	double hit, most, cost[ORDERS][MORE];
	double loss; /* of confidence */
};

/* Share of misses per cycle above a hit, if the set is of this policy. */
static double misses_per_cycle(const struct replacing *r, enum line_policy policy)
{
	return share(policy, r->ways, ROUND, 2 * r->ways) / (r->most - r->hit);
}

/* How far a policy is from the rows: the greatest difference of two shares of misses. */
static double distance(const struct replacing *r, enum line_policy policy)
{
	unsigned forks = r->ways % 3 ? r->ways : r->ways / 3;
	double far = 0, scale = misses_per_cycle(r, policy);

	if (policy == TREE && forks & (forks - 1))
		return 1;
	for (unsigned i = 0; i < ORDERS; i++)
		for (unsigned k = 0; k < MORE; k++)
			far = math_max(far,
				math_abs((r->cost[i][k] - r->hit) * scale -
					share(policy, r->ways, i, r->ways + BEYOND + k)));
	return far;
}

/* Returns the core cycles of a load with so many lines. */
static double cost_at(const struct curve *c, unsigned lines, struct replacing *r)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->point[i].x == lines) {
			r->loss = math_max(r->loss, row_confidence_loss(c->from[i]));
			return c->point[i].y;
		}
	return NOT_A_NUMBER;
}

/* Reads the rows. Returns false if one is missing. */
static bool look(const struct reader *reader, struct curve *c, struct replacing *r)
{
	double sum = 0;

	for (unsigned i = 0; i < ORDERS; i++) {
		const struct pick pick = {
			.variant = spacings[SAME_INDEX + i].variant, .x = "ways", .cycles = true
		};

		take_curve(reader, &pick, c);
		for (unsigned k = 0; k < MORE; k++)
			sum += r->cost[i][k] = cost_at(c, r->ways + BEYOND + k, r);
		if (i == ROUND) {
			r->hit = cost_at(c, r->ways / 2, r);
			r->most = cost_at(c, 2 * r->ways, r);
		}
	}
	return math_finite(sum + r->most) && r->hit > 0;
}

#define POLICY_FITS 0.05 /* share of misses by which a policy may be off, at most */
#define MISS_LEAST  1.5  /* times a hit: a load that misses */

/* Finds the one policy that fits, and its share of misses in one of the rows. */
static struct estimate policy_of(const struct reader *reader, struct curve *c, unsigned ways,
	enum line_policy *fits)
{
	struct replacing r = { .ways = ways };
	double best = 1, second = 1;

	if (ways < WAYS_LEAST || ways > WAYS_MOST)
		return not_resolved("looked for in sets of 4 to 16 ways only");
	if (!look(reader, c, &r))
		return not_resolved(was_measured(reader->bench, SAME_BACK) ? MEASURED_NO_NUMBER
									   : NOT_MEASURED);
	if (r.most < MISS_LEAST * r.hit)
		return not_resolved("twice as many lines as ways cost no more");
	for (enum line_policy i = 0; i < POLICIES; i++) {
		double far = distance(&r, i);

		second = math_min(second, math_max(best, far));
		if (far < best)
			*fits = i;
		best = math_min(best, far);
	}
	if (best > POLICY_FITS)
		return not_resolved("it is none of the policies that are tried");
	if (second <= POLICY_FITS)
		return not_resolved("two policies miss alike");
	return plain_estimate((r.cost[TWICE][0] - r.hit) * misses_per_cycle(&r, *fits),
		clamp_confidence((1 - best / second) * (1 - r.loss)));
}

/* same-set, unless its pages make a step without its sets, or there were no large pages. */
static void ways_find(struct bench *b, struct found_values *f)
{
	struct curve *c = row_alloc(b, sizeof *c);
	struct estimate of[SPACINGS], ways, policy;
	struct cache_claim claim;
	enum line_policy fits = LRU;
	bool index;

	if (!c)
		return;
	for (unsigned i = 0; i < SPACINGS; i++)
		of[i] = was_measured(b, i) ? ways_of(b, &f->reader, i, c)
					   : not_resolved(NOT_MEASURED);
	index = (of[SAME_SET].reason || !of[SAME_PAGES].reason) && was_measured(b, SAME_INDEX);
	ways = of[index ? SAME_INDEX : SAME_SET];
	found(f, VALUE_l1d_ways, ways, index ? "ways same-index" : "ways same-set, same-pages")
		->claimed =
		claims_data_cache(b->room, 1, &claim) && claim.ways ? claim.ways : NOT_A_NUMBER;
	policy = ways.reason ? ways : policy_of(&f->reader, c, (unsigned)ways.value, &fits);
	struct summary *s =
		found(f, VALUE_l1d_policy, policy, "ways same-index, and twice, and back");

	if (!policy.reason)
		text_format(s->form, sizeof s->form, "%s", policies[fits]);
}

const struct hooks probe_ways = {
	.plan = ways_plan,
	.find = ways_find,
};
