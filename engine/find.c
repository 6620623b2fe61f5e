/* SPDX-License-Identifier: MIT */
/*
 * From measured rows to values: the curves that find hooks read, how sure a value is, and whether
 * an edge has moved since it was measured.
 */
#include <stdarg.h>
#include <string.h>

#include "engine/find.h"
#include "lib/math.h"
#include "lib/stats.h"
#include "lib/text.h"
#include "engine/levels.h"
#include "engine/plan.h"

/* What rows that scatter or were disturbed take from the confidence of what rests on them. */
#define SCATTER_LOSS        3    /* confidence lost per MAD / median */
#define DISTURBED_LOSS      0.5  /* per share of disturbed samples, if the median has them in it */
#define UNDISTURBED_LOSS    0.1  /* where it is over the others only */
#define TAKEN_LOSS          0.75 /* of a time or rate whose median is over disturbed ones */
#define UNSTEADY_LOSS       0.3  /* of a row that drifts or has two modes */
#define PLACEMENT_LOSS      0.5  /* per spread between placements of a row's memory */
#define PLACEMENT_LOSS_MOST 0.5
#define CLOCK_LOSS          2 /* per relative spread of the core clock over a curve's rows */
#define CLOCK_LOSS_MOST     0.5
#define CONFIDENCE_LEAST    0.1
#define CONFIDENCE_MOST     0.95

double clamp_confidence(double confidence)
{
	return math_clamp(confidence, CONFIDENCE_LEAST, CONFIDENCE_MOST);
}

#define BRACKET_LEAST 0.3 /* confidence of a bracket: below, what is there at least says more */

/* Whether it is too unsure to be said: such a value is not resolved, ROWS_DISAGREE. */
static bool too_unsure(const struct summary *s)
{
	return s->confidence < (s->least > 0 ? BRACKET_LEAST : CONFIDENCE_LEAST);
}

/* MAD / median, of what a curve's offset of so many core cycles makes of the row. */
static double scatter_of(const struct result *r, double offset)
{
	double most = 1 / (double)SCATTER_LOSS;
	double more = r->core_hz > 0 ? offset / r->core_hz * 1e9 : 0;
	double of = math_abs(r->median) + more;

	return of > 0 ? math_min(r->mad / of, most) : r->mad > 0 ? most : 0;
}

static double loss_with(const struct result *r, double offset)
{
	double share = r->samples > 0 ? r->disturbed / r->samples : 0;
	double disturbed = share * (r->undisturbed > 0 ? UNDISTURBED_LOSS : DISTURBED_LOSS);

	double unsteady = r->unsteady ? UNSTEADY_LOSS : 0;

	double placed = math_min(PLACEMENT_LOSS * r->placement_spread, PLACEMENT_LOSS_MOST);

	return 1 -
		(1 - SCATTER_LOSS * scatter_of(r, offset)) * (1 - disturbed) * (1 - unsteady) *
		(1 - placed);
}

/*
 * Where most samples under the median are disturbed, a time has in it what the disturbances took,
 * even if all samples are alike. An edge is not moved by that, nor a ratio of two such times.
 */
static double taken_loss(const struct result *r)
{
	return !(r->undisturbed > 0) && r->disturbed > r->samples / 2 ? TAKEN_LOSS : 0;
}

double row_confidence_loss(const struct result *r)
{
	return 1 - (1 - loss_with(r, 0)) * (1 - taken_loss(r));
}

/* By how much the middle four fifths of n clocks differ, as a part of their median; sorts them. */
static double clock_loss(double *hz, unsigned n)
{
	if (!n)
		return 0;
	stats_sort(hz, n);
	double spread = (stats_quantile(hz, n, 0.9) - stats_quantile(hz, n, 0.1)) /
		stats_quantile(hz, n, 0.5);

	return math_min(CLOCK_LOSS * spread, CLOCK_LOSS_MOST);
}

struct run_clock run_clock(struct bench *b)
{
	size_t mark = b->work.used;
	double *hz = row_alloc(b, b->nresults * sizeof *hz);
	struct run_clock c = { 0 };
	unsigned n = 0;

