/* SPDX-License-Identifier: MIT */
/*
 * Measure how long another CPU takes to wake: from just before the measuring CPU stores to the line
 * that it watches, or sends it an interrupt or an NMI, until it executes its first instruction.
 * That CPU answers by a store to another line; the time of a line from CPU to CPU is subtracted. A
 * second row is the time for which its core clock is still behind. Model and definitions:
 * README.md.
 */
#include "probes/probe.h"

#include "engine/measure.h"
#include "engine/room_cpuid.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/stats.h"

#define DWELL_NS      100e3 /* that a CPU waits before it is woken */
#define DWELL_LONG_NS 2e6
#define DWELL_NEAR_NS 2e3 /* likewise where it spins and its line is handed over */

#define WAKES_LEAST 15
#define WAKES_MOST  63
#define TRIES       3  /* until nothing else woke it */
#define HAND_OVERS  31 /* of a line, of which the quickest counts */

#define CHAINS     512
#define CHAIN      4    /* of 64 adds */
#define ALIKE      1.25 /* cycles an add in the final chains, with their stamps */
#define SETTLED    8    /* chains in a row, that take no longer */
#define AS_FAST    1.05 /* than so many times the final ones: */
#define FINAL_PART 4    /* the last fourth */

#define HAS_MONITOR (1u << 3) /* CPUID 1 ECX */
#define MWAIT_LEAF  5
#define EXTENSIONS  1 /* CPUID 5 ECX: EDX lists the states */
#define STATES      8
#define HINTS_MOST  16

static const char store_pause[] = "store-pause", store_mwait[] = "store-mwait",
		  interrupt_pause[] = "interrupt-pause", interrupt_hlt[] = "interrupt-hlt",
		  interrupt_mwait[] = "interrupt-mwait", nmi_hlt[] = "nmi-hlt",
		  clock_hlt[] = "clock-hlt", clock_mwait[] = "clock-mwait",
		  timer_pause[] = "timer-pause", timer_hlt[] = "timer-hlt";

static const struct way {
	const char *variant;
	enum wait_in in;
	enum wake_by by;
	bool clock, by_default;
} ways[] = {
	{ store_pause, WAIT_PAUSE, WAKE_BY_STORE },
	{ store_mwait, WAIT_MWAIT, WAKE_BY_STORE, false, true },
	{ interrupt_pause, WAIT_PAUSE, WAKE_BY_INTERRUPT },
	{ interrupt_hlt, WAIT_HALT, WAKE_BY_INTERRUPT, false, true },
	{ interrupt_mwait, WAIT_MWAIT, WAKE_BY_INTERRUPT },
	{ nmi_hlt, WAIT_HALT, WAKE_BY_NMI },
	{ clock_hlt, WAIT_HALT, WAKE_BY_INTERRUPT, true },
	{ clock_mwait, WAIT_MWAIT, WAKE_BY_STORE, true },
};

#define WAYS (sizeof ways / sizeof *ways)

/* The measuring CPU, by its own timer. */
static const struct way timers[] = {
	{ timer_pause, WAIT_PAUSE, WAKE_BY_TIMER },
	{ timer_hlt, WAIT_HALT, WAKE_BY_TIMER, false, true },
};

/* The way that a machine with one CPU is told to be impossible. */
static const struct way *const missed = &ways[3];

static const struct unit unit_wake = { "ns", SCALE_PLAIN };

/* The nearness of a CPU to the measuring one: the smallest part that they share. */
enum near { SAME_CORE, SAME_CACHE, SAME_PACKAGE, OTHER_PACKAGE, NEARS };
static const char *const nears[NEARS] = { "core", "cache", "package", "none" };

/* Parameters of a row. */
struct wake_spec {
	const struct way *way;
	unsigned cpu;
	uint32_t hint;
	double dwell_ns;
};

struct wakes {
	struct waking how;
	double overhead; /* ticks of the loop that wakes nobody */
	double hand_over_ns;
	struct woken_chain *chains;
	double first[WAKES_MOST]; /* clock of the first chains over the final one, by sample */
	unsigned firsts;
};

