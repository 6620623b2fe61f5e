/* SPDX-License-Identifier: MIT */
/*
 * What disturbed a sample, without a slow call beside the timed section.
 *
 * A process may load a null selector with a privilege level, 1, into DS; 64-bit code never uses
 * it. When the processor returns from an interrupt or a fault to user mode (IRET to an outer
 * privilege level: Intel SDM vol. 2, IRET) it clears null selectors: DS reads 0 afterwards. So a
 * mark that is still there says that no interrupt, fault or context switch came in between, for
 * one register read. (SegScope, Zhang et al., HPCA 2024.) A system call leaves the mark alone.
 * Only when the mark is gone are the slow questions asked. A kernel that returns by FRED's ERETU
 * does not clear it: quiet_init tries, and where it does not work getrusage is asked each time.
 *
 * The number of interrupts is therefore a lower bound: 1 means one or more.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "linux/perf_counters.h"
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

/* Places in struct event_counts's priv, behind the counters' values. */
enum { COUNTED = COUNTERS, SWITCHES, FAULTS };

/* The counters count the thread that opened them; asked by another they would mislead. */
static bool counts_here(const struct quieting *q)
{
	return q->ncounters && pthread_equal(q->owner, pthread_self());
}

static void hosted_quiet_begin(struct env *env, struct event_counts *quiet)
{
	struct quieting *q = &hosted_of(env)->quieting;
	quiet->known = EVENT_SWITCHES | EVENT_FAULTS | (q->marks ? EVENT_INTERRUPTS : 0);
	struct usage now = usage();
	quiet->priv[SWITCHES] = now.switches;
	quiet->priv[FAULTS] = now.faults;
	quiet->priv[COUNTED] = counts_here(q) && !counters_read(q, quiet->priv);
	if (q->marks)
		mark_set();
}

static void counters_difference(const struct quieting *q, struct event_counts *quiet)
{
	uint64_t now[COUNTERS];
	if (!quiet->priv[COUNTED] || counters_read(q, now))
		return;
	for (unsigned i = 0; i < q->ncounters; i++) {
		uint64_t count = now[i] - quiet->priv[i];
		quiet->known |= q->counter_bits[i];
		if (q->counter_bits[i] == EVENT_CORE_CYCLES)
			quiet->core_cycles = count;
		else if (q->counter_bits[i] == EVENT_INSTRUCTIONS)
			quiet->instructions = count;
		else
			quiet->mispredicts = count;
	}
}

static void hosted_quiet_end(struct env *env, struct event_counts *quiet)
{
	struct quieting *q = &hosted_of(env)->quieting;
	bool undisturbed = q->marks && mark_there();
	counters_difference(q, quiet);
	quiet->switches = quiet->faults = quiet->interrupts = 0;
	if (undisturbed)
		return;
	struct usage now = usage();
	quiet->switches = now.switches - quiet->priv[SWITCHES];
	quiet->faults = now.faults - quiet->priv[FAULTS];
	/* A fault clears the mark too: it is no interrupt. */
	quiet->interrupts = quiet->faults ? 0 : 1;
}

/* Provokes a page fault and looks whether the mark survived it. */
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

void quiet_init(struct hosted *h)
{
	h->quieting.marks = marks_work();
	h->quieting.owner = pthread_self();
	counters_open(&h->quieting, hardware_counters, COUNTERS);
	h->env.timed_begin = hosted_quiet_begin;
	h->env.timed_end = hosted_quiet_end;
}