	for (unsigned i = 0; hz && i < b->nresults; i++)
		if (b->results[i].core_hz > 0)
			hz[n++] = b->results[i].core_hz;
	b->work.used = mark;
	if (!n)
		return c;
	c.loss = clock_loss(hz, n); /* it sorts */
	c.low = hz[0];
	c.high = hz[n - 1];
	c.median = stats_quantile(hz, n, 0.5);
	return c;
}

double other_clock_loss(struct bench *b, double hz)
{
	double median = run_clock(b).median;

	return hz > 0 && median > 0
		? math_min(CLOCK_LOSS * math_abs(hz - median) / median, CLOCK_LOSS_MOST)
		: 0;
}

double curve_confidence_loss(const struct curve *c, unsigned first, unsigned last)
{
	double losses[INFER_POINTS], hz[INFER_POINTS], clock;
	unsigned n = 0;

	for (unsigned i = first; i <= last; i++)
		if (c->from[i]->core_hz > 0)
			hz[n++] = c->from[i]->core_hz;
	clock = clock_loss(hz, n);
	for (unsigned i = first; i <= last; i++)
		losses[i - first] = loss_with(c->from[i], c->offset);
	return 1 - (1 - stats_median(losses, last - first + 1)) * (1 - clock);
}

struct estimate time_on_curve(struct estimate e, const struct curve *c, unsigned first,
	unsigned last)
{
	double taken[INFER_POINTS], sure;

	for (unsigned i = first; i <= last; i++)
		taken[i - first] = taken_loss(c->from[i]);
	e = less_sure(e, curve_confidence_loss(c, first, last));
	sure = e.confidence * (1 - stats_median(taken, last - first + 1));
	e.confidence = math_max(sure, math_min(e.confidence, CONFIDENCE_LEAST));
	return e;
}

struct estimate less_sure(struct estimate e, double loss)
{
	e.confidence *= 1 - loss;
	return e;
}

#define ONCE_MOST 0.85 /* confidence of a row that was measured at one moment only */

double row_confidence(const struct result *r)
{
	return clamp_confidence(math_min(1 - row_confidence_loss(r), ONCE_MOST));
}

/*
 * Edges that are elsewhere at another time: what decides where they are, and what is said of them.
 * docs/method.md, "Measured again".
 */

#define EDGE_MOVED_LOSS 0.3  /* confidence lost by an edge that was elsewhere at another time */
#define MOVED_MOST      2    /* factor between its places: more, and it is not resolved */
#define WIDER_LOSS      0.25 /* confidence is divided by 1 + this x octaves that a bracket grows */

static void note(struct edge_rows *e, const struct result *r)
{
	if (e->n < EDGE_ROWS_MOST)
		e->row[e->n++] = r;
}

/*
 * Notes the rows on both sides of an edge in b->edges.
 *
 * The bracket of all times begins where the upper reading does, and ends where the lower does.
 */
static void note_edge(struct bench *b, const struct curve *c, const struct estimate *e)
{
	unsigned low = 0, high = c->n - 1;

	while (low + 1 < c->n && c->point[low + 1].x <= e->low)
		low++;
	while (high && c->point[high - 1].x >= e->high)
		high--;
	if (b->edges)
		note(b->edges, c->from[b->reading == READ_UPPER ? low : high]);
}

/* The value of that name, or NULL. */
static const struct summary *value_named(const struct found_values *f, const char *name)
{
	for (unsigned i = 0; i < f->n; i++)
		if (strcmp(f->list[i].name, name) == 0)
			return &f->list[i];
	return NULL;
}

/* Whether both are of an edge, within brackets that overlap. NULL: no. */
static bool same_place(const struct summary *a, const struct summary *b)
{
	return a && b && a->edge && b->edge && a->low < b->high && b->low < a->high;
}

#define LEAST_CONFIDENCE 0.9 /* of "at least so many": two measurements say it */

/* No value, or the one that it has at least. */
static void give_up(struct summary *s, const char *reason)
{
	bool least = s->least > 0;

	s->value = least ? s->least : NOT_A_NUMBER;
	s->low = least ? s->least : 0;
	s->high = least ? __builtin_inf() : 0;
	s->confidence = least ? LEAST_CONFIDENCE : 0;
	s->rise[0] = s->rise[1] = s->rise[2] = 0;
	s->reason = least ? NULL : reason;
	s->edge = false;
	s->least = 0; /* said now */
}

