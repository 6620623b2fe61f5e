/* SPDX-License-Identifier: MIT */
#include "probes/noise/noise_scan.h"

#define SLICE_NS     100e6 /* one call of the scan at least; counts are read between slices */
#define SHARED_NS    250e6 /* the same for several processors, which begin together */
#define ABOVE_NS     100   /* a gap is this much longer than the loop's own step */
#define SLICES_ALL   65536 /* slices times processors */
#define EVENTS_MOST  4096  /* gaps kept of a slice, and the longest of the whole scan, */
#define EVENTS_ALL   65536 /* of all processors together */
#define EVENTS_LEAST 256
#define KEPT_ALL     16384 /* each is a few bytes of the result */
#define KEPT_LEAST   32

const double noise_thresholds_us[NOISE_THRESHOLDS] = {
#define NOISE_THRESHOLD(us, whose) us,
#include "lib/noise_thresholds.inc"
#undef NOISE_THRESHOLD
};

/* An equal share of `all` for each of n, within bounds. */
static unsigned share(unsigned all, unsigned n, unsigned least, unsigned most)
{
	unsigned each = all / n;

	return each < least ? least : each > most ? most : each;
}

static void clear(struct gap_scan *scan, uint64_t capacity)
{
	__builtin_memset(scan, 0, sizeof *scan);
	scan->capacity = capacity;
}

static void scan_for(struct bench *b, struct gap_scan *scan, double ns, double threshold)
{
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)scan,
		(uint64_t)(ns * b->room->facts.tsc_hz / 1e9), (uint64_t)threshold };

	call_loop(b, loop_gaps, args);
}

/* The loop's own step, from a millisecond in which nothing counts as a gap. */
static void find_threshold(struct cpu_task *c)
{
	struct cpu_gaps *g = c->arg;

	scan_for(c->b, g->scan, 1e6, 9e18);
	g->smallest_ticks = (double)g->scan->smallest;
	g->threshold_ticks = g->smallest_ticks + ABOVE_NS * c->b->room->facts.tsc_hz / 1e9;
}

static void scan_slice(struct cpu_task *c)
{
	struct cpu_gaps *g = c->arg;
	struct room *room = c->b->room;

	room->timed_begin(room, &g->events);
	scan_for(c->b, g->scan, g->monitor->slice_ns, g->threshold_ticks);
	room->timed_end(room, &g->events);
}

static int run_on_all(struct job *job, struct gap_monitor *m, void (*work)(struct cpu_task *))
{
	for (unsigned i = 0; i < m->n; i++)
		m->cpus[i].events = (struct event_counts){ 0 };
	for (unsigned i = 0; i < m->ntasks; i++)
		m->tasks[i].work = m->tasks[i].arg ? work : cpu_task_nothing;
	return cpu_tasks_run(job, m->tasks, m->ntasks, &m->go);
}

/* Allocates what lives until the end of the run. */
static int allocate_results(struct bench *b, struct gap_monitor *m, struct cpu_gaps *g)
{
	unsigned most = share(KEPT_ALL, b->room->facts.cpus, KEPT_LEAST, EVENTS_MOST);
	size_t bytes = m->slices * sizeof(double);

	g->monitor = m;
	g->cpu = m->first + (unsigned)(g - m->cpus);
	g->longest = (struct longest){ run_alloc(b, most * sizeof *g->longest.gaps), 0, most };
	g->rate = run_alloc(b, bytes);
	g->stolen = run_alloc(b, bytes);
	g->longest_ns = run_alloc(b, bytes);
	return g->longest.gaps && g->rate && g->stolen && g->longest_ns ? 0 : -1;
}

/* Allocates what the row needs. It is written here, so that the scan causes no page fault. */
static int allocate_scan(struct bench *b, struct gap_monitor *m, unsigned i)
{
	unsigned events = share(EVENTS_ALL, b->room->facts.cpus, EVENTS_LEAST, EVENTS_MOST);
	size_t bytes = sizeof(struct gap_scan) + events * sizeof(struct gap);
	struct gap_scan *scan = row_alloc(b, bytes);
	bool *marks = row_alloc(b, events * sizeof *marks);

	if (!scan || !marks)
		return -1;
	__builtin_memset(scan, 0, bytes);
	__builtin_memset(marks, 0, events * sizeof *marks);
	scan->capacity = events;
	m->cpus[i].scan = scan;
	m->timelines[i] = (struct timeline){ .scan = scan, .together = marks };
	return 0;
}

static int allocate(struct bench *b, struct gap_monitor *m)
{
	m->cpus = run_alloc(b, m->n * sizeof *m->cpus);
	m->timelines = row_alloc(b, m->n * sizeof *m->timelines);
	m->tasks = row_alloc(b, (m->n + 1) * sizeof *m->tasks);
	if (!m->cpus || !m->timelines || !m->tasks)
		return -1;
	for (unsigned i = 0; i < m->n; i++)
		if (allocate_results(b, m, &m->cpus[i]) || allocate_scan(b, m, i))
			return -1;
	return 0;
}

static void set_tasks(struct bench *b, struct gap_monitor *m)
{
	m->ntasks = 0;
	if (m->first)
		m->tasks[m->ntasks++] = (struct cpu_task){ .b = b };
	for (unsigned i = 0; i < m->n; i++)
		m->tasks[m->ntasks++] =
			(struct cpu_task){ .b = b, .cpu = m->first + i, .arg = &m->cpus[i] };
}

