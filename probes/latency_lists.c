/* SPDX-License-Identifier: MIT */
/*
 * Lemire's linked list [L]: a million nodes { data, next } of 16 bytes, each allocated after the
 * one before and put in front of it, so that the list is walked against the order of allocation;
 * its length is counted. One list, and two at once; and the same with the nodes in random order.
 */
#include "probes/latency.h"

#include "lib/jsonl_write.h"

#define LIST_NODES 1000000 /* of each list */

static const struct lists {
	const char *variant;
	unsigned count; /* lists walked at once */
	bool shuffled;
	loop_fn *loop;
} kinds[] = {
	{ "list-one", 1, false, loop_list_one },
	{ "list-two", 2, false, loop_list_two },
	{ "list-shuffled-one", 1, true, loop_list_one },
	{ "list-shuffled-two", 2, true, loop_list_two },
};

#define KINDS (sizeof kinds / sizeof *kinds)

/* What a row measures. */
struct list_spec {
	const struct lists *lists;
};

/* As in the source: an integer of the machine's word, and the next node. */
struct node {
	uint64_t data;
	struct node *next;
};

static uint64_t bytes_of(const struct lists *l)
{
	return (uint64_t)l->count * LIST_NODES * sizeof(struct node);
}

/* The numbers 0 .. n - 1 in random order. */
static void random_order(struct random *r, uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = (uint32_t)random_below(r, i), swapped = order[i - 1];

		order[i - 1] = order[k];
		order[k] = swapped;
	}
}

/* Each node in front of the one before; order NULL: as they were allocated. Returns the head. */
static struct node *build(struct node *nodes, const uint32_t *order)
{
	struct node *head = NULL;

	for (uint32_t i = 0; i < LIST_NODES; i++) {
		struct node *node = &nodes[order ? order[i] : i];

		*node = (struct node){ i, head };
		head = node;
	}
	return head;
}

static void extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	jsonl_number(l, "ms_in_all", b->results[b->nresults - 1].median * job->ops / 1e6);
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct lists *l = row_spec(row, struct list_spec)->lists;
	struct node *nodes = (struct node *)job->arena.base;
	uint64_t index = l->shuffled ? LIST_NODES * sizeof(uint32_t) : 0;
	uint32_t *order = l->shuffled ? (uint32_t *)(job->arena.base + bytes_of(l)) : NULL;
	uint64_t args[LOOP_ARGS] = { 0 };

	if (bytes_of(l) + index > job->arena.bytes)
		return job_too_large(job, bytes_of(l) + index);
	for (unsigned i = 0; i < l->count; i++) {
		if (order)
			random_order(&b->random, order, LIST_NODES);
		args[i] = (uintptr_t)build(nodes + (uint64_t)i * LIST_NODES, order);
	}
	job_call(job, l->loop, 0, args); /* its empty twin walks a list of no nodes */
	job->expect = LIST_NODES;
	job->extra = extra;
	job->ops = (double)LIST_NODES * l->count;
	return 0;
}

/* Building, and ten walks. */
static double cost(const struct bench *b, const struct lists *l)
{
	double nodes = (double)LIST_NODES * l->count;
	double step = l->shuffled ? b->pace.ns_per_far_load : b->pace.ns_per_near_load;

	return (double)bytes_of(l) * b->pace.ns_per_byte +
		(l->shuffled ? nodes * b->pace.ns_per_node : 0) + 10 * nodes * step;
}

void latency_lists_plan(struct bench *b)
{
	for (unsigned i = 0; i < KINDS; i++) {
		const struct lists *l = &kinds[i];
		struct row row = row_new(l->variant, &unit_ns_element, DROP_MIDDLE, prepare);

		row.page_bytes = common_page(b);
		row_spec(&row, struct list_spec)->lists = l;
		row.cost_ns = cost(b, l);
		row_param(&row, "bytes", (double)bytes_of(l));
		row_param(&row, "elements", LIST_NODES);
		plan_add(b, &row);
	}
}

static double median(const struct bench *b, unsigned kind)
{
	const struct result *r = find_row(b, kinds[kind].variant, NULL, 0);

	return r ? r->median : 0;
}

void latency_lists_meaning(struct bench *b)
{
	for (unsigned i = 0; i < KINDS; i += 2) {
		double one = median(b, i), two = median(b, i + 1);

		if (one > 0 && two > 0)
			say(b, "  A list of a million nodes%s: %.2f ms, two at once %.2f ms.\n",
				kinds[i].shuffled ? ", shuffled" : "", one * LIST_NODES / 1e6,
				two * 2 * LIST_NODES / 1e6);
	}
}