static enum near near_of(const struct facts *f, unsigned cpu)
{
	const struct cpu_location *a = &f->topology[0], *b = &f->topology[cpu];

	if (a->package != b->package)
		return OTHER_PACKAGE;
	if (a->core == b->core && a->die == b->die)
		return SAME_CORE;
	return a->l3 == b->l3 && a->die == b->die ? SAME_CACHE : SAME_PACKAGE;
}

/* Wakes it once: from the write that wakes it until its answer is seen, ns. 0, or -1. */
static int wake_once(struct bench *b, struct job *job, const struct waking *how, double *ns)
{
	const struct wakes *w = job->priv;
	const char *why = NULL;
	double ticks;

	for (unsigned i = 0; i < TRIES; i++)
		if (b->room->wake(b->room, how, &ticks, w->chains, &why) == 0) {
			*ns = ticks_to_ns(b, ticks - w->overhead);
			return 0;
		}
	return job_skip(job, "%s", why);
}

/*
 * Measure the time of a line from CPU to CPU: half of the quickest answer of a CPU that spins and
 * has not just begun a PAUSE.
 */
static int measure_hand_over(struct bench *b, struct job *job)
{
	struct wakes *w = job->priv;
	struct waking spins = { .cpu = w->how.cpu, .in = WAIT_PAUSE, .by = WAKE_BY_STORE };
	double ns[HAND_OVERS];

	spins.dwell = (uint64_t)(DWELL_NEAR_NS / 1e9 * b->room->facts.tsc_hz);
	for (unsigned i = 0; i < HAND_OVERS; i++)
		if (wake_once(b, job, &spins, &ns[i]))
			return -1;
	stats_sort(ns, HAND_OVERS);
	w->hand_over_ns = ns[0] / 2;
	return 0;
}

/* By the timer: from when it was due. That it comes is seen first while the CPU does not halt. */
static int sample_timer(struct bench *b, struct job *job, struct sample *s)
{
	const struct wakes *w = job->priv;

	return wake_once(b, job, &w->how, &s->value);
}

static int prepare_timer(struct bench *b, struct job *job)
{
	struct wakes *w = job->priv;
	struct waking spins = w->how;
	double ns;

	spins.in = WAIT_PAUSE;
	w->overhead = 0;
	job->sampler = sample_timer;
	return wake_once(b, job, &spins, &ns);
}

static int sample_wake(struct bench *b, struct job *job, struct sample *s)
{
	const struct wakes *w = job->priv;
	double ns;

	if (wake_once(b, job, &w->how, &ns))
		return -1;
	if (!(ns > w->hand_over_ns))
		return job_skip(job, "a CPU was taken away: a line took it %.0f ns",
			w->hand_over_ns);
	s->value = ns - w->hand_over_ns;
	return 0;
}

/* When the first of SETTLED chains began that all took as long as the final ones; -1: none. */
static double clock_up(const struct woken_chain *c, unsigned n)
{
	double last[CHAINS / FINAL_PART];
	unsigned finals = n / FINAL_PART, settled = 0;

	for (unsigned i = 0; i < finals; i++)
		last[i] = (double)c[n - 1 - i].ticks;

	double most = AS_FAST * stats_median(last, finals);

	for (unsigned i = 0; i < n - finals; i++) {
		settled = (double)c[i].ticks <= most ? settled + 1 : 0;
		if (settled == SETTLED) {
			const struct woken_chain *first = &c[i + 1 - SETTLED];

			return (double)first->ended - (double)first->ticks;
		}
	}
	return -1;
}

/*
 * Returns the core clock of the first chains over that of the final ones. The quickest of the first
 * ones counts: the very first one may wait for its code. 0: the final chains do not take what they
 * do at the measuring CPU's clock: the CPU is of another kind, or its clock did not rise.
 */
