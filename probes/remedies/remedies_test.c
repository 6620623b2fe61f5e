/* SPDX-License-Identifier: MIT */
/* Remedies: in a room that refuses one of them; and what Linux really does to this process. */
#include <sched.h>
#include <sys/resource.h>

#include "linux/hosted_room.c"
#include "tests/unit/lines_of_rows.h"

/* Same values as in probes/remedies/remedies.c. */
#define TRIAL_BYTES (8 * MIB) /* of the chase */
#define ROUNDS      16        /* blocks with each remedy */
#define SUBJECTS    2

static unsigned given, taken_back, blocks, blocks_most;
static unsigned pinned; /* blocks with pinning alone, plus one try for each subject */
static uint32_t now, seen;

/* This room refuses real-time priority. */
static int fake_remedy(struct room *room, uint32_t remedies, const char **why)
{
	now = 0;
	if (remedies & REMEDY_FIFO)
		return *why = "SCHED_FIFO: not permitted, needs this and that", -1;
	now = remedies;
	seen |= remedies;
	given++;
	pinned += remedies == REMEDY_PINNED;
	return 0;
}

static void fake_remedy_end(struct room *room)
{
	now = 0;
	taken_back++;
}

/* Walked chases: one of the same length and start ends there again, if the chain is the same. */
static struct walked {
	uint64_t start, next, turns, end;
} walked[1024];

static struct timed chase(struct room *room, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct walked *w = &walked[a[0] / 64 % 1024];
	uint64_t next = *(const uint64_t *)(uintptr_t)a[0];

	if (w->start != a[0] || w->next != next || w->turns != a[1])
		*w = (struct walked){ a[0], next, a[1], fake_call(room, loop, a).value };
	fake_time += 1000;
	return (struct timed){ w->end, 1000 };
}

/* The state machine returns the same each time: it runs once for each place of its data. */
static struct timed test_call(struct room *room, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	static uint64_t where, value;

	if (loop == loop_timed_call && a[1] && a[2] == where && now)
		return fake_time += 1000, (struct timed){ value, 1000 };
	if (loop == loop_chase && a[1])
		return chase(room, loop, a);
	struct timed t = fake_call(room, loop, a);

	if (loop == loop_timed_call && a[1]) {
		where = a[2];
		value = t.value;
	}
	return t;
}

static struct timed (*call)(struct room *, loop_fn *, const uint64_t *) = test_call;

/* Memory in which the chase has space, as it has not in that of other tests. */
static int large_arena(struct room *room, size_t page_bytes, struct arena *out)
{
	static unsigned char *base;

	if (!base)
		base = aligned_alloc(PAGE_2M, 2 * TRIAL_BYTES);
	*out = (struct arena){ .base = base,
		.bytes = 2 * TRIAL_BYTES,
		.page_bytes = page_bytes,
		.write_back = true,
		.node = NODE_UNKNOWN };
	return base ? 0 : -1;
}

static bool stop_in_time(struct room *room)
{
	return blocks++ >= blocks_most;
}

static bool clock_moves;

static void run(bool has_remedies)
{
	prepare_run("remedies", call);
	fake_restless = clock_moves;
	options.profile = PROFILE_DEFAULT;
	room.facts.cpus = 2;
	given = taken_back = blocks = seen = pinned = 0;
	room.arena = large_arena;
	if (has_remedies) {
		room.system.remedy = fake_remedy;
		room.system.remedy_end = fake_remedy_end;
		room.stop = stop_in_time;
	}
	assert_int_equal(0, bench_run(&room, &options));
}

/* Every eighth call of the state machine takes ten times as long: one sample in eight. */
static struct timed uneven_call(struct room *room, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	static unsigned calls;
	struct timed t = test_call(room, loop, a);

	if (loop == loop_timed_call && a[1])
		t.ticks = ++calls % 8 ? 1000 : 10000;
	return t;
}

TEST(the_longest_is_a_multiple_of_the_median)
{
	double longest;

	blocks_most = UINT32_MAX;
	call = uneven_call;
	run(true);
	call = test_call;
	longest = number("states-plain", "longest_over_median");
	assert_true(longest > 1.01);
	assert_float_equal(longest,
		number("states-plain", "max") / number("states-plain", "median"), 1e-5);
	assert_float_equal(number("states-plain", "iqr_over_median"), 0, 1e-9);
}

TEST(a_clock_that_moves_disturbs)
{
	static const char *const variants[] = { "states-plain" };

	blocks_most = UINT32_MAX;
	clock_moves = true;
	run(true);
	clock_moves = false;
	expect_all_disturbed(variants, 1);
}

static void expect_member(const char *variant, const char *key)
{
	json_t *line = line_of("row", variant);

	if (!json_object_get(json_object_get(line, "more"), key))
		fail_msg("%s: expected a member %s", variant, key);
	json_decref(line);
}

