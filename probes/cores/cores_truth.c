/* SPDX-License-Identifier: MIT */
/* Rows of `cores`: lines handed over, memory by node, several cores together, each by itself. */
#include <math.h>
#include <string.h>

#include "engine/options.h"
#include "engine/plan.h"
#include "lib/result_keys.h"
#include "tests/kam/cpu/chip.h"
#include "tests/kam/judge/cores_bound.h"
#include "tests/kam/judge/pair_oracle.h"
#include "tests/kam/judge/truth.h"

TOLERANCE(ALL_READ, 2, "%", "as RATE, of which it is the largest row")
TOLERANCE(HOP, 3, "%", "the two polls do not begin together")
TOLERANCE(FAR_LATENCY, 2, "%", "the first loads may find lines of the row before")
TOLERANCE(RATE, 2, "%", "of reads, and above a bound: the row's first and last lines")
TOLERANCE(ALONE, 6, "%", "one CPU that writes: its walk is cut into calls of 256 KiB; seen: 5.1")
TOLERANCE(WRITTEN, 10, "%",
	"below what several could: their write-backs and fills meet in many orders")
TOLERANCE(LOADED, 15, "%", "a queue at full load: lines do not queue evenly")

#define WIDE 16 /* bytes of an access */

static unsigned number(json_t *row, const char *name)
{
	double v = param_of(row, name);

	return v >= 0 && v <= CORES_MOST ? (unsigned)v : 0;
}

static double ns(const struct cpu *c, double cycles)
{
	return cycles * 1e9 / (double)c->hz;
}

static double gbs(const struct cpu *c, double bytes_per_cycle)
{
	return bytes_per_cycle * (double)c->hz / 1e9;
}

static struct wanted bounce(const struct judged *j, json_t *row, unsigned of)
{
	double cycles = hop_cycles(j->chip, number(row, "cpu_a"), number(row, "cpu_b"));

	return within(ns(j->chip, cycles), HOP);
}

static struct wanted latency_of_node(const struct judged *j, json_t *row, unsigned of)
{
	unsigned cpu = number(row, "cpu_node"), memory = number(row, "memory_node");

	return within(ns(j->chip, node_latency(j->chip, cpu, memory)), FAR_LATENCY);
}

static struct wanted read_of_node(const struct judged *j, json_t *row, unsigned of)
{
	unsigned cpu = number(row, "cpu_node"), memory = number(row, "memory_node");

	return within(gbs(j->chip, node_read(j->chip, cpu, memory)), RATE);
}

static struct wanted read_of_node_by_all(const struct judged *j, json_t *row, unsigned of)
{
	unsigned cpu = number(row, "cpu_node"), memory = number(row, "memory_node");

	return within(gbs(j->chip, node_read_all(j->chip, cpu, memory)), RATE);
}

static struct wanted clock(const struct judged *j, json_t *row, unsigned of)
{
	return within((double)j->chip->hz / 1e9, CLOCK);
}

static struct wanted of_level(const struct judged *j, json_t *row, unsigned level)
{
	return within(ns(j->chip, level_latency(j->chip, level)), LATENCY);
}

/* The first CPUs, reading: bounded by the channels and the buffers. */
static struct wanted reads(const struct judged *j, json_t *row, unsigned of)
{
	return within(gbs(j->chip, cores_bound(j->chip, number(row, "cpus"), 1, 0)), RATE);
}

/*
 * Streams that write: write-backs compete with fills. One CPU alone is as fast as the timing
 * model's bare accesses; of several on a node none may be missing until the channel is nearly full.
 */
static struct wanted streams(const struct judged *j, json_t *row, double reads, double writes,
	struct stream_rate alone)
{
	const struct cpu *c = j->chip;
	unsigned n = number(row, "cpus");
	double most = more(cores_bound(c, n, reads, writes), RATE);
	double least = less(cores_least(c, n, reads, writes, alone.low), WRITTEN);

	if (n == 1)
		return between(gbs(c, less(alone.low, ALONE)),
			gbs(c, fmin(most, more(alone.high, ALONE))));
	return between(gbs(c, least), gbs(c, most));
}

static struct wanted writes(const struct judged *j, json_t *row, unsigned kind)
{
	return streams(j, row, kind == STREAM_COPY, 1,
		stream_oracle(j->chip, kind, cores_far_bytes(j->chip), WIDE));
}

static struct wanted mix(const struct judged *j, json_t *row, unsigned reads)
{
	return streams(j, row, reads, 1, mix_oracle(j->chip, reads, cores_far_bytes(j->chip)));
}

/*
 * The latency: alone, memory's; under full load, that of a queue of the lines that the buffers hold
 * or, with prefetchers, of up to those that the windows ask for; with pauses, between these.
 */
static struct wanted loaded(const struct judged *j, json_t *row, unsigned of)
{
	unsigned n = number(row, "cpus");
	double idle = ns(j->chip, (double)j->chip->memory_latency);
	double full = ns(j->chip, loaded_latency(j->chip, n, false));
	double most = ns(j->chip, loaded_latency(j->chip, n, true));

	if (n <= 1)
		return within(idle, FAR_LATENCY);
	if (param_of(row, "pause_ns") > 0)
		return between(less(idle, FAR_LATENCY), more(most, LOADED));
	return between(less(full, LOADED), more(most, LOADED));
}

/*
 * Returns the rows that a variant must have: two, for one CPU and for all of them, unless a case
 * below says otherwise.
 */
static unsigned least(const struct cpu *c, const char *variant)
{
	unsigned cpus = (unsigned)c->cpus;

	if (!strcmp(variant, "bounce"))
		return cpus * (cpus - 1) / 2;
	if (!strncmp(variant, "cpu-", 4))
		return cpus;
	if (!strcmp(variant, "node-read-all") && c->nodes == 1)
		return 0;
	if (!strncmp(variant, "node-", 5))
		return (unsigned)(c->nodes * c->nodes);
	return 2;
}

