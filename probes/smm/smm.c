/* SPDX-License-Identifier: MIT */
/*
 * System management mode: over minutes, the gaps in which an SMI was counted and those that all
 * processors had at once, how long and how far apart they are; and what an SMI costs that is asked
 * for. The scan is that of `noise`. Model and definitions: README.md.
 */
#include "probes/probe.h"

#include "engine/measure.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/stats.h"
#include "probes/noise/noise_scan.h"

#define KEPT 4096 /* gaps of a kind whose place and length are kept: the first ones */

#define NOT_COUNTED "SMIs are not counted here"

/* A gap in which an SMI was counted, and nothing else that disturbs; one that all CPUs had. */
enum gap_kind { SMIS, COMMON, KINDS };

static const char watch[] = "watch", asked[] = "asked";
static const char *const variants[KINDS][2] = { { "smi-length", "smi-interval" },
	{ "common-length", "common-interval" } };

static const struct unit unit_ns = { "ns", SCALE_PLAIN };

/* The gaps of a kind, in the order of time; all in ns. */
struct seen_gaps {
	unsigned n, kept;
	double total, longest;
	double *begin, *length,
		*interval; /* [KEPT]; from the beginning of one to that of the next */
	uint64_t log2[64]; /* by the highest bit of their length in ticks */
};

struct watching {
	struct gap_monitor monitor; /* of all CPUs */
	struct seen_gaps seen[KINDS];
	bool counted;   /* SMIs are; else there are none of that kind */
	double smis;    /* counted while the loop ran, in whatever gap or in none */
	double mixed;   /* gaps in which an SMI was counted, and something else */
	uint64_t *next; /* [monitor.n]: the first gap of each that is not over yet */
	double *scratch;
};

/* Parameters of a row. */
struct watch_spec {
	struct watching *w;
	enum gap_kind kind;
	bool between; /* the intervals, else the lengths */
};

/* Returns true if each other processor has a gap that overlaps from..to, in ticks. */
static bool all_have_one(const struct watching *w, uint64_t from, uint64_t to)
{
	bool all = w->monitor.n > 1;

	for (unsigned i = 1; i < w->monitor.n; i++) {
		const struct gap_scan *s = w->monitor.cpus[i].scan;
		uint64_t at = w->next[i];

		while (at < s->recorded && s->started + s->events[at].at <= from)
			at++;
		w->next[i] = at;
		all &= at < s->recorded &&
			s->started + s->events[at].at - s->events[at].length < to;
	}
	return all;
}

static void add_seen(struct bench *b, struct seen_gaps *s, double begin, uint64_t ticks)
{
	double length = ticks_to_ns(b, (double)ticks);

	s->n++;
	s->total += length;
	s->longest = math_max(s->longest, length);
	s->log2[63 - __builtin_clzll(ticks)]++;
	if (s->kept == KEPT)
		return;
	s->begin[s->kept] = begin;
	s->length[s->kept] = length;
	if (s->kept)
		s->interval[s->kept - 1] = begin - s->begin[s->kept - 1];
	s->kept++;
}

/* After each scan: of what kinds the measuring CPU's gaps are. */
static void look(struct bench *b, struct gap_monitor *m)
{
	struct watching *w = m->priv;
	const struct cpu_gaps *g = &m->cpus[0];

	for (unsigned i = 0; i < m->n; i++)
		w->next[i] = 0;
	w->counted |= (g->events.known & EVENT_SMIS) != 0;
	w->smis += (double)g->events.smis;
	for (uint64_t i = 0; i < g->scan->recorded; i++) {
		uint64_t ticks = g->scan->events[i].length;
		uint64_t to = g->scan->started + g->scan->events[i].at;
		double begin = ticks_to_ns(b, (double)(to - ticks - m->started));
		uint32_t events = g->causes[i].events;

		if (events == EVENT_SMIS)
			add_seen(b, &w->seen[SMIS], begin, ticks);
		w->mixed += (events & EVENT_SMIS) && events != EVENT_SMIS;
		if (all_have_one(w, to - ticks, to))
			add_seen(b, &w->seen[COMMON], begin, ticks);
	}
}

