/* SPDX-License-Identifier: MIT */
/* `mlp`: the time of each number of chains over flushed lines in memory. */
#include <math.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/judge/bandwidth_bound.h"
#include "tests/kam/judge/truth.h"

TOLERANCE(MISSES, 0.49, "misses", "the whole number is right")
TOLERANCE(SMALL_MISSES, 3, "%",
	"where walks load entries: their buffers leave gaps that no miss fills; seen: 2.5")
TOLERANCE(HOST_MISSES, 10, "%", "a ratio of two times for which HOST_WALKS holds; seen: 5.2")
TOLERANCE(CHAINS_LESS, 2, "%", "a chain's last load is not waited for")
TOLERANCE(REACH_LESS, 2, "%",
	"a line that is fetched ahead in a region so small may be one of the sample's; seen: 1.1")
TOLERANCE(CHAINS_MORE, 5, "%", "chains that wait for one buffer do so in turn")
TOLERANCE(BANK_MORE, 10, "%",
	"a bank more: chains wait for one while another one is idle; seen: 11")
TOLERANCE(CHAINS_CYCLES, 0.3, "cycles", "the loop's instructions over many chains")
TOLERANCE(ONE_CHAIN, 1.5, "%", "a latency, in short samples")
TOLERANCE(ELEMENTS, 10, "%", "lanes start apart, and what hits in L1 comes by chance")
TOLERANCE(ELEMENTS_CYCLES, 1, "cycles", "the instructions of a lane")
TOLERANCE(TOGETHER, 5, "%", "one load for all lanes")
TOLERANCE(BATCH_LESS, 1, "%", "as LATENCY")
TOLERANCE(BATCH_MORE, 10, "%", "the node's other instructions, where ports are short")
TOLERANCE(BATCH_CYCLES, 0.1, "cycles", "likewise")
TOLERANCE(BATCH_WORK, 10, "%", "below the front end: a node's work overlaps with the next one's")
TOLERANCE(AHEAD, 3, "%", "above the row without a prefetch: the prefetch itself")

#define LANES_MOST       40 /* that are tried */
#define LANES_MOST_SMOKE 24
#define CLEARLY_TRIED    0.8

#define REACH    (4 << 20) /* bytes of `chains-reach` */
#define HELD     12        /* chains in registers; beyond, three instructions each */
#define BATCH    13        /* the same of [R]'s batches, of which 12 stay there beyond */
#define PER_LANE 3
#define WORKING  5 /* instructions of a lane with work, without its multiplications */

#define NODE 16 /* instructions of a batch's node, and of a step of its work: */
#define STEP 8

#define IN_WINDOW 0.9 /* of the window: beyond, it may be full first */

/*
 * At the canonical size, flushed; or, with nothing flushed, so large that a cyclic walk through LRU
 * finds none of it in a cache.
 */
static bool in_memory(const struct cpu *c, json_t *row)
{
	unsigned last = cpu_levels(c), i;

	if (*text_of(row, "level"))
		return level_of(c, row) == (int)last;
	for (i = 0; i < last; i++)
		if (c->level[i].policy != POLICY_LRU || c->level[i].hash != HASH_NONE)
			return false;
	return param_of(row, "bytes") >= 4 * (double)c->level[last - 1].bytes && !prefetches(c);
}

/* Returns true if all loads of the row miss; in a small region they were flushed. */
static bool misses(const struct cpu *c, json_t *row)
{
	return in_memory(c, row) || !strcmp(text_of(row, "variant"), "chains-reach");
}

/*
 * Cycles of a line with K chains: K misses at once until buffers, pipes or the window are full.
 * `held`: instructions of a chain in the window; more: cycles of a step beside the miss.
 */
static struct wanted chains_cycles(const struct judged *j, json_t *row, double held, double beside)
{
	const struct cpu *c = j->cpu;
	double lanes = param_of(row, "lanes"), bytes = param_of(row, "bytes");
	struct translated t = translated(c, bytes, 2 << 20);
	double latency = memory_cycles(c) + t.cycles;
	double least = latency / parallel_misses_bound(c, &t);
	double cycles = fmax((latency + beside) / lanes, least);
	double banks = c->banks > 1 ? BANK_MORE * (double)(c->banks - 1) : 0;
	double host = c->nested.tables ? HOST_WALKS : 0;
	double ahead = bytes <= REACH && prefetches(c) ? REACH_LESS : 0;

	if (!misses(c, row) || param_of(row, "page_bytes") < 2 << 20 ||
		lanes * held > IN_WINDOW * (double)c->window || !undisturbed(c))
		return anything();
	return between(less(cycles, CHAINS_LESS + ahead + host),
		more(cycles, CHAINS_MORE + banks + host) + CHAINS_CYCLES);
}

static struct wanted chains(const struct judged *j, json_t *row, unsigned of)
{
	bool held = param_of(row, "lanes") <= HELD;

	return chains_cycles(j, row, held ? 1 : PER_LANE, held ? 0 : (double)j->cpu->forward);
}

/*
 * Nothing is flushed: where replacement is LRU, a cache answers its share of an array that is
 * larger than all of them. Cycles of a load alone, and what of them it waits beyond L1. False: no
 * closed form.
 */
