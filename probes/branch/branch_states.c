/* SPDX-License-Identifier: MIT */
/*
 * Measure Godbolt's state machine: (b). By the number of elements, random and sorted; the
 * distribution of its time; and the same code at other addresses.
 */
#include "probes/branch/branch.h"

#include "engine/find.h"
#include "lib/math.h"
#include "probes/generated_code.h"
#include "probes/states.h"

#define STATES_FROM     16
#define STATES_TO       MIB
#define CALL_ELEMENTS   (16 * KIB) /* elements per sample, at least */
#define LEARN_PASSES    40         /* passes over the data before the first sample; */
#define LONG_ELEMENTS   (64 * KIB) /* data of more elements */
#define LONG_PASSES     3          /* have fewer */
#define DISTRIBUTION_OF 4096       /* elements of the distribution */
#define FEWEST          512        /* its samples: five are in the last hundredth */
#define MOVED_ELEMENTS  256        /* of the code at other addresses */
#define CODE_STEP       8          /* bytes from one address to the next: those of a line */
#define STACK_STEP      512        /* likewise on the stack: those of a page */
#define MOVES           8

#define COMPARED_FROM (16 * KIB) /* elements of 4 bytes */
#define UNCACHED      1.25       /* times what the sorted machine costs before: README.md */

/* A branch may cost as much as five loads of the pace's chase: see plan_penalty. */
#define LOADS_EACH 5

static const char sorted[] = "states-sorted", random[] = "states-random",
		  distribution[] = "state-machine", code_moved[] = "states-code",
		  stack_moved[] = "states-stack";

/* Parameters of a row. */
struct states_spec {
	uint64_t elements;
	uint64_t moved; /* bytes by which code or stack is moved */
};

static uint64_t laps_of(uint64_t elements)
{
	return (CALL_ELEMENTS + elements - 1) / elements;
}

/* Writes the values of `random` in order of size, by counting them. */
static void sort(int *data, uint64_t n)
{
	uint64_t count[STATES_VALUES] = { 0 }, k = 0;

	for (uint64_t i = 0; i < n; i++)
		count[data[i]]++;
	for (int value = 0; value < STATES_VALUES; value++)
		while (count[value]--)
			data[k++] = value;
}

/* Rows of as many elements have the same values, whatever is measured before them. */
static int *make_data(struct bench *b, struct job *job, uint64_t n)
{
	int *data = job_alloc(b, job, n * sizeof *data);
	struct random r;

	random_seed(&r, b->opt->seed + n);
	if (data)
		states_fill(&r, data, n);
	return data;
}

/* Sets the job up to call the function `laps` times, each call after the one before. */
static void call_states(struct job *job, uint64_t function, const int *data, uint64_t n,
	uint64_t laps)
{
	const uint64_t args[LOOP_ARGS] = { function, laps, (uintptr_t)data, n, STATES_THRESHOLD };

	job_call(job, loop_timed_call, 1, args);
	job->expect = laps * states_value(data, n);
	job->ops = (double)(laps * n);
}

static unsigned learn_calls(uint64_t n)
{
	uint64_t laps = laps_of(n);

	return n > LONG_ELEMENTS ? LONG_PASSES : (unsigned)((LEARN_PASSES + laps - 1) / laps);
}

static int prepare_states(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t n = row_spec(row, struct states_spec)->elements;
	int *data = make_data(b, job, n);

	if (!data)
		return -1;
	if (row->variant == sorted)
		sort(data, n);
	call_states(job, (uintptr_t)leaf_states, data, n, laps_of(n));
	job->warm_calls = learn_calls(n);
	return 0;
}

/* One pass again and again. The samples are the distribution, disturbed or not. */
static int prepare_distribution(struct bench *b, const struct row *row, struct job *job)
{
	int *data = make_data(b, job, DISTRIBUTION_OF);

	if (!data)
		return -1;
	call_states(job, (uintptr_t)leaf_states, data, DISTRIBUTION_OF, 1);
	job->warm_calls = LEARN_PASSES;
	job->min_samples = FEWEST;
	job->max_samples = SAMPLES_LIMIT;
	job->tells_disturbance = true;
	return 0;
}

/*
 * Code at other addresses. A copy of the function stands behind a call that moves the stack pointer
 * meanwhile (Intel SDM vol. 2: 48 81 /5 and /0 id, SUB and ADD RSP).
 */
#define COPIED_BYTES 192 /* no less than either function has; registry_loops_test runs the copies */
#define FUNCTION_AT  64  /* offset of the copy, before it is moved */
#define SUB_RSP      0xec8148
#define ADD_RSP      0xc48148

static void code_moved_states(struct code_block *c, const unsigned char *function, uint64_t moved,
	uint32_t stack)
{
	code_put(c, SUB_RSP, 3);
	code_put(c, stack, 4);
	code_near(c, INSN_CALL, FUNCTION_AT + moved);
	code_put(c, ADD_RSP, 3);
	code_put(c, stack, 4);
	code_put(c, INSN_RETURN, 1);
	code_pad(c, FUNCTION_AT + moved);
	for (unsigned i = 0; i < COPIED_BYTES; i++)
		code_put(c, function[i], 1);
}