void lose_confidence(struct summary *s, double loss)
{
	s->confidence *= 1 - loss;
	if (math_finite(s->value) && too_unsure(s))
		give_up(s, ROWS_DISAGREE);
}

static void widen(struct summary *s, const struct summary *lower, const struct summary *upper)
{
	const struct summary *others[2] = { lower, upper };
	double octaves = math_log2(s->high / s->low), least = s->value, most = s->value;
	bool edge_moved =
		!same_place(lower, upper) || !same_place(s, lower) || !same_place(s, upper);

	for (unsigned i = 0; i < 2; i++) {
		const struct summary *o = others[i];

		if (!o || !o->edge)
			continue;
		least = math_min(least, o->value);
		most = math_max(most, o->value);
		s->low = math_min(s->low, o->low);
		s->high = math_max(s->high, o->high);
	}
	if (edge_moved && (most > MOVED_MOST * least || s->high - s->low > s->value)) {
		s->edge_nowhere = true;
		give_up(s, "elsewhere at another time");
		return;
	}
	s->confidence /= 1 + WIDER_LOSS * (math_log2(s->high / s->low) - octaves);
	lose_confidence(s, edge_moved ? EDGE_MOVED_LOSS : 0);
}

/* Widens the brackets of edges by what the quartiles of the rows say. */
static void widen_edges(struct found_values *values, const struct found_values *lower,
	const struct found_values *upper)
{
	for (unsigned i = 0; i < values->n; i++) {
		struct summary *s = &values->list[i];

		if (s->edge)
			widen(s, value_named(lower, s->name), value_named(upper, s->name));
	}
}

/*
 * A noisy room still has a floor: what the quietest tenth of the samples shows. Where it tells
 * another machine than the medians do, both are said. docs/method.md, "Floors".
 */

#define FLOOR_AWAY    0.03
#define FLOOR_OUTSIDE 0.01

/* A time that is longer in quiet moments was read at another place of the curve: no floor. */
static bool is_longer(const struct summary *s, const struct summary *floor)
{
	bool time = strcmp(s->unit, "ns") == 0 || strcmp(s->unit, "cycles") == 0;

	return time && floor->value > s->value;
}

static bool tells_another(const struct summary *s, const struct summary *floor)
{
	if (!math_finite(floor->value))
		return false;
	if (!math_finite(s->value))
		return true;
	if (is_longer(s, floor))
		return false;
	bool bracket = s->high > 0;
	double away = math_abs(floor->value - s->value);

	if (bracket && floor->value >= s->low && floor->value <= s->high)
		return false;
	return away > (bracket ? FLOOR_OUTSIDE : FLOOR_AWAY) * math_abs(s->value);
}

/* The part of all samples of a probe's rows that was disturbed. */
static double disturbed_share(const struct bench *b, const struct probe *probe)
{
	double all = 0, disturbed = 0;

	for (unsigned i = 0; i < b->nresults; i++)
		if (b->results[i].row->probe == probe) {
			all += b->results[i].samples;
			disturbed += b->results[i].disturbed;
		}
	return all > 0 ? disturbed / all : 0;
}

/* Notes in `values` what the hooks found by the rows' floors, where that differs. */
static void keep_floors(const struct bench *b, struct found_values *values,
	const struct found_values *by_floor)
{
	for (unsigned i = 0; i < values->n; i++) {
		struct summary *s = &values->list[i];
		const struct summary *floor = value_named(by_floor, s->name);

		if (!floor || s->edge_nowhere || !tells_another(s, floor))
			continue;
		s->has_floor = true;
		s->floor = floor->value;
		s->floor_low = floor->low;
		s->floor_high = floor->high;
		s->disturbed_share = disturbed_share(b, values->by[i]);
	}
}

#define SINGLE_OF 8 /* measurements of one x: of more, the outermost one alone decides nothing */

static void find_once(struct bench *b, unsigned i)
{
	const struct probe *before = b->probe;
	size_t mark = b->work.used;

	if (b->found->searched >> i & 1)
		return;
	b->found->searched |= 1ULL << i;
	b->probe = &probes[i];
	if (b->probe->hooks->find)
		b->probe->hooks->find(b);
	b->probe = before;
	b->work.used = mark;
}

static void find_each(struct bench *b)
{
	for (unsigned i = 0; i < probe_count; i++)
		find_once(b, i);
}

