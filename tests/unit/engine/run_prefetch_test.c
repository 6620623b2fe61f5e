/* SPDX-License-Identifier: MIT */
/* Rows with and without prefetchers, in a room where a chase takes twice as long without them. */
#include <jansson.h>

#include "tests/unit/fake_room.h"

static struct room room;
static struct options options;
static bool off;            /* what the room did last */
static bool effective;      /* whether it makes a difference */
static const char *refusal; /* why it does not do it */

static int set_prefetch(struct room *e, bool on, const char **why)
{
	*why = refusal;
	off = !on && !refusal;
	return refusal ? -1 : 0;
}

static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = fake_call(e, loop, a);

	if (off && effective)
		t.ticks += fake_work_ticks(loop, a) * (loop == loop_chase);
	return t;
}

BEFORE_EACH(reset)
{
	fake_reset(&room);
	fake_arena_bytes = MIB;
	room.call = call;
	room.prefetch = set_prefetch;
	off = false;
	effective = true;
	refusal = NULL;
	options = (struct options){
		.profile = PROFILE_SMOKE, .seed = 1, .largest = 16 * KIB, .prefetch = PREFETCH_BOTH
	};
	strcpy(options.probes, "latency");
}

struct seen_prefetch {
	unsigned rows[2], skips[2]; /* by the parameter */
	unsigned plain;             /* rows without it */
	double medians[2];          /* of the last padded row */
	char reason[96];
	json_t *run;
};

static void look(const json_t *o, struct seen_prefetch *s)
{
	const char *kind = json_string_value(json_object_get(o, "kind"));
	const json_t *with = json_object_get(json_object_get(o, "params"), "prefetch");
	bool row = !strcmp(kind, "row"), skip = !strcmp(kind, "skip");

	if (row && !with)
		s->plain++;
	if (!json_is_number(with))
		return;
	unsigned i = json_number_value(with) != 0;

	s->rows[i] += row;
	s->skips[i] += skip;
	if (skip && !i)
		snprintf(s->reason, sizeof s->reason, "%s",
			json_string_value(json_object_get(o, "reason")));
	if (row && !strcmp(json_string_value(json_object_get(o, "variant")), "pointer-padded"))
		s->medians[i] = json_number_value(json_object_get(o, "median"));
}

static struct seen_prefetch run(void)
{
	struct seen_prefetch s = { 0 };

	assert_int_equal(0, bench_run(&room, &options));
	for (char *at = fake_out, *end; (end = strchr(at, '\n')); at = end + 1) {
		json_t *o = json_loadb(at, (size_t)(end - at), 0, NULL);

		assert_non_null(o);
		look(o, &s);
		if (at == fake_out)
			s.run = json_deep_copy(json_object_get(o, "prefetch"));
		json_decref(o);
	}
	return s;
}

static bool works(const struct seen_prefetch *s)
{
	return json_is_true(json_object_get(s->run, "works"));
}

TEST(each_row_twice)
{
	struct seen_prefetch s = run();

	assert_true(works(&s));
	assert_true(s.rows[1] > 5);
	assert_int_equal(s.rows[1], s.rows[0]);
	assert_int_equal(0, s.plain);
	assert_true(s.medians[1] > 3.9 && s.medians[1] < 4.1);
	assert_true(s.medians[0] > 7.9 && s.medians[0] < 8.1);
	assert_false(off);
	json_decref(s.run);
}

static void skipped(const char *why)
{
	struct seen_prefetch s = run();

	assert_false(works(&s));
	assert_true(s.rows[1] > 5);
	assert_int_equal(0, s.rows[0]);
	assert_int_equal(s.rows[1] + s.skips[1], s.skips[0]);
	assert_string_equal(why, s.reason);
	assert_string_equal(why, json_string_value(json_object_get(s.run, "why")));
	assert_false(off);
	json_decref(s.run);
}

TEST(no_effect_is_not_off)
{
	effective = false;
	skipped("turning them off shows no effect");
}

TEST(refused)
{
	refusal = "no such MSR here";
	skipped("no such MSR here");
}

TEST(no_such_room)
{
	room.prefetch = NULL;
	skipped("this room cannot turn prefetchers off");
}

TEST(off_for_the_whole_run)
{
	options.prefetch = PREFETCH_OFF;
	struct seen_prefetch s = run();

	assert_true(works(&s));
	assert_true(s.plain > 5);
	assert_int_equal(0, s.rows[0] + s.rows[1] + s.skips[0]);
	assert_true(off);
	json_decref(s.run);
}

TEST(not_asked_for)
{
	options.prefetch = PREFETCH_ON;
	struct seen_prefetch s = run();

	assert_null(json_object_get(s.run, "works"));
	assert_true(s.plain > 5);
	assert_int_equal(0, s.rows[0] + s.rows[1] + s.skips[0]);
	json_decref(s.run);
}
