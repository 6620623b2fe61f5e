/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/witnesses.h"
#include "lib/math.h"
#include "lib/text.h"

#define WITNESSES     6   /* of a quantity, at most */
#define RESTING       4   /* values that rest on it */
#define DISPUTED_TEXT 96  /* bytes: a line of the console */
#define LOSS_ALLOWS   0.3 /* difference per loss: a loss of 1 is a scatter of a third */

/* A summary value; or rows, of which the lowest is taken, of a rate the highest. */
struct witness {
	enum value_id value;
	const char *probe, *variant, *level; /* level NULL: any row */
	struct param only;                   /* name NULL: any */
};

/*
 * A quantity, how many times as much one witness may say of it as another, who says it, and the
 * values whose confidence falls where they do not agree.
 */
static const struct quantity {
	const char *name, *unit;
	bool cycles;  /* of rows: core cycles, else their own unit */
	double apart; /* factor */
	struct witness by[WITNESSES];
	enum value_id resting[RESTING];
} quantities[] = {
	/* Lines were flushed in all of them, on few pages. */
	{ "memory latency", "ns", false, 1.3,
		{ { .value = VALUE_memory_latency_ns },
			{ VALUE_none, "latency", "flushed", NULL, { 0 } },
			{ VALUE_none, "mlp", "chains-reach", NULL, { "lanes", 1 } } },
		{ VALUE_memory_latency_ns, VALUE_memory_latency_cycles, VALUE_parallel_misses } },
	/* Pages are opened and translated otherwise; a part of the largest buffer may be in L3. */
	{ "memory latency in large buffers", "ns", false, 1.3,
		{ { .value = VALUE_memory_walk_latency_ns },
			{ VALUE_none, "latency", "pointer-padded", "memory", { 0 } },
			{ VALUE_none, "mlp", "chains", "memory", { "lanes", 1 } },
			{ VALUE_none, "window", "two-misses", NULL, { 0 } },
			{ VALUE_none, "cores", "loaded-latency", "memory", { "cpus", 1 } } },
		{ VALUE_memory_walk_latency_ns, VALUE_memory_walk_latency_cycles,
			VALUE_parallel_misses_walk } },
	/* The same load in all of them. */
	{ "L1 latency", "cycles", true, 1.1,
		{ { .value = VALUE_l1d_latency_cycles },
			{ VALUE_none, "latency", "pointer", "l1", { 0 } },
			{ VALUE_none, "latency", "pointer-padded", "l1", { 0 } },
			{ VALUE_none, "latency", "stride", "l1", { 0 } },
			{ VALUE_none, "latency", "method-raw", NULL, { "bytes", 8192 } },
			{ VALUE_none, "latency", "method-raw-padded", NULL, { "bytes", 8192 } } },
		{ VALUE_l1d_latency_cycles, VALUE_l1d_latency_ns } },
	/* `cores` streams through a smaller part of memory, and for a longer time. */
	{ "reading memory", "GB/s", false, 1.4,
		{ { VALUE_none, "bandwidth", "read", "memory", { 0 } },
			{ VALUE_none, "cores", "read", "memory", { "cpus", 1 } } },
		{ VALUE_read_bytes_per_cycle_memory } },
	{ "writing memory", "GB/s", false, 1.4,
		{ { VALUE_none, "bandwidth", "write", "memory", { 0 } },
			{ VALUE_none, "cores", "write", "memory", { "cpus", 1 } } },
		{ VALUE_write_bytes_per_cycle_memory } },
	{ "copying memory", "GB/s", false, 1.4,
		{ { VALUE_none, "bandwidth", "copy", "memory", { 0 } },
			{ VALUE_none, "cores", "copy", "memory", { "cpus", 1 } } },
		{ VALUE_copy_bytes_per_cycle_memory } },
};

/* The statement of a witness, and the part of its confidence that is lost, 0 to 1. */
struct statement {
	const struct witness *by;
	double says, loss;
};

static bool is_rate(const struct quantity *q)
{
	return strcmp(q->unit, "GB/s") == 0;
}

static bool is_by(const struct bench *b, const struct result *r, const struct witness *w)
{
	const struct row *row = r->row;

	return strcmp(row->probe->name, w->probe) == 0 && strcmp(row->variant, w->variant) == 0 &&
		(!w->level || (row->level && strcmp(row->level, w->level) == 0)) &&
		(!w->only.name || row_get(row, w->only.name, NOT_A_NUMBER) == w->only.value) &&
		(!w->level || strcmp(w->level, "memory") || r->page_bytes == common_page(b));
}

static struct statement hear_rows(const struct bench *b, const struct quantity *q,
	const struct witness *w)
{
	struct statement s = { w, NOT_A_NUMBER, 0 };

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];
		double says = q->cycles ? r->cycles : r->median;
		bool better = is_rate(q) ? says > s.says : says < s.says;

		if (is_by(b, r, w) && says > 0 && (!math_finite(s.says) || better))
			s = (struct statement){ w, says, row_confidence_loss(r) };
	}
	return s;
}

static struct statement hear(const struct bench *b, const struct quantity *q,
	const struct witness *w)
{
	const struct summary *v = w->value ? find_value(b->found, w->value) : NULL;

	if (!w->value)
		return hear_rows(b, q, w);
	return (struct statement){ w, v ? v->value : NOT_A_NUMBER, v ? 1 - v->confidence : 0 };
}

static bool rests_on(const struct summary *v, const struct quantity *q)
{
	for (unsigned i = 0; i < RESTING && q->resting[i]; i++)
		if (strcmp(v->name, value_facts(q->resting[i]).name) == 0)
			return true;
	return false;
}

