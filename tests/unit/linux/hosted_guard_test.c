/* SPDX-License-Identifier: MIT */
/* Loops that the machine may refuse: a fault of theirs ends the attempt, not the process. */
#include "linux/hosted_guard.c"
#include "tests/unit/test.h"

static struct timed refused(uint64_t a, ...)
{
	__asm__ volatile("ud2");
	return (struct timed){ 0, 0 };
}

TEST(what_is_refused_is_a_reason)
{
	static struct hosted h;
	const uint64_t once[LOOP_ARGS] = { 1 };
	const char *why = "";

	guard_init(&h);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(0, h.room.attempt(&h.room, loop_rdtsc, once, NULL, &why));
		assert_int_equal(-1, h.room.attempt(&h.room, (loop_fn *)refused, once, NULL, &why));
		assert_string_equal("invalid opcode", why);
	}
}
