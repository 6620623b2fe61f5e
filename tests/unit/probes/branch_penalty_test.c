/* SPDX-License-Identifier: MIT */
/* The cost of a misprediction where each costs 20 cycles, with a counter of them and without. */
#include <math.h>
#include <stdio.h>
#include <jansson.h>

#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

#define BITS   8192
#define MISSED 4000 /* of random bits; half of them are 4096 */
#define EVERY  50   /* mispredictions of any call, also with zero bits */
#define CYCLES 20   /* what each costs */

static uint64_t mispredicted; /* the counter of the processor */
static uint64_t missed_of_random = MISSED;
static enum { NONE, RANDOM_BITS, ZERO_BITS } wrong; /* calls whose value is */

static void begin(struct room *room, struct event_counts *q)
{
	(void)room;
	q->mispredicts = mispredicted;
}

static void end(struct room *room, struct event_counts *q)
{
	(void)room;
	q->known = EVENT_SWITCHES | EVENT_MISPREDICTS;
	q->mispredicts = mispredicted - q->mispredicts;
}

/* A tick is a cycle. */
static struct timed predict(struct room *room, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	const uint64_t *words = (const uint64_t *)(uintptr_t)a[0];
	struct timed t = fake_call(room, loop, a);
	uint64_t missed = EVERY;

	if (loop != loop_branch_bits || !a[1])
		return t;
	assert_int_equal(64 * a[1], BITS);
	bool random = words[0] || words[1];

	missed += random ? missed_of_random : 0;
	t.value += wrong == (random ? RANDOM_BITS : ZERO_BITS);
	t.ticks += BITS + CYCLES * missed;
	fake_time += t.ticks;
	mispredicted += missed;
	return t;
}

static json_t *line_of(const char *kind, const char *key, const char *value)
{
	char *end;

	for (char *at = fake_out; (end = strchr(at, '\n')); at = end + 1) {
		json_t *o = json_loadb(at, (size_t)(end - at), 0, NULL);

		assert_non_null(o);
		if (!strcmp(json_string_value(json_object_get(o, "kind")), kind) &&
			json_object_get(o, key) &&
			!strcmp(json_string_value(json_object_get(o, key)), value))
			return o;
		json_decref(o);
	}
	fail_msg("no line %s with %s %s", kind, key, value);
	return NULL;
}

static double number_of(json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static void run(bool counted)
{
	static struct room room;
	static struct options options;

	fake_reset(&room);
	options = (struct options){ .profile = PROFILE_SMOKE, .seed = 1 };
	strcpy(options.probes, "branch:penalty");
	room.call = predict;
	if (counted) {
		room.timed_begin = begin;
		room.timed_end = end;
	}
	assert_int_equal(wrong ? -1 : 0, bench_run(&room, &options) ? -1 : 0);
}

static void expect_cycles(double cycles, bool counted)
{
	json_t *row = line_of("row", "variant", "penalty");
	json_t *summary = line_of("summary", "name", "mispredict_cycles");

	if (!(fabs(number_of(row, "median") - cycles) < 0.01))
		fail_msg("expected %g cycles, the row says %g", cycles, number_of(row, "median"));
	assert_true(number_of(summary, "value") == number_of(row, "median"));
	assert_int_equal(counted,
		(int)number_of(json_object_get(row, "params"), "mispredicts_counted"));
	json_decref(row);
	json_decref(summary);
}

/* What zero bits mispredict is no part of what random ones do more. */
TEST(counted_mispredictions_divide)
{
	run(true);
	expect_cycles(CYCLES, true);
}

TEST(without_a_counter_half_of_the_bits_are_taken)
{
	run(false);
	expect_cycles((double)CYCLES * MISSED / (BITS / 2.), false);
}

static void expect_skip(const char *reason)
{
	run(true);
	json_t *skip = line_of("skip", "variant", "penalty");

	assert_string_equal(reason, json_string_value(json_object_get(skip, "reason")));
	json_decref(skip);
}

TEST(what_cannot_be_divided)
{
	missed_of_random = 1;
	run(true);
	expect_cycles(CYCLES, true);
	missed_of_random = 0;
	expect_skip("the counter saw no mispredictions");
	missed_of_random = MISSED;
	wrong = RANDOM_BITS;
	expect_skip("proof failed: the loop miscounted the bits");
	wrong = ZERO_BITS;
	expect_skip("proof failed: the loop miscounted the bits");
	wrong = NONE;
}
