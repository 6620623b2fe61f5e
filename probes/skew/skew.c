/* SPDX-License-Identifier: MIT */
/*
 * Measure the differences of the CPUs' time stamp counters: offset and drift of each against the
 * measuring CPU's, and TSC_ADJUST.
 *
 * Two CPUs hand a line to and fro, and with it the TSC of the CPU that hands it over. The
 * receiver's TSC less that value is its offset plus the time of the way. No way takes less than no
 * time, so each hand-over bounds the offset: from above in one direction, from below in the other.
 * The value is the middle of the narrowest bounds, which is exact if the quickest way took as long
 * to as fro. The bounds do not need that.
 */
#include "probes/probe.h"

#include "engine/cpu_tasks.h"
#include "engine/room_cpuid.h"
#include "lib/jsonl_write.h"

#define ROUNDS    100 /* two hand-overs each */
#define LINES     9   /* exchanges of an offset, each on another line: they have other homes */
#define FEWEST    3   /* where others have the CPUs, and one takes long: */
#define LONG_NS   20e6
#define PATIENCE  (1ULL << 28)
#define EVERY_CPU 64 /* CPUs up to which each is measured; beyond, a sample of as many */

#define NO_STAMP (1ULL << 62) /* so far before now is no other CPU's TSC */

/* From the offsets to the drifts at least, ns. */
#define APART_SMOKE   0.05e9
#define APART_DEFAULT 0.4e9
#define APART_FULL    2e9
#define TOO_SHORT     0.1 /* part of that which the offsets themselves may take */

#define MSR_TSC_ADJUST 0x3b
#define HAS_TSC_ADJUST (1u << 1) /* CPUID 7 EBX */

#define SURE 0.95 /* the bounds are strict */

static const char offset[] = "offset", drift[] = "drift", adjust[] = "adjust";

static const struct unit unit_ahead = { "ns ahead", SCALE_PLAIN },
			 unit_ppm = { "ppm", SCALE_PLAIN },
			 unit_apart = { "ticks away", SCALE_PLAIN };

/* Between which bounds a TSC was ahead of the measuring CPU's, ticks, and when by that one's. */
struct bounds {
	bool known;
	int64_t low, high;
	uint64_t from, to;
};

/* The measured TSC of a CPU. */
struct cpu_clock {
	struct bounds offset;
	bool drifts; /* its drift was measured: */
	double ppm, ppm_low, ppm_high;
};

/* Parameters of a row. */
struct clock_spec {
	unsigned cpu;
	struct cpu_clock *clock;
};

/* The loop's results on one of the two CPUs. */
struct skew_side {
	int64_t least; /* own TSC beyond the other's, of all hand-overs */
	uint64_t last; /* own TSC in the last one */
	struct timed timed;
};

struct cpu_pair {
	_Alignas(LINE_PAIR) volatile uint64_t go;
	_Alignas(LINE_PAIR) struct cpu_task tasks[2];
	_Alignas(LINE_PAIR) struct skew_side first;
	_Alignas(LINE_PAIR) struct skew_side second;
	_Alignas(LINE_PAIR) uint64_t *line;
	struct cpu_clock *clock;
};

static void hand_over(struct bench *b, const struct cpu_pair *p, unsigned mine, struct skew_side *s)
{
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)p->line, mine, ROUNDS, PATIENCE,
		(uintptr_t)s };

	s->least = INT64_MAX;
	s->timed = call_loop(b, loop_bounce_stamps, args);
}

static void hand_over_first(struct cpu_task *c)
{
	struct cpu_pair *p = c->arg;

	hand_over(c->b, p, 0, &p->first);
}

static void hand_over_second(struct cpu_task *c)
{
	struct cpu_pair *p = c->arg;

	hand_over(c->b, p, 1, &p->second);
}

/* Both bounds hold of the same offset, unless it has moved: then the later ones do. */
static void narrow(struct bounds *o, const struct bounds *by)
{
	if (!o->known || by->low > o->high || by->high < o->low) {
		*o = *by;
		return;
	}
	o->low = by->low > o->low ? by->low : o->low;
	o->high = by->high < o->high ? by->high : o->high;
	o->to = by->to;
}

