/* SPDX-License-Identifier: MIT */
/*
 * Counts the disturbances of a sample, without a slow call beside the timed section.
 *
 * A process may load a null selector with a privilege level, 1, into DS; 64-bit code never uses it.
 * When the processor returns from an interrupt or a fault to user mode (IRET to an outer privilege
 * level: Intel SDM vol. 2, IRET) it clears null selectors: DS reads 0 afterwards. So a mark that is
 * still there says that no interrupt, fault or context switch came in between, at the cost of one
 * register read. (SegScope, Zhang et al., HPCA 2024.) A system call leaves the mark alone. Only
 * when the mark is gone is getrusage called. A kernel that returns by FRED's ERETU does not clear
 * it: counters_init tries, and if it does not work getrusage is called each time.
 *
 * The number of interrupts is therefore a lower bound: 1 means one or more.
 *
 * Counts also Linux's own figures for each processor, from one look to the next: interrupts and
 * softirqs by name, context switches of the measuring thread, time taken by interrupts and by the
 * hypervisor.
 */
#include <ctype.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux/abandon.h"
#include "linux/hosted.h"

/* Time of one CPU that no process got, clock ticks. */
struct cpu_times {
	uint64_t irq, softirq; /* in interrupts and softirqs; 0 if the kernel does not tell */
	uint64_t steal;        /* taken by the hypervisor */
};

/* A line of /proc/interrupts or /proc/softirqs: "CPU0 CPU1", then "NAME: 1 2 words". */

struct counter_line {
	char name[16];     /* "LOC", "24", "TIMER" */
	char words[40];    /* description in the table; for a numbered line the devices */
	uint64_t *figures; /* [cpus] */
};

struct counter_table {
	struct counter_line *lines;
	size_t n;
};

struct counter_kind {
	uint32_t type, config; /* PERF_TYPE_..., PERF_COUNT_... */
	uint32_t bit;          /* EVENT_... */
};

/* The column of this CPU in the heading "CPU0 CPU1 ..."; only online CPUs have one. */
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

/*
 * Sum one CPU's column of an open /proc/interrupts; *timer is its "LOC" line. Returns -1 if there
 * is no such CPU.
 */
static int read_interrupts(FILE *interrupts, unsigned cpu, uint64_t *sum, uint64_t *timer)
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

/*
 * Read the times from an open /proc/stat (proc(5), 6th to 8th figure). Returns -1 if they are not
 * there.
 */
static int read_cpu_times(FILE *stat, unsigned cpu, struct cpu_times *t)
{
	char *line = NULL;
	size_t capacity = 0;
	unsigned number;
	bool found = false;
	while (!found && getline(&line, &capacity, stat) >= 0)
		found = sscanf(line, "cpu%u %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64,
				&number, &t->irq, &t->softirq, &t->steal) == 4 &&
			number == cpu;
	free(line);
	return found ? 0 : -1;
}

/*
 * Read the time that a thread waited for a CPU, ns, from its open /proc/.../schedstat (2nd number).
 * Returns 0 or -1.
 */
static int read_waited(FILE *schedstat, uint64_t *ns)
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

/*
 * Find the CPU of each column of the heading; -1: none of ours. Returns the number of columns, or
 * -1.
 */
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

/*
 * Read the rest of a line, with single spaces; for a numbered line without the controller and its
 * pin.
 */
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

/* Read the figures. Returns false unless the line has one for each column. */
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

/* Add a line; skip it if it is no counter. Returns -1 if there is no memory. */
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

static void counter_table_free(struct counter_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->lines[i].figures);
	free(t->lines);
	*t = (struct counter_table){ 0 };
}

/*
 * Read an open table for these CPUs, by `id`. Lines without a figure for each CPU (ERR) are left
 * out. Returns 0; -1 if a CPU is not in the heading, or without memory: the table is then empty.
 */
