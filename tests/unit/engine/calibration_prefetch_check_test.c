/* SPDX-License-Identifier: MIT */
/* Whether prefetchers can be turned off: what is chased for it, and what is believed of it. */
#include <stdio.h>

#include "engine/calibration.h"
#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

#define LOADS 65536 /* of a call */
#define TIMES 7     /* calls each way */
#define LARGE (80 * MIB)

static struct room room;
static struct options options;
static struct bench b;
static unsigned char *memory;
static size_t memory_bytes;
static char heard[512];

static struct {
	bool off, asked; /* what the script was told last, and whether it was told anything */
	const char *refusal;
	unsigned timed;            /* timed sections under way */
	unsigned chases, slow;     /* calls so far; of each TIMES of them, so many take ten times */
	uint64_t on, off_ticks;    /* of a call with and without prefetchers */
	uint64_t start[2 * TIMES]; /* where each chase began */
} script;

static int give_arena(struct room *e, size_t page_bytes, struct arena *out)
{
	(void)e;
	*out = (struct arena){ .base = memory, .bytes = memory_bytes, .page_bytes = page_bytes };
	return memory ? 0 : -1;
}

static int set_prefetch(struct room *e, bool on, const char **why)
{
	(void)e;
	script.asked = true;
	script.off = !on;
	*why = script.refusal;
	return script.refusal ? -1 : 0;
}

static void begin_timed(struct room *e, struct event_counts *q)
{
	fake_quiet(e, q);
	script.timed++;
}

static void end_timed(struct room *e, struct event_counts *q)
{
	fake_quiet(e, q);
	script.timed--;
}

static struct timed chase(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = fake_call(e, loop, a);
	bool slow = script.chases % TIMES < script.slow;

	assert_ptr_equal(loop_chase, loop);
	assert_int_equal(LOADS / 16, a[1]);
	assert_int_equal(1, script.timed);
	assert_true(script.chases < 2 * TIMES);
	assert_int_equal(script.chases >= TIMES, script.off);
	script.start[script.chases++] = a[0];
	t.ticks = (script.off ? script.off_ticks : script.on) * (slow ? 10 : 1);
	return t;
}

static void hear(struct room *e, const char *text, size_t n)
{
	(void)e;
	strncat(heard, text, n);
}

BEFORE_EACH(reset)
{
	fake_reset(&room);
	free(memory);
	memory_bytes = 3 * MIB;
	memory = aligned_alloc(PAGE_4K, memory_bytes);
	memset(&script, 0, sizeof script);
	script.on = 10 * LOADS;
	script.off_ticks = 20 * LOADS;
	room.arena = give_arena;
	room.prefetch = set_prefetch;
	room.timed_begin = begin_timed;
	room.timed_end = end_timed;
	room.call = chase;
	room.say = hear;
	heard[0] = 0;
	options = (struct options){ .prefetch = PREFETCH_BOTH };
	b = (struct bench){ .room = &room, .opt = &options };
}

AFTER_EACH(release)
{
	free(memory);
	memory = NULL;
}

/* Each call goes on where the last one ended, from line to line, through `bytes` of the arena. */
static void expect_chased(uint64_t bytes)
{
	uint64_t line = *(uint64_t *)memory - (uint64_t)memory;

	assert_int_equal(64, line);
	assert_int_equal(2 * TIMES, script.chases);
	for (uint64_t i = 0; i < 2 * TIMES; i++)
		if (script.start[i] - (uint64_t)memory != i * LOADS * 64 % bytes)
			fail_msg("chase %llu began at %llu of %llu", (unsigned long long)i,
				(unsigned long long)(script.start[i] - (uint64_t)memory),
				(unsigned long long)bytes);
}

static void expect_works(double on_ns, double off_ns)
{
	assert_null(b.prefetch.why);
	if (b.prefetch.on_ns != on_ns || b.prefetch.off_ns != off_ns)
		fail_msg("expected %g and %g ns, came %g and %g", on_ns, off_ns, b.prefetch.on_ns,
			b.prefetch.off_ns);
}

