/* SPDX-License-Identifier: MIT */
/*
 * Measure the cost of requests to the operating system: system calls, switches between threads,
 * page faults, threads, timers. room.system.request makes the requests and times the laps of a
 * sample; the system's own counts prove that it did what the variant's name says.
 */
#include "probes/probe.h"

#include "engine/core_clock.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/stats.h"

#define SAMPLES        128   /* of a row at most: enough for a 99th percentile */
#define SAMPLES_FEWEST 32    /* at least, but of a timer all: there the rare ones count */
#define SMOKE_PART     4     /* in profile smoke so many times fewer of both */
#define SETUP_NS       100e3 /* of a sample: a thread or a mapping made, at a near load of 1 ns */
#define TIMER_NS       400e3 /* of a sample: until the timer, and late */
#define OVERHEAD_CALLS 31
#define SETTLED_LAPS   8 /* samples after which those that may miss some are judged, */
#define MISSED_MOST    8 /* and one lap of so many may have missed */

/* The system's count that a request changes. */
enum request_count {
	COUNTED_NOTHING,
	COUNTED_FAULTS,
	COUNTED_SWITCHES,
	COUNTED_SIGNALS,
	COUNTED_THREADS
};
static const char *const counted_names[] = { "", "faults", "switches", "signals", "threads" };

static const struct os_asking {
	const char *variant;
	uint64_t laps; /* in a sample, of about 0.1 ms */
	double loads;  /* a lap takes about so many loads from a small buffer */
	unsigned ops;  /* operations in a lap */
	enum request_count
		counts;   /* what the system counts once a lap: fewer are not what the name says */
	uint32_t allowed; /* events that are part of it */
	bool across;      /* with another processor: it may answer before this one has gone to
				sleep, which is then not counted */
	bool late;        /* the number is how late a timer was */
} askings[REQUESTS] = {
	[REQUEST_SYSCALL] = { "syscall", 512, 200, 1 },
	[REQUEST_CLOCK] = { "clock-gettime", 2048, 50, 1 },
	[REQUEST_CLOCK_SYSCALL] = { "clock-syscall", 512, 250, 1 },
	[REQUEST_SIGNAL] = { "signal", 64, 1500, 1, COUNTED_SIGNALS, EVENT_INTERRUPTS },
	[REQUEST_SWITCH_PIPE] = { "switch-pipe", 32, 5000, 2, COUNTED_SWITCHES, EVENT_SWITCHES },
	[REQUEST_SWITCH_FUTEX] = { "switch-futex", 32, 4000, 2, COUNTED_SWITCHES, EVENT_SWITCHES },
	[REQUEST_CROSS_PIPE] = { "cross-cpu-pipe", 16, 20000, 2, COUNTED_SWITCHES, EVENT_SWITCHES,
		true },
	[REQUEST_CROSS_FUTEX] = { "cross-cpu-futex", 16, 20000, 2, COUNTED_SWITCHES, EVENT_SWITCHES,
		true },
	[REQUEST_FAULT] = { "minor-fault", 256, 1000, 1, COUNTED_FAULTS, EVENT_FAULTS },
	[REQUEST_FAULT_HUGE] = { "minor-fault-2m", 4, 300000, 1, COUNTED_FAULTS, EVENT_FAULTS },
	[REQUEST_MAP] = { "mmap-munmap", 64, 2000, 1 },
	[REQUEST_MAP_TOUCHED] = { "mmap-touch-munmap", 64, 4000, 1, COUNTED_FAULTS, EVENT_FAULTS },
	[REQUEST_THREAD] = { "thread-create", 8, 30000, 1, COUNTED_THREADS,
		EVENT_SWITCHES | EVENT_FAULTS },
	[REQUEST_TIMER] = { "timer-wakeup", 1, 0, 1, COUNTED_SWITCHES,
		EVENT_SWITCHES | EVENT_INTERRUPTS, false, true },
	[REQUEST_TIMER_PRECISE] = { "timer-precise", 1, 0, 1, COUNTED_SWITCHES,
		EVENT_SWITCHES | EVENT_INTERRUPTS, false, true },
};

