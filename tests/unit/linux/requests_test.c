/* SPDX-License-Identifier: MIT */
/* Requests to Linux do what their rows say: large pages, and a thread on another CPU. */
#include "linux/requests.c"
#include "tests/unit/test.h"

/* The highest CPU that this process may use. */
static unsigned last_cpu(void)
{
	unsigned last = 0;
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			last = cpu;
	return last;
}

TEST(the_other_thread_is_on_the_cpu_that_was_named)
{
	struct requested r = { 0 };
	unsigned cpu = last_cpu();
	cpu_set_t set;

	assert_int_equal(pipe_begin(&r, cpu), 0);
	assert_int_equal(pthread_getaffinity_np(r.partner, sizeof set, &set), 0);
	assert_int_equal(CPU_COUNT(&set), 1);
	assert_true(CPU_ISSET(cpu, &set));
	assert_int_equal(lap_pipe((uintptr_t)&r, 0, 0), 1);
	assert_int_equal(pipe_end(&r), 0);
}

TEST(a_cpu_that_is_not_there_is_refused)
{
	struct requested r = { 0 };

	assert_int_equal(pipe_begin(&r, 1u << 20), -1);
	assert_string_equal(r.why, "the other thread could not be put on CPU 1048576");
	assert_int_equal(pipe_end(&r), 0);
}

/* Small pages where large ones were asked for end the row, unless it has a reason already. */
TEST(large_pages_that_are_none_are_no_row)
{
	struct requested r = { .laps = 1, .page_bytes = PAGE_2M, .map_bytes = 2 * PAGE_2M };

	assert_int_equal(fault_huge_end(&r), -1);
	assert_string_equal(r.why, "no pages of 2048 KiB on first touch here");
	assert_int_equal(fault_huge_end(&r), 0);
	for (unsigned touched = 1; touched <= PAGE_2M / PAGE_4K; touched += PAGE_2M / PAGE_4K - 1) {
		r = (struct requested){ .laps = 1, .page_bytes = PAGE_2M, .map_bytes = PAGE_2M };
		r.map = mmap(NULL, PAGE_2M, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
		assert_true(r.map != MAP_FAILED);
		madvise(r.map, PAGE_2M, MADV_NOHUGEPAGE);
		for (unsigned i = 0; i < touched; i++)
			r.map[i * PAGE_4K] = 1;
		r.next = r.map + PAGE_2M;
		assert_int_equal(fault_huge_end(&r), touched == 1 ? -1 : 0);
	}
}