static void expect_stay_on(const char *why)
{
	char said[160];

	prefetch_check(&b);
	assert_true(b.prefetch.checked);
	assert_string_equal(why, b.prefetch.why);
	snprintf(said, sizeof said, "prefetchers stay on: %s\n", why);
	if (strlen(heard) < strlen(said) || strcmp(heard + strlen(heard) - strlen(said), said))
		fail_msg("expected '%s' last, came '%s'", said, heard);
	assert_false(script.off);
}

TEST(half_of_the_arena_is_chased)
{
	script.on = LOADS / 4;
	script.off_ticks = LOADS / 2;
	prefetch_check(&b);
	expect_chased(memory_bytes / 2);
	expect_works(0.25, 0.5);
	assert_true(b.prefetch.checked);
	assert_int_equal(2, b.arena_uses); /* it was mapped, and written to */
	assert_string_equal(heard,
		"prefetchers: a sequential load takes 0.25 ns with them, 0.50 ns without\n");
	assert_false(script.off); /* with `both` they are off for single rows */
}

TEST(of_a_large_arena_32_mib_are_chased)
{
	memory_bytes = LARGE;
	free(memory);
	memory = aligned_alloc(PAGE_4K, memory_bytes);
	prefetch_check(&b);
	expect_chased(32 * MIB);
}

/* Three of seven calls may be disturbed; four are most of them. */
TEST(the_median_call_counts)
{
	script.slow = 3;
	prefetch_check(&b);
	expect_works(10, 20);
	reset();
	script.slow = 4;
	prefetch_check(&b);
	expect_works(100, 200);
}

TEST(a_tenth_more_is_an_effect)
{
	script.off_ticks = 11 * LOADS;
	prefetch_check(&b);
	expect_works(10, 11);
	reset();
	script.off_ticks = 11 * LOADS - LOADS / 16;
	expect_stay_on("turning them off shows no effect");
	assert_true(b.prefetch.off_ns > b.prefetch.on_ns);
}

TEST(a_machine_may_lack_what_is_needed)
{
	script.refusal = "no such MSR here";
	expect_stay_on("no such MSR here");
	assert_true(b.prefetch.on_ns == 10 && b.prefetch.off_ns == 0);
	assert_null(strstr(heard, "sequential"));
	reset();
	memory_bytes = 2 * 64; /* the index has no script */
	expect_stay_on("no memory for an arena");
	reset();
	release();
	expect_stay_on("no memory for an arena");
	reset();
	room.prefetch = NULL;
	expect_stay_on("this room cannot turn prefetchers off");
}

TEST(nobody_asked)
{
	options.prefetch = PREFETCH_ON;
	prefetch_check(&b);
	assert_false(b.prefetch.checked || script.asked);
	assert_int_equal(0, script.chases);
	assert_string_equal("", heard);
}

/* Off between rows only where that was asked for and has an effect. */
TEST(between_rows_they_are_as_the_run_wants_them)
{
	static const struct {
		enum prefetch_choice mode;
		const char *why;
		bool off;
	} runs[] = { { PREFETCH_ON, NULL, false }, { PREFETCH_BOTH, NULL, false },
		{ PREFETCH_OFF, NULL, true }, { PREFETCH_OFF, "no effect", false },
		{ PREFETCH_BOTH, "no effect", false } };

	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		options.prefetch = runs[i].mode;
		b.prefetch.why = runs[i].why;
		script.off = !runs[i].off;
		prefetch_back(&b);
		if (script.off != runs[i].off)
			fail_msg("run %zu: expected %s", i, runs[i].off ? "off" : "on");
	}
}

TEST(a_row_has_them_off_or_a_reason)
{
	const char *why = "left over";

	assert_int_equal(0, prefetch_off(&b, &why));
	assert_null(why);
	assert_true(script.off);
	script.refusal = "the MSR is locked";
	assert_int_equal(-1, prefetch_off(&b, &why));
	assert_string_equal("the MSR is locked", why);
	script.asked = false;
	b.prefetch.why = "no effect";
	assert_int_equal(-1, prefetch_off(&b, &why));
	assert_string_equal("no effect", why);
	assert_false(script.asked);
}
