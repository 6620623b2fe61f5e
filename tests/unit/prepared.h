/* SPDX-License-Identifier: MIT */
/* A planned row made ready in a small arena, and its loop called for real: what it says it does. */
#ifndef TESTS_UNIT_PREPARED_H
#define TESTS_UNIT_PREPARED_H

#include "tests/unit/fake_code.h"
#include "tests/unit/planned.h"

#define UNTOUCHED 0xa5       /* what lies beyond the arena that a row is given */
#define BEYOND    (64 * KIB) /* so far */

static struct job job;
static size_t given_bytes = FAKE_ARENA; /* of the arena that rows are given */

/* Small enough for the arena of these tests: memory is 4 MiB. */
static inline void plan_small(const char *probe, enum profile profile)
{
	memory_bytes = 4 * MIB;
	arena_bytes = given_bytes = FAKE_ARENA;
	plan_of(probe_named(probe), profile);
	give_code_memory(&room);
}

/* All that a room may have left in it. */
static inline void spoil_arena(void)
{
	struct arena arena;

	assert_int_equal(0, fake_arena(&room, PAGE_2M, &arena));
	memset(arena.base, UNTOUCHED, FAKE_ARENA);
}

static size_t bytes_beyond(void)
{
	return FAKE_ARENA - given_bytes < BEYOND ? FAKE_ARENA - given_bytes : BEYOND;
}

/* Prepare the row and return the result of its `prepare`. */
static inline int ready_row(const struct row *row)
{
	job = (struct job){ .row = row };
	assert_int_equal(0, fake_arena(&room, row->page_bytes, &job.arena));
	job.arena.bytes = given_bytes;
	memset(job.arena.base + given_bytes, UNTOUCHED, bytes_beyond());
	planner.work.used = 0;
	planner.arena_uses += 2; /* of this row, and of another one before it */
	return row->prepare(&planner, row, &job);
}

static inline void expect_ready(const struct row *row)
{
	if (ready_row(row))
		fail_msg("%s: expected to be made ready, is skipped: %s", row_text(row), job.skip);
}

static inline void expect_refused(const struct row *row, const char *why)
{
	if (ready_row(row) != -1 || strcmp(job.skip, why))
		fail_msg("%s: expected '%s', came '%s'", row_text(row), why, job.skip);
}

/* It needs memory for its code, that can be made executable. */
static inline void expect_code_needed(const struct row *row, const char *why)
{
	code_memory.unsealed = true;
	expect_refused(row, "generated code cannot be made executable");
	code_memory.refused = true;
	expect_refused(row, why);
	code_memory.refused = code_memory.unsealed = false;
}

/* The row of this text, in an arena where all that it does not write is UNTOUCHED. */
static inline void ready_of(const char *probe, enum profile profile, const char *text)
{
	plan_small(probe, profile);
	spoil_arena();
	expect_ready(row_planned(text));
}

/* Returns the loop's argument i. */
static inline void *argument(unsigned i)
{
	return (void *)(uintptr_t)job.args[i];
}

/* The row's check fails where this byte was not written. */
static inline void expect_checked(unsigned char *at)
{
	*at ^= 1;
	if (job.check(&planner, &job))
		fail_msg("%s: byte %td of its arena was not written, which is not noticed",
			row_text(job.row), at - job.arena.base);
	*at ^= 1;
}

/* The sample that is taken next gives what plain C says. */
static inline void expect_sample(const struct row *row)
{
	if (job.refresh)
		job.refresh(&planner, &job);
	uint64_t value = room.call(&room, job.loop, job.args).value;

	if (value != job.expect)
		fail_msg("%s: plain C says %#lx, the loop %#lx", row_text(row), job.expect, value);
	if (job.check && !job.check(&planner, &job))
		fail_msg("%s: memory is not as plain C says", row_text(row));
}

/* Expect that the memory beyond the row's arena is unchanged. */
static inline void expect_within(const struct row *row)
{
	for (size_t i = 0; i < bytes_beyond(); i++)
		if (job.arena.base[given_bytes + i] != UNTOUCHED)
			fail_msg("%s: byte %zu was written, of an arena of %zu", row_text(row),
				given_bytes + i, given_bytes);
}

#endif