/* On another line, anywhere in the memory. The TSC of each side may be a step off. */
static int exchange(struct bench *b, struct job *job, struct cpu_pair *p, struct bounds *out)
{
	uint64_t at = random_below(&b->random, job->arena.bytes / LINE_PAIR) * LINE_PAIR;
	int64_t step = (int64_t)b->tsc_step_ticks;

	p->line = (uint64_t *)(job->arena.base + at);
	p->line[1] = b->room->now(b->room) - NO_STAMP;
	*(volatile uint64_t *)p->line = 0;
	if (cpu_tasks_run(job, p->tasks, 2, &p->go))
		return -1;
	uint64_t done = p->first.timed.value, other = p->second.timed.value;

	if (done < 2 * ROUNDS || other < 2 * ROUNDS + 1) /* it waited in vain */
		return job_skip(job, "a CPU was taken away: %llu of %u hand-overs",
			(unsigned long long)done, 2 * ROUNDS);
	if (done > 2 * ROUNDS || other > 2 * ROUNDS + 1)
		return job_disproved(job, "the line was handed over %llu times, not %u",
			(unsigned long long)done, 2 * ROUNDS);
	*out = (struct bounds){ true, -p->first.least - step, p->second.least + step, p->first.last,
		p->first.last };
	if (out->low > out->high)
		return job_disproved(job, "a line came before it was sent");
	return 0;
}

static double middle(const struct bounds *o)
{
	return ((double)o->low + (double)o->high) / 2;
}

static int sample_offset(struct bench *b, struct job *job, struct sample *s)
{
	struct cpu_pair *p = job->priv;
	struct bounds one;

	if (exchange(b, job, p, &one))
		return -1;
	narrow(&p->clock->offset, &one);
	s->value = ticks_to_ns(b, middle(&one));
	return 0;
}

static void tell_offset(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct bounds *o = &((const struct cpu_pair *)job->priv)->clock->offset;

	jsonl_number(l, "low_ns", ticks_to_ns(b, (double)o->low));
	jsonl_number(l, "high_ns", ticks_to_ns(b, (double)o->high));
	jsonl_integer(l, "at_ticks", (int64_t)o->to);
}

static struct cpu_pair *new_pair(struct bench *b, const struct row *row, struct job *job)
{
	const struct clock_spec *spec = row_spec(row, struct clock_spec);
	struct cpu_pair *p = job_alloc(b, job, sizeof *p);

	if (!p)
		return NULL;
	__builtin_memset(p, 0, sizeof *p);
	p->tasks[0] = (struct cpu_task){ .b = b, .work = hand_over_first, .arg = p };
	p->tasks[1] =
		(struct cpu_task){ .b = b, .cpu = spec->cpu, .work = hand_over_second, .arg = p };
	p->clock = spec->clock;
	job->priv = p;
	job->cold = true; /* the quickest of all hand-overs counts */
	return p;
}

static int prepare_offset(struct bench *b, const struct row *row, struct job *job)
{
	struct cpu_pair *p = new_pair(b, row, job);

	if (!p)
		return -1;
	*p->clock = (struct cpu_clock){ 0 };
	job->min_samples = FEWEST;
	job->max_samples = LINES;
	job->sampler = sample_offset;
	job->extra = tell_offset;
	return 0;
}

/* ns that offset and drift of a CPU are apart at least. */
static double apart_ns(const struct bench *b)
{
	return b->opt->profile == PROFILE_SMOKE   ? APART_SMOKE
		: b->opt->profile == PROFILE_FULL ? APART_FULL
						  : APART_DEFAULT;
}

static void wait_ns(struct bench *b, double ns)
{
	struct room *room = b->room;
	uint64_t since = room->now(room);

	while (ticks_to_ns(b, (double)(room->now(room) - since)) < ns)
		if (room->stop && room->stop(room))
			return;
}

/*
 * Compute the drift from two offsets, each valid for the middle of its exchanges' time. Meanwhile
 * the offset may have moved by the drift, which widens the bounds.
 */
static bool set_drift(struct cpu_clock *c, const struct bounds *now)
{
	const struct bounds *then = &c->offset;
	double first = (double)(then->to - then->from), last = (double)(now->to - now->from);
	double apart = (double)(int64_t)(now->from - then->from) + (last - first) / 2;
	double moved = (first + last) / 2 / apart;
	double low = ((double)now->low - (double)then->high) / apart * 1e6;
	double high = ((double)now->high - (double)then->low) / apart * 1e6;
	double more = math_max(math_abs(low), math_abs(high)) * moved / (1 - moved);

	if (!(apart > 0) || moved > TOO_SHORT)
		return false;
	c->drifts = true;
	c->ppm = (middle(now) - middle(then)) / apart * 1e6;
	c->ppm_low = low - more;
	c->ppm_high = high + more;
	return true;
}