/* Returns true if the room counts SMIs around a sample. */
static bool counts_smis(struct bench *b)
{
	struct event_counts q = { 0 };

	b->room->timed_begin(b->room, &q);
	b->room->timed_end(b->room, &q);
	return q.known & EVENT_SMIS;
}

static void extra_watch(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct watching *w = row_spec(job->row, struct watch_spec)->w;

	if (w->counted) {
		jsonl_number(l, "smis", w->smis);
		jsonl_number(l, "smis_mixed", w->mixed);
	}
	cpu_gaps_put(b, &w->monitor.cpus[0], l);
}

static int prepare_watch(struct bench *b, const struct row *row, struct job *job)
{
	struct watching *w = row_spec(row, struct watch_spec)->w;

	if (b->room->kind == ROOM_HOSTED && !counts_smis(b))
		return job_skip(job, NOT_COUNTED ": gaps under a system are those of noise");
	double *kept = run_alloc(b, 7 * KEPT * sizeof *kept);

	w->next = run_alloc(b, w->monitor.n * sizeof *w->next);
	if (!kept || !w->next)
		return job_skip(job, "no memory for the gaps");
	for (unsigned k = 0; k < KINDS; k++) {
		w->seen[k].begin = kept + 3 * k * KEPT;
		w->seen[k].length = w->seen[k].begin + KEPT;
		w->seen[k].interval = w->seen[k].length + KEPT;
	}
	w->scratch = kept + 6 * KEPT;
	if (gap_monitor_prepare(b, job, &w->monitor))
		return -1;
	job->sampler = gap_monitor_sample;
	job->extra = extra_watch;
	job->cold = true;
	job->tells_disturbance = true;
	job->min_samples = job->max_samples = w->monitor.slices;
	job->priv = &w->monitor;
	return 0;
}

/* The rows of what was seen show these values; priv points to the next one. */
static int sample_seen(struct bench *b, struct job *job, struct sample *s)
{
	double *next = job->priv;

	s->value = *next;
	job->priv = next + 1;
	return 0;
}

static void extra_seen(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct watch_spec *spec = row_spec(job->row, struct watch_spec);
	const struct seen_gaps *s = &spec->w->seen[spec->kind];

	jsonl_integer(l, "gaps", s->n);
	jsonl_number(l, "stolen_ns", s->total);
	jsonl_number(l, "longest_ns", s->longest);
	jsonl_array(l, "log2_ticks");
	for (unsigned i = 0; i < 64; i++)
		jsonl_integer(l, NULL, s->log2[i]);
	jsonl_array_end(l);
}

/* Why there are no rows of that kind; NULL: there may be. */
static const char *why_none(const struct watching *w, enum gap_kind kind)
{
	if (!w->monitor.done)
		return "nothing was watched";
	if (kind == SMIS && !w->counted)
		return NOT_COUNTED;
	return kind == COMMON && w->monitor.n < 2 ? "there is one CPU" : NULL;
}

static int prepare_seen(struct bench *b, const struct row *row, struct job *job)
{
	const struct watch_spec *spec = row_spec(row, struct watch_spec);
	const struct seen_gaps *s = &spec->w->seen[spec->kind];
	const char *why = why_none(spec->w, spec->kind);
	unsigned n = spec->between && s->kept ? s->kept - 1 : s->kept;

	if (why)
		return job_skip(job, "%s", why);
	if (!n)
		return job_skip(job, "%u came in the time watched", s->n);
	job->sampler = sample_seen;
	job->extra = spec->between ? NULL : extra_seen;
	job->cold = true;
	job->tells_disturbance = true;
	job->min_samples = job->max_samples = n < SAMPLES_LIMIT ? n : SAMPLES_LIMIT;
	job->priv = spec->between ? s->interval : s->length;
	return 0;
}

