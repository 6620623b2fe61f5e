/* SPDX-License-Identifier: MIT */
/* The parts of room `hosted` that read what the kernel says. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <linux/perf_event.h>

#include "linux/os_counters.h"
#include "linux/mapping.h"
#include "linux/sysfs.h"
#include "linux/clocks.h"
#include "tests/unit/test.h"

static FILE *text_file(const char *text)
{
	FILE *f = tmpfile();
	fputs(text, f);
	rewind(f);
	return f;
}

static const char smaps[] =
	"55d0a0000000-55d0a0002000 r--p 00000000 fe:00 1 /usr/bin/cat\n"
	"Rss:                   8 kB\nKernelPageSize:        4 kB\nAnonHugePages:         0 kB\n"
	"VmFlags: rd mr mw me\n"
	"7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \n"
	"Size:               4096 kB\nKernelPageSize:        4 kB\nMMUPageSize:           4 kB\n"
	"Rss:                4096 kB\nAnonHugePages:      2048 kB\nLocked:             4096 kB\n"
	"VmFlags: rd wr mr mw me ac lo hg\n"
	"7f0040000000-7f0080000000 rw-p 00000000 00:0f 7 /anon_hugepage (deleted)\n"
	"KernelPageSize:  1048576 kB\nRss:                   0 kB\n"
	"Private_Hugetlb: 1048576 kB\nAnonHugePages:         0 kB\n";

static struct smaps_entry entry_at(uint64_t address)
{
	struct smaps_entry e;
	FILE *f = text_file(smaps);
	assert_int_equal(smaps_find(f, address, &e), 0);
	fclose(f);
	return e;
}

TEST(test_smaps_entry)
{
	struct smaps_entry e = entry_at(0x7f0000001000);
	assert_int_equal(e.start, 0x7f0000000000);
	assert_int_equal(e.end, 0x7f0000400000);
	assert_int_equal(e.resident, 4 * MIB);
	assert_int_equal(e.huge, 2 * MIB);
	assert_int_equal(e.locked, 4 * MIB);
	FILE *f = text_file(smaps);
	assert_int_equal(smaps_find(f, 0x7f0000400000, &e), -1);
	fclose(f);
}

TEST(test_mixed_pages_are_no_page_size)
{
	struct smaps_entry e = entry_at(0x7f0000000000);
	assert_int_equal(pages_judge(&e, e.start, 4 * MIB), 0);
	e.huge = 4 * MIB;
	assert_int_equal(pages_judge(&e, e.start, 4 * MIB), PAGE_2M);
	e.huge = 0;
	assert_int_equal(pages_judge(&e, e.start, 4 * MIB), PAGE_4K);
	assert_int_equal(pages_judge(&e, e.start, 2 * MIB), 0); /* merged with a neighbour */
	e.resident -= PAGE_4K;
	assert_int_equal(pages_judge(&e, e.start, 4 * MIB), 0);
}

TEST(test_hugetlb_pages)
{
	struct smaps_entry e = entry_at(0x7f0040000000);
	assert_int_equal(pages_judge(&e, e.start, GIB), PAGE_1G);
}

TEST(test_own_mapping)
{
	struct slot s;
	bool known;
	assert_int_equal(mapping_anonymous(&s, 8 * MIB, PAGE_4K, NODE_UNKNOWN), 0);
	assert_int_equal(pages_verify(s.arena.base, 8 * MIB, &known), PAGE_4K);
	assert_true(known);
	assert_int_equal(madvise(s.arena.base, PAGE_4K, MADV_DONTNEED), 0);
	assert_int_equal(pages_verify(s.arena.base, 8 * MIB, &known), 0);
	mapping_free(&s);
	assert_null(s.map);
}

TEST(test_lists)
{
	assert_true(list_has("0-3,7,9-11", 2));
	assert_true(list_has("0-3,7,9-11", 7));
	assert_true(list_has("0-3,7,9-11", 11));
	assert_false(list_has("0-3,7,9-11", 8));
	assert_false(list_has("", 0));
	assert_false(list_has("(null)", 0));
}

TEST(test_interrupt_columns)
{
	uint64_t sum, timer;
	FILE *f = text_file("           CPU0       CPU2       \n"
			    "  1:          5          7  IO-APIC   5-edge      ACPI\n"
			    "LOC:        100        200  Local timer interrupts\n"
			    "ERR:          9\n");
	assert_int_equal(read_interrupts(f, 2, &sum, &timer), 0);
	assert_int_equal(sum, 207);
	assert_int_equal(timer, 200);
	rewind(f);
	assert_int_equal(read_interrupts(f, 0, &sum, &timer), 0);
	assert_int_equal(sum, 5 + 100 + 9);
	rewind(f);
	assert_int_equal(read_interrupts(f, 1, &sum, &timer), -1);
	fclose(f);
}