/*
 * Fills *into with what the find hooks infer from this reading of the rows: all hooks, or that of
 * `only` and those that it rests on. Notes the rows at edges in *edges, unless that is NULL. False:
 * into is NULL, because there was no memory for it.
 */
static bool find_as(const struct bench *b, enum reading reading, const struct probe *only,
	struct found_values *into, struct edge_rows *edges)
{
	struct bench as = *b;

	if (!into)
		return false;
	*into = (struct found_values){ 0 };
	as.found = into;
	as.reading = reading;
	as.edges = edges;
	if (only)
		find_once(&as, (unsigned)(only - probes));
	else
		find_each(&as);
	return true;
}

/*
 * By the medians of the rows; by their quartiles, which widen the brackets of edges; by their
 * floors, where what they say otherwise is kept beside the value.
 */
void find_all(struct bench *b)
{
	size_t mark = b->work.used;
	struct found_values *lower = row_alloc(b, sizeof *lower);
	struct found_values *upper = row_alloc(b, sizeof *upper);

	find_each(b);
	if (find_as(b, READ_LOWER, NULL, lower, NULL) && find_as(b, READ_UPPER, NULL, upper, NULL))
		widen_edges(b->found, lower, upper);
	if (find_as(b, READ_FLOOR, NULL, lower, NULL))
		keep_floors(b, b->found, lower);
	b->work.used = mark;
}

void run_find(struct bench *b, const char *probe)
{
	for (unsigned i = 0; i < probe_count; i++)
		if (strcmp(probes[i].name, probe) == 0)
			find_once(b, i);
}

bool is_variant(const struct bench *b, const struct result *r, const char *variant)
{
	return r->row->probe == b->probe && strcmp(r->row->variant, variant) == 0;
}

bool is_level(const struct result *r, enum level level)
{
	return r->row->level && strcmp(r->row->level, level_names[level]) == 0;
}

/* Of measurements of one x, the one that counts, as enum reading says. */
static void choose(struct curve *c, unsigned at)
{
	const struct outermost *o = &c->outermost[at];
	unsigned k = c->reading != READ_FLOOR && o->times > SINGLE_OF ? 1 : 0;

	if (c->reading == READ_MEDIAN)
		return;
	c->point[at].y = o->y[k];
	c->from[at] = o->from[k];
}

/* Another measurement of an x; of equals, the first is kept. */
static void note_again(struct curve *c, unsigned at, double y, const struct result *from)
{
	struct outermost *o = &c->outermost[at];
	bool upper = c->reading == READ_UPPER;
	unsigned k = o->times > 1 ? 2 : 1;

	while (k && (upper ? y > o->y[k - 1] : y < o->y[k - 1])) {
		if (k < 2) {
			o->y[k] = o->y[k - 1];
			o->from[k] = o->from[k - 1];
		}
		k--;
	}
	if (k < 2) {
		o->y[k] = y;
		o->from[k] = from;
	}
	o->times++;
	choose(c, at);
}

/* Keeps the points in ascending order of x. */
static void insert(struct curve *c, struct point p, const struct result *from)
{
	unsigned at = c->n;

	while (at && c->point[at - 1].x > p.x)
		at--;
	if (at && c->point[at - 1].x == p.x) {
		note_again(c, at - 1, p.y, from);
		return;
	}
	if (c->n == INFER_POINTS)
		return;
	memmove(&c->point[at + 1], &c->point[at], (c->n - at) * sizeof *c->point);
	memmove(&c->from[at + 1], &c->from[at], (c->n - at) * sizeof *c->from);
	memmove(&c->outermost[at + 1], &c->outermost[at], (c->n - at) * sizeof *c->outermost);
	c->point[at] = p;
	c->from[at] = from;
	c->outermost[at] = (struct outermost){ .y = { p.y }, .from = { from }, .times = 1 };
	c->n++;
}

static bool picked(const struct bench *b, const struct result *r, const struct pick *p)
{
	return is_variant(b, r, p->variant) && (!p->page_bytes || r->page_bytes == p->page_bytes) &&
		(!p->level || (r->row->level && strcmp(r->row->level, p->level) == 0)) &&
		!(p->no_level && r->row->level) &&
		(!p->only || row_get(r->row, p->only, NOT_A_NUMBER) == p->only_value);
}