static int counter_table_read(struct counter_table *t, FILE *f, const struct cpu_location *cpus,
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

/* The line of that name: at the same place as before, unless a device came or went. */
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

/*
 * Add the figures of cpus[cpu] that grew between two tables of the same CPUs, as counts of this
 * kind, after the n that out[most] has. Returns the new number.
 */
static unsigned counter_table_grown(const struct counter_table *before,
	const struct counter_table *after, unsigned cpu, const char *kind, struct system_count *out,
	unsigned n, unsigned most)
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

/* Sort the most frequent first. */
static void system_counts_rank(struct system_count *counts, unsigned n)
{
	qsort(counts, n, sizeof(*counts), by_count);
}

/* Core cycles, instructions, mispredicted branches, in this order. */
static const struct counter_kind hardware_counters[COUNTERS] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, EVENT_CORE_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, EVENT_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, EVENT_MISPREDICTS },
};

#define CORES_SHIFT 32 /* of the kind of cores, in the number of a hardware counter: perf_event.h */

static int counter_open(const struct counter_kind *kind, uint32_t cores, int leader)
{
	uint64_t of = kind->type == PERF_TYPE_HARDWARE ? cores : 0;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = kind->type,
		.config = kind->config | of << CORES_SHIFT,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			PERF_FORMAT_TOTAL_TIME_RUNNING,
		.pinned = leader < 0, /* always on the PMU, or an error: never an estimate */
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/*
 * Open the kinds that the machine has as one group, user mode only, on this thread. `cores`: as by
 * cpu_counters_type; without it Linux counts on the first kind of cores only.
 */
static void counters_open(struct event_counters *q, const struct counter_kind *kinds, unsigned n,
	uint32_t cores)
{
	q->ncounters = 0;
	for (unsigned i = 0; i < n && i < COUNTERS; i++) {
		int fd = counter_open(&kinds[i], cores, q->ncounters ? q->fds[0] : -1);
		if (fd < 0)
			continue;
		q->fds[q->ncounters] = fd;
		q->counter_bits[q->ncounters++] = kinds[i].bit;
	}
}

/*
 * Read their values in the order opened. Returns 0, or -1: they did not count all the time, do not
 * use them.
 */
static int counters_read(const struct event_counters *q, uint64_t values[COUNTERS])
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

#define COUNTS_MOST 512 /* a machine has a few hundred lines; more are ignored */

#define TIMES 3 /* kinds of time, which are always kept */

/* The figures of one look. */
struct look {
	struct counter_table interrupts, softirqs;
	struct cpu_times *times; /* [cpus] */
	bool times_known, switches_known, waited_known;
	uint64_t voluntary, involuntary, waited_ns;
};

static struct look before, after;

static void forget(struct look *l)
{
	counter_table_free(&l->interrupts);
	counter_table_free(&l->softirqs);
	free(l->times);
	*l = (struct look){ 0 };
}

static void read_table(struct counter_table *t, const char *path, const struct hosted *h)
{
	FILE *f = fopen(path, "re");
	if (!f)
		return;
	counter_table_read(t, f, h->topology, h->room.facts.cpus);
	fclose(f);
}

static void read_times(struct look *l, const struct hosted *h)
{
	FILE *f = fopen("/proc/stat", "re");
	l->times = calloc(h->room.facts.cpus, sizeof(*l->times));
	l->times_known = f && l->times;
	for (unsigned i = 0; l->times_known && i < h->room.facts.cpus; i++) {
		rewind(f);
		l->times_known = !read_cpu_times(f, h->topology[i].id, &l->times[i]);
	}
	if (f)
		fclose(f);
}

static void look_at(struct look *l, const struct hosted *h)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "re");
	struct rusage r;
	forget(l);
	l->waited_known = f && !read_waited(f, &l->waited_ns);
	if (f)
		fclose(f);
	read_table(&l->interrupts, "/proc/interrupts", h);
	read_table(&l->softirqs, "/proc/softirqs", h);
	read_times(l, h);
	l->switches_known = !getrusage(RUSAGE_THREAD, &r);
	if (l->switches_known) {
		l->voluntary = (uint64_t)r.ru_nvcsw;
		l->involuntary = (uint64_t)r.ru_nivcsw;
	}
}