static void choose_slices(struct gap_monitor *m)
{
	unsigned most = share(SLICES_ALL, m->n, 1, SAMPLES_LIMIT);
	double wanted = m->seconds * 1e9 / (m->n > 1 ? SHARED_NS : SLICE_NS);

	m->slices = wanted < 1 ? 1 : wanted > most ? most : (unsigned)wanted;
	m->slice_ns = m->seconds * 1e9 / m->slices;
}

int gap_monitor_prepare(struct bench *b, struct job *job, struct gap_monitor *m)
{
	m->done = 0;
	m->moments = (struct moments){ 0 };
	choose_slices(m);
	if (allocate(b, m))
		return job_skip(job, "no memory for the gaps of %u CPU(s)", m->n);
	set_tasks(b, m);
	if (run_on_all(job, m, find_threshold))
		return -1;
	m->counted = false;
	if (b->room->count_begin)
		b->room->count_begin(b->room);
	return 0;
}

/* Each event counted during the slice is a possible cause of all its gaps. */
static uint32_t counted_events(const struct cpu_gaps *g)
{
	const struct event_counts *q = &g->events;
	return disturbing_events(q) & q->known;
}

/* EVENT_CORE_CYCLES if the core clock differs from that of the slice before, else 0. */
static uint32_t clock_change(struct cpu_gaps *g)
{
	double observed = (double)g->scan->observed;
	double now = (double)g->events.core_cycles / observed;
	double stolen = (double)g->scan->total / observed;
	bool moved = noise_clock_moved(g->cycles_per_tick, g->stolen_part, now, stolen);

	if (!(g->events.known & EVENT_CORE_CYCLES))
		return 0;
	g->cycles_per_tick = now;
	g->stolen_part = stolen;
	return moved ? EVENT_CORE_CYCLES : 0;
}

static void record_gaps(struct bench *b, struct cpu_gaps *g, const bool *overlaps)
{
	const struct gap_scan *scan = g->scan;
	uint32_t cause = counted_events(g) | clock_change(g);
	double slice_ns = ticks_to_ns(b, (double)(scan->started - g->monitor->started));

	for (uint64_t i = 0; i < scan->recorded; i++) {
		double length = ticks_to_ns(b, (double)scan->events[i].length);
		struct kept gap = { slice_ns + ticks_to_ns(b, (double)scan->events[i].at), length,
			cause | (overlaps[i] ? NOISE_TOGETHER : 0) };

		longest_add(&g->longest, &gap);
		g->together += overlaps[i];
		for (unsigned t = 0; t < NOISE_THRESHOLDS; t++)
			g->above[t] += length > noise_thresholds_us[t] * 1000;
	}
	g->unrecorded += scan->count - scan->recorded;
}

static void add_up(struct bench *b, struct cpu_gaps *g, unsigned slice)
{
	const struct gap_scan *scan = g->scan;
	double seconds = ticks_to_ns(b, (double)scan->observed) / 1e9;

	g->rate[slice] = (double)scan->count / seconds;
	g->stolen[slice] = (double)scan->total / (double)scan->observed * 1e6;
	g->longest_ns[slice] = ticks_to_ns(b, (double)scan->longest);
	g->gaps += scan->count;
	g->gap_ticks += (double)scan->total;
	g->observed_ticks += (double)scan->observed;
	g->blind_ticks += (double)scan->blind;
	for (unsigned i = 0; i < 64; i++)
		g->log2[i] += scan->log2[i];
	if ((double)scan->smallest < g->smallest_ticks)
		g->smallest_ticks = (double)scan->smallest;
}

/* The first stamp of all processors: the zero of the gaps' times. */
static void set_start(struct gap_monitor *m)
{
	m->started = m->cpus[0].scan->started;
	for (unsigned i = 1; i < m->n; i++)
		if (m->cpus[i].scan->started < m->started)
			m->started = m->cpus[i].scan->started;
}

int gap_monitor_slice(struct bench *b, struct job *job, struct gap_monitor *m)
{
	if (m->done == m->slices)
		return job_skip(job, "internal error: more slices than planned");
	for (unsigned i = 0; i < m->n; i++)
		clear(m->cpus[i].scan, m->cpus[i].scan->capacity);
	if (run_on_all(job, m, scan_slice))
		return -1;
	for (unsigned i = 0; i < m->n; i++) {
		const struct gap_scan *scan = m->cpus[i].scan;

		if (scan->reads == 0 || scan->total > scan->observed)
			return job_disproved(job,
				"CPU %u: the TSC went backwards or the scan "
				"did not run",
				m->cpus[i].cpu);
	}
	noise_moments(m->timelines, m->n, &m->moments);
	if (m->done == 0)
		set_start(m);
	for (unsigned i = 0; i < m->n; i++) {
		record_gaps(b, &m->cpus[i], m->timelines[i].together);
		add_up(b, &m->cpus[i], m->done);
	}
	m->done++;
	return 0;
}

double cpu_gaps_longest_ns(const struct cpu_gaps *g)
{
	double most = 0;

	for (unsigned i = 0; i < g->monitor->done; i++)
		most = g->longest_ns[i] > most ? g->longest_ns[i] : most;
	return most;
}