/* Parameters of a row. */
struct asking_spec {
	enum os_request what;
};

/* The samples of a row. */
struct asked {
	const struct os_asking *asking;
	enum os_request what;
	double overhead; /* ticks of as many laps that do nothing */
	uint64_t counted, laps;
	struct event_counts events; /* of the last sample */
};

static int ask(struct bench *b, struct job *job, enum os_request what, uint64_t laps,
	struct request_result *out)
{
	const char *why = "";

	if (b->room->system.request(b->room, what, laps, out, &why))
		return job_skip(job, "%s", why);
	if (out->timed.value != laps)
		return job_disproved(job, "%llu of %llu requests were done",
			(unsigned long long)out->timed.value, (unsigned long long)laps);
	return 0;
}

/*
 * Check that the system counted as many as the variant's name says: in each sample, or in nearly
 * all laps together if its count may miss some.
 */
static int check_count(struct job *job, const struct asked *v, uint64_t counted)
{
	const struct os_asking *a = v->asking;
	uint64_t least = a->across ? v->laps - v->laps / MISSED_MOST : a->laps;

	if (a->across)
		counted = v->counted;
	if (!a->counts || counted >= least || (a->across && v->laps < SETTLED_LAPS * a->laps))
		return 0;
	return job_skip(job, "the system counted %llu of %llu %s", (unsigned long long)counted,
		(unsigned long long)(a->across ? v->laps : a->laps), counted_names[a->counts]);
}

static int sample_asked(struct bench *b, struct job *job, struct sample *s)
{
	struct asked *v = job->priv;
	const struct os_asking *a = v->asking;
	struct request_result out;

	double before = core_clock_ticks(b, b->clock_turns);
	if (ask(b, job, v->what, a->laps, &out))
		return -1;
	double after = core_clock_ticks(b, b->clock_turns);
	double ns = ticks_to_ns(b, (double)out.timed.ticks - v->overhead);

	s->value = (a->late ? out.late_ns : ns) / job->ops;
	core_clock_around(b, before, after, s);
	s->disturbed |= a->counts && out.counted != a->laps;
	v->counted += out.counted;
	v->laps += a->laps;
	v->events = out.events;
	return check_count(job, v, out.counted);
}

static void extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct asked *v = job->priv;

	jsonl_integer(l, "laps", v->asking->laps);
	if (!v->asking->counts)
		return;
	jsonl_string(l, "counted", counted_names[v->asking->counts]);
	jsonl_number(l, "counted_per_lap", (double)v->counted / (double)v->laps);
}

/* Median ticks of as many laps that ask for nothing. */
static int find_overhead(struct bench *b, struct job *job, struct asked *v)
{
	double ticks[OVERHEAD_CALLS];
	struct request_result out;

	for (unsigned i = 0; i < OVERHEAD_CALLS; i++) {
		if (ask(b, job, REQUEST_NOTHING, v->asking->laps, &out))
			return -1;
		ticks[i] = (double)out.timed.ticks;
	}
	v->overhead = stats_median(ticks, OVERHEAD_CALLS);
	return 0;
}

static unsigned in_profile(const struct bench *b, unsigned samples)
{
	return b->opt->profile == PROFILE_SMOKE ? samples / SMOKE_PART : samples;
}

static unsigned fewest(const struct bench *b, const struct os_asking *a)
{
	return in_profile(b, a->late ? SAMPLES : SAMPLES_FEWEST);
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	struct asked *v = job_alloc(b, job, sizeof *v);
	enum os_request what = row_spec(row, struct asking_spec)->what;

	if (!v)
		return -1;
	*v = (struct asked){ .asking = &askings[what], .what = what };
	job->sampler = sample_asked;
	job->extra = extra;
	job->counted = &v->events;
	job->allowed_events = v->asking->allowed;
	job->min_samples = fewest(b, v->asking);
	job->max_samples = in_profile(b, SAMPLES);
	job->ops = (double)v->asking->laps * v->asking->ops;
	job->priv = v;
	return find_overhead(b, job, v);
}

