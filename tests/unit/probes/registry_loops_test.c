/* SPDX-License-Identifier: MIT */
/*
 * Run the loop of each planned row beside pages that fault: its memory and its scratch memory are
 * no larger than it wants, and a page that faults follows each. The loop must return the value of
 * the row's proof, for the row's count; for counts of 0 to 24 a value that grows evenly to it.
 */
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/fake_code.h"
#include "tests/unit/loop_calls.h"
#include "tests/unit/planned.h"

#define COUNTS  25 /* 0 to 24 */
#define RESERVE (4 * MIB)
#define LINE    64
#define STEP    7919 /* a prime: which of the planned rows comes next */

/* The loops' names, for messages. */
static const struct {
	loop_fn *loop;
	const char *name;
} names[] = {
#define LOOP(name, rule) { loop_##name, #name },
#include "probes/loops/loops.inc"
#undef LOOP
};

static const char *name_of(loop_fn *loop)
{
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].loop == loop)
			return names[i].name;
	return "?";
}

/*
 * Loops whose value does not grow evenly with the count, because it depends on the data that a
 * count reaches. They also run with counts that the row does not have; those values are not
 * compared.
 */
static const char *const uneven[] = { "branch_", "words_copy", "words_odd", "singly_", "chase",
	"ilp_", "int_", "shuffle", "window", "backend", "flush", "write_back", "store_load",
	"two_stores_load" };

static bool is_uneven(loop_fn *loop)
{
	for (unsigned i = 0; i < sizeof uneven / sizeof *uneven; i++)
		if (!strncmp(name_of(loop), uneven[i], strlen(uneven[i])) &&
			strncmp(name_of(loop), "ilp_add", 7))
			return true;
	return false;
}

static struct job job;
static char doing[320]; /* the row, its loop and its count: for the message of a fault */

static void faulted(int signal)
{
	static const char why[] = "# outside of its memory: ";

	if (write(STDERR_FILENO, why, sizeof why - 1) < 0 ||
		write(STDERR_FILENO, doing, strlen(doing)) < 0)
		_exit(2);
	_exit(1);
}

/* Memory of which only the part [begin, end) may be touched, to whole pages. */
struct fenced {
	unsigned char *base;
	size_t given; /* bytes at its end */
};

static struct fenced arena_memory, work_memory;

/* The last `bytes`, rounded to lines, and a page that faults behind them. */
static unsigned char *fence(struct fenced *f, size_t bytes)
{
	size_t pages = (bytes + PAGE_4K - 1) / PAGE_4K * PAGE_4K;

	if (!f->base)
		f->base = mmap(NULL, RESERVE + 2 * PAGE_4K, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0) +
			PAGE_4K;
	if (pages != f->given) {
		assert_int_equal(0, mprotect(f->base, RESERVE, PROT_NONE));
		assert_int_equal(0,
			mprotect(f->base + RESERVE - pages, pages, PROT_READ | PROT_WRITE));
		f->given = pages;
	}
	return f->base + RESERVE - (bytes + LINE_PAIR - 1) / LINE_PAIR * LINE_PAIR;
}

static int ready(const struct row *row, size_t arena, size_t work)
{
	snprintf(doing, sizeof doing, "%s:%s", planner.probe->name, row_text(row));
	job = (struct job){ .row = row };
	job.arena = (struct arena){ .base = fence(&arena_memory, arena),
		.bytes = arena,
		.page_bytes = row->page_bytes,
		.write_back = true,
		.node = NODE_UNKNOWN };
	planner.work.base = fence(&work_memory, work);
	planner.work.bytes = work;
	planner.work.used = 0;
	planner.shared_chain = NULL;
	planner.arena_uses += 2; /* of this row, and of another one before it */
	return row->prepare(&planner, row, &job);
}

/* The least arena with which the row can be made ready. `atomics` takes two pages for granted. */
static size_t least_arena(const struct row *row)
{
	size_t refused = 0, enough = RESERVE;

	if (!row->page_bytes)
		return 0;
	if (!strcmp(planner.probe->name, "atomics"))
		return 2 * PAGE_4K;

	while (enough - refused > LINE) {
		size_t middle = refused + (enough - refused) / 2 / LINE * LINE;

		if (middle == refused || ready(row, middle, MIB))
			refused = middle == refused ? enough - LINE : middle;
		else
			enough = middle;
	}
	return enough;
}

static size_t scratch_used(size_t given)
{
	return planner.work.used + given - planner.work.bytes; /* rows share the rest */
}

/* Every call of a loop, also those before a sample, has its registers checked. */
static struct timed checked_call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	return (struct timed){ call_kernel(name_of(loop), loop, a[0], a[1], a[2], a[3], a[4]),
		100 };
}

static uint64_t value_of(const struct row *row, const uint64_t *args)
{
	snprintf(doing, sizeof doing,
		"%s:%s: loop_%s(%#lx, %#lx, %#lx, %#lx, %#lx): ", planner.probe->name,
		row_text(row), name_of(job.loop), args[0], args[1], args[2], args[3], args[4]);
	if (job.refresh)
		job.refresh(&planner, &job);
	return room.call(&room, job.loop, args).value;
}

static void expect_proof(const struct row *row)
{
	uint64_t value = value_of(row, job.args);

	if (value != job.expect)
		fail_msg("%splain C says %#lx, the loop %#lx", doing, job.expect, value);
	if (job.check && !job.check(&planner, &job))
		fail_msg("%smemory is not as plain C says", doing);
}

