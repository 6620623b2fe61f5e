/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/plan.h"
#include "engine/bench.h"
#include "lib/ensure.h"
#include "lib/text.h"
#include "engine/claims.h"
#include "engine/emit.h"
#include "lib/math.h"
#include "engine/levels.h"
#include "engine/options.h"
#include "engine/probe_api.h"

/* Which rows repeat the experiments of a source: docs/sources.md. */

/*
 * By source: entries "probe:variant name=values ...", or "probe" for all of its variants, each
 * ended by ';'. Values are separated by ','; a..b is a, 2 a, 4 a ... b.
 */
static const char *const source_rows[SOURCES] = {
#define SOURCE(letter, rows) [SOURCE_##letter] = rows,
#include "engine/source_rows.inc"
#undef SOURCE
};

/* A part of the text of an entry. */
struct part {
	const char *at, *end;
};

/* Cuts off what comes before the next `mark`. */
static struct part cut(struct part *from, char mark)
{
	struct part first = { from->at, from->at };

	while (first.end < from->end && *first.end != mark)
		first.end++;
	from->at = first.end + (first.end < from->end);
	return first;
}

static bool is_word(struct part p, const char *word)
{
	size_t n = (size_t)(p.end - p.at);

	return strlen(word) == n && memcmp(p.at, word, n) == 0;
}

/* The whole number at the begin of p, which is moved behind it. */
static double take_number(struct part *p)
{
	double x = 0;

	while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
		x = 10 * x + (*p->at++ - '0');
	return x;
}

static bool in_values(struct part values, double x)
{
	while (values.at < values.end) {
		struct part one = cut(&values, ',');
		double low = take_number(&one), high = low;

		if (one.at < one.end) {
			one.at += 2; /* ".." */
			high = take_number(&one);
		}
		for (; low <= high && low > 0; low *= 2)
			if (low == x)
				return true;
		if (low == 0 && x == 0)
			return true;
	}
	return false;
}

static bool has_level(struct part values, const char *level)
{
	while (level && values.at < values.end)
		if (is_word(cut(&values, ','), level))
			return true;
	return false;
}

/* One "name=values" of an entry. */
static bool keeps(struct part condition, const struct row *row)
{
	struct part name = cut(&condition, '=');
	double x = NOT_A_NUMBER;

	if (is_word(name, "level"))
		return has_level(condition, row->level);
	if (is_word(name, "page_bytes"))
		x = (double)row->page_bytes;
	for (unsigned i = 0; i < row->nparams; i++)
		if (is_word(name, row->params[i].name))
			x = row->params[i].value;
	return in_values(condition, x);
}

/* row NULL: any row of the probe. */
static bool in_entry(struct part entry, const char *probe, const struct row *row)
{
	struct part variant = cut(&entry, ' ');

	if (!is_word(cut(&variant, ':'), probe))
		return false;
	if (!row || variant.at == variant.end)
		return true;
	if (!is_word(variant, row->variant))
		return false;
	while (entry.at < entry.end)
		if (!keeps(cut(&entry, ' '), row))
			return false;
	return true;
}

/* Whether this row does: its variant, at a point at which the source has one. */
static bool source_has_row(uint64_t source, const char *probe, const struct row *row)
{
	struct part all = { source_rows[source],
		source_rows[source] + strlen(source_rows[source]) };

	while (all.at < all.end)
		if (in_entry(cut(&all, ';'), probe, row))
			return true;
	return false;
}

/* Whether any row of the probe belongs to the source. */
static bool source_has_probe(uint64_t source, const char *probe)
{
	return source_has_row(source, probe, NULL);
}

static const struct answer_facts {
	enum profile profile; /* the smallest that answers it */
	bool core;
	const char *what;
} answers[ANSWERS] = {
#define ANSWER(symbol, profile, what)      { PROFILE_##profile, false, what },
#define CORE_ANSWER(symbol, profile, what) { PROFILE_##profile, true, what },
#include "engine/answers.inc"
#undef CORE_ANSWER
#undef ANSWER
};

const char *answer_text(enum answer answer)
{
	return answers[answer].what;
}

static struct row *append(struct bench *b, const struct row *row)
{
	struct plan *p = b->plan;
	struct row new = *row;

	new.probe = b->probe;
	new.needs |= b->probe->needs;
	if (p->n == PLAN_ROWS) {
		if (!p->tried)
			emit_skip(b, b->probe, &new, NULL, "the table of rows is full");
		return NULL;
	}
	p->rows[p->n] = new;
	p->left_out[p->n] = p->done[p->n] = false;
	return &p->rows[p->n++];
}