/* An SMI that is asked for. */

#define ASKED_LEAST 16
#define ASKED_MOST  64
#define ASKED_LOOKS 10000 /* at the counter of SMIs, until one came: a millisecond or more */
#define ASKED_TRIES 16    /* until no other SMI came beside it */
#define ASKED_NS    5e6   /* that one is said to take */

struct smi_asking {
	double overhead; /* ticks of the loop that asks for none */
};

/* One, and no other: the counter of SMIs says so before the last stamp is taken. */
static int sample_asked(struct bench *b, struct job *job, struct sample *s)
{
	const struct smi_asking *a = job->priv;

	for (unsigned i = 0; i < ASKED_TRIES; i++) {
		struct timed t = call_loop(b, job->loop, job->args);

		if (t.value == 0)
			return job_skip(job, "no SMI came: the firmware does not answer");
		if (t.value == 1) {
			s->value = ticks_to_ns(b, (double)t.ticks - a->overhead);
			return 0;
		}
	}
	return job_skip(job, "more SMIs came than were asked for");
}

static int prepare_asked(struct bench *b, const struct row *row, struct job *job)
{
	const struct smi_request *smi = &b->room->smi;
	struct smi_asking *a = job_alloc(b, job, sizeof *a);
	const uint64_t args[LOOP_ARGS] = { ASKED_LOOKS, smi->port, smi->value, smi->counter };

	if (smi->why)
		return job_skip(job, "%s", smi->why);
	if (!smi->counter)
		return job_skip(job, NOT_COUNTED ": whether one came could not be told");
	if (!a)
		return -1;
	job_call(job, loop_ask_smi, 0, args);
	job->ops = 1;
	a->overhead = measure_overhead(b, loop_ask_smi, job->empty_args);
	job->sampler = sample_asked;
	job->cold = true;
	job->allowed_events = EVENT_SMIS;
	job->min_samples = ASKED_LEAST;
	job->max_samples = ASKED_MOST;
	job->priv = a;
	return 0;
}

static void plan_asked(struct bench *b)
{
	struct row row = row_new(asked, &unit_ns, ANSWER_SMI_ASKED, prepare_asked);

	row.needs = NEED_RING0;
	row.cost_ns = ASKED_LEAST * ASKED_NS;
	row_param(&row, "port", b->room->smi.port);
	row_param(&row, "value", b->room->smi.value);
	plan_add(b, &row);
}

/* The scan, or what it showed of a kind of gaps. */
static void plan_watch(struct bench *b, const char *variant, struct watch_spec spec, bool scans)
{
	struct row row = row_new(variant, scans ? &noise_unit_rate : &unit_ns, ANSWER_SMIS,
		scans ? prepare_watch : prepare_seen);

	*row_spec(&row, struct watch_spec) = spec;
	row.replays = !scans;
	row.exact = scans;
	row.cost_ns = scans ? spec.w->monitor.seconds * 1e9 * 1.05 : 0;
	row_param(&row, "seconds", spec.w->monitor.seconds);
	row_param(&row, "cpus", spec.w->monitor.n);
	plan_add(b, &row);
}

static void smm_plan(struct bench *b)
{
	static const double seconds[] = { 2, 10, 120 };
	struct watching *w = run_alloc(b, sizeof *w);

	if (b->room->smi.wanted)
		plan_asked(b);
	if (!w)
		return;
	w->monitor.n = b->room->facts.cpus;
	w->monitor.seconds =
		b->opt->noise_seconds ? (double)b->opt->noise_seconds : seconds[b->opt->profile];
	w->monitor.look = look;
	w->monitor.priv = w;
	plan_watch(b, watch, (struct watch_spec){ .w = w }, true);
	for (unsigned i = 0; i < 2 * KINDS; i++)
		plan_watch(b, variants[i / 2][i % 2],
			(struct watch_spec){ w, (enum gap_kind)(i / 2), i % 2 }, false);
}