static bool load_of_element(const struct judged *j, json_t *row, double *alone, double *waiting)
{
	const struct cpu *c = j->cpu;
	double bytes = param_of(row, "bytes"), walk = translation_cycles(c, bytes), above = 0;
	unsigned last = cpu_levels(c), i;

	*alone = *waiting = 0;

	for (i = 0; i <= last; i++) {
		double held = i < last ? (double)c->level[i].bytes / bytes : 1;
		double latency = i < last ? level_latency(c, i) : memory_cycles(c) + walk;

		*alone += (held - above) * latency;
		*waiting += i ? (held - above) * latency : 0;
		above = held;
		if (i < last && (c->level[i].policy != POLICY_LRU || c->level[i].hash != HASH_NONE))
			return false;
	}
	return bytes >= 4 * (double)c->level[last - 1].bytes && !prefetches(c) && undisturbed(c) &&
		!c->row_bytes && param_of(row, "page_bytes") >= 2 << 20;
}

/*
 * Lanes over elements. A load that hits in L1 needs no buffer; of all others, as long as they wait,
 * there are so many at once as there are buffers.
 */
static struct wanted elements(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	struct translated t = translated(c, param_of(row, "bytes"), 2 << 20);
	double lanes = param_of(row, "lanes"), alone, waiting;

	if (!load_of_element(j, row, &alone, &waiting) ||
		lanes * PER_LANE > IN_WINDOW * (double)c->window)
		return anything();
	double least = waiting / parallel_misses_bound(c, &t);
	double cycles = fmax((alone + (double)c->forward) / lanes, least);

	return between(less(cycles, ELEMENTS), more(cycles, ELEMENTS) + ELEMENTS_CYCLES);
}

/*
 * Lanes at one place: a step is one load for all of them, whose line the others find or wait for,
 * and what the instructions of all lanes take. As long as a step fits the window, the two overlap.
 */
static struct wanted together(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double lanes = param_of(row, "lanes"), alone, waiting;
	double each = fmax(PER_LANE / (double)c->width,
		fmax(2 / (double)c->loads, 1 / (double)c->stores));

	if (!load_of_element(j, row, &alone, &waiting))
		return anything();
	return between(less(fmax(alone / lanes, each), TOGETHER),
		more((alone + (double)c->forward) / lanes + each, TOGETHER));
}

/* The pointer of the last round is still on its way to L1 when it is loaded: it is forwarded. */
static struct wanted work(const struct judged *j, json_t *row, unsigned of)
{
	double each = param_of(row, "work");

	return chains_cycles(j, row, WORKING + each, (double)j->cpu->forward);
}

/*
 * In L1 the loads of a chain wait for one another, and those of several share the ports. A chain
 * that no register holds loads and stores its pointer besides, and waits for it to be forwarded.
 */
static struct wanted batch(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double lanes = param_of(row, "lanes"), spilled = lanes > BATCH ? lanes - HELD : 0;
	double wait = (double)c->level[0].latency + (spilled > 0 ? (double)c->forward : 0);
	double front = (lanes + 2 * spilled) / (double)c->width;
	double stores = fmin((double)c->stores, (double)c->limits.commits);
	double ports = fmax((lanes + spilled) / (double)c->loads, spilled / stores);
	double cycles = fmax(wait, fmax(ports, front)) / lanes;

	if (in_memory(c, row))
		return spilled > 0 ? chains(j, row, of) : chains_cycles(j, row, 1, 0);
	if (param_of(row, "bytes") > (double)c->level[0].bytes / 2 ||
		(spilled > 0 ? lanes + 2 * spilled : 8 * lanes) > IN_WINDOW * (double)c->window ||
		c->predictor == PREDICTOR_NEVER)
		return anything();
	return between(less(cycles, BATCH_LESS), more(cycles, BATCH_MORE) + BATCH_CYCLES);
}

/*
 * Work on each node takes its instructions' time at least, and at most as long as if no node
 * overlapped with another one and each of its two loops were mispredicted.
 */
static struct wanted batch_work(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double steps = param_of(row, "work"), front = (NODE + STEP * steps) / (double)c->width;
	double step = (double)c->multiply + STEP, bytes = param_of(row, "bytes");

	return between(less(front, BATCH_WORK),
		memory_cycles(c) + translation_cycles(c, bytes) + (double)c->walk + steps * step +
			2 * (double)(c->penalty + NODE));
}

/* One chain alone, the base of the speed-up. */
static void one_chain(const struct judged *j)
{
	json_t *row = row_with(j, "mlp", "chains", "lanes", 1, "memory");
	double bytes = row ? param_of(row, "bytes") : 0, got = row ? number_of(row, "cycles") : 0;
	double cycles = memory_cycles(j->cpu) + translation_cycles(j->cpu, bytes);
	double room = j->cpu->nested.tables ? HOST_WALKS : ONE_CHAIN;

	if (row && param_of(row, "page_bytes") >= 2 << 20)
		tally_value(j->tally, "one_chain_cycles", cycles, got,
			j->cpu->nested.tables ? HOST_WALKS_TEXT : ONE_CHAIN_TEXT,
			fabs(got / cycles - 1) <= room / 100 ? NULL : "out of tolerance");
}