static double cost_of(const struct bench *b, const struct os_asking *a)
{
	double work = (a->loads * (double)a->laps + SETUP_NS) * b->pace.ns_per_near_load;

	return fewest(b, a) * (a->late ? TIMER_NS : work);
}

static void oscost_plan(struct bench *b)
{
	for (unsigned i = REQUEST_NOTHING + 1; i < REQUESTS; i++) {
		struct row row = row_new(askings[i].variant, &unit_ns_op, ANSWER_SYSTEM, prepare);

		row_spec(&row, struct asking_spec)->what = i;
		row.needs = askings[i].across ? NEED_CPUS : 0;
		row.cost_ns = b->room->system.request ? cost_of(b, &askings[i]) : 0;
		plan_add(b, &row);
	}
}

static const struct result *row_of(const struct bench *b, enum os_request what)
{
	const struct result *r = find_row(b, askings[what].variant, NULL, 0);

	return r && r->median > 0 ? r : NULL;
}

/* Only a system has these values; without one they are not looked for. */
static void oscost_find(struct bench *b, struct found_values *f)
{
	static const struct {
		enum os_request what;
		enum value_id id;
		const char *rests_on;
	} values[] = {
		{ REQUEST_SYSCALL, VALUE_syscall_ns, "oscost syscall" },
		{ REQUEST_SWITCH_FUTEX, VALUE_switch_ns, "oscost switch-futex" },
		{ REQUEST_FAULT, VALUE_page_fault_ns, "oscost minor-fault" },
		{ REQUEST_TIMER, VALUE_timer_late_ns, "oscost timer-wakeup" },
	};

	for (unsigned i = 0; i < sizeof values / sizeof *values && b->room->system.request; i++) {
		const struct result *r = row_of(b, values[i].what);

		found(f, values[i].id,
			r ? plain_estimate(row_value(r, f->reader.reading), row_confidence(r))
			  : not_resolved(NOT_MEASURED),
			values[i].rests_on);
	}
}

/* The vDSO answers without the kernel, unless the clock source does not let it. */
static void say_clock(struct bench *b)
{
	const struct result *clock = row_of(b, REQUEST_CLOCK);
	const struct result *call = row_of(b, REQUEST_CLOCK_SYSCALL);

	if (clock && call)
		say(b, "  The time takes %.0f ns, by a system call %.0f ns%s.\n", clock->median,
			call->median,
			clock->median > 0.8 * call->median ? ": the vDSO makes one, too" : "");
}

static void oscost_meaning(struct bench *b)
{
	static const struct {
		enum os_request what;
		const char *words;
	} told[] = {
		{ REQUEST_SYSCALL, "A system call that does nothing" },
		{ REQUEST_SIGNAL, "A signal, with its handler's return," },
		{ REQUEST_SWITCH_FUTEX, "A switch to another thread of this CPU (futex)" },
		{ REQUEST_CROSS_FUTEX, "A hand-over to a thread of another CPU (futex)" },
		{ REQUEST_FAULT, "The first touch of a page of 4 KiB" },
		{ REQUEST_THREAD, "A thread, started and joined," },
	};

	for (unsigned i = 0; i < sizeof told / sizeof *told; i++) {
		const struct result *r = row_of(b, told[i].what);

		if (r)
			say(b, "  %s takes %.2f us.\n", told[i].words, r->median / 1e3);
	}
	say_clock(b);
	const struct result *timer = row_of(b, REQUEST_TIMER);

	if (timer)
		say(b, "  A timer wakes a thread %.1f us late, at worst %.1f us.\n",
			timer->median / 1e3, timer->max / 1e3);
}

const struct hooks probe_oscost = {
	.plan = oscost_plan,
	.find = oscost_find,
	.meaning = oscost_meaning,
};
