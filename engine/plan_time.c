/* SPDX-License-Identifier: MIT */
#include "engine/answers.h"
#include "engine/plan_time.h"
#include "lib/math.h"

#define OF_ALL    ANSWERS /* in learned */
#define PRIOR_NS  1e6     /* of estimates: so much is not enough to learn from */
#define PACE_MOST 8       /* times an estimate, or a part of it: more is of these rows alone */

static void add(struct pace_of_rows *p, double estimated_ns, double took_ns)
{
	p->estimated_ns += estimated_ns;
	p->took_ns += took_ns;
}

/* Returns how many times its estimate a row takes; `before` where nothing was measured. */
static double pace(const struct pace_of_rows *p, double before)
{
	double times = (p->took_ns + before * PRIOR_NS) / (p->estimated_ns + PRIOR_NS);

	return math_clamp(times, 1. / PACE_MOST, PACE_MOST);
}

/* Rows of several CPUs wait for each other: no other row is as slow. */
void plan_learn(struct plan *p, const struct row *row, double took_ns)
{
	if (row->exact || row->replays || !(row->cost_ns > 0))
		return;
	add(&p->learned[row->answer], row->cost_ns, took_ns);
	if (!(row->needs & NEED_CPUS))
		add(&p->learned[OF_ALL], row->cost_ns, took_ns);
}

double plan_cost(const struct plan *p, const struct row *row)
{
	return row->exact
		? row->cost_ns
		: row->cost_ns * pace(&p->learned[row->answer], pace(&p->learned[OF_ALL], 1));
}

static double cost(const struct plan *p, unsigned at)
{
	return plan_cost(p, &p->rows[at]);
}

/* Rows that are still to be measured, as far as is known. */
static bool to_come(const struct plan *p, unsigned at)
{
	return !p->left_out[at] && !p->done[at] && (!p->waiting || p->rows[at].answer < p->waiting);
}

static bool worse(const struct plan *p, unsigned a, unsigned b)
{
	enum answer of = p->rows[a].answer, other = p->rows[b].answer;

	return of > other || (of == other && cost(p, a) > cost(p, b));
}

static bool same_set(const struct plan *p, unsigned a, unsigned b)
{
	return p->rows[a].set && p->rows[a].set == p->rows[b].set &&
		p->rows[a].probe == p->rows[b].probe;
}

/* Returns true if the others of its set rest on this row. */
static bool leads_set(const struct plan *p, unsigned at)
{
	return p->rows[at].set && (at == 0 || !same_set(p, at - 1, at));
}

/*
 * With a row go those that only show what it would have measured, and with the first row of a set
 * all others. Returns what they would have taken.
 */
static double leave_out(struct plan *p, unsigned at)
{
	bool leads = leads_set(p, at);
	unsigned i = at;
	double ns = 0;

	do {
		ns += to_come(p, i) ? cost(p, i) : 0;
		p->left_out[i++] = true;
	} while (i < p->n && (p->rows[i].replays || (leads && same_set(p, at, i))));
	return ns;
}

/* Returns true if other rows of the set that this one leads are to come. */
static bool is_needed(const struct plan *p, unsigned at)
{
	for (unsigned i = at + 1; leads_set(p, at) && i < p->n && same_set(p, at, i); i++)
		if (to_come(p, i) && !p->rows[i].replays)
			return true;
	return false;
}

/* The costliest row of an answer that is to come and that no other rests on; p->n: none. */
static unsigned costliest(const struct plan *p, unsigned first, enum answer answer)
{
	unsigned at = p->n;

	for (unsigned i = first; i < p->n; i++)
		if (to_come(p, i) && p->rows[i].answer == answer && !p->rows[i].replays &&
			(at == p->n || cost(p, i) > cost(p, at)) && !is_needed(p, i))
			at = i;
	return at;
}

/*
 * Leaves out an answer's costliest rows until none takes more than `each` and all that are to come,
 * `sum` together, no more than `ns`. Returns what these take.
 */
static double reduce(struct plan *p, unsigned first, enum answer answer, double sum, double ns,
	double each)
{
	unsigned at;

	while (sum > math_min(ns, each) && (at = costliest(p, first, answer)) < p->n &&
		(sum > ns || (cost(p, at) > each && !p->rows[at].exact)))
		sum -= leave_out(p, at);
	return sum > 0 ? sum : 0;
}

#define CORE_PART 0.6 /* of the time that is left, at most, for core answers before the others */

double plan_fit(struct plan *p, unsigned first, double ns, double row_most_ns, bool parts)
{
	double costs[ANSWERS] = { 0 }, left = ns > 0 ? ns : 0, sum = 0;
	bool exact[ANSWERS] = { false };
	double for_core = row_most_ns > 0 && !parts ? CORE_PART * left : left;

	for (unsigned i = first; i < p->n; i++)
		if (to_come(p, i)) {
			costs[p->rows[i].answer] += cost(p, i);
			exact[p->rows[i].answer] |= p->rows[i].exact;
		}
	for (unsigned a = 0; a < ANSWERS; a++) {
		bool core = answers[a].core, bounded = core && !exact[a];
		double each = core && row_most_ns > 0 ? row_most_ns : ns;
		bool whole = !core && !parts && costs[a] > left;

		costs[a] = reduce(p, first, a, costs[a],
			whole             ? 0
				: bounded ? math_min(left, for_core)
					  : left,
			each);
		left -= costs[a];
		for_core -= bounded ? costs[a] : 0;
		sum += costs[a];
	}
	return sum;
}

unsigned plan_most_wanted(const struct plan *p, unsigned first)
{
	unsigned at = p->n;

	for (unsigned i = first; i < p->n; i++)
		if (p->left_out[i] && !p->done[i] && !p->rows[i].replays &&
			(at == p->n || worse(p, at, i)))
			at = i;
	return at;
}

bool plan_bring_back(struct plan *p, unsigned first)
{
	bool any = false;

	for (unsigned i = first; i < p->n; i++)
		if (!p->done[i]) {
			any |= p->left_out[i];
			p->left_out[i] = false;
		}
	return any;
}

#define FAIR  1.5   /* times its estimate: about 15, where others are left out */
#define CHEAP 0.001 /* of the time that is left: a row that takes no more has enough at once */

double plan_share(const struct plan *p, unsigned first, unsigned at, double left_ns,
	double planned_ns)
{
	double own = cost(p, at), spare = left_ns - planned_ns, share;
	unsigned rows = 0, out = 0;

	if (left_ns >= PLAN_ENDLESS)
		return PLAN_ENOUGH * own;

	for (unsigned i = first; i < p->n; i++) {
		rows += to_come(p, i);
		out += p->left_out[i];
	}
	share = own + (spare > 0 && rows ? spare / rows : 0);
	if (p->waiting)
		share = math_min(share, PLAN_ENOUGH * own);
	if (out)
		share = math_min(share, FAIR * own);
	return own <= CHEAP * left_ns ? math_max(share, PLAN_ENOUGH * own) : share;
}
