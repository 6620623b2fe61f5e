/* SPDX-License-Identifier: MIT */
/* One row, measured by itself: how many samples each placement has, and which call is a sample. */
#include "engine/measure.h"
#include "engine/plan.h"
#include "engine/probe_api.h"
#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

#define PLACES 3
#define FEWEST 7 /* samples of a row that asks for no number itself */

static struct room room;
static const struct options options = { .profile = PROFILE_SMOKE };
static struct samples samples;
static unsigned calls, prepared;
static bool alternates; /* values of 5 and 6 in turn: two modes */
static double first;    /* the first call's value; the later ones have 5, 6, 7 ... */

static int sampler(struct bench *b, struct job *job, struct sample *s)
{
	(void)b;
	(void)job;
	s->value = alternates ? 5 + calls % 2 : calls ? 4 + calls : first;
	s->core_hz = 1e9;
	calls++;
	return 0;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	(void)b;
	prepared++;
	job->sampler = sampler;
	job->cold = row->page_bytes == PAGE_4K;
	return 0;
}

static struct result measure(uint64_t page_bytes, double budget_ns)
{
	struct bench b = { .room = &room, .opt = &options };
	struct row row = row_new("counted", &unit_ns_op, ANSWER_CLOCK, prepare);
	struct result r;
	struct job job;

	b.work.base = room.work;
	b.work.bytes = room.work_bytes;
	row.page_bytes = page_bytes;
	row.cost_ns = budget_ns / PLACES;
	calls = prepared = 0;
	assert_int_equal(MEASURED_OK, measure_row(&b, &row, budget_ns, &job, &samples, &r));
	return r;
}

BEFORE_EACH(reset)
{
	fake_reset(&room);
	alternates = false;
}

/* A row that is late from the beginning has its fewest samples, of each placement its share. */
TEST(each_placement_has_its_least)
{
	room.facts.frames_scattered = true;
	struct result r = measure(PAGE_4K, 1);

	assert_int_equal(PLACES, prepared);
	assert_int_equal(PLACES, r.placements);
	assert_true(r.samples == PLACES * ((FEWEST + PLACES - 1) / PLACES));
}

/* Also where the row is late after the first call. */
TEST(the_warm_up_is_no_sample)
{
	first = 100;
	struct result r = measure(PAGE_2M, 1);

	assert_true(r.samples == FEWEST);
	assert_int_equal(1 + FEWEST, calls);
	assert_true(samples.values[0] == 5 && r.max == 4 + FEWEST);
}

/* Where one sample says all, it is the call after which the machine is warm. */
TEST(the_last_call_of_the_warm_up_is_the_only_sample)
{
	first = 5; /* as the second call's value: the machine is warm */
	room.samples = 1;
	struct result r = measure(PAGE_2M, 1e12);

	assert_true(r.samples == 1 && r.ops == 1);
	assert_int_equal(2, calls);
	assert_true(samples.values[0] == 5 && r.median == 5);
}

/* One with several placements has other words for it: the spread between them. */
TEST(a_row_with_two_modes_is_unsteady)
{
	alternates = true;
	room.samples = 40;
	struct result r = measure(PAGE_2M, 1e12);

	if (!r.unsteady || strcmp(r.unsteady, "two-modes"))
		fail_msg("expected two-modes, came %s", r.unsteady ? r.unsteady : "steady");
	room.facts.frames_scattered = true;
	r = measure(PAGE_4K, 1e12);
	if (r.unsteady)
		fail_msg("%u placements: expected no word, came %s", r.placements, r.unsteady);
}

TEST(scratch_memory_shares_no_line)
{
	struct bench b = { .room = &room };

	b.work.base = room.work;
	b.work.bytes = room.work_bytes;
	for (size_t bytes = 1; bytes < 300; bytes += 37)
		assert_int_equal(0, (uintptr_t)row_alloc(&b, bytes) % 128);
}

/* What does not fit is not given, and takes nothing from what does. */
TEST(scratch_memory_has_an_end)
{
	struct bench b = { .room = &room };

	b.work.base = room.work;
	b.work.bytes = 1024;
	assert_null(row_alloc(&b, 1025));
	assert_null(row_alloc(&b, SIZE_MAX));
	assert_ptr_equal(room.work, row_alloc(&b, 128));
	assert_null(row_alloc(&b, 897));
	assert_ptr_equal(room.work + 128, row_alloc(&b, 896));
	assert_null(row_alloc(&b, 1));
}

/* What is counted during the samples of a row stands in its line (engine/measure.c). */

/* Two context switches in each sample, and what a predictor missed; SMIs cannot be counted. */
static void end(struct room *room, struct event_counts *q)
{
	(void)room;
	q->known = EVENT_SWITCHES | EVENT_MISPREDICTS;
	q->switches = 2;
	q->mispredicts = 7;
}

static unsigned number_of(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	return at ? (unsigned)strtoul(at + strlen(key), NULL, 10) : UINT32_MAX;
}

TEST(rows_have_the_sum_of_their_samples)
{
	static struct room room;
	static struct options options;
	unsigned rows = 0;

	fake_reset(&room);
	options = (struct options){ .profile = PROFILE_SMOKE, .seed = 1 };
	strcpy(options.probes, "latency:pointer-padded");
	room.timed_end = end;
	assert_int_equal(0, bench_run(&room, &options));
	for (char *line = strtok(fake_out, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned samples = number_of(line, "\"samples\":");

		if (!strstr(line, "\"kind\":\"row\"") || !strstr(line, "\"pointer-padded\""))
			continue;
		rows++;
		assert_true(samples > 0);
		assert_int_equal(2 * samples, number_of(line, "\"switches\":"));
		assert_int_equal(7 * samples, number_of(line, "\"mispredicts\":"));
		assert_int_equal(samples, number_of(line, "\"disturbed\":"));
		assert_null(strstr(line, "\"smis\""));
	}
	assert_true(rows >= 10);
}