static bool by_quartile(const struct result *r, enum reading reading)
{
	return r->has_quartiles && (reading == READ_LOWER || reading == READ_UPPER);
}

static double cycles_as(const struct result *r, enum reading reading)
{
	if (by_quartile(r, reading))
		return r->quartile_cycles[reading == READ_UPPER];
	return reading == READ_FLOOR && r->floor_cycles > 0 ? r->floor_cycles : r->cycles;
}

double row_cycles(const struct bench *b, const struct result *r)
{
	return cycles_as(r, b->reading);
}

double row_value(const struct bench *b, const struct result *r)
{
	if (by_quartile(r, b->reading))
		return r->quartile[b->reading == READ_UPPER];
	return b->reading == READ_FLOOR && r->floor > 0 ? r->floor : r->median;
}

unsigned take_curve(const struct bench *b, const struct pick *p, struct curve *c)
{
	c->n = 0;
	c->offset = 0;
	c->reading = b->reading;
	return add_to_curve(b, p, c);
}

void curve_leave_usable(struct curve *c, const char *x)
{
	unsigned n = infer_usable_costs(c->point, c->n), from = 0;

	for (unsigned i = 0; i < n; i++) {
		while (row_get(c->from[from]->row, x, 0) != c->point[i].x)
			from++;
		c->from[i] = c->from[from];
		c->outermost[i] = c->outermost[from];
	}
	c->n = n;
}

unsigned add_to_curve(const struct bench *b, const struct pick *p, struct curve *c)
{
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];
		double y = p->cycles ? row_cycles(b, r) : row_value(b, r);

		if (picked(b, r, p) && row_get(r->row, p->x, 0) > 0 && math_finite(y))
			insert(c, (struct point){ row_get(r->row, p->x, 0), y }, r);
	}
	return c->n;
}

static unsigned rows_with_page(const struct bench *b, const char *variant, size_t page_bytes)
{
	unsigned n = 0;

	for (unsigned i = 0; i < b->nresults; i++)
		n += b->results[i].page_bytes == page_bytes &&
			is_variant(b, &b->results[i], variant);
	return n;
}

size_t main_page(const struct bench *b, const char *variant)
{
	static const size_t sizes[] = { PAGE_1G, PAGE_2M, PAGE_4K };
	unsigned most = 0;
	size_t best = 0;

	if (rows_with_page(b, variant, common_page(b)))
		return common_page(b);
	for (unsigned s = 0; s < 3; s++) {
		unsigned n = rows_with_page(b, variant, sizes[s]);

		if (n > most) {
			most = n;
			best = sizes[s];
		}
	}
	return best;
}

double upper_quartile_cycles(const struct curve *c, unsigned first, unsigned last)
{
	double cycles[INFER_POINTS];
	unsigned n = 0;

	for (unsigned i = first; i <= last; i++) {
		cycles[n] = cycles_as(c->from[i], c->reading);
		if (!(cycles[n++] > 0))
			return NOT_A_NUMBER;
	}
	return stats_upper_quartile(cycles, n);
}

struct estimate edge_of(struct bench *b, const struct curve *c, struct estimate e)
{
	unsigned first = 0, last = c->n - 1;

	if (e.reason)
		return e;
	while (first + 1 < c->n && c->point[first + 1].x < e.low)
		first++;
	while (last && c->point[last - 1].x > e.high)
		last--;
	note_edge(b, c, &e);
	e.edge = true;
	return less_sure(e, curve_confidence_loss(c, first, last));
}

/* Rows that gave no number are another reason than rows that were not asked for. */
static const char *why_not(const struct bench *b, const char *reason)
{
	bool no_number = b->probe && b->no_number >> (b->probe - probes) & 1;

	return no_number && strcmp(reason, NOT_MEASURED) == 0 ? MEASURED_NO_NUMBER : reason;
}