static double first_clock(struct bench *b, const struct woken_chain *c, unsigned n)
{
	double last[CHAINS / FINAL_PART], first = (double)c[0].ticks, final, each;
	unsigned finals = n / FINAL_PART;

	for (unsigned i = 0; i < finals; i++)
		last[i] = (double)c[n - 1 - i].ticks;
	for (unsigned i = 1; i < SETTLED; i++)
		first = math_min(first, (double)c[i].ticks);
	final = stats_median(last, finals);
	each = ticks_to_ns(b, final) / 1e9 * b->core_hz / (64 * CHAIN);
	return each > 1 / ALIKE && each < ALIKE ? final / first : 0;
}

static int sample_clock(struct bench *b, struct job *job, struct sample *s)
{
	struct wakes *w = job->priv;
	double ns, ticks, first;

	if (wake_once(b, job, &w->how, &ns))
		return -1;
	first = first_clock(b, w->chains, w->how.nchains);
	if (first > 0 && w->firsts < WAKES_MOST)
		w->first[w->firsts++] = first;
	ticks = clock_up(w->chains, w->how.nchains);
	if (ticks < 0)
		return job_skip(job, "its clock does not settle within %.0f us",
			ticks_to_ns(b, (double)w->chains[CHAINS - 1].ended) / 1e3);
	s->value = ticks_to_ns(b, ticks);
	return 0;
}

static void tell_wake(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	struct wakes *w = job->priv;

	jsonl_string(l, "shares", nears[near_of(&b->room->facts, w->how.cpu)]);
	jsonl_number(l, "hand_over_ns", w->hand_over_ns);
	if (w->firsts)
		jsonl_number(l, "first_ghz", stats_median(w->first, w->firsts) * b->core_hz / 1e9);
}

static int prepare_wake(struct bench *b, const struct row *row, struct job *job)
{
	const struct wake_spec *spec = row_spec(row, struct wake_spec);
	const uint64_t nobody[LOOP_ARGS] = { 0 };
	struct wakes *w = job_alloc(b, job, sizeof *w);

	if (!b->room->wake)
		return job_skip(job, "only in room bare: here the firmware has interrupts");
	if (!w)
		return -1;
	*w = (struct wakes){ .overhead = measure_overhead(b, loop_wake_store, nobody) };
	w->how = (struct waking){ .cpu = spec->cpu,
		.in = spec->way->in,
		.by = spec->way->by,
		.hint = spec->hint,
		.dwell = (uint64_t)(spec->dwell_ns / 1e9 * b->room->facts.tsc_hz) };
	job->priv = w;
	job->cold = true;
	job->min_samples = WAKES_LEAST;
	job->max_samples = WAKES_MOST;
	if (spec->way->by == WAKE_BY_TIMER)
		return prepare_timer(b, job);
	if (measure_hand_over(b, job))
		return -1;
	if (spec->way->clock) {
		w->how.nchains = CHAINS;
		w->how.chain = CHAIN;
		w->chains = job_alloc(b, job, CHAINS * sizeof *w->chains);
		if (!w->chains)
			return -1;
	}
	job->sampler = spec->way->clock ? sample_clock : sample_wake;
	job->extra = tell_wake;
	return 0;
}

/* The hints of MWAIT, by CPUID 5: a state's number less 1, and that of the sub-state. */
static unsigned hints_of(struct bench *b, uint32_t hints[HINTS_MOST])
{
	struct room *room = b->room;
	unsigned n = 0;

	if (!(room->cpuid(room, 1, 0).ecx & HAS_MONITOR) || !room_has_leaf(room, MWAIT_LEAF))
		return 0;
	struct cpuid five = room->cpuid(room, MWAIT_LEAF, 0);

	hints[n++] = 0;
	for (unsigned state = 1; state < STATES && (five.ecx & EXTENSIONS); state++)
		for (unsigned sub = 0; sub < (five.edx >> 4 * state & 15) && n < HINTS_MOST; sub++)
			if (state > 1 || sub)
				hints[n++] = (state - 1) << 4 | sub;
	return n;
}

