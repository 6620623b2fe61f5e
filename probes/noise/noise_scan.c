/* SPDX-License-Identifier: MIT */
#include "probes/noise/noise_scan.h"

#define SLICE_NS     100e6 /* one call of the scan at least; counts are read between slices */
#define SHARED_NS    250e6 /* the same for several processors, who have to meet first */
#define ABOVE_NS     100   /* a gap is this much longer than the loop's own step */
#define SLICES_ALL   65536 /* slices times processors */
#define EVENTS_MOST  4096  /* gaps kept of a slice, and the longest of the whole scan, */
#define EVENTS_ALL   65536 /* of all processors together */
#define EVENTS_LEAST 256
#define KEPT_ALL     16384 /* each is a few bytes of the result */
#define KEPT_LEAST   32

const double noise_thresholds_us[NOISE_THRESHOLDS] = {
#define NOISE_THRESHOLD(us) us,
#include "lib/noise_thresholds.inc"
#undef NOISE_THRESHOLD
};

/* Each one's part of `all`, within bounds. */
static unsigned part(unsigned all, unsigned n, unsigned least, unsigned most)
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
		(uint64_t)(ns * b->env->facts.tsc_hz / 1e9), (uint64_t)threshold };

	call_loop(b, loop_gaps, args);
}

/* The loop's own step, from a millisecond in which nothing counts as a gap. */
static void find_threshold(struct cpu_task *c)
{
	struct seen *s = c->arg;

	scan_for(c->b, s->scan, 1e6, 9e18);
	s->smallest_ticks = (double)s->scan->smallest;
	s->threshold_ticks = s->smallest_ticks + ABOVE_NS * c->b->env->facts.tsc_hz / 1e9;
}

static void scan_slice(struct cpu_task *c)
{
	struct seen *s = c->arg;
	struct env *env = c->b->env;

	env->timed_begin(env, &s->quiet);
	scan_for(c->b, s->scan, s->watch->slice_ns, s->threshold_ticks);
	env->timed_end(env, &s->quiet);
}

static void rest(struct cpu_task *c)
{
	(void)c;
}

static int together(struct job *job, struct watch *w, void (*work)(struct cpu_task *))
{
	for (unsigned i = 0; i < w->n; i++)
		w->seen[i].quiet = (struct event_counts){ 0 };
	for (unsigned i = 0; i < w->members; i++)
		w->crew[i].work = w->crew[i].arg ? work : rest;
	return cpu_tasks_run(job, w->crew, w->members, &w->go);
}

/* What is kept until the end of the run. */
static int keep_one(struct bench *b, struct watch *w, struct seen *s)
{
	unsigned most = part(KEPT_ALL, b->env->facts.cpus, KEPT_LEAST, EVENTS_MOST);
	double *values = run_alloc(b, 3 * w->slices * sizeof *values);

	s->watch = w;
	s->cpu = w->first + (unsigned)(s - w->seen);
	s->longest = (struct longest){ run_alloc(b, most * sizeof *s->longest.gaps), 0, most };
	if (!values || !s->longest.gaps)
		return -1;
	s->rate = values;
	s->stolen = values + w->slices;
	s->longest_ns = values + 2 * w->slices;
	return 0;
}

/* What is needed while it scans; touched here, so that the scan meets no page fault. */
static int lend_one(struct bench *b, struct watch *w, unsigned i)
{
	unsigned events = part(EVENTS_ALL, b->env->facts.cpus, EVENTS_LEAST, EVENTS_MOST);
	size_t bytes = sizeof(struct gap_scan) + events * sizeof(struct gap);
	struct gap_scan *scan = row_alloc(b, bytes);
	bool *marks = row_alloc(b, events * sizeof *marks);

	if (!scan || !marks)
		return -1;
	__builtin_memset(scan, 0, bytes);
	__builtin_memset(marks, 0, events * sizeof *marks);
	scan->capacity = events;
	w->seen[i].scan = scan;
	w->lines[i] = (struct timeline){ .scan = scan, .together = marks };
	return 0;
}

static int make_room(struct bench *b, struct watch *w)
{
	w->seen = run_alloc(b, w->n * sizeof *w->seen);
	w->lines = row_alloc(b, w->n * sizeof *w->lines);
	w->crew = row_alloc(b, (w->n + 1) * sizeof *w->crew);
	if (!w->seen || !w->lines || !w->crew)
		return -1;
	for (unsigned i = 0; i < w->n; i++)
		if (keep_one(b, w, &w->seen[i]) || lend_one(b, w, i))
			return -1;
	return 0;
}

static void make_crew(struct bench *b, struct watch *w)
{
	w->members = 0;
	if (w->first)
		w->crew[w->members++] = (struct cpu_task){ .b = b };
	for (unsigned i = 0; i < w->n; i++)
		w->crew[w->members++] =
			(struct cpu_task){ .b = b, .cpu = w->first + i, .arg = &w->seen[i] };
}

