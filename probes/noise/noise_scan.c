/* SPDX-License-Identifier: MIT */
/* The gap scan slice by slice, what the system counted meanwhile, and the members of its line. */
#include "probes/noise/noise_scan.h"

#include <string.h>

#include "engine/emit.h"
#include "engine/room_cpuid.h"
#include "lib/ensure.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/stats.h"
#include "lib/text.h"
#include "probes/noise/noise.h"

static void swap(struct kept *a, struct kept *b)
{
	struct kept kept = *a;

	*a = *b;
	*b = kept;
}

static void sift_up(struct kept *heap, unsigned at)
{
	while (at && heap[(at - 1) / 2].length_ns > heap[at].length_ns) {
		swap(&heap[at], &heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void sift_down(struct kept *heap, unsigned n)
{
	for (unsigned at = 0, child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && heap[child + 1].length_ns < heap[child].length_ns)
			child++;
		if (heap[at].length_ns <= heap[child].length_ns)
			return;
		swap(&heap[at], &heap[child]);
	}
}

/* Keeps it if it is among the longest; capacity >= 1. */
static void longest_add(struct longest *l, const struct kept *gap)
{
	if (l->n < l->capacity) {
		l->gaps[l->n] = *gap;
		sift_up(l->gaps, l->n++);
	} else if (gap->length_ns > l->gaps[0].length_ns) {
		l->gaps[0] = *gap;
		sift_down(l->gaps, l->n);
	}
}

static uint64_t end_of(const struct timeline *t)
{
	return t->scan->started + t->scan->events[t->next].at;
}

static uint64_t start_of(const struct timeline *t)
{
	return end_of(t) - t->scan->events[t->next].length;
}

/* The processor whose next gap begins first; NULL: none is left. */
static struct timeline *earliest(struct timeline *all, unsigned n)
{
	struct timeline *first = NULL;

	for (unsigned i = 0; i < n; i++)
		if (all[i].next < all[i].scan->recorded &&
			(!first || start_of(&all[i]) < start_of(first)))
			first = &all[i];
	return first;
}

/*
 * Marks the recorded gaps that overlap with a gap of another of the n processors, whose TSCs are
 * taken to be one, and adds what it finds to *m. Gaps that overlap in a chain are one moment.
 *
 * In the order of their beginnings, a gap that begins before all earlier ones have ended overlaps
 * with one of them; that is another processor's, because the gaps of one never overlap.
 */
static void noise_moments(struct timeline *all, unsigned n, struct moments *m)
{
	uint64_t reach = 0;
	unsigned cpus = 0;
	bool *opener = NULL;
	struct timeline *t;

	for (unsigned i = 0; i < n; i++)
		all[i].next = all[i].moment = 0;
	while ((t = earliest(all, n))) {
		uint64_t end = end_of(t);
		bool joins = opener && start_of(t) < reach;
		bool *mark = &t->together[t->next++];

		*mark = joins;
		if (joins) {
			m->count += !*opener;
			*opener = true;
			cpus += t->moment != m->serial;
			m->most = cpus > m->most ? cpus : m->most;
		} else {
			opener = mark;
			m->serial++;
			cpus = 1;
		}
		t->moment = m->serial;
		reach = end > reach ? end : reach;
	}
}

#define CLOCK_MOVED 0.01

/*
 * Returns true if the core clock of two slices differs: core cycles per tick of the TSC, and the
 * part (0..1) of each slice that was stolen, during which cycles may or may not have been counted.
 */
static bool noise_clock_moved(double before, double stolen_before, double now, double stolen_now)
{
	double apart = before > now ? before - now : now - before;

	return before > 0 && apart > before * (CLOCK_MOVED + stolen_before + stolen_now);
}

#define STOP_ALIKE   0.2  /* of the pause: it ends at a tick of the timer */
#define PERIOD_ALIKE 0.05 /* of the period */
#define STOPS_MOST   256  /* that are looked at */

/* The ends of the gaps of that length, in the order of time. */
static unsigned stops_of(const struct kept *gaps, unsigned n, double pause_ns,
	double ends[STOPS_MOST])
{
	unsigned stops = 0;

	for (unsigned i = 0; i < n && stops < STOPS_MOST; i++) {
		unsigned at = stops;

		if (math_abs(gaps[i].length_ns - pause_ns) > STOP_ALIKE * pause_ns)
			continue;
		for (; at && ends[at - 1] > gaps[i].at_ns; at--)
			ends[at] = ends[at - 1];
		ends[at] = gaps[i].at_ns;
		stops++;
	}
	return stops;
}

/*
 * Returns the number of n gaps that are as long and as far apart as the stops of a real-time
 * thread, which the system stops for pause_ns in each period_ns: within a fifth of the one, and
 * each a whole number of periods (within a twentieth of one) after the one before. 0 if there are
 * fewer than two such gaps, or if any of that length comes at another time.
 */
static unsigned noise_rt_stops(const struct kept *gaps, unsigned n, double pause_ns,
	double period_ns)
{
	double ends[STOPS_MOST];
	unsigned stops = stops_of(gaps, n, pause_ns, ends);

	for (unsigned i = 1; i < stops; i++) {
		double periods = (ends[i] - ends[i - 1]) / period_ns;
		double whole = (double)(uint64_t)(periods + 0.5);

		if (whole < 1 || math_abs(periods - whole) > PERIOD_ALIKE)
			return 0;
	}
	return stops > 1 ? stops : 0;
}

#define SLICE_NS     100e6 /* one call of the scan at least; counts are read between slices */
#define SHARED_NS    250e6 /* the same for several processors, which begin together */
#define ABOVE_NS     100   /* a gap is this much longer than the loop's own step, */
#define ABOVE_STEPS  8     /* and by so many steps of the TSC: README.md */
#define PART_MOST    1     /* seconds: of a longer slice not all gaps could be kept */
#define MINUTE_NS    60e9
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

static void scan_for(struct bench *b, struct gap_scan *scan, uint64_t ticks, double threshold)
{
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)scan, ticks, (uint64_t)threshold };

	call_loop(b, loop_gaps, args);
}