/* All rows that were asked for are there, but for those that were left out for want of time. */
static void judge_complete(const struct judged *j, const char *variant)
{
	unsigned found = 0;
	json_t *row;
	size_t i;

	if (!variant_selected(text_of(j->run->run, "probes"), "cores", variant))
		return;
	json_array_foreach(j->run->rows, i, row)
		found += is_row(row, "cores", variant);
	if (found < least(j->chip, variant))
		tally_wrong(j->tally, variant, "%u rows, at least %u were asked for", found,
			least(j->chip, variant));
}

/* Memory is memory only where the last caches of those CPUs cannot hold it. */
static void judge_size(const struct judged *j, const char *variant)
{
	const struct cpu *c = j->chip;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row) {
		unsigned n = number(row, "cpus"), domains = n ? cpu_domain_of(c, n - 1) + 1 : 1;
		double held = (double)(domains * c->level[2].bytes);

		if (is_row(row, "cores", variant) && n && param_of(row, "bytes") < CORES_FAR * held)
			tally_wrong(j->tally, variant,
				"%.0f bytes, called memory, of %u CPUs with last caches of %.0f",
				param_of(row, "bytes"), n, held);
	}
}

#define SEVERAL (-1) /* nodes, of the memory of a row */

/*
 * Returns the node of the memory that a row must use. Rows of `cores` add the CPUs in their order,
 * each with memory of its node.
 */
static int node_wanted(const struct cpu *c, json_t *row)
{
	unsigned cpus = number(row, "cpus");
	const char *variant = text_of(row, KEY_VARIANT);

	if (strcmp(text_of(row, KEY_PROBE), "cores"))
		return (int)c->arena_node;
	if (param_of(row, "memory_node") >= 0)
		return (int)number(row, "memory_node");
	if (!strcmp(variant, "bounce"))
		return (int)cpu_node_of_domain(c, cpu_domain_of(c, number(row, "cpu_a")));
	if (cpus)
		return cpu_node_of_domain(c, cpu_domain_of(c, cpus - 1)) ? SEVERAL : 0;
	return (int)c->arena_node;
}

/*
 * Returns the node that a row names. A row without `node` has memory on the run line's arena_node
 * (docs/format.md).
 */
static int node_found(const struct judged *j, json_t *row)
{
	json_t *node = json_object_get(row, KEY_NODE);

	if (json_is_null(node))
		return SEVERAL;
	if (!node)
		node = json_object_get(j->run->run, KEY_ARENA_NODE);
	return (int)json_integer_value(node);
}

static void judge_memory(const struct judged *j)
{
	unsigned right = 0;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row) {
		int wanted = node_wanted(j->chip, row), found = node_found(j, row);

		right += wanted == found;
		if (wanted != found)
			tally_wrong(j->tally, text_of(row, KEY_VARIANT),
				"row %zu: its memory is on node %d, the row says %d", i, wanted,
				found);
	}
	if (right == json_array_size(j->run->rows))
		tally_right(j->tally, "node of each row's memory", right, "rows");
}

static const struct row_rule rules[] = {
	ROWS("bounce", MEDIAN, bounce),
	ROWS("read", MEDIAN, reads),
	ROWS("write", MEDIAN, writes, STREAM_WRITE),
	ROWS("copy", MEDIAN, writes, STREAM_COPY),
	ROWS("mix-3-1", MEDIAN, mix, 3),
	ROWS("mix-2-1", MEDIAN, mix, 2),
	ROWS("mix-1-1", MEDIAN, mix, 1),
	ROWS("loaded-latency", MEDIAN, loaded),
	ROWS("cpu-clock", MEDIAN, clock),
	ROWS("cpu-l1", MEDIAN, of_level, 0),
	ROWS("cpu-l2", MEDIAN, of_level, 1),
	ROWS("node-latency", MEDIAN, latency_of_node),
	ROWS("node-read", MEDIAN, read_of_node),
	ROWS("node-read-all", MEDIAN, read_of_node_by_all),
};

static void rows(const struct judged *j)
{
	if (j->chip->cpus == 1)
		return;
	if (j->chip->nodes > 1)
		judge_memory(j);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		judge_complete(j, rules[i].variant);
		if (j->chip->level[2].bytes && strcmp(rules[i].variant, "loaded-latency"))
			judge_size(j, rules[i].variant);
	}
}

/* Expect the times of the nearest and of the farthest pair. */
static void expect_handover(struct expected_list *l)
{
	double least = INFINITY, most = 0;

	for (unsigned i = 0; i < (unsigned)l->chip->cpus; i++)
		for (unsigned k = i + 1; k < (unsigned)l->chip->cpus; k++) {
			double hop = ns(l->chip, hop_cycles(l->chip, i, k));

			least = fmin(least, hop);
			most = fmax(most, hop);
		}
	expect_percent(l, "handover_ns", least, HOP, HOP_TEXT);
	expect_percent(l, "handover_most_ns", most, HOP, HOP_TEXT);
}

/* Expect the rate at which all CPUs read, and how long a line takes. */
static void expect_cores(struct expected_list *l)
{
	const struct cpu *c = l->chip;

	if (c->cpus > 1)
		expect_handover(l);
	if (c->cpus > 1)
		expect_percent(l, "memory_read_gbs",
			cores_bound(c, (unsigned)c->cpus, 1, 0) * (double)c->hz / 1e9, ALL_READ,
			ALL_READ_TEXT);
}

const struct truth truth_cores = { RULES(rules), .rows = rows, .expect = expect_cores };