TEST(test_cpu_times)
{
	struct cpu_times t;
	FILE *f = text_file("cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 9 10\n"
			    "cpu1 1 2 3 4 5 60 70 80 9 10\nintr 5\n");
	assert_int_equal(read_cpu_times(f, 1, &t), 0);
	assert_int_equal(t.irq, 60);
	assert_int_equal(t.softirq, 70);
	assert_int_equal(t.steal, 80);
	assert_int_equal(read_cpu_times(f, 2, &t), -1);
	fclose(f);
}

TEST(test_waiting)
{
	uint64_t ns;
	FILE *f = text_file("123 4567890123 89\n");
	assert_int_equal(read_waited(f, &ns), 0);
	assert_int_equal(ns, 4567890123);
	fclose(f);
	f = text_file("");
	assert_int_equal(read_waited(f, &ns), -1);
	fclose(f);
}

TEST(test_tsc_verdict)
{
	struct tsc_state w = {
		.flags_known = true,
		.constant = true,
		.nonstop = true,
		.clocks_known = true,
		.offered = true,
		.seen = true,
	};
	assert_null(tsc_verdict(&w));
	w.offered = false;
	assert_non_null(strstr(tsc_verdict(&w), "unstable"));
	w.seen = false; /* it was told so */
	assert_null(tsc_verdict(&w));
	w.seen = true;
	w.clocks_known = false;
	assert_null(tsc_verdict(&w));
	w.nonstop = false;
	assert_non_null(strstr(tsc_verdict(&w), "nonstop_tsc"));
	w.hypervisor = true;
	assert_null(tsc_verdict(&w));
	w.constant = false;
	assert_non_null(strstr(tsc_verdict(&w), "not constant"));
}

/* A fault between begin and end is seen and counted as a fault; without one nothing is. */
TEST(test_counts_see_a_fault)
{
	struct hosted h = { .room.priv = &h };
	struct event_counts q;
	unsigned undisturbed = 0;
	events_init(&h);
	volatile char *page = mmap(NULL, 64 * PAGE_4K, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(madvise((void *)page, 64 * PAGE_4K, MADV_NOHUGEPAGE), 0);
	h.room.timed_begin(&h.room, &q);
	for (int i = 0; i < 64; i++)
		page[i * PAGE_4K] = 1;
	h.room.timed_end(&h.room, &q);
	assert_true(q.known & EVENT_FAULTS);
	/* Fewer than 64 where one fault maps several pages, more with a sanitizer's own. */
	assert_in_range(q.faults, 1, 1000);
	for (int i = 0; i < 1000; i++) {
		h.room.timed_begin(&h.room, &q);
		page[0]++;
		h.room.timed_end(&h.room, &q);
		undisturbed += !q.faults && !q.switches && !q.interrupts;
	}
	assert_in_range(undisturbed, 1, 1000);
	counters_close(&h.counters);
}

static void *count_elsewhere(void *room)
{
	struct event_counts q;
	((struct room *)room)->timed_begin(room, &q);
	((struct room *)room)->timed_end(room, &q);
	return NULL;
}

/* A new thread has had fewer faults than this one: taken for ours they would show. */
TEST(test_counts_are_each_threads_own)
{
	struct hosted h = { .room.priv = &h };
	struct event_counts q;
	pthread_t thread;
	events_init(&h);
	volatile char *pages = mmap(NULL, 3000 * PAGE_4K, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(madvise((void *)pages, 3000 * PAGE_4K, MADV_NOHUGEPAGE), 0);
	for (int i = 0; i < 2999; i++)
		pages[i * PAGE_4K] = 1;
	h.room.timed_begin(&h.room, &q);
	assert_int_equal(pthread_create(&thread, NULL, count_elsewhere, &h.room), 0);
	pthread_join(thread, NULL);
	pages[2999 * PAGE_4K] = 1;
	h.room.timed_end(&h.room, &q);
	assert_in_range(q.faults, 1, 500);
	counters_close(&h.counters);
}

/* Counters that every kernel has stand in for the processor's. */
TEST(test_counter_group)
{
	static const struct counter_kind kinds[2] = {
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, EVENT_MISPREDICTS },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, EVENT_INSTRUCTIONS },
	};
	struct event_counters q = { 0 };
	uint64_t before[COUNTERS], after[COUNTERS];
	counters_open(&q, kinds, 2);
	if (q.ncounters < 2) {
		counters_close(&q);
		skip(); /* perf_event_open is forbidden here */
	}
	volatile char *page =
		mmap(NULL, PAGE_4K, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(counters_read(&q, before), 0);
	page[0] = 1;
	assert_int_equal(counters_read(&q, after), 0);
	assert_in_range(after[0] - before[0], 1, 1000);
	assert_int_equal(after[1], before[1]);
	counters_close(&q);
}
