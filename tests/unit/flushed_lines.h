/* SPDX-License-Identifier: MIT */
/* Rows whose lines are flushed before each sample: which they were, and where a chase comes to. */
#ifndef TESTS_UNIT_FLUSHED_LINES_H
#define TESTS_UNIT_FLUSHED_LINES_H

#include "tests/unit/prepared.h"

static struct {
	uint64_t list[32768], n;
	bool fails;
	unsigned flushes;
} flushed;

static struct timed noted_call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = fake_call(e, loop, a);

	if (loop == loop_flush) {
		flushed.flushes++;
		flushed.n = a[1];
		assert_in_range(a[0] + 8 * a[1], (uintptr_t)planner.work.base,
			(uintptr_t)planner.work.base + planner.work.used);
		assert_in_range(flushed.n, 0, 32768);
		memcpy(flushed.list, (const void *)(uintptr_t)a[0],
			flushed.n * sizeof *flushed.list);
		t.value += flushed.fails;
	}
	return t;
}

static uint64_t after(uint64_t node, uint64_t steps)
{
	while (steps--)
		node = *(uint64_t *)(uintptr_t)node;
	return node;
}

#endif
