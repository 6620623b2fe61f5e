/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "linux/os_counters.h"

/* Which column of the heading "CPU0 CPU1 ..." is this CPU's; only online CPUs have one. */
static int column_of(char *heading, unsigned cpu)
{
	int column = 0;
	unsigned number;
	for (char *word = strtok(heading, " \n"); word; word = strtok(NULL, " \n"), column++)
		if (sscanf(word, "CPU%u", &number) == 1 && number == cpu)
			return column;
	return -1;
}

/* The figure in a column of "NAME: 1 2 3 text"; lines such as ERR have a single one: 0. */
static uint64_t figure_of(const char *line, int column)
{
	const char *at = strchr(line, ':');
	char *end;
	uint64_t value = 0;
	for (int i = 0; at && i <= column; i++) {
		value = strtoull(at + 1, &end, 10);
		if (end == at + 1)
			return 0;
		at = end - 1;
	}
	return value;
}

int read_interrupts(FILE *interrupts, unsigned cpu, uint64_t *sum, uint64_t *timer)
{
	char *line = NULL;
	size_t capacity = 0;
	int column = -1;
	*sum = *timer = 0;
	if (getline(&line, &capacity, interrupts) > 0)
		column = column_of(line, cpu);
	while (column >= 0 && getline(&line, &capacity, interrupts) > 0) {
		uint64_t count = figure_of(line, column);
		*sum += count;
		if (!strncmp(line + strspn(line, " "), "LOC:", 4))
			*timer = count;
	}
	free(line);
	return column < 0 ? -1 : 0;
}

int read_cpu_times(FILE *stat, unsigned cpu, struct cpu_times *t)
{
	char line[512];
	unsigned number;
	while (fgets(line, sizeof(line), stat))
		if (sscanf(line, "cpu%u %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64,
			    &number, &t->irq, &t->softirq, &t->steal) == 4 &&
			number == cpu)
			return 0;
	return -1;
}

int read_waited(FILE *schedstat, uint64_t *ns)
{
	return fscanf(schedstat, "%*u %" SCNu64, ns) == 1 ? 0 : -1;
}

struct os_counters os_counters_read(unsigned cpu)
{
	struct os_counters now = { 0 };
	FILE *f = fopen("/proc/interrupts", "re");
	if (f) {
		now.interrupts_known = !read_interrupts(f, cpu, &now.interrupts, &now.timer);
		fclose(f);
	}
	f = fopen("/proc/stat", "re");
	if (f) {
		struct cpu_times times;
		now.steal_known = !read_cpu_times(f, cpu, &times);
		now.steal_ticks = now.steal_known ? times.steal : 0;
		fclose(f);
	}
	f = fopen("/proc/thread-self/schedstat", "re");
	if (f) {
		now.waited_known = !read_waited(f, &now.waited_ns);
		fclose(f);
	}
	return now;
}