static int sample_drift(struct bench *b, struct job *job, struct sample *s)
{
	struct cpu_pair *p = job->priv;
	const struct bounds *then = &p->clock->offset;
	struct bounds now = { 0 }, one;

	if (!then->known)
		return job_skip(job, "the offset was not measured");
	if (exchange(b, job, p, &one))
		return -1;
	wait_ns(b, apart_ns(b) - ticks_to_ns(b, (double)(one.to - then->to)));
	for (unsigned i = 0; i < LINES; i++) {
		if (exchange(b, job, p, &one))
			return -1;
		narrow(&now, &one);
		if (i + 1 >= FEWEST && ticks_to_ns(b, (double)(now.to - now.from)) > LONG_NS)
			break;
	}
	if (!set_drift(p->clock, &now))
		return job_skip(job, "the exchanges took longer than the time between them");
	s->value = p->clock->ppm;
	return 0;
}

static void tell_drift(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct cpu_clock *c = ((const struct cpu_pair *)job->priv)->clock;

	jsonl_number(l, "low_ppm", c->ppm_low);
	jsonl_number(l, "high_ppm", c->ppm_high);
}

static int prepare_drift(struct bench *b, const struct row *row, struct job *job)
{
	if (!new_pair(b, row, job))
		return -1;
	job->min_samples = job->max_samples = 1;
	job->sampler = sample_drift;
	job->extra = tell_drift;
	return 0;
}

/* TSC_ADJUST of every CPU: what was added to its TSC since reset. */
struct adjustments {
	struct room *room;
	uint64_t value;
	int fault;
	int64_t least, most;
};

static void read_adjust(void *arg)
{
	struct adjustments *a = arg;

	a->fault = a->room->read_msr(a->room, MSR_TSC_ADJUST, &a->value);
}

static int sample_adjust(struct bench *b, struct job *job, struct sample *s)
{
	struct adjustments *a = job->priv;
	struct room *room = a->room;

	for (unsigned cpu = 0; cpu < room->facts.cpus; cpu++) {
		if (!cpu)
			read_adjust(a);
		else if (room->run_on(room, cpu, read_adjust, a) || room->run_wait(room, cpu))
			return job_skip(job, "CPU %u did not answer", cpu);
		if (a->fault)
			return job_skip(job, "CPU %u has no MSR 3Bh", cpu);
		int64_t value = (int64_t)a->value;

		a->least = !cpu || value < a->least ? value : a->least;
		a->most = !cpu || value > a->most ? value : a->most;
	}
	s->value = (double)((uint64_t)a->most - (uint64_t)a->least);
	return 0;
}

static void tell_adjust(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct adjustments *a = job->priv;

	jsonl_number(l, "least_ticks", (double)a->least);
	jsonl_number(l, "most_ticks", (double)a->most);
}

static int prepare_adjust(struct bench *b, const struct row *row, struct job *job)
{
	struct room *room = b->room;
	struct adjustments *a = job_alloc(b, job, sizeof *a);

	if (!a)
		return -1;
	if (!room->read_msr || !room_has_leaf(room, 7) ||
		!(room->cpuid(room, 7, 0).ebx & HAS_TSC_ADJUST))
		return job_skip(job, "CPUID says that there is no TSC_ADJUST");
	*a = (struct adjustments){ .room = room };
	job->priv = a;
	job->cold = true;
	job->min_samples = job->max_samples = 1;
	job->sampler = sample_adjust;
	job->extra = tell_adjust;
	return 0;
}

/* The first of its die, or evenly spread. */
static bool chosen(const struct facts *f, unsigned cpu)
{
	unsigned step = (f->cpus + EVERY_CPU - 1) / EVERY_CPU, i = 0;

	if (cpu % step == 0 || !f->topology)
		return cpu % step == 0;
	while (i < cpu &&
		(f->topology[i].package != f->topology[cpu].package ||
			f->topology[i].die != f->topology[cpu].die))
		i++;
	return i == cpu;
}

static void plan_clocks(struct bench *b, const char *variant, const struct unit *unit,
	struct cpu_clock *clocks, int (*prepare)(struct bench *, const struct row *, struct job *),
	double wait)
{
	for (unsigned cpu = 1; clocks && cpu < b->room->facts.cpus; cpu++) {
		struct row row = row_new(variant, unit, ANSWER_SKEW, prepare);

		if (!chosen(&b->room->facts, cpu))
			continue;
		*row_spec(&row, struct clock_spec) = (struct clock_spec){ cpu, &clocks[cpu] };
		row.page_bytes = common_page(b);
		row.cost_ns = wait +
			LINES * (2 * ROUNDS * b->pace.ns_per_far_load + 20 * b->pace.ns_per_call);
		wait = 0; /* for all of them */
		row_param(&row, "cpu", cpu);
		plan_add(b, &row);
	}
}