static int prepare_moved(struct bench *b, const struct row *row, struct job *job)
{
	const struct states_spec *spec = row_spec(row, struct states_spec);
	bool stack = row->variant == stack_moved;
	uintptr_t function = stack ? (uintptr_t)leaf_states_on_stack : (uintptr_t)leaf_states;
	int *data = make_data(b, job, MOVED_ELEMENTS);
	struct code_block c;

	if (!data || code_memory_open(b, job, &c, FUNCTION_AT + MOVES * CODE_STEP + COPIED_BYTES))
		return -1;
	/* 8 bytes more: at a call the stack pointer is a multiple of 16. */
	code_moved_states(&c, (const unsigned char *)function, stack ? 0 : spec->moved,
		stack ? (uint32_t)spec->moved + 8 : 8);
	if (code_memory_seal(b, job, &c))
		return -1;
	call_states(job, (uintptr_t)c.base, data, MOVED_ELEMENTS, laps_of(MOVED_ELEMENTS));
	job->warm_calls = learn_calls(MOVED_ELEMENTS);
	return 0;
}

static void plan_row(struct bench *b, struct row row, struct states_spec spec, double calls,
	double elements)
{
	*row_spec(&row, struct states_spec) = spec;
	row.cost_ns =
		calls * (b->pace.ns_per_call + elements * LOADS_EACH * b->pace.ns_per_near_load);
	row_param(&row, "elements", (double)spec.elements);
	if (row.needs & NEED_CODE)
		row_param(&row, "moved_bytes", (double)spec.moved);
	plan_add(b, &row);
}

static void plan_sizes(struct bench *b)
{
	for (uint64_t n = STATES_FROM; n <= STATES_TO; n *= 2)
		for (unsigned i = 0; i < 2; i++)
			plan_row(b,
				row_new(i ? random : sorted, &unit_ns_element,
					n < STATES_TO / 4 ? ANSWER_LEARNING : ANSWER_LONG_STATES,
					prepare_states),
				(struct states_spec){ n }, 10 + learn_calls(n),
				(double)(laps_of(n) * n));
}

static void plan_moved(struct bench *b)
{
	for (unsigned i = 0; i < 2 * MOVES; i++) {
		bool stack = i >= MOVES;
		struct row row = row_new(stack ? stack_moved : code_moved, &unit_ns_element,
			ANSWER_LEARNING, prepare_moved);

		row.needs = NEED_CODE;
		plan_row(b, row,
			(struct states_spec){
				MOVED_ELEMENTS, i % MOVES * (stack ? STACK_STEP : CODE_STEP) },
			10 + learn_calls(MOVED_ELEMENTS), CALL_ELEMENTS);
	}
}

static void branch_states_plan(struct bench *b)
{
	plan_sizes(b);
	if (b->opt->profile == PROFILE_SMOKE)
		return;
	plan_row(b, row_new(distribution, &unit_ns_element, ANSWER_LEARNING, prepare_distribution),
		(struct states_spec){ DISTRIBUTION_OF }, LEARN_PASSES + FEWEST, DISTRIBUTION_OF);
	plan_moved(b);
}

/* Returns the least sample of the sorted machine of that size; 0: there is no such row. */
static double sorted_least(struct bench *b, double elements)
{
	const struct param size = { "elements", elements };
	const struct result *r = find_row(b, sorted, &size, 1);

	return r ? r->min : 0;
}

/*
 * Leave out the largest sizes, at which memory decides what even the sorted machine costs. Small
 * sizes differ by their data.
 */
static void leave_cached(struct bench *b, struct curve *c)
{
	double least = 0;

	for (unsigned i = 0; i < c->n; i++) {
		double x = c->point[i].x, cost = x < COMPARED_FROM ? 0 : sorted_least(b, x);

		if (!(cost > 0))
			continue;
		if (least > 0 && cost > UNCACHED * least) {
			c->n = i;
			return;
		}
		least = least > 0 ? math_min(least, cost) : cost;
	}
}

/*
 * Find the place at which the state machine's time leaves the foot of its cliff. By the minimum, as
 * the source has it: a long row may have fewer undisturbed samples than disturbed ones.
 */
static void branch_states_find(struct bench *b, struct found_values *f)
{
	const struct pick pick = { .variant = random, .x = "elements" };
	struct curve *c = row_alloc(b, sizeof *c);
	struct estimate e = not_resolved(NOT_MEASURED);

	if (!c)
		return;
	take_curve(&f->reader, &pick, c);
	leave_cached(b, c);
	for (unsigned i = 0; i < c->n; i++)
		c->point[i].y = c->from[i]->min;
	if (c->n)
		e = less_sure(infer_halfway(c->point, c->n), curve_confidence_loss(c, 0, c->n - 1));
	found(f, VALUE_states_elements, e, "branch states-random over elements");
}

static void say_cliff(struct bench *b)
{
	const struct summary *cliff = find_value(b->found, VALUE_states_elements);

	if (cliff && math_finite(cliff->value))
		say(b, "  The state machine's cliff is between %.0f and %.0f elements.\n",
			cliff->low, cliff->high);
}

/* Says the fastest and the slowest place of code that differs in nothing else. */
static void say_moved(struct bench *b, const char *variant, const char *what)
{
	double least = 0, most = 0;

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (!is_variant(b, r, variant) || !(r->median > 0))
			continue;
		least = least > 0 ? math_min(least, r->median) : r->median;
		most = math_max(most, r->median);
	}
	if (least > 0)
		say(b, "  With its %s moved, the same machine takes %.2f to %.2f ns an element.\n",
			what, least, most);
}

static void branch_states_meaning(struct bench *b)
{
	say_cliff(b);
	say_moved(b, code_moved, "code");
	say_moved(b, stack_moved, "stack");
}

const struct hooks branch_states = {
	.plan = branch_states_plan,
	.find = branch_states_find,
	.meaning = branch_states_meaning,
};
