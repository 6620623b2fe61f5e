/* SPDX-License-Identifier: MIT */
/* What is taken of the work memory does not move the rows' part, which begins where it began. */
#include "engine/room.h"
#include "kernel/memory/address_space.h"
#include "tests/unit/test.h"

#define BASE  0x40000000ull
#define BYTES (64 * PAGE_4K)

TEST(the_begin_stays)
{
	struct span *work = &address_space.layout.work;
	/* a display of 640x480, of 1280x800, the stacks of a processor, a list of two */
	static const size_t sizes[] = { 4800, 16000, 40960, 2 };
	uint64_t end = BASE + BYTES;

	*work = (struct span){ BASE, BYTES };
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		uint64_t at = (uint64_t)work_memory_take(sizes[i]);

		assert_int_equal(work->base, BASE);
		assert_int_equal(at % 64, 0);
		assert_in_range(at, BASE + work->bytes, end - sizes[i]);
		end = at;
	}
	assert_null(work_memory_take(BYTES));
	assert_int_equal(BASE + work->bytes, end);
	assert_non_null(work_memory_take(work->bytes));
	assert_int_equal(work->bytes, 0);
}