/* The loop's own step, from a millisecond in which nothing counts as a gap. */
static void find_threshold(struct cpu_task *c)
{
	struct cpu_gaps *g = c->arg;

	scan_for(c->b, g->scan, (uint64_t)(c->b->room->facts.tsc_hz / 1e3), 9e18);
	g->smallest_ticks = (double)g->scan->smallest;
	g->threshold_ticks = g->smallest_ticks +
		math_max(ABOVE_NS * c->b->room->facts.tsc_hz / 1e9,
			ABOVE_STEPS * c->b->tsc_step_ticks);
}

/*
 * Scan until the end of the part. If the cause of each gap is wanted, a gap ends a call of the
 * loop: the events counted in that call are its cause, and the time from one call to the next is
 * blind. A gap that cannot be recorded any more has no cause.
 */
static void scan_part(struct cpu_task *c)
{
	struct cpu_gaps *g = c->arg;
	struct room *room = c->b->room;
	struct gap_scan all = { .smallest = UINT64_MAX }, *scan = g->scan;
	uint64_t ticks = (uint64_t)(g->monitor->part_ns * room->facts.tsc_hz / 1e9), end = 0;

	do {
		struct event_counts q = { 0 };
		uint64_t gaps = scan->recorded;

		scan->most = g->causes && gaps < scan->capacity ? scan->count + 1 : 0;
		room->timed_begin(room, &q);
		scan_for(c->b, scan, ticks - all.observed, g->threshold_ticks);
		room->timed_end(room, &q);
		event_counts_add(&g->events, &q);
		all.started = end ? all.started : scan->started;
		all.blind += scan->blind + (end ? scan->started - end : 0);
		all.reads += scan->reads;
		all.smallest = scan->smallest < all.smallest ? scan->smallest : all.smallest;
		end = scan->started + scan->observed;
		all.observed = end - all.started;
		if (scan->most && scan->recorded > gaps) {
			scan->events[gaps].at += scan->started - all.started;
			g->causes[gaps] = (struct gap_cause){ disturbing_events(&q) & q.known,
				(uint32_t)q.smis };
		}
	} while (g->causes && all.observed < ticks && scan->reads);
	scan->started = all.started;
	scan->observed = all.observed;
	scan->smallest = all.smallest;
	scan->reads = all.reads;
	scan->blind = all.blind;
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
	bool *marks = row_alloc(b, events * sizeof *marks),
	     one_by_one = m->look && m->first + i == 0;
	size_t causes = one_by_one ? events * sizeof(struct gap_cause) : 0;

	m->cpus[i].causes = causes ? row_alloc(b, causes) : NULL;
	if (!scan || !marks || (causes && !m->cpus[i].causes))
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
	m->parts = 1 + (unsigned)(m->seconds / m->slices / PART_MOST);
	m->part_ns = m->seconds * 1e9 / m->slices / m->parts;
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
	if (b->room->system.count_begin)
		b->room->system.count_begin(b->room);
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

/* Intel SDM, volume 3, "Package Level Thermal Management"; there is one if CPUID.06H says so. */
#define PACKAGE_THERM_STATUS     0x1b1
#define HAS_PACKAGE_THERM_STATUS (1u << 6) /* EAX of leaf 6 */
#define THROTTLED_NOW            5         /* bits 0 and 2: its temperature, PROCHOT# */

/* NOISE_THROTTLED if this processor's package is now slowed down by its heat, else 0. */
static uint32_t package_throttled(struct bench *b)
{
	struct room *room = b->room;
	uint64_t status;

	if (!room->read_msr || !room_has_leaf(room, 6) ||
		!(room->cpuid(room, 6, 0).eax & HAS_PACKAGE_THERM_STATUS) ||
		room->read_msr(room, PACKAGE_THERM_STATUS, &status))
		return 0;
	return status & THROTTLED_NOW ? NOISE_THROTTLED : 0;
}

/* throttled: as package_throttled says at the end of the slice. */
static void record_gaps(struct bench *b, struct cpu_gaps *g, const bool *overlaps,
	uint32_t throttled)
{
	_Static_assert(EVENT_CORE_CYCLES < NOISE_TOGETHER, "a cause has a bit of its own");
	const struct gap_scan *scan = g->scan;
	uint32_t all = counted_events(g), more = clock_change(g) | throttled;
	double slice_ns = ticks_to_ns(b, (double)(scan->started - g->monitor->started));

	for (uint64_t i = 0; i < scan->recorded; i++) {
		double length = ticks_to_ns(b, (double)scan->events[i].length);
		uint32_t cause = more | (g->causes ? g->causes[i].events : all);
		struct kept gap = { slice_ns + ticks_to_ns(b, (double)scan->events[i].at), length,
			cause | (overlaps[i] ? NOISE_TOGETHER : 0) };

		longest_add(&g->longest, &gap);
		g->together += overlaps[i];
		for (unsigned t = 0; t < NOISE_THRESHOLDS; t++)
			g->above[t] += length > noise_thresholds_us[t] * 1000;
	}
	g->unrecorded += scan->count - scan->recorded;
}

/* A part of a slice: of several equal ones the slice has the mean, and the longest gap. */
static void add_up(struct bench *b, struct cpu_gaps *g, unsigned slice)
{
	const struct gap_scan *scan = g->scan;
	double seconds = ticks_to_ns(b, (double)scan->observed) / 1e9;
	double parts = g->monitor->parts;

	g->rate[slice] += (double)scan->count / seconds / parts;
	g->stolen[slice] += (double)scan->total / (double)scan->observed * 1e6 / parts;
	g->longest_ns[slice] =
		math_max(g->longest_ns[slice], ticks_to_ns(b, (double)scan->longest));
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

static int scan_once(struct bench *b, struct job *job, struct gap_monitor *m, bool first)
{
	for (unsigned i = 0; i < m->n; i++)
		clear(m->cpus[i].scan, m->cpus[i].scan->capacity);
	if (run_on_all(job, m, scan_part))
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
	if (first)
		set_start(m);
	uint32_t throttled = package_throttled(b);

	for (unsigned i = 0; i < m->n; i++) {
		record_gaps(b, &m->cpus[i], m->timelines[i].together, throttled);
		add_up(b, &m->cpus[i], m->done);
	}
	if (m->look)
		m->look(b, m);
	return 0;
}

const struct unit noise_unit_rate = { "gaps/s", SCALE_PLAIN };

static void extra_minute(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct gap_monitor *m = job->priv;
	const struct gap_minute *minute = &m->minute;

	jsonl_number(l, "gaps", minute->gaps);
	jsonl_number(l, "longest_ns", minute->longest_ns);
	jsonl_number(l, "stolen_ppm", minute->gap_ticks / minute->observed_ticks * 1e6);
}

/*
 * A line a minute, on the screen and in the file: the row of the whole scan comes hours later, and
 * a loss of power before it would leave nothing.
 */
static void end_minute(struct bench *b, struct gap_monitor *m)
{
	struct gap_minute *minute = &m->minute;
	double rate = minute->gaps / (ticks_to_ns(b, minute->observed_ticks) / 1e9);
	struct row row = row_new("minute", &noise_unit_rate, ANSWER_NOISE, NULL);
	struct job job = { .row = &row, .extra = extra_minute, .priv = m };
	struct result r = { .row = &row,
		.samples = 1,
		.min = rate,
		.p10 = rate,
		.median = rate,
		.p90 = rate,
		.p99 = NOT_A_NUMBER,
		.max = rate,
		.mean = rate,
		.ops = 1 };
	bool flagged = false;

	row.probe = b->probe;
	row_param(&row, "minute", ++minute->minutes);
	row_param(&row, "cpus", m->n);
	emit_row(b, &r, &job, &rate, &flagged);
	say(b, "  %u of %u min: %.0f gaps, the longest %.1f us\n", minute->minutes,
		(unsigned)(m->seconds / 60), minute->gaps, minute->longest_ns / 1000);
	*minute = (struct gap_minute){ .minutes = minute->minutes };
}

/* After so many parts of the whole scan: adds the last one to its minute. */
static void add_to_minute(struct bench *b, struct gap_monitor *m, unsigned parts)
{
	struct gap_minute *minute = &m->minute;

	for (unsigned i = 0; i < m->n; i++) {
		const struct gap_scan *scan = m->cpus[i].scan;

		minute->gaps += (double)scan->count;
		minute->gap_ticks += (double)scan->total;
		minute->observed_ticks += (double)scan->observed;
		minute->longest_ns =
			math_max(minute->longest_ns, ticks_to_ns(b, (double)scan->longest));
	}
	if (parts * m->part_ns >= (minute->minutes + 1) * MINUTE_NS)
		end_minute(b, m);
}

/* Take the means of a slice that was stopped over the parts that it has. */
static void cut_slice(struct gap_monitor *m, unsigned parts)
{
	for (unsigned i = 0; i < m->n; i++) {
		m->cpus[i].rate[m->done] *= (double)m->parts / parts;
		m->cpus[i].stolen[m->done] *= (double)m->parts / parts;
	}
}

int gap_monitor_sample(struct bench *b, struct job *job, struct sample *s)
{
	struct gap_monitor *m = job->priv;

	ensure(m->done < m->slices);
	for (unsigned i = 0; i < m->n; i++)
		m->cpus[i].rate[m->done] = m->cpus[i].stolen[m->done] =
			m->cpus[i].longest_ns[m->done] = 0;
	for (unsigned part = 0; part < m->parts; part++) {
		if (scan_once(b, job, m, m->done == 0 && part == 0))
			return -1;
		add_to_minute(b, m, m->done * m->parts + part + 1);
		if (b->room->stop && b->room->stop(b->room)) { /* feeds the watchdog, too */
			cut_slice(m, part + 1);
			job->min_samples = 1; /* the slices so far are enough */
			break;
		}
	}
	s->value = m->cpus[0].rate[m->done++];
	return 0;
}

double cpu_gaps_longest_ns(const struct cpu_gaps *g)
{
	double most = 0;

	for (unsigned i = 0; i < g->monitor->done; i++)
		most = g->longest_ns[i] > most ? g->longest_ns[i] : most;
	return most;
}

/*
 * The system's counts during the scan: events that may have taken the processor away. They happened
 * during the scan, time between slices included; which gap they caused is unknown.
 */

#define COUNTS_ONE  32 /* kinds of counts kept of a processor that scans alone, */
#define COUNTS_SOME 16 /* of each of several, */
#define COUNTS_MANY 6  /* and of each of more than SHOWN_MOST */
#define SHOWN_MOST  64
#define SAID_MOST   8  /* kinds of counts on the screen */
#define LINE_MOST   78 /* columns */

void gap_monitor_count(struct bench *b, struct gap_monitor *m)
{
	unsigned most = m->n > SHOWN_MOST ? COUNTS_MANY : m->n > 1 ? COUNTS_SOME : COUNTS_ONE;

	if (m->counted || !b->room->system.count_end)
		return;
	m->counted = true;
	b->room->system.count_end(b->room);
	for (unsigned i = 0; i < m->n; i++) {
		struct cpu_gaps *g = &m->cpus[i];

		g->counts = run_alloc(b, most * sizeof *g->counts);
		if (g->counts)
			g->ncounts = b->room->system.counts_of(b->room, g->cpu, g->counts, most);
	}
}

/* Only where the measuring thread made the scan: the others are ordinary threads. */
static unsigned rt_stops(const struct bench *b, const struct cpu_gaps *g)
{
	const struct facts *f = &b->room->facts;

	if (g->cpu || !(f->rt_pause_ns > 0))
		return 0;
	return noise_rt_stops(g->longest.gaps, g->longest.n, f->rt_pause_ns, f->rt_period_ns);
}

/* Adds to a row's line what grew during the scan, and the stops of a real-time thread. */
static void cpu_gaps_put_counts(struct bench *b, const struct cpu_gaps *g, struct jsonl *l)
{
	unsigned stops = rt_stops(b, g);

	if (g->counts) {
		jsonl_array(l, "moved");
		for (unsigned i = 0; i < g->ncounts; i++) {
			jsonl_object(l, NULL);
			jsonl_string(l, "kind", g->counts[i].kind);
			jsonl_string(l, "name", g->counts[i].name);
			if (*g->counts[i].words)
				jsonl_string(l, "words", g->counts[i].words);
			jsonl_number(l, "count", g->counts[i].count);
			jsonl_object_end(l);
		}
		jsonl_array_end(l);
	}
	if (stops)
		jsonl_integer(l, "rt_stops", stops);
}

static bool is_time(const struct system_count *c)
{
	return strcmp(c->kind, "seconds") == 0;
}

/* "2500 Local timer interrupts (LOC)", "31 softirqs TIMER", "4.1 % of the time in interrupts" */
static void count_text(const struct system_count *c, double seconds, char out[96])
{
	static const struct {
		const char *name, *words;
	} times[] = { { "waited", "while others ran" }, { "irq", "in interrupts" },
		{ "softirq", "in softirqs" }, { "steal", "stolen by the hypervisor" } };

	*out = 0;
	if (is_time(c)) {
		for (unsigned i = 0; i < sizeof times / sizeof *times; i++)
			if (strcmp(c->name, times[i].name) == 0)
				text_format(out, 96, "%.2f %% of the time %s",
					100 * c->count / seconds, times[i].words);
	} else if (strcmp(c->kind, "switches") == 0) {
		text_format(out, 96, "%.0f %s switches", c->count, c->name);
	} else if (*c->words) {
		text_format(out, 96, "%.0f %s (%s)", c->count, c->words, c->name);
	} else {
		text_format(out, 96, "%.0f %s %s", c->count, c->kind, c->name);
	}
}

/* Adds to a line that begins with four spaces, or begins another; `column` is where it ends. */
static unsigned say_part(struct bench *b, unsigned column, const char *part)
{
	unsigned n = (unsigned)strlen(part);

	if (!column) {
		say(b, "    %s", part);
		return 4 + n;
	}
	if (column + 3 + n > LINE_MOST) {
		say(b, ",\n    %s", part);
		return 4 + n;
	}
	say(b, ", %s", part);
	return column + 2 + n;
}

/* The most frequent, and all times. */
static void say_counts(struct bench *b, const struct cpu_gaps *g)
{
	double seconds = ticks_to_ns(b, g->observed_ticks) / 1e9;
	unsigned column = 0, unsaid = 0;
	char text[96];

	for (unsigned i = 0; i < g->ncounts; i++) {
		if (i >= SAID_MOST && !is_time(&g->counts[i])) {
			unsaid++;
			continue;
		}
		count_text(&g->counts[i], seconds, text);
		column = say_part(b, column, text);
	}
	if (unsaid) {
		text_format(text, sizeof text, "and %u more kinds", unsaid);
		say_part(b, column, text);
	}
	say(b, "\n");
}

/*
 * A gap has a cause: of more gaps than interrupts and switches, the others come from what the
 * system does not count. Only where all that it counts was kept.
 */
static void say_uncounted(struct bench *b, const struct cpu_gaps *g)
{
	double counted = 0;

	for (unsigned i = 0; i < g->ncounts; i++)
		if (strcmp(g->counts[i].kind, "interrupts") == 0 ||
			strcmp(g->counts[i].kind, "switches") == 0)
			counted += g->counts[i].count;
	if (g->monitor->n > 1 || g->ncounts == COUNTS_ONE || counted >= (double)g->gaps / 2)
		return;
	say(b,
		"  At least %.0f of the %llu gaps are none of these. The system\n"
		"  does not count what a hypervisor, an SMI or the core's other thread takes.\n",
		(double)g->gaps - counted, (unsigned long long)g->gaps);
}

void cpu_gaps_say_counts(struct bench *b, const struct cpu_gaps *g)
{
	const struct facts *f = &b->room->facts;
	unsigned stops = rt_stops(b, g);

	if (g->counts && g->ncounts) {
		say(b, "  Counted on CPU %u during the scan; which gap is whose is not known:\n",
			f->topology ? f->topology[g->cpu].id : g->cpu);
		say_counts(b, g);
		say_uncounted(b, g);
	}
	if (stops)
		say(b,
			"  %u gaps of %.0f ms, whole periods of %.1f s apart: the system stops a\n"
			"  real-time thread so (sched_rt_runtime_us). They come from --scheduler "
			"fifo.\n",
			stops, f->rt_pause_ns / 1e6, f->rt_period_ns / 1e9);
}

/* Add the members of a gap scan to a row's line. */

static void put_events(struct jsonl *l, const struct longest *kept)
{
	jsonl_array(l, "events");
	for (unsigned i = 0; i < kept->n; i++) {
		jsonl_array(l, NULL);
		jsonl_integer(l, NULL, (uint64_t)kept->gaps[i].at_ns);
		jsonl_integer(l, NULL, (uint64_t)kept->gaps[i].length_ns);
		jsonl_integer(l, NULL, kept->gaps[i].cause);
		jsonl_array_end(l);
	}
	jsonl_array_end(l);
}

/* The 99.9th percentile of the gaps' lengths; NAN unless it is among those kept. */
static double p999(struct bench *b, const struct cpu_gaps *g)
{
	double *lengths = row_alloc(b, g->longest.n * sizeof *lengths);
	uint64_t beyond = g->gaps / 1000;

	if (!lengths || g->gaps == 0 || beyond >= g->longest.n)
		return NOT_A_NUMBER;
	for (unsigned i = 0; i < g->longest.n; i++)
		lengths[i] = g->longest.gaps[i].length_ns;
	stats_sort(lengths, g->longest.n);
	return lengths[g->longest.n - 1 - beyond];
}

void cpu_gaps_put(struct bench *b, const struct cpu_gaps *g, struct jsonl *l)
{
	jsonl_number(l, "observed_seconds", ticks_to_ns(b, g->observed_ticks) / 1e9);
	jsonl_integer(l, "started_ticks", g->monitor->started);
	jsonl_number(l, "resolution_ns", ticks_to_ns(b, g->smallest_ticks));
	jsonl_number(l, "threshold_ns", ticks_to_ns(b, g->threshold_ticks));
	jsonl_integer(l, "gaps", g->gaps);
	jsonl_integer(l, "gaps_unrecorded", g->unrecorded);
	if (g->monitor->n > 1)
		jsonl_integer(l, "gaps_together", g->together);
	jsonl_number(l, "stolen_ns", ticks_to_ns(b, g->gap_ticks));
	jsonl_number(l, "blind_ns", ticks_to_ns(b, g->blind_ticks));
	jsonl_number(l, "longest_ns", cpu_gaps_longest_ns(g));
	jsonl_number(l, "p999_ns", p999(b, g));
	jsonl_array(l, "log2_ticks");
	for (unsigned i = 0; i < 64; i++)
		jsonl_integer(l, NULL, g->log2[i]);
	jsonl_array_end(l);
	put_events(l, &g->longest);
	cpu_gaps_put_counts(b, g, l);
}