void found(struct bench *b, enum value_id id, struct estimate e, double claimed,
	const char *rests_on)
{
	struct found_values *f = b->found;

	bool bracket = math_finite(e.low) && math_finite(e.high) && math_finite(e.value);

	if (f->n == VALUES_KNOWN) {
		say(b, "internal error: no place for the value %s\n", value_facts(id).name);
		return;
	}
	f->by[f->n] = b->probe;
	f->list[f->n++] = (struct summary){
		.name = value_facts(id).name,
		.unit = value_facts(id).unit,
		.value = e.value,
		.claimed = claimed,
		.low = bracket ? e.low : 0,
		.high = bracket ? e.high : 0,
		.rise = { e.rise_10, e.rise_50, e.rise_90 },
		.confidence = e.confidence,
		.least = e.least,
		.rests_on = rests_on,
		.reason = math_finite(e.value) ? NULL : why_not(b, e.reason),
		.edge = e.edge && bracket,
	};
	struct summary *s = &f->list[f->n - 1];

	if (s->reason)
		give_up(s, s->reason);
	else if (too_unsure(s))
		give_up(s, ROWS_DISAGREE);
}

void found_in_pages(struct bench *b, size_t page_bytes)
{
	if (b->found->n)
		b->found->list[b->found->n - 1].page_bytes = page_bytes;
}

void found_form(struct bench *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (b->found->n)
		text_vformat(b->found->list[b->found->n - 1].form, FORM_TEXT, format, args);
	va_end(args);
}

const struct summary *find_value(const struct bench *b, enum value_id id)
{
	return value_named(b->found, value_facts(id).name);
}

struct estimate plain_estimate(double value, double confidence)
{
	if (!math_finite(value))
		return not_resolved(MEASURED_NO_NUMBER);
	return resolved(value, NOT_A_NUMBER, NOT_A_NUMBER, confidence);
}

#define REMEASURE_LOSS 2 /* per relative difference between two moments */
#define AGAIN_USUAL    1 /* times that the rows at an edge are measured again */
#define AGAIN_MOVED    8 /* the same where one time said something else */
#define MOMENTS_MOST   (1 + AGAIN_MOVED)

struct estimate row_estimate(struct bench *b, const char *variant, row_number *number)
{
	const struct result *first = find_row(b, variant, NULL, 0);
	double value[MOMENTS_MOST], loss[MOMENTS_MOST];
	unsigned n = 0;

	if (!first)
		return not_resolved(NOT_MEASURED);
	for (unsigned i = 0; i < b->nresults && n < MOMENTS_MOST; i++) {
		const struct result *r = &b->results[i];

		if (!is_variant(b, r, variant) || !math_finite(number(b, r)))
			continue;
		value[n] = number(b, r);
		loss[n++] = row_confidence_loss(r);
	}
	if (b->edges)
		note(b->edges, first);
	if (!n)
		return not_resolved(MEASURED_NO_NUMBER);
	double middle = stats_median(value, n); /* it sorts */
	double differ = value[0] > 0 ? REMEASURE_LOSS * (value[n - 1] / value[0] - 1) : 0;
	double sure = clamp_confidence(1 - stats_median(loss, n)) * (1 - math_min(differ, 1));

	return plain_estimate(middle, clamp_confidence(n > 1 ? sure : math_min(sure, ONCE_MOST)));
}

static double known_cycles(const struct bench *b, const struct result *r)
{
	double cycles = row_cycles(b, r);

	return cycles > 0 ? cycles : NOT_A_NUMBER;
}

struct estimate row_cycles_estimate(struct bench *b, const char *variant)
{
	return row_estimate(b, variant, known_cycles);
}

static bool any_moved(const struct found_values *lower, const struct found_values *upper)
{
	for (unsigned i = 0; i < lower->n; i++)
		if (lower->list[i].edge &&
			!same_place(&lower->list[i], value_named(upper, lower->list[i].name)))
			return true;
	return false;
}

unsigned plan_remeasure(struct bench *b, const struct probe *probe)
{
	size_t mark = b->work.used;
	struct found_values *lower = row_alloc(b, sizeof *lower);
	struct found_values *upper = row_alloc(b, sizeof *upper);
	struct edge_rows edges = { 0 };
	unsigned planned = 0, most;

	if (find_as(b, READ_LOWER, probe, lower, &edges) &&
		find_as(b, READ_UPPER, probe, upper, &edges)) {
		most = any_moved(lower, upper) ? AGAIN_MOVED : AGAIN_USUAL;
		for (unsigned i = 0; i < edges.n; i++)
			if (edges.row[i]->row->probe == probe)
				planned += plan_repeat(b, edges.row[i]->row, most);
	}
	b->work.used = mark;
	return planned;
}
