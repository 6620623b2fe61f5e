/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* Of the heading's columns: which is whose of the CPUs; -1: none's. Returns how many, or -1. */
static int read_heading(char *heading, const struct cpu_location *cpus, unsigned n, int *place_of,
	int most)
{
	int columns = 0;
	unsigned found = 0, number;
	for (char *word = strtok(heading, " \n"); word && columns < most;
		word = strtok(NULL, " \n")) {
		place_of[columns] = -1;
		for (unsigned i = 0; i < n && sscanf(word, "CPU%u", &number) == 1; i++)
			if (cpus[i].id == number) {
				place_of[columns] = (int)i;
				found++;
			}
		columns++;
	}
	return found == n ? columns : -1;
}

/* The rest of a line, with single spaces; of a numbered line without the controller and its pin. */
static void read_words(struct counter_line *line, char *rest)
{
	size_t used = 0;
	int skip = isdigit((unsigned char)line->name[0]) ? 2 : 0;
	line->words[0] = '\0';
	for (char *word = strtok(rest, " \n"); word; word = strtok(NULL, " \n")) {
		if (skip-- > 0 || used >= sizeof(line->words))
			continue;
		used += (size_t)snprintf(line->words + used, sizeof(line->words) - used, "%s%s",
			used ? " " : "", word);
	}
}

/* Whether the line has a figure for each column. */
static bool read_figures(char *at, const int *place_of, int columns, struct counter_line *line)
{
	char *end;
	for (int i = 0; i < columns; i++, at = end) {
		uint64_t figure = strtoull(at, &end, 10);
		if (end == at)
			return false;
		if (place_of[i] >= 0)
			line->figures[place_of[i]] = figure;
	}
	read_words(line, at);
	return true;
}

/* A line that is no counter is left out. -1: no memory. */
static int add_line(struct counter_table *t, char *text, const int *place_of, int columns,
	unsigned n)
{
	char *colon = strchr(text, ':');
	struct counter_line line = { .figures = calloc(n, sizeof(uint64_t)) };
	if (!line.figures)
		return -1;
	text += strspn(text, " ");
	if (colon > text)
		snprintf(line.name, sizeof(line.name), "%.*s", (int)(colon - text), text);
	if (!line.name[0] || !read_figures(colon + 1, place_of, columns, &line)) {
		free(line.figures);
		return 0;
	}
	struct counter_line *lines = realloc(t->lines, (t->n + 1) * sizeof(*lines));
	if (!lines) {
		free(line.figures);
		return -1;
	}
	t->lines = lines;
	t->lines[t->n++] = line;
	return 0;
}

int counter_table_read(struct counter_table *t, FILE *f, const struct cpu_location *cpus,
	unsigned n)
{
	char *text = NULL;
	size_t capacity = 0;
	int columns = -1, failed = 0, *place_of = NULL;
	*t = (struct counter_table){ 0 };
	ssize_t length = getline(&text, &capacity, f);
	int most = length > 0 ? (int)(length / 2 + 1) : 0;
	if (length > 0 && (place_of = calloc((size_t)most, sizeof(*place_of))))
		columns = read_heading(text, cpus, n, place_of, most);
	while (columns >= 0 && !failed && getline(&text, &capacity, f) > 0)
		failed = add_line(t, text, place_of, columns, n);
	free(place_of);
	free(text);
	if (columns >= 0 && !failed)
		return 0;
	counter_table_free(t);
	return -1;
}

void counter_table_free(struct counter_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->lines[i].figures);
	free(t->lines);
	*t = (struct counter_table){ 0 };
}

/* Lines are where they were, unless a device came or went. */
static const struct counter_line *line_named(const struct counter_table *t, const char *name,
	size_t near)
{
	if (near < t->n && !strcmp(t->lines[near].name, name))
		return &t->lines[near];
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->lines[i].name, name))
			return &t->lines[i];
	return NULL;
}

unsigned counter_table_grown(const struct counter_table *before, const struct counter_table *after,
	unsigned cpu, const char *kind, struct system_count *out, unsigned n, unsigned most)
{
	for (size_t i = 0; i < after->n && n < most; i++) {
		const struct counter_line *now = &after->lines[i];
		const struct counter_line *then = line_named(before, now->name, i);
		uint64_t from = then ? then->figures[cpu] : 0;
		if (now->figures[cpu] <= from)
			continue;
		struct system_count *c = &out[n++];
		snprintf(c->kind, sizeof(c->kind), "%s", kind);
		snprintf(c->name, sizeof(c->name), "%s", now->name);
		snprintf(c->words, sizeof(c->words), "%s", now->words);
		c->count = (double)(now->figures[cpu] - from);
	}
	return n;
}

static int by_count(const void *a, const void *b)
{
	const struct system_count *x = a, *y = b;
	return (x->count < y->count) - (x->count > y->count);
}

void system_counts_rank(struct system_count *counts, unsigned n)
{
	qsort(counts, n, sizeof(*counts), by_count);
}

const struct counter_kind hardware_counters[COUNTERS] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, EVENT_CORE_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, EVENT_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, EVENT_MISPREDICTS },
};

static int counter_open(const struct counter_kind *kind, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = kind->type,
		.config = kind->config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			PERF_FORMAT_TOTAL_TIME_RUNNING,
		.pinned = leader < 0, /* always on the PMU, or an error: never an estimate */
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

void counters_open(struct event_counters *q, const struct counter_kind *kinds, unsigned n)
{
	q->ncounters = 0;
	for (unsigned i = 0; i < n && i < COUNTERS; i++) {
		int fd = counter_open(&kinds[i], q->ncounters ? q->fds[0] : -1);
		if (fd < 0)
			continue;
		q->fds[q->ncounters] = fd;
		q->counter_bits[q->ncounters++] = kinds[i].bit;
	}
}

void counters_close(struct event_counters *q)
{
	while (q->ncounters)
		close(q->fds[--q->ncounters]);
}

int counters_read(const struct event_counters *q, uint64_t values[COUNTERS])
{
	struct {
		uint64_t n, enabled, running, value[COUNTERS];
	} group;
	ssize_t got = read(q->fds[0], &group, sizeof(group));
	if (got < (ssize_t)(3 * sizeof(uint64_t)) || group.n != q->ncounters ||
		group.enabled != group.running)
		return -1;
	memcpy(values, group.value, sizeof(group.value));
	return 0;
}