bool probe_asked_for(const struct options *opt, const struct probe *probe)
{
	return probe_selected(opt->probes, probe->name) &&
		(!opt->source || source_has_probe(opt->source, probe->name));
}

/* What others rest on is measured whole, though nothing of its probe was asked for. */
static bool asked_for(const struct bench *b, const struct row *row)
{
	const char *list = b->opt->probes, *probe = b->probe->name;

	if (!probe_asked_for(b->opt, b->probe))
		return true;
	return variant_selected(list, probe, row->variant) &&
		(!b->opt->source || source_has_row(b->opt->source, probe, row));
}

static bool same_params(const struct row *a, const struct row *b)
{
	for (unsigned i = 0; i < b->nparams; i++)
		if (row_get(a, b->params[i].name, NOT_A_NUMBER) != b->params[i].value)
			return false;
	return true;
}

/* Whether such a row has been planned: what became of it is known. */
static bool is_planned(const struct bench *b, const struct row *row)
{
	const struct plan *p = b->plan;

	for (unsigned i = 0; i < p->n; i++)
		if (p->rows[i].probe == b->probe && p->rows[i].page_bytes == row->page_bytes &&
			strcmp(p->rows[i].variant, row->variant) == 0 &&
			same_params(&p->rows[i], row))
			return true;
	return false;
}

/* Whether a row is of the profile; what was asked for by name always is. */
static bool of_profile(struct bench *b, enum answer answer)
{
	bool of = b->opt->probes[0] || b->opt->source || answers[answer].profile <= b->opt->profile;

	if (!of && !b->plan->tried && !b->bisecting)
		b->plan->beyond[answer]++;
	return of;
}

void plan_add(struct bench *b, const struct row *row)
{
	struct row *one, *twin, without = *row;

	without.answer = answers[row->answer].core ? ANSWER_NO_PREFETCH : ANSWER_NO_PREFETCH_MORE;
	if (!asked_for(b, row) || (b->bisecting && is_planned(b, row)) ||
		!of_profile(b, row->answer))
		return;
	one = append(b, row);
	if (!one || b->opt->prefetch != PREFETCH_BOTH || !(b->probe->needs & BY_PREFETCH))
		return;
	row_param(one, "prefetch", 1);
	if (b->bisecting) /* nothing is inferred from the twin */
		return;
	if (!of_profile(b, without.answer))
		return;
	twin = append(b, &without);
	if (!twin)
		return;
	row_param(twin, "prefetch", 0);
	twin->no_prefetch = true;
	if (b->prefetch.why)
		twin->cost_ns = 0; /* it is skipped */
}

static void set_param(struct row *row, const char *name, double value)
{
	for (unsigned i = 0; i < row->nparams; i++)
		if (strcmp(row->params[i].name, name) == 0) {
			row->params[i].value = value;
			return;
		}
	row_param(row, name, value);
}

/* Whether two rows measure the same, `again` and the canonical level aside. */
static bool measures_the_same(const struct row *a, const struct row *b)
{
	if (a->probe != b->probe || a->page_bytes != b->page_bytes ||
		a->no_prefetch != b->no_prefetch || strcmp(a->variant, b->variant) != 0)
		return false;
	for (unsigned i = 0; i < a->nparams; i++)
		if (strcmp(a->params[i].name, PARAM_AGAIN) != 0 &&
			row_get(b, a->params[i].name, NOT_A_NUMBER) != a->params[i].value)
			return false;
	return true;
}

bool plan_repeat(struct bench *b, const struct row *row, unsigned most)
{
	struct plan *p = b->plan;
	struct row repeat = *row;
	unsigned times = 0;

	for (unsigned i = 0; i < p->n; i++)
		times += (!p->left_out[i] || p->rows[i].remeasured) &&
			measures_the_same(row, &p->rows[i]);
	if (times > most || p->n == PLAN_ROWS)
		return false;
	repeat.level = NULL;
	repeat.remeasured = times;
	set_param(&repeat, PARAM_AGAIN, times);
	p->rows[p->n] = repeat;
	p->left_out[p->n] = p->done[p->n] = false;
	p->n++;
	return true;
}

struct row row_new(const char *variant, const struct unit *unit, enum answer answer,
	int (*prepare)(struct bench *, const struct row *, struct job *))
{
	return (struct row){
		.variant = variant, .unit = unit, .answer = answer, .prepare = prepare
	};
}

void row_param(struct row *row, const char *name, double value)
{
	ensure(row->nparams < ROW_PARAMS);
	row->params[row->nparams++] = (struct param){ name, value };
}

