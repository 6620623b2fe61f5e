/* SPDX-License-Identifier: MIT */
/*
 * Chases in random order beyond L1, several elements to a line, in small pages, and through one
 * set: closed forms of what LRU holds.
 */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/row_rules.h"
#include "tests/kam/judge/walk_cost.h"

#define SMALL 4096 /* bytes of a page */

enum { POINTER = 0, INDEX = 1, PADDED = 2 /* to a line, which takes a shift */ };

/* So many times a level, nothing is found there; in 1 / WITHIN of it, all. */
#define CLEAR      1.5
#define CLEAR_PLRU 4 /* which keeps some lines of what is larger */
#define WITHIN     1.1

/*
 * The share of loads that a cache misses which holds 1/r of the lines, each with `each` elements,
 * all visited in one random order again and again. A line is there if fewer others than it holds
 * came since its last visit. Of a round's time x, (1 - x)^each of the lines are not visited, and
 * the last visit is longer ago than x with (1 - x)^(each - 1).
 */
static double missed(double r, double each)
{
	return r <= 1 ? 0 : pow(1 - 1 / r, (each - 1) / each);
}

/* Elements of so many bytes. What L2 lacks comes with the line that makes a pair with it. */
static double mean_cycles(const struct cpu *c, double bytes, double element)
{
	double left = 1, sum = 0;
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++) {
		double together = (double)c->line * (i && c->adjacent ? 2 : 1);
		double each = fmax(1, together / element);
		double goes_on = fmin(left, missed(bytes / level_holds(c, i), each));

		sum += (left - goes_on) * level_latency(c, i);
		left = goes_on;
	}
	return sum + left * level_latency(c, i);
}

/* Whether what is read in no order may yet be followed. */
static bool followed(const struct cpu *c)
{
	return c->stream != STREAM_OFF || c->next_page || c->ip_stride;
}

/* Whether a level holds it well, no level above does, and chance is not all there is. */
static bool clear_of_edges(const struct cpu *c, double bytes)
{
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++) {
		double held = level_holds(c, i);
		double clear = c->level[i].policy == POLICY_LRU ? CLEAR : CLEAR_PLRU;

		if (c->level[i].policy == POLICY_RANDOM || c->level[i].hash != HASH_NONE ||
			(bytes > held / WITHIN && bytes < held * clear))
			return false;
		if (bytes <= held)
			return true;
	}
	return !c->row_bytes && !followed(c);
}

/* Neighbours of a line are elements, too: beyond L2 a prefetcher brings some by chance. */
static struct wanted elements(const struct judged *j, json_t *row, unsigned how)
{
	const struct cpu *c = j->cpu;
	double bytes = param_of(row, "bytes"), element = how & PADDED ? 64 : 8, cycles;
	double beside = (how & INDEX ? (double)c->indexed : 0) + (how & PADDED ? 1 : 0);

	if (!undisturbed(c) || param_of(row, "page_bytes") != 2 << 20 || level_of(c, row) < 1 ||
		!clear_of_edges(c, bytes) || (followed(c) && bytes > level_holds(c, 1)))
		return anything();
	cycles = mean_cycles(c, bytes, element) + beside;
	return between(less(cycles, FORMULA_BY_CHANCE),
		more(cycles + translation_cycles(c, bytes), FORMULA_BY_CHANCE));
}

/* The curve, and all of it in small pages. Nothing of a line but one node is used. */
static struct wanted padded(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double bytes = param_of(row, "bytes"), page = param_of(row, "page_bytes");
	double cycles = mean_cycles(c, bytes, number_of(j->run->run, "node_bytes")), walks;

	if (!undisturbed(c) || !clear_of_edges(c, bytes))
		return anything();
	if (page == 2 << 20)
		walks = translation_cycles(c, bytes);
	else if (page == SMALL && !c->walk_loads)
		walks = small_page_cycles(c, bytes);
	else
		return anything();
	return between(less(cycles + (page == SMALL ? walks : 0), LATENCY),
		more(cycles + walks, LATENCY) + CURVE_CYCLES);
}

/*
 * The share of lines, `apart` from one to the next, that a level does not hold: of its sets, some
 * get one line more than others, and a set with more lines than ways has none when it is asked.
 */
static double outside(const struct cpu *c, unsigned level, double lines, double apart)
{
	double ways = (double)c->level[level].ways;
	double sets = fmax(1, (double)c->level[level].bytes / ways / apart);
	double each = floor(lines / sets), fuller = lines - each * sets;
	double out = (each + 1 > ways ? fuller * (each + 1) : 0) +
		(each > ways ? (sets - fuller) * each : 0);

	return out / lines;
}