TEST(what_is_refused_is_a_skip_and_all_comes_back)
{
	blocks_most = UINT32_MAX;
	run(true);
	expect_member("states-plain", "iqr_over_median");
	expect_member("chase-plain", "iqr_over_median");
	expect_member("chase-pinned", "longest_over_median");
	expect_member("states-pinned", "longest_over_median");
	expect_skip("states-fifo", "SCHED_FIFO: not permitted, needs this and that");
	assert_int_equal(seen, REMEDY_PINNED | REMEDY_NICE | REMEDY_NO_TURBO | REMEDY_IRQS);
	/* Each block's; of the four that each subject tries at first, three replace one another. */
	assert_int_equal(given - 2 * 3, taken_back);
	assert_int_equal(pinned, SUBJECTS * (ROUNDS + 1));
	assert_int_equal(0, now);
}

/* A run that is stopped begins no other block, and has nothing left to take back. */
TEST(a_stop_ends_the_blocks)
{
	blocks_most = 3;
	run(true);
	assert_true(given <= 3 + 3);
	assert_int_equal(0, now);
}

TEST(a_room_without_them_says_so)
{
	run(false);
	expect_skip("states-plain", "this room has no remedies");
	expect_skip("chase-all", "this room has no remedies");
}

static unsigned cpus_now(void)
{
	cpu_set_t set;

	assert_int_equal(0, sched_getaffinity(0, sizeof set, &set));
	return (unsigned)CPU_COUNT(&set);
}

/* Linux itself: nothing here needs a privilege. */
TEST(pinned_and_not)
{
	static struct hosted h;
	static struct cpu_location where[CPU_SETSIZE];
	cpu_set_t all, pinned;
	const char *why = NULL;
	unsigned n = 0;
	int policy = sched_getscheduler(0), nice = getpriority(PRIO_PROCESS, 0);

	assert_int_equal(0, sched_getaffinity(0, sizeof all, &all));
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all))
			where[n++].id = cpu;
	h.room.priv = &h;
	h.room.facts.cpus = n;
	h.topology = where;
	h.scheduling.cpu = where[0].id;
	h.scheduling.nice_at_start = nice;
	assert_int_equal(0, pin_to(where[0].id));
	remedies_init(&h);
	assert_int_equal(0, h.room.system.remedy(&h.room, 0, &why));
	assert_int_equal(n, cpus_now());
	if (n > 1) {
		assert_int_equal(0, h.room.system.remedy(&h.room, REMEDY_PINNED, &why));
		assert_int_equal(1, cpus_now());
	} else {
		assert_int_equal(-1, h.room.system.remedy(&h.room, REMEDY_PINNED, &why));
		assert_non_null(strstr(why, "only one CPU"));
	}
	h.room.system.remedy_end(&h.room);
	assert_int_equal(0, sched_getaffinity(0, sizeof pinned, &pinned));
	assert_true(CPU_COUNT(&pinned) == 1 && CPU_ISSET(where[0].id, &pinned));
	assert_int_equal(policy, sched_getscheduler(0) & ~SCHED_RESET_ON_FORK);
	assert_int_equal(nice, getpriority(PRIO_PROCESS, 0));
	sched_setaffinity(0, sizeof all, &all);
}

/* With the privilege each is there for as long as it is asked for; without it there is a reason. */
TEST(priority_comes_and_goes)
{
	static struct hosted h;
	static struct cpu_location where[2] = { { .id = 0 }, { .id = 1 } };
	cpu_set_t all;
	const char *why = NULL;
	int nice = getpriority(PRIO_PROCESS, 0);

	assert_int_equal(0, sched_getaffinity(0, sizeof all, &all));
	if (CPU_COUNT(&all) < 2 || !CPU_ISSET(0, &all) || !CPU_ISSET(1, &all))
		skip();
	h.room.priv = &h;
	h.room.facts.cpus = 2;
	h.topology = where;
	h.scheduling.nice_at_start = nice;
	remedies_init(&h);
	if (h.room.system.remedy(&h.room, REMEDY_FIFO, &why))
		assert_non_null(strstr(why, "needs CAP_SYS_NICE"));
	else
		assert_int_equal(SCHED_FIFO, sched_getscheduler(0) & ~SCHED_RESET_ON_FORK);
	if (h.room.system.remedy(&h.room, REMEDY_NICE, &why))
		assert_non_null(strstr(why, "needs CAP_SYS_NICE"));
	else
		assert_int_equal(-20, getpriority(PRIO_PROCESS, 0));
	assert_int_equal(SCHED_OTHER, sched_getscheduler(0) & ~SCHED_RESET_ON_FORK);
	h.room.system.remedy_end(&h.room);
	assert_int_equal(nice, getpriority(PRIO_PROCESS, 0));
	sched_setaffinity(0, sizeof all, &all);
}