static void plan_way(struct bench *b, struct wake_spec spec, enum answer answer)
{
	struct row row = row_new(spec.way->variant, &unit_wake, answer, prepare_wake);

	*row_spec(&row, struct wake_spec) = spec;
	row.needs = spec.cpu ? NEED_CPUS : 0;
	row.cost_ns = WAKES_LEAST * (spec.dwell_ns + 100e3) + HAND_OVERS * 100e3;
	if (spec.cpu)
		row_param(&row, "cpu", spec.cpu);
	row_param(&row, "dwell_us", spec.dwell_ns / 1e3);
	if (spec.way->in == WAIT_MWAIT)
		row_param(&row, "hint", spec.hint);
	plan_add(b, &row);
}

/* All ways to wake a CPU that has waited so long; `first`: those of profile default among them. */
static void plan_cpu(struct bench *b, unsigned cpu, double dwell_ns, bool first)
{
	uint32_t hints[HINTS_MOST] = { 0 };
	unsigned nhints = hints_of(b, hints);

	for (unsigned i = 0; i < WAYS; i++) {
		bool mwait = ways[i].in == WAIT_MWAIT;

		for (unsigned k = 0; k < (mwait ? nhints : 1); k++) {
			bool end = !mwait || !k || k + 1 == nhints; /* the least and the deepest */

			if (dwell_ns > DWELL_NS && ways[i].in == WAIT_PAUSE)
				continue;
			plan_way(b, (struct wake_spec){ &ways[i], cpu, hints[k], dwell_ns },
				first && end && ways[i].by_default ? ANSWER_WAKE
								   : ANSWER_WAKE_STATES);
		}
	}
}

/* The first CPU of each kind of pair; profile default has the nearest that is no sibling. */
static void wake_plan(struct bench *b)
{
	const struct facts *f = &b->room->facts;
	unsigned of[NEARS] = { 0 };
	bool first = true;

	for (unsigned cpu = 1; cpu < f->cpus && f->topology; cpu++) {
		unsigned *near = &of[near_of(f, cpu)];

		*near = *near ? *near : cpu;
	}
	for (unsigned i = 1; i <= NEARS; i++) {
		unsigned cpu = of[i % NEARS];

		if (!cpu)
			continue;
		plan_cpu(b, cpu, DWELL_NS, first);
		plan_cpu(b, cpu, DWELL_LONG_NS, false);
		first = false;
	}
	if (first)
		plan_way(b, (struct wake_spec){ missed, 1, 0, DWELL_NS }, ANSWER_WAKE);
	for (unsigned i = 0; i < sizeof timers / sizeof *timers; i++)
		plan_way(b, (struct wake_spec){ &timers[i], 0, 0, DWELL_NS },
			timers[i].by_default ? ANSWER_WAKE : ANSWER_WAKE_STATES);
}

/* The first row of a variant by that hint, which is 0 where it is of no state. */
static const struct result *row_of(const struct bench *b, const char *variant, uint32_t hint)
{
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (is_variant(b, r, variant) && row_spec(r->row, struct wake_spec)->hint == hint)
			return r;
	}
	return NULL;
}

static void find_wake(struct bench *b, struct found_values *f, enum value_id id,
	const char *variant, uint32_t hint)
{
	const struct result *r = row_of(b, variant, hint);
	struct estimate e = not_resolved(NOT_MEASURED);

	if (r)
		e = resolved(r->median, r->quartile[0], r->quartile[1], row_confidence(r));
	found(f, id, e, variant);
}

static void wake_find(struct bench *b, struct found_values *f)
{
	uint32_t hints[HINTS_MOST] = { 0 };
	unsigned n = hints_of(b, hints);
	uint32_t deepest = n ? hints[n - 1] : 0;

	find_wake(b, f, VALUE_wake_hlt_ns, interrupt_hlt, 0);
	find_wake(b, f, VALUE_wake_mwait_ns, store_mwait, 0);
	if (deepest)
		find_wake(b, f, VALUE_wake_deepest_ns, store_mwait, deepest);
	find_wake(b, f, VALUE_wake_clock_ns, clock_mwait, deepest);
	find_wake(b, f, VALUE_wake_timer_ns, timer_hlt, 0);
}

const struct hooks probe_wake = {
	.plan = wake_plan,
	.find = wake_find,
};