double row_get(const struct row *row, const char *name, double missing)
{
	for (unsigned i = 0; i < row->nparams; i++)
		if (strcmp(row->params[i].name, name) == 0)
			return row->params[i].value;
	return missing;
}

static bool has_params(const struct row *row, const struct param *params, unsigned nparams)
{
	for (unsigned i = 0; i < nparams; i++)
		if (row_get(row, params[i].name, -1) != params[i].value)
			return false;
	return true;
}

const struct result *find_row(const struct bench *b, const char *variant,
	const struct param *params, unsigned nparams)
{
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct row *row = b->results[i].row;

		if (row->probe == b->probe && strcmp(row->variant, variant) == 0 &&
			has_params(row, params, nparams))
			return &b->results[i];
	}
	return NULL;
}

unsigned sweep_fractions(const struct bench *b, double out[SWEEP_MOST])
{
	static const double all[SWEEP_MOST] = { 1.0, 1.189207115, 1.414213562, 1.681792831 };
	static const unsigned strides[] = {
		[PROFILE_SMOKE] = 4, [PROFILE_DEFAULT] = 2, [PROFILE_FULL] = 1
	};
	unsigned n = 0;

	for (unsigned i = 0; i < SWEEP_MOST; i += strides[b->opt->profile])
		out[n++] = all[i];
	return n;
}

/* One point of each `stride` that the profile has in an octave, or one. */
static unsigned sweep_by(const struct bench *b, unsigned stride, uint64_t from, uint64_t to,
	uint64_t round, uint64_t out[SIZES_MOST])
{
	double fractions[SWEEP_MOST];
	unsigned n = 0, points = sweep_fractions(b, fractions);
	bool buffers = round > 1; /* counts have a grain of 1; the user's bounds are of buffers */

	if (buffers && b->opt->smallest > from)
		from = b->opt->smallest;
	if (buffers && b->opt->largest && b->opt->largest < to)
		to = b->opt->largest;
	for (uint64_t octave = from; octave <= to; octave *= 2) {
		for (unsigned i = 0; i < points; i += stride) {
			uint64_t size = (uint64_t)((double)octave * fractions[i]);

			size = (size + round / 2) / round * round;
			if (size > to)
				return n;
			if (size && (n == 0 || size > out[n - 1])) {
				ensure(n < SIZES_MOST);
				out[n++] = size;
			}
		}
	}
	return n;
}

unsigned sweep(const struct bench *b, uint64_t from, uint64_t to, uint64_t round,
	uint64_t out[SIZES_MOST])
{
	return sweep_by(b, 1, from, to, round, out);
}

unsigned sweep_coarse(const struct bench *b, uint64_t from, uint64_t to, uint64_t round,
	uint64_t out[SIZES_MOST])
{
	return sweep_by(b, 2, from, to, round, out);
}

uint64_t sweep_limit(const struct bench *b)
{
	uint64_t limit = GIB, memory = b->room->facts.memory_bytes / 4;
	uint64_t arena = b->arena.bytes / 8 * 7, claimed;

	claims_data_caches(b->room, &claimed);
	if (4 * claimed > limit)
		limit = 4 * claimed;
	if (memory && memory < limit)
		limit = memory;
	return arena < limit ? arena : limit;
}

/* Rows that are still to be measured, as far as is known. */
static bool to_come(const struct plan *p, unsigned at)
{
	return !p->left_out[at] && !p->done[at];
}

static bool worse(const struct row *a, const struct row *b)
{
	return a->answer > b->answer || (a->answer == b->answer && a->cost_ns > b->cost_ns);
}

/* With a row go those that only show what it would have measured. */
static void leave_out(struct plan *p, unsigned at)
{
	do
		p->left_out[at++] = true;
	while (at < p->n && p->rows[at].replays);
}

/* The costliest row of an answer that is to come; p->n: there is none. */
static unsigned costliest(const struct plan *p, unsigned first, enum answer answer)
{
	unsigned at = p->n;

	for (unsigned i = first; i < p->n; i++)
		if (to_come(p, i) && p->rows[i].answer == answer && !p->rows[i].replays &&
			(at == p->n || p->rows[i].cost_ns > p->rows[at].cost_ns))
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
		(sum > ns || (p->rows[at].cost_ns > each && !p->rows[at].exact))) {
		sum -= p->rows[at].cost_ns;
		leave_out(p, at);
	}
	return sum > 0 ? sum : 0;
}

#define CORE_PART 0.6 /* of the time that is left, at most, for core answers before the others */