static void divide(struct watch *w)
{
	unsigned most = part(SLICES_ALL, w->n, 1, SAMPLES_LIMIT);
	double wanted = w->seconds * 1e9 / (w->n > 1 ? SHARED_NS : SLICE_NS);

	w->slices = wanted < 1 ? 1 : wanted > most ? most : (unsigned)wanted;
	w->slice_ns = w->seconds * 1e9 / w->slices;
}

int watch_prepare(struct bench *b, struct job *job, struct watch *w)
{
	w->done = 0;
	w->moments = (struct moments){ 0 };
	divide(w);
	if (make_room(b, w))
		return job_skip(job, "no memory for the gaps of %u CPU(s)", w->n);
	make_crew(b, w);
	return together(job, w, find_threshold);
}

/* What was counted during the slice may have caused its gaps; several gaps share the suspicion. */
static uint32_t causes(const struct seen *s)
{
	const struct event_counts *q = &s->quiet;
	uint32_t moved = 0;

	moved |= q->smis ? EVENT_SMIS : 0;
	moved |= q->nmis ? EVENT_NMIS : 0;
	moved |= q->interrupts ? EVENT_INTERRUPTS : 0;
	moved |= q->switches ? EVENT_SWITCHES : 0;
	moved |= q->faults ? EVENT_FAULTS : 0;
	return moved & q->known;
}

/* Core cycles per tick against those of the slice before. */
static uint32_t clock_change(struct seen *s)
{
	double observed = (double)s->scan->observed;
	double now = (double)s->quiet.core_cycles / observed;
	double stolen = (double)s->scan->total / observed;
	bool moved = noise_clock_moved(s->cycles_per_tick, s->stolen_part, now, stolen);

	if (!(s->quiet.known & EVENT_CORE_CYCLES))
		return 0;
	s->cycles_per_tick = now;
	s->stolen_part = stolen;
	return moved ? EVENT_CORE_CYCLES : 0;
}

static void keep_events(struct bench *b, struct seen *s, const bool *marks)
{
	const struct gap_scan *scan = s->scan;
	uint32_t cause = causes(s) | clock_change(s);
	double slice_ns = ticks_to_ns(b, (double)(scan->started - s->watch->started));

	for (uint64_t i = 0; i < scan->recorded; i++) {
		double length = ticks_to_ns(b, (double)scan->events[i].length);
		struct kept gap = { slice_ns + ticks_to_ns(b, (double)scan->events[i].at), length,
			cause | (marks[i] ? NOISE_TOGETHER : 0) };

		longest_add(&s->longest, &gap);
		s->together += marks[i];
		for (unsigned t = 0; t < NOISE_THRESHOLDS; t++)
			s->above[t] += length > noise_thresholds_us[t] * 1000;
	}
	s->unrecorded += scan->count - scan->recorded;
}

static void add_up(struct bench *b, struct seen *s, unsigned slice)
{
	const struct gap_scan *scan = s->scan;
	double seconds = ticks_to_ns(b, (double)scan->observed) / 1e9;

	s->rate[slice] = (double)scan->count / seconds;
	s->stolen[slice] = (double)scan->total / (double)scan->observed * 1e6;
	s->longest_ns[slice] = ticks_to_ns(b, (double)scan->longest);
	s->gaps += scan->count;
	s->gap_ticks += (double)scan->total;
	s->observed_ticks += (double)scan->observed;
	s->blind_ticks += (double)scan->blind;
	for (unsigned i = 0; i < 64; i++)
		s->log2[i] += scan->log2[i];
	if ((double)scan->smallest < s->smallest_ticks)
		s->smallest_ticks = (double)scan->smallest;
}

/* The first stamp of all: moments are told from there. */
static void set_start(struct watch *w)
{
	w->started = w->seen[0].scan->started;
	for (unsigned i = 1; i < w->n; i++)
		if (w->seen[i].scan->started < w->started)
			w->started = w->seen[i].scan->started;
}

int watch_slice(struct bench *b, struct job *job, struct watch *w)
{
	if (w->done == w->slices)
		return job_skip(job, "internal error: more slices than planned");
	for (unsigned i = 0; i < w->n; i++)
		clear(w->seen[i].scan, w->seen[i].scan->capacity);
	if (together(job, w, scan_slice))
		return -1;
	for (unsigned i = 0; i < w->n; i++) {
		const struct gap_scan *scan = w->seen[i].scan;

		if (scan->reads == 0 || scan->total > scan->observed)
			return job_skip(job,
				"proof failed: CPU %u: the TSC went backwards or the scan "
				"did not run",
				w->seen[i].cpu);
	}
	noise_moments(w->lines, w->n, &w->moments);
	if (w->done == 0)
		set_start(w);
	for (unsigned i = 0; i < w->n; i++) {
		keep_events(b, &w->seen[i], w->lines[i].together);
		add_up(b, &w->seen[i], w->done);
	}
	w->done++;
	return 0;
}

double seen_longest_ns(const struct seen *s)
{
	double most = 0;

	for (unsigned i = 0; i < s->watch->done; i++)
		most = s->longest_ns[i] > most ? s->longest_ns[i] : most;
	return most;
}