static void skew_plan(struct bench *b)
{
	unsigned cpus = b->room->facts.cpus;
	struct cpu_clock *clocks = run_alloc(b, cpus * sizeof *clocks);
	struct row row = row_new(adjust, &unit_apart, ANSWER_SKEW, prepare_adjust);

	row.needs = NEED_RING0;
	row.cost_ns = cpus * 20 * b->pace.ns_per_call;
	row_param(&row, "cpus", cpus);
	plan_add(b, &row);
	plan_clocks(b, offset, &unit_ahead, clocks, prepare_offset, 0);
	plan_clocks(b, drift, &unit_ppm, clocks, prepare_drift, apart_ns(b));
}

/* The largest distance from 0 of what lies between bounds, and between which it is. */
struct farthest {
	double value, low, high;
	unsigned cpu; /* that has the value; 0: none was measured */
};

static void take_farthest(struct farthest *f, unsigned cpu, double value, double low, double high)
{
	double least = low > 0 ? low : high < 0 ? -high : 0;

	if (!f->cpu || math_abs(value) > f->value) {
		f->cpu = cpu;
		f->value = math_abs(value);
	}
	f->low = math_max(f->low, least);
	f->high = math_max(f->high, math_max(math_abs(low), math_abs(high)));
}

/*
 * Find the farthest clocks over all rows of offset and of drift. An offset includes its movement
 * while it was measured.
 */
static void all_clocks(struct bench *b, struct farthest *ns, struct farthest *ppm)
{
	*ns = *ppm = (struct farthest){ 0 };
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (!is_variant(b, r, offset) && !is_variant(b, r, drift))
			continue;
		const struct clock_spec *spec = row_spec(r->row, struct clock_spec);
		const struct cpu_clock *c = spec->clock;
		const struct bounds *o = &c->offset;
		double moved = c->drifts ? math_max(math_abs(c->ppm_low), math_abs(c->ppm_high)) *
				(double)(o->to - o->from) / 1e6
					 : 0;

		if (is_variant(b, r, drift) && c->drifts)
			take_farthest(ppm, spec->cpu, c->ppm, c->ppm_low, c->ppm_high);
		else if (o->known)
			take_farthest(ns, spec->cpu, ticks_to_ns(b, middle(o)),
				ticks_to_ns(b, (double)o->low - moved),
				ticks_to_ns(b, (double)o->high + moved));
	}
}

static struct estimate estimate_of(const struct farthest *f)
{
	if (!f->cpu)
		return not_resolved(NOT_MEASURED);
	return resolved(f->value, f->low, f->high, SURE);
}

static void skew_find(struct bench *b, struct found_values *f)
{
	const struct result *r = find_row(b, adjust, NULL, 0);
	struct farthest ns, ppm;

	all_clocks(b, &ns, &ppm);
	found(f, VALUE_tsc_skew_ns, estimate_of(&ns), "skew offset");
	found(f, VALUE_tsc_drift_ppm, estimate_of(&ppm), "skew drift");
	found(f, VALUE_tsc_adjust_ticks,
		r ? plain_estimate(r->median, SURE) : not_resolved(NOT_MEASURED), "skew adjust");
}

static void skew_meaning(struct bench *b)
{
	const struct result *r = find_row(b, adjust, NULL, 0);
	struct farthest ns, ppm;

	all_clocks(b, &ns, &ppm);
	if (ns.cpu && ns.low > 0)
		say(b, "  The TSC of CPU %u is %.1f ns from CPU 0's (%.1f to %.1f).\n", ns.cpu,
			ns.value, ns.low, ns.high);
	else if (ns.cpu)
		say(b, "  No TSC is known to differ from CPU 0's; by %.1f ns at most.\n", ns.high);
	if (ppm.cpu && ppm.low > 0)
		say(b, "  That of CPU %u drifts by %.3f ppm (%.3f to %.3f).\n", ppm.cpu, ppm.value,
			ppm.low, ppm.high);
	else if (ppm.cpu)
		say(b, "  None is known to drift; by %.3f ppm at most.\n", ppm.high);
	if (r && r->median > 0)
		say(b, "  TSC_ADJUST of the CPUs differs by %.0f ticks.\n", r->median);
}

const struct hooks probe_skew = {
	.plan = skew_plan,
	.find = skew_find,
	.meaning = skew_meaning,
};