double plan_fit(struct plan *p, unsigned first, double ns)
{
	double costs[ANSWERS] = { 0 }, left = ns > 0 ? ns : 0, sum = 0;
	bool exact[ANSWERS] = { false };
	double for_core = p->row_most_ns > 0 && !p->parts ? CORE_PART * left : left;

	for (unsigned i = first; i < p->n; i++)
		if (to_come(p, i)) {
			costs[p->rows[i].answer] += p->rows[i].cost_ns;
			exact[p->rows[i].answer] |= p->rows[i].exact;
		}
	for (unsigned a = 0; a < ANSWERS; a++) {
		bool core = answers[a].core, bounded = core && !exact[a];
		double each = core && p->row_most_ns > 0 ? p->row_most_ns : ns;
		bool whole = !core && !p->parts && costs[a] > left;

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
			(at == p->n || worse(&p->rows[at], &p->rows[i])))
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

#define ENOUGH 3     /* times its estimate, which is for the fewest samples: more than 15 */
#define FAIR   1.5   /* times its estimate: about 15, where others are left out */
#define CHEAP  0.001 /* of the time that is left: a row that takes no more has enough at once */

double plan_share(const struct plan *p, unsigned first, unsigned at, double left_ns,
	double planned_ns)
{
	double cost = p->rows[at].cost_ns, spare = left_ns - planned_ns, share;
	unsigned rows = 0, out = 0;

	if (left_ns >= PLAN_ENDLESS)
		return ENOUGH * cost;

	for (unsigned i = first; i < p->n; i++) {
		rows += to_come(p, i);
		out += p->left_out[i];
	}
	share = cost + (spare > 0 && rows ? spare / rows : 0);
	if (out)
		share = math_min(share, FAIR * cost);
	return cost <= CHEAP * left_ns ? math_max(share, ENOUGH * cost) : share;
}

#define NODE 64 /* bytes, as good as any: nothing is measured */

/* In room->work, which no run uses yet. */
struct planning {
	struct bench bench;
	struct plan plan;
	struct options probes; /* one name of the list */
};

#define PLANNING_BYTES ((sizeof(struct planning) + PAGE_4K - 1) / PAGE_4K * PAGE_4K)

static int begin(struct planning *p, struct room *room, const struct options *opt)
{
	struct bench *b = &p->bench;

	memset(p, 0, sizeof *p);
	b->room = room;
	b->opt = opt;
	b->plan = &p->plan;
	b->plan->tried = true;
	b->node_bytes = NODE;
	b->work.base = room->work + PLANNING_BYTES;
	b->work.bytes = room->work_bytes - PLANNING_BYTES;
	random_seed(&b->random, opt->seed);
	return bench_arena(b, common_page(b), &b->arena);
}

static void plan_all(struct bench *b)
{
	levels_set(b);
	for (unsigned i = 0; i < probe_count; i++) {
		b->probe = &probes[i];
		if (!probe_asked_for(b->opt, b->probe))
			continue;
		if (b->probe->hooks->plan_first)
			b->probe->hooks->plan_first(b);
		b->probe->hooks->plan(b);
	}
}

double plan_estimate(struct bench *b, unsigned *rows)
{
	struct plan *p = b->plan;
	struct workspace work = b->work;
	double ns = 0;

	p->tried = true;
	plan_all(b);
	*rows = p->n;
	for (unsigned i = 0; i < p->n; i++)
		ns += ENOUGH * p->rows[i].cost_ns;
	p->n = 0;
	p->tried = false;
	b->work = work;
	return ns;
}

static bool names_variant(const char *name, size_t n)
{
	while (n && name[n - 1] != ':')
		n--;
	return n;
}

static bool has_rows(struct planning *p, const char *name, size_t n)
{
	memcpy(p->probes.probes, name, n);
	p->probes.probes[n] = 0;
	for (unsigned i = 0; i < p->plan.n; i++)
		if (variant_selected(p->probes.probes, p->plan.rows[i].probe->name,
			    p->plan.rows[i].variant))
			return true;
	return false;
}

struct unplanned selection_unplanned(struct room *room, const struct options *opt)
{
	struct planning *p = (struct planning *)room->work;
	const struct unplanned none = { .any = true };
	size_t n;

	if (!strchr(opt->probes, ':') || room->work_bytes < PLANNING_BYTES + MIB ||
		begin(p, room, opt))
		return none;
	plan_all(&p->bench);
	for (const char *name = opt->probes; *name; name += n + (name[n] == ',')) {
		n = selection_name(name);
		if (names_variant(name, n) && !has_rows(p, name, n))
			return (struct unplanned){ name, n, p->plan.n > 0 };
	}
	return none;
}