/* The first argument that the empty call has 0 instead of; all others are the same or 0 as well. */
static unsigned count_of(const struct row *row)
{
	unsigned at = LOOP_ARGS;

	for (unsigned i = LOOP_ARGS; i--;)
		if (job.args[i] != job.empty_args[i]) {
			if (job.empty_args[i])
				fail_msg("%s:%s: argument %u of its empty call is neither 0 nor "
					 "that of the others",
					planner.probe->name, row_text(row), i);
			at = i;
		}
	if (at == LOOP_ARGS)
		fail_msg("%s: its empty call is like the others", row_text(row));
	return at;
}

/*
 * Calls of other lengths, multiples of the shortest, as the row itself makes them. Parts of a lap
 * are as long as each other, and may therefore be shorter than was wanted, but more than half.
 */
static void check_lengths(const struct row *row)
{
	bool halves = !strncmp(name_of(job.loop), "random_", 7); /* of a lap, again and again */
	double whole = job.ops, least;

	job.resize(&planner, &job, 1);
	least = job.ops;
	for (unsigned n = 1; n < COUNTS; n++) {
		double asked = math_min(n * least, whole);

		job.resize(&planner, &job, n * least);
		if (halves ? job.ops > asked || 2 * job.ops <= asked : job.ops != asked)
			fail_msg("%s: %g of %g operations wanted, come %g", row_text(row),
				n * least, whole, job.ops);
		expect_proof(row);
	}
	job.resize(&planner, &job, whole);
	if (job.ops != whole)
		fail_msg("%s: %g operations at first, then %g", row_text(row), whole, job.ops);
}

/* From `first` turns on, which give `from`, the value grows evenly up to that of all of them. */
static bool grows(uint64_t from, uint64_t value, uint64_t turns, uint64_t last, uint64_t all)
{
	uint64_t came = (value - from) * all, wanted = (last - from) * turns;

	return came == wanted ||
		(!((from | value | last) >> 32) && (uint32_t)came == (uint32_t)wanted);
}

/* A walk back and forth in a turn leaves what the last one loaded: it grows from the first turn. */
static void check_counts(const struct row *row, unsigned count_at)
{
	uint64_t args[LOOP_ARGS], count = job.args[count_at], value, from = 0;
	unsigned first = !strncmp(name_of(job.loop), "turn", 4);

	for (uint64_t n = 0; n < COUNTS && n <= count; n++) {
		memcpy(args, n ? job.args : job.empty_args, sizeof args);
		args[count_at] = n;
		value = value_of(row, args);
		if (n <= first)
			from = value;
		else if (!is_uneven(job.loop) &&
			!grows(from, value, n - first, job.expect, count - first))
			fail_msg("%s%#lx, where %u gives %#lx and %lu give %#lx", doing, value,
				first, from, count, job.expect);
	}
}

/* Rows of a probe that were checked, by their loop: so many stand for all. */
#define ENOUGH 2

static unsigned checked[sizeof names / sizeof *names];

static bool is_enough(void)
{
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].loop == job.loop)
			return checked[i]++ >= ENOUGH;
	return true;
}

static void check_row(const struct row *row)
{
	size_t arena, work;
	unsigned count_at = LOOP_ARGS;

	if (ready(row, RESERVE, MIB) || job.sampler || is_enough())
		return;
	arena = least_arena(row);
	assert_int_equal(0, ready(row, arena, MIB));
	work = scratch_used(MIB);
	if (ready(row, arena, work))
		fail_msg("%s: skipped with the scratch memory that it uses: %s", row_text(row),
			job.skip);
	if (job.loop != loop_timed_call || !(row->needs & NEED_CODE))
		count_at = count_of(row); /* of code there is an empty twin as well */
	expect_proof(row);
	expect_proof(row); /* where the first one ended */
	if (job.resize)
		check_lengths(row);
	else if (count_at < LOOP_ARGS)
		check_counts(row, count_at);
}

/* Pages for each call of a row about their first touch, between pages that fault. */
static int fresh_pages(struct room *e, size_t bytes, size_t page_bytes, struct arena *out)
{
	static size_t given;
	static unsigned char *base;

	if (base)
		munmap(base, given + 2 * PAGE_4K);
	given = bytes;
	base = mmap(NULL, bytes + 2 * PAGE_4K, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*out = (struct arena){ .base = base + PAGE_4K, .bytes = bytes, .page_bytes = page_bytes };
	return mprotect(out->base, bytes, PROT_READ | PROT_WRITE);
}

static bool runs_here(const struct row *row)
{
	const char *why;

	/* Rows of `remedies` are measured when they are made ready. */
	return !(row->needs & NEED_CPUS) && strcmp(planner.probe->name, "remedies") &&
		machine_has(&planner, row->needs, &why);
}

/* A small machine: what is larger takes longer, and has the same loops. */
static void plan_small(const struct probe *probe, enum profile profile)
{
	l1_bytes = 4 * KIB;
	l2_bytes = 32 * KIB;
	memory_bytes = MIB;
	arena_bytes = RESERVE;
	said_by_cpuid = fake_cpuid;
	plan_of(probe, profile);
	give_code_memory(&room);
	room.call = checked_call;
	room.system.untouched = fresh_pages;
}

TEST(each_rows_loop_does_what_its_proof_says)
{
	signal(SIGSEGV, faulted);
	for (unsigned p = 0; p < probe_count; p++) {
		plan_small(&probes[p], PROFILE_FULL);
		memset(checked, 0, sizeof checked);
		for (unsigned i = 0; i < plan.n; i++) { /* the first ones are not of all kinds */
			const struct row *row = &plan.rows[i * STEP % plan.n];

			if (runs_here(row))
				check_row(row);
		}
	}
}
