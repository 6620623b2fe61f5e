/* SPDX-License-Identifier: MIT */
/*
 * What disturbed a sample, without a slow call beside the timed section.
 *
 * A process may load a null selector with a privilege level, 1, into DS; 64-bit code never uses
 * it. When the processor returns from an interrupt or a fault to user mode (IRET to an outer
 * privilege level: Intel SDM vol. 2, IRET) it clears null selectors: DS reads 0 afterwards. So a
 * mark that is still there says that no interrupt, fault or context switch came in between, at the
 * cost of one register read. (SegScope, Zhang et al., HPCA 2024.) A system call leaves the mark
 * alone. Only when the mark is gone is getrusage called. A kernel that returns by FRED's ERETU does
 * not clear it: events_init tries, and where it does not work getrusage is called each time.
 *
 * The number of interrupts is therefore a lower bound: 1 means one or more.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "linux/os_counters.h"
#include "linux/hosted.h"

static inline void mark_set(void)
{
	__asm__ volatile("mov %0, %%ds" : : "r"(1) : "memory");
}

static inline bool mark_there(void)
{
	uint32_t ds;
	__asm__ volatile("mov %%ds, %0" : "=r"(ds) : : "memory");
	return (ds & 0xffff) == 1;
}

struct usage {
	uint64_t switches, faults;
};

static struct usage usage(void)
{
	struct rusage r;
	getrusage(RUSAGE_THREAD, &r);
	return (struct usage){
		.switches = (uint64_t)r.ru_nvcsw + (uint64_t)r.ru_nivcsw,
		.faults = (uint64_t)r.ru_minflt + (uint64_t)r.ru_majflt,
	};
}

/* Indices into struct event_counts's priv, behind the counters' values. */
enum { COUNTED = COUNTERS, SWITCHES, FAULTS };

/* The counters count the thread that opened them only. */
static bool counts_here(const struct event_counters *q)
{
	return q->ncounters && pthread_equal(q->owner, pthread_self());
}

static void hosted_timed_begin(struct room *room, struct event_counts *counts)
{
	struct event_counters *q = &hosted_of(room)->counters;
	counts->known = EVENT_SWITCHES | EVENT_FAULTS | (q->marks ? EVENT_INTERRUPTS : 0);
	struct usage now = usage();
	counts->priv[SWITCHES] = now.switches;
	counts->priv[FAULTS] = now.faults;
	counts->priv[COUNTED] = counts_here(q) && !counters_read(q, counts->priv);
	if (q->marks)
		mark_set();
}

static void counters_difference(const struct event_counters *q, struct event_counts *counts)
{
	uint64_t now[COUNTERS];
	if (!counts->priv[COUNTED] || counters_read(q, now))
		return;
	for (unsigned i = 0; i < q->ncounters; i++) {
		uint64_t count = now[i] - counts->priv[i];
		counts->known |= q->counter_bits[i];
		if (q->counter_bits[i] == EVENT_CORE_CYCLES)
			counts->core_cycles = count;
		else if (q->counter_bits[i] == EVENT_INSTRUCTIONS)
			counts->instructions = count;
		else
			counts->mispredicts = count;
	}
}

static void hosted_timed_end(struct room *room, struct event_counts *counts)
{
	struct event_counters *q = &hosted_of(room)->counters;
	bool undisturbed = q->marks && mark_there();
	counters_difference(q, counts);
	counts->switches = counts->faults = counts->interrupts = 0;
	if (undisturbed)
		return;
	struct usage now = usage();
	counts->switches = now.switches - counts->priv[SWITCHES];
	counts->faults = now.faults - counts->priv[FAULTS];
	/* A fault clears the mark too: it is no interrupt. */
	counts->interrupts = counts->faults ? 0 : 1;
}

/* Causes a page fault and looks whether it cleared the mark. */
static bool marks_work(void)
{
	volatile unsigned char *page =
		mmap(NULL, PAGE_4K, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return false;
	mark_set();
	bool kept = mark_there();
	page[0] = 1;
	bool cleared = !mark_there();
	munmap((void *)page, PAGE_4K);
	return kept && cleared;
}

void events_init(struct hosted *h)
{
	h->counters.marks = marks_work();
	h->counters.owner = pthread_self();
	counters_open(&h->counters, hardware_counters, COUNTERS);
	h->room.timed_begin = hosted_timed_begin;
	h->room.timed_end = hosted_timed_end;
}