static const char *name_of(const struct witness *w)
{
	return w->value ? value_facts(w->value).name : w->variant;
}

/* The loss is that of all values that rest on the quantity. */
static void dispute(struct bench *b, const struct quantity *q, const struct statement *low,
	const struct statement *high, double loss)
{
	char *text = run_alloc(b, DISPUTED_TEXT);

	if (text)
		text_format(text, DISPUTED_TEXT, "%s: %.4g %s by %s, %.4g by %s", q->name,
			low->says, q->unit, name_of(low->by), high->says, name_of(high->by));
	for (unsigned i = 0; i < b->found->n; i++) {
		struct summary *v = &b->found->list[i];

		if (!rests_on(v, q) || !math_finite(v->value))
			continue;
		lose_confidence(v, loss);
		v->disputed = text;
	}
}

static void compare(struct bench *b, const struct quantity *q)
{
	struct statement low = { .says = NOT_A_NUMBER }, high = low;

	for (unsigned i = 0; i < WITNESSES && (q->by[i].value || q->by[i].probe); i++) {
		struct statement s = hear(b, q, &q->by[i]);

		if (!(s.says > 0))
			continue;
		if (!low.by || s.says < low.says)
			low = s;
		if (!high.by || s.says > high.says)
			high = s;
	}
	if (!low.by)
		return;
	double may = q->apart * (1 + (low.loss + high.loss) * LOSS_ALLOWS);

	if (high.says > may * low.says)
		dispute(b, q, &low, &high, 1 - may * low.says / high.says);
}

/*
 * Another thread of the core takes what it uses of L1, and half of the window, as it comes and
 * goes. No table says how large a window is; but if L1 is smaller than CPUID claims, by the latency
 * curve and by the lines of one set, and both curves have an x up to the claim at which a sample
 * is as fast as within L1 and a median is beyond it, then it was there. docs/method.md,
 * "Witnesses".
 */
#define SHARED_LOSS 0.5  /* of the confidence: which part of the core was left is not known */
#define AS_FAST     1.05 /* over the fastest row: a sample that was within L1 */
#define BEYOND      1.15 /* and a median that was not */

/* A value that ends L1 at a number of bytes, or of lines in a set: the x of its curve. */
static const struct l1_end {
	enum value_id value;
	const char *x;
} l1_ends[] = { { VALUE_l1d_bytes, "bytes" }, { VALUE_l1d_ways, "ways" } };

/* A value rests on rows of "PROBE VARIANT", then there may be a comma or a blank and more words. */
static bool rests_first_on(const struct summary *v, const struct row *row)
{
	char rows[80];
	unsigned n = 0,
		 all = (unsigned)text_format(rows, sizeof rows, "%s %s", row->probe->name,
			 row->variant);

	while (n < all && v->rests_on[n] == rows[n])
		n++;
	return n == all && (!v->rests_on[n] || strchr(", ", v->rests_on[n]));
}

static bool is_of(const struct bench *b, const struct result *r, const struct summary *v)
{
	return rests_first_on(v, r->row) && !r->row->level && r->page_bytes == common_page(b) &&
		r->min > 0;
}

/* Returns true if an x up to the claim is within L1 by a sample and beyond it by a median. */
static bool comes_and_goes(const struct bench *b, const struct summary *v, const char *x_name)
{
	double fastest = __builtin_inf();

	for (unsigned i = 0; i < b->nresults; i++)
		if (is_of(b, &b->results[i], v))
			fastest = math_min(fastest, b->results[i].median);
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *slow = &b->results[i];
		double x = row_get(slow->row, x_name, 0);

		if (!is_of(b, slow, v) || x > v->claimed || slow->median < BEYOND * fastest)
			continue;
		for (unsigned k = 0; k < b->nresults; k++)
			if (is_of(b, &b->results[k], v) &&
				row_get(b->results[k].row, x_name, 0) == x &&
				b->results[k].min <= AS_FAST * fastest)
				return true;
	}
	return false;
}

static bool is_taken_from(const struct bench *b, const struct l1_end *end)
{
	const struct summary *v = find_value(b->found, end->value);

	return v && math_finite(v->value) && v->claimed > v->value && comes_and_goes(b, v, end->x);
}

static void tell_of_sharing(struct bench *b)
{
	static const enum value_id shared[] = { VALUE_l1d_bytes, VALUE_l1d_ways,
		VALUE_window_instructions };
	char *text;

	for (unsigned i = 0; i < sizeof l1_ends / sizeof *l1_ends; i++)
		if (!is_taken_from(b, &l1_ends[i]))
			return;
	text = run_alloc(b, DISPUTED_TEXT);
	if (text)
		text_format(text, DISPUTED_TEXT,
			"another thread sits on this core: of L1, its ways and the window it has a "
			"part");
	for (unsigned i = 0; i < b->found->n; i++) {
		struct summary *v = &b->found->list[i];
		bool is_shared = false;

		for (unsigned k = 0; k < sizeof shared / sizeof *shared; k++)
			is_shared |= strcmp(v->name, value_facts(shared[k]).name) == 0;
		if (!is_shared || !math_finite(v->value))
			continue;
		lose_confidence(v, SHARED_LOSS);
		v->disputed = text;
	}
}

void witnesses_compare(struct bench *b)
{
	for (unsigned i = 0; i < sizeof quantities / sizeof *quantities; i++)
		compare(b, &quantities[i]);
	tell_of_sharing(b);
}