enum value { PER_SECOND, LENGTH, PERIOD, LONGEST, STOLEN, VALUES };

/*
 * Returns the value with its bracket. If n independent events come, n - 2 sqrt(n) to n + 2 sqrt(n)
 * + 3 are to be expected, except one time in twenty. A quarter of the lengths is below the bracket
 * of the median one, a quarter above.
 */
static struct estimate value_of(struct bench *b, struct watching *w, enum gap_kind kind,
	enum value v)
{
	const struct seen_gaps *s = &w->seen[kind];
	double seconds = ticks_to_ns(b, w->monitor.cpus[0].observed_ticks) / 1e9;
	double n = kind == SMIS && v == PER_SECOND ? w->smis : s->n, doubt = 2 * __builtin_sqrt(n);
	double value = s->longest, low = NOT_A_NUMBER, high = NOT_A_NUMBER, sure = 1;
	const char *why = why_none(w, kind);

	if (!why && !s->n && (v == LENGTH || v == LONGEST))
		why = "none came in the time watched";
	if (why)
		return not_resolved(why);
	if (v == PERIOD)
		return infer_period(s->begin, s->kept, w->scratch);
	if (v == PER_SECOND) {
		value = n / seconds;
		low = math_max(n - doubt, 0) / seconds;
		high = (n + doubt + 3) / seconds;
		sure = 0.95;
	} else if (v == LENGTH) {
		__builtin_memcpy(w->scratch, s->length, s->kept * sizeof *s->length);
		stats_sort(w->scratch, s->kept);
		value = stats_quantile(w->scratch, s->kept, 0.5);
		low = stats_quantile(w->scratch, s->kept, 0.25);
		high = stats_quantile(w->scratch, s->kept, 0.75);
		sure = clamp_confidence(1 - 1.0 / s->kept);
	} else if (v == STOLEN) {
		value = s->total / seconds / 1e3;
	}
	return resolved(value, low, high, sure);
}

static void smm_find(struct bench *b, struct found_values *f)
{
	static const enum value_id ids[KINDS][VALUES] = {
		{ VALUE_smis_per_second, VALUE_smi_length_ns, VALUE_smi_period_ns,
			VALUE_smi_longest_ns, VALUE_smi_stolen_ppm },
		{ VALUE_common_gaps_per_second, VALUE_common_gap_ns, VALUE_common_gap_period_ns },
	};
	const struct result *r = find_row(b, watch, NULL, 0);

	for (unsigned i = 0; r && i < KINDS * VALUES; i++)
		if (ids[i / VALUES][i % VALUES])
			found(f, ids[i / VALUES][i % VALUES],
				value_of(b, row_spec(r->row, struct watch_spec)->w,
					(enum gap_kind)(i / VALUES), (enum value)(i % VALUES)),
				"smm watch");
	r = find_row(b, asked, NULL, 0);
	if (r)
		found(f, VALUE_smi_asked_ns,
			resolved(r->median, r->quartile[0], r->quartile[1], row_confidence(r)),
			"smm asked");
}

static void smm_meaning(struct bench *b)
{
	const struct result *r = find_row(b, watch, NULL, 0);
	const struct watching *w = r ? row_spec(r->row, struct watch_spec)->w : NULL;

	if (!w)
		return;
	if (w->counted)
		say(b, "  %.0f SMIs were counted; %u gaps are of SMIs alone, %.0f not.\n", w->smis,
			w->seen[SMIS].n, w->mixed);
	else
		say(b, "  " NOT_COUNTED ": which gaps are of SMIs cannot be told.\n");
	if (w->monitor.n > 1)
		say(b, "  %u gaps were common to all %u CPUs.\n", w->seen[COMMON].n, w->monitor.n);
}

const struct hooks probe_smm = {
	.plan = smm_plan,
	.find = smm_find,
	.meaning = smm_meaning,
};
