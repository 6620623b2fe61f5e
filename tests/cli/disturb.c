/* SPDX-License-Identifier: MIT */
/*
 * disturb CPU SECONDS: a disturber that keeps a diary. Every 10 ms, for so long or until SIGTERM,
 * it wakes on that CPU, before any other thread there, and burns 300 us; then it says on standard
 * output, one line each, the TSC at the beginning and at the end of what it burnt, and how many ns
 * after its time it began. Exit code 77: not permitted to be first.
 */
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <x86intrin.h>

#define EVERY_NS 10000000
#define BURN_NS  300000

static volatile sig_atomic_t enough;

static void on_signal(int number)
{
	enough = number;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	const struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) && !enough)
		;
}

static void be_first(unsigned cpu)
{
	struct sched_param param = { .sched_priority = 50 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(2, "CPU %u", cpu);
	if (sched_setscheduler(0, SCHED_FIFO, &param) || mlockall(MCL_CURRENT | MCL_FUTURE))
		err(77, "not permitted to be first");
}

int main(int argc, char **argv)
{
	if (argc != 3)
		errx(2, "disturb CPU SECONDS");
	size_t most = strtoul(argv[2], NULL, 10) * 1000000000 / EVERY_NS, n = 0;
	uint64_t(*diary)[3] = calloc(most + 1, sizeof(*diary)), next;

	if (!diary)
		err(2, "diary");
	signal(SIGTERM, on_signal);
	be_first((unsigned)strtoul(argv[1], NULL, 10));
	next = now_ns();
	for (; n < most && !enough; n++) {
		sleep_until(next += EVERY_NS);
		uint64_t begin = now_ns();
		diary[n][0] = __rdtsc();
		diary[n][2] = begin - next;
		while (now_ns() - begin < BURN_NS)
			;
		diary[n][1] = __rdtsc();
	}
	for (size_t i = 0; i < n; i++)
		printf("%lu %lu %lu\n", diary[i][0], diary[i][1], diary[i][2]);
	free(diary);
	return 0;
}