/* With a prefetch one round ahead, work on the nodes in memory never costs more. */
static void ahead(const struct judged *j, const char *name, const char *with, const char *without)
{
	unsigned n = 0, wrong = 0;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row) {
		double lanes = param_of(row, "lanes"), each = param_of(row, "work");
		double bytes = param_of(row, "bytes");
		json_t *other;
		size_t k;

		if (!is_row(row, "mlp", with) || !in_memory(j->cpu, row))
			continue;
		json_array_foreach(j->run->rows, k, other) {
			if (!is_row(other, "mlp", without) || param_of(other, "lanes") != lanes ||
				param_of(other, "work") != each ||
				param_of(other, "bytes") != bytes)
				continue;
			n++;
			if (number_of(row, "median") <= more(number_of(other, "median"), AHEAD))
				continue;
			wrong++;
			tally_wrong(j->tally, name,
				"%.0f chains, work %.0f: %.4g ns, %.4g without prefetch", lanes,
				each, number_of(row, "median"), number_of(other, "median"));
		}
	}
	if (n && !wrong)
		tally_right(j->tally, name, n, "rows");
}

/* Judge rows against one another. */
static void together_and_alone(const struct judged *j)
{
	one_chain(j);
	ahead(j, "mlp:prefetch", "prefetch", "work");
	ahead(j, "mlp:batch-ahead", "batch-prefetch", "batch-work");
}

static void expect_small_pages(struct expected_list *l, const struct cpu *c,
	const struct translated *t)
{
	double misses = parallel_misses_bound(c, t);
	double room = c->walk_loads ? SMALL_MISSES : SMALL_PAGES;

	expect(l, "parallel_misses_4k", misses,
		less(misses, room + BANK_MORE * (double)(c->banks - 1)), more(misses, room),
		c->banks > 1            ? "of banks"
			: c->walk_loads ? SMALL_MISSES_TEXT
					: SMALL_PAGES_TEXT);
}

static void expect_mlp(struct expected_list *l)
{
	const struct cpu *c = l->cpu;
	struct translated small = translated(c, memory_row_bytes(c), 4 << 10);
	struct translated large = translated(c, memory_row_bytes(c), 2 << 20);
	double misses = parallel_misses_bound(c, NULL),
	       most = sweep_is_coarsest(l) ? LANES_MOST_SMOKE : CLEARLY_TRIED * LANES_MOST;
	struct translated reach = translated(c, REACH, 2 << 20);
	double one = parallel_misses_bound(c, &reach); /* more: only one chain waits for a TLB */
	double far = parallel_misses_bound(c, &large);
	double banks = c->banks > 1 ? BANK_MORE * (double)(c->banks - 1) : 0;
	struct expected *both[2];
	unsigned i;

	both[0] = expect(l, "parallel_misses", misses, less(fmin(misses, one), banks) - MISSES,
		fmax(misses, one) + MISSES, banks > 0 ? "of banks" : "exact");
	both[1] = c->nested.tables
		? expect_percent(l, "parallel_misses_walk", far, HOST_MISSES, HOST_MISSES_TEXT)
		: expect(l, "parallel_misses_walk", far, less(far, banks) - MISSES, far + MISSES,
			  banks > 0 ? "of banks" : "exact");
	for (i = 0; i < 2; i++) {
		expect_maybe_none(both[i], misses > most, "too few chains are tried above it");
		expect_maybe_none(both[i], misses > HELD && 3 * misses + 66 > (double)c->window,
			"the window may be full first");
	}
	expect_small_pages(l, c, &small);
}

static const struct row_rule rules[] = {
	ROWS("chains", CYCLES, chains, .level = "memory"),
	ROWS("chains-reach", CYCLES, chains),
	ROWS("elements", CYCLES, elements),
	ROWS("elements-gib", CYCLES, elements),
	ROWS("elements-256-mib", CYCLES, elements),
	ROWS("elements-together", CYCLES, together),
	ROWS("elements-gib-together", CYCLES, together),
	ROWS("work", CYCLES, work, .level = "memory"),
	ROWS("batch", CYCLES, batch),
	ROWS("batch-work", CYCLES, batch_work),
	ROWS("batch-prefetch", CYCLES, batch_work),
};

static const struct sweep sweeps[] = {
	{ "chains", "lanes", .first = 1, .last = LANES_MOST, .step = 2, .ratio = 4 / 3.,
		.widest = 8, .level = "memory", .usual_pages_only = true },
	{ "chains-reach", "lanes", .first = 1, .last = LANES_MOST, .step = 2, .ratio = 4 / 3.,
		.widest = 8, .usual_pages_only = true },
	{ 0 },
};

static const struct row_unit units[] = { { "elements", "ns/load" }, { "", "ns/line" }, { 0 } };

const struct truth truth_mlp = {
	RULES(rules),
	.rows = together_and_alone,
	.expect = expect_mlp,
	.sweeps = sweeps,
	.units = units,
};