static void hosted_count_begin(struct room *room)
{
	NOT_ABANDONED;
	look_at(&before, hosted_of(room));
}

static void hosted_count_end(struct room *room)
{
	NOT_ABANDONED;
	look_at(&after, hosted_of(room));
}

static unsigned add_count(struct system_count *out, unsigned n, const char *kind, const char *name,
	double count)
{
	if (!(count > 0) || n == COUNTS_MOST)
		return n;
	out[n] = (struct system_count){ .count = count };
	snprintf(out[n].kind, sizeof(out[n].kind), "%s", kind);
	snprintf(out[n].name, sizeof(out[n].name), "%s", name);
	return n + 1;
}

static double seconds(uint64_t from, uint64_t to)
{
	return (double)(to - from) / (double)sysconf(_SC_CLK_TCK);
}

static unsigned add_times(struct system_count *out, unsigned n, unsigned cpu)
{
	if (cpu == 0 && before.waited_known && after.waited_known)
		n = add_count(out, n, "seconds", "waited",
			(double)(after.waited_ns - before.waited_ns) / 1e9);
	if (!before.times_known || !after.times_known)
		return n;
	const struct cpu_times *a = &before.times[cpu], *b = &after.times[cpu];
	n = add_count(out, n, "seconds", "irq", seconds(a->irq, b->irq));
	n = add_count(out, n, "seconds", "softirq", seconds(a->softirq, b->softirq));
	return add_count(out, n, "seconds", "steal", seconds(a->steal, b->steal));
}

static unsigned hosted_counts_of(struct room *room, unsigned cpu, struct system_count *out,
	unsigned most)
{
	NOT_ABANDONED;
	struct system_count *all = calloc(COUNTS_MOST, sizeof(*all));
	unsigned n = 0;
	if (!all || cpu >= room->facts.cpus)
		return free(all), 0;
	n = counter_table_grown(&before.interrupts, &after.interrupts, cpu, "interrupts", all, n,
		COUNTS_MOST);
	n = counter_table_grown(&before.softirqs, &after.softirqs, cpu, "softirqs", all, n,
		COUNTS_MOST);
	if (cpu == 0 && before.switches_known && after.switches_known) {
		n = add_count(all, n, "switches", "voluntary",
			(double)(after.voluntary - before.voluntary));
		n = add_count(all, n, "switches", "involuntary",
			(double)(after.involuntary - before.involuntary));
	}
	system_counts_rank(all, n);
	n = n + TIMES < most ? n : most > TIMES ? most - TIMES : 0;
	n = add_times(all, n, cpu);
	n = n < most ? n : most;
	for (unsigned i = 0; i < n; i++)
		out[i] = all[i];
	free(all);
	return n;
}

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

/* Indices into struct event_counts's priv, after the counters' values. */
enum { COUNTED = COUNTERS, SWITCHES, FAULTS };

/* Returns true on the thread that opened the counters: they count only that thread. */
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
	/* A fault clears the mark too: do not count it as an interrupt. */
	counts->interrupts = counts->faults ? 0 : 1;
}

/* Cause a page fault and see if it clears the mark. */
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

void counters_init(struct hosted *h)
{
	h->counters.marks = marks_work();
	h->counters.owner = pthread_self();
	counters_open(&h->counters, hardware_counters, COUNTERS,
		cpu_counters_type("", h->scheduling.cpu));
	h->room.timed_begin = hosted_timed_begin;
	h->room.timed_end = hosted_timed_end;
	h->room.system.count_begin = hosted_count_begin;
	h->room.system.count_end = hosted_count_end;
	h->room.system.counts_of = hosted_counts_of;
}

void counters_close(struct event_counters *q)
{
	while (q->ncounters)
		close(q->fds[--q->ncounters]);
	forget(&before);
	forget(&after);
}