/* Whether a level's sets tell where lines lie that are a power of two apart. */
static bool plain_sets(const struct cpu *c, unsigned level)
{
	double way = (double)c->level[level].bytes / (double)c->level[level].ways;

	return !soft_edge(c, level) && exp2(round(log2(way))) == way;
}

/* Up to the ways of L1 all are there, however it replaces. */
static struct wanted one_set(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double lines = param_of(row, "ways"), apart = param_of(row, "stride_bytes");
	double left = 1, sum = 0;
	unsigned i;

	if (!undisturbed(c))
		return anything();
	if (lines <= (double)c->level[0].ways)
		return within(level_latency(c, 0), LATENCY);
	if (prefetches(c) || c->row_bytes)
		return anything();
	for (i = 0; i < cpu_levels(c); i++) {
		double goes_on = plain_sets(c, i) ? outside(c, i, lines, apart) : NAN;

		sum += (left - goes_on) * level_latency(c, i);
		left = goes_on;
		if (left == 0)
			break;
	}
	sum += left * level_latency(c, i);
	return isnan(sum) ? anything() : within(sum, LATENCY);
}

/* A set for each line, in one large page or two. */
static struct wanted own_sets(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;

	if (!undisturbed(c) || c->level[0].hash != HASH_NONE || c->line > 64)
		return anything();
	return within(level_latency(c, 0), LATENCY);
}

/* The control of `tlb`: as many nodes as pages, side by side. */
static struct wanted control(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double node = number_of(j->run->run, "node_bytes");
	double bytes = param_of(row, "pages") * node, cycles = mean_cycles(c, bytes, node);
	bool small = param_of(row, "page_bytes") == SMALL;
	double walks = small ? small_page_cycles(c, bytes) + CROWDED : translation_cycles(c, bytes);

	if (!undisturbed(c) || !clear_of_edges(c, bytes))
		return anything();
	return between(less(cycles, LATENCY), more(cycles + walks, LATENCY));
}

/* The nodes all over the pages: the control and the cost, in ns: a cost of 0 has no cycles. */
static struct wanted spread(const struct judged *j, json_t *row, unsigned of)
{
	json_t *params = json_object_get(row, "params"), *other;
	double both = 0, room = SECOND_HIT * 1e9 / (double)j->cpu->hz;
	unsigned found = 0;
	size_t i;

	if (!undisturbed(j->cpu) || j->cpu->walk_loads)
		return anything();
	json_array_foreach(j->run->rows, i, other) {
		if ((is_row(other, "tlb", "cost") || is_row(other, "tlb", "control")) &&
			json_equal(json_object_get(other, "params"), params)) {
			both += number_of(other, "median");
			found++;
		}
	}
	return found == 2 ? between(less(both, OF_TWO_ROWS) - room, more(both, OF_TWO_ROWS) + room)
			  : anything();
}

/* What the entry of the upper table takes, in ns, of so many pages that each is walked for. */
static struct wanted upper(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double pages = param_of(row, "pages"), page = param_of(row, "page_bytes");
	double second = (double)(page < (2 << 20) ? c->stlb : stlb_2m_entries(c));
	struct walk_cost w = upper_cost(c);
	double ns = 1e9 / (double)c->hz;
	double room = c->walk_loads ? UPPER_LOADED : UPPER;

	if (!undisturbed(c) || pages < 2 * second)
		return anything();
	return between((w.low - room) * ns, (w.high + room) * ns);
}

void judge_chase_rows(const struct judged *j)
{
	static const struct row_rule rules[] = {
		ROWS_AS("latency:pointer beyond L1", "latency", "pointer", CYCLES, elements,
			POINTER),
		ROWS_AS("latency:index beyond L1", "latency", "index", CYCLES, elements, INDEX),
		ROWS_AS("latency:index-checked beyond L1", "latency", "index-checked", CYCLES,
			elements, INDEX),
		ROWS_AS("latency:index-padded beyond L1", "latency", "index-padded", CYCLES,
			elements, INDEX | PADDED),
		ROWS_AS("latency:pointer-padded curve", "latency", "pointer-padded", CYCLES,
			padded),
		ROWS("ways", "same-set", CYCLES, one_set),
		ROWS("ways", "same-index", CYCLES, one_set),
		ROWS("ways", "same-pages", CYCLES, own_sets),
		ROWS("tlb", "control", CYCLES, control),
		ROWS("tlb", "spread", MEDIAN, spread),
		ROWS("tlb", "upper", MEDIAN, upper),
	};

	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
