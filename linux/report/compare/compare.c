/* SPDX-License-Identifier: MIT */
/* Compares sets of runs: their circumstances, then row by row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/report/compare/compare.h"
#include "lib/stats.h"
#include "linux/report/compare/effects.h"
#include "linux/report/reading/results.h"
#include "linux/report/compare/sets.h"
#include "lib/result_keys.h"
#include "linux/report/compare/statistics.h"
#include "page/shown_run.h"

/* Members that differ between any two runs, or say nothing about the machine: not shown. */
static const char *const ignored[] = { KEY_KIND, KEY_SEQ, KEY_CRC, KEY_ROOM, KEY_SCHEMA, "time_utc",
	"tsc_sources", "tsc_disagree_ppm", "os.load_average", KEY_TOPOLOGY,
#define CIRCUMSTANCE(beginning, words, touches)
#define VARIES(key) key,
#include "lib/circumstances.inc"
#undef CIRCUMSTANCE
#undef VARIES
	KEY_CORE_HZ /* compare has the rows' clocks */ };

#define TSC_ALIKE 1e-4 /* two measurements of one TSC differ by no more than this part */

static const struct {
	const char *beginning, *words, *touches;
} deciding[] = {
#define CIRCUMSTANCE(beginning, words, touches) { beginning, words, touches },
#define VARIES(key)
#include "lib/circumstances.inc"
#undef CIRCUMSTANCE
#undef VARIES
};

#define DECIDING (sizeof deciding / sizeof *deciding)

/* Beginnings of keys that are shown before all others that do not decide the speed. */
static const char *const shown_first[] = { "cpu.", "pages", "tsc_", "build", "compiler" };

#define SHOWN_FIRST (sizeof shown_first / sizeof *shown_first)

/* Returns true for a revision of microcode, which is written in hexadecimal everywhere. */
static bool in_hex(const char *path, double value)
{
	return !strcmp(path, "cpu.microcode") && value >= 0 && value < 4294967296.0;
}

static char *value_text(const char *path, const json_t *value)
{
	if (json_is_string(value))
		return copy_text(json_string_value(value));
	if (!json_is_real(value)) {
		char *text =
			json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
		return text ? text : copy_text("?");
	}
	char text[40];
	double number = json_number_value(value);
	if (in_hex(path, number))
		snprintf(text, sizeof text, "%#x", (unsigned)number);
	else
		snprintf(text, sizeof text, "%.15g", number);
	return copy_text(text);
}

static bool is_ignored(const char *key)
{
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		if (!strcmp(key, ignored[i]))
			return true;
	return false;
}

#define PATH_BYTES 128

static void flatten(json_t *into, const char *prefix, const json_t *from);

static void flatten_value(json_t *into, const char *path, const json_t *value)
{
	char longer[PATH_BYTES];
	json_t *element;
	size_t i;

	if (json_is_object(value) && strlen(path) < PATH_BYTES - 2) {
		snprintf(longer, sizeof longer, "%s.", path);
		flatten(into, longer, value);
	} else if (json_is_object(json_array_get(value, 0))) {
		json_array_foreach((json_t *)value, i, element) {
			snprintf(longer, sizeof longer, "%.*s.%zu", PATH_BYTES - 24, path, i + 1);
			flatten_value(into, longer, element);
		}
	} else if (!json_is_null(value)) {
		char *text = value_text(path, value);
		json_object_set_new(into, path, json_string(text));
		free(text);
	}
}

/*
 * Turn objects into paths: {"cpu":{"model":85}} -> {"cpu.model":"85"}; arrays of objects, too,
 * counted from 1.
 */
static void flatten(json_t *into, const char *prefix, const json_t *from)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)from, key, value) {
		char path[PATH_BYTES];
		snprintf(path, sizeof path, "%s%s", prefix, key);
		if (!is_ignored(path))
			flatten_value(into, path, value);
	}
}

static bool same_value(const char *key, const char *a, const char *b)
{
	if (!strcmp(a, b))
		return true;
	if (strcmp(key, KEY_TSC_HZ))
		return false;
	double x = strtod(a, NULL), y = strtod(b, NULL);
	return fabs(x - y) <= TSC_ALIKE * fmax(fabs(x), fabs(y));
}

static const char *value_in(const json_t *flat, const char *key)
{
	const char *value = text_of(flat, key);

	return *value ? value : "-";
}

/* The value in a set: of its runs, each value that differs from the one before. */
static char *set_value(const json_t *runs, const char *key)
{
	const char *last = NULL;
	size_t bytes, i;
	json_t *run;
	char *text;
	FILE *out = text_stream(&text, &bytes);

	json_array_foreach((json_t *)runs, i, run) {
		const char *value = value_in(run, key);
		if (!last || !same_value(key, last, value))
			fprintf(out, "%s%s", last ? " | " : "", value);
		last = value;
	}
	fclose(out);
	return text;
}

static bool begins(const char *key, const char *with)
{
	return !strncmp(key, with, strlen(with));
}

/* The rank of the key among those that decide the speed; DECIDING: it does not. */
static size_t deciding_rank(const char *key)
{
	size_t i;

	for (i = 0; i < DECIDING && !begins(key, deciding[i].beginning); i++)
		;
	return i;
}

static size_t other_rank(const char *key)
{
	size_t i;

	for (i = 0; i < SHOWN_FIRST && !begins(key, shown_first[i]); i++)
		;
	return i;
}

void difference_words(const struct difference *d, char out[DIFFERENCE_WORDS])
{
	size_t at = deciding_rank(d->key);

	if (at == DECIDING) {
		snprintf(out, DIFFERENCE_WORDS, "%s", d->key);
		return;
	}
	size_t n = strlen(deciding[at].words);
	bool more = n && deciding[at].words[n - 1] == ' ';
	snprintf(out, DIFFERENCE_WORDS, "%s%s", deciding[at].words,
		more ? d->key + strlen(deciding[at].beginning) : "");
}

const char *difference_touches(const struct difference *d)
{
	size_t at = deciding_rank(d->key);

	return at == DECIDING ? "" : deciding[at].touches;
}

static int by_rank(const void *a, const void *b)
{
	const struct difference *x = a, *y = b;

	if (x->speed != y->speed)
		return y->speed - x->speed;
	size_t i = x->speed ? deciding_rank(x->key) : other_rank(x->key);
	size_t j = x->speed ? deciding_rank(y->key) : other_rank(y->key);

	return i != j ? (i > j) - (i < j) : strcmp(x->key, y->key);
}

static void compare_key(struct environment *env, const char *key, const json_t *flat)
{
	size_t sets = json_array_size(flat), i;
	char **values = new_array(sets, sizeof *values);
	bool differs = false, known = true;

	for (i = 0; i < sets; i++) {
		values[i] = set_value(json_array_get(flat, i), key);
		differs |= !same_value(key, values[0], values[i]) || strstr(values[i], " | ");
		known &= strcmp(values[i], "-") != 0;
	}
	/* A register that only one room could read does not show a difference. */
	if (differs && (known || strncmp(key, "speed.", 6))) {
		struct difference *d = grow((void **)&env->differences, &env->n, sizeof *d);
		*d = (struct difference){ copy_text(key), values,
			known && deciding_rank(key) < DECIDING };
		env->nspeed += d->speed;
		return;
	}
	for (i = 0; i < sets; i++)
		free(values[i]);
	free(values);
}

static void warn_of(struct environment *env, const char *format, const char *a, const char *b)
{
	char *text;
	size_t bytes;
	FILE *out = text_stream(&text, &bytes);

	fprintf(out, format, a, b);
	fclose(out);
	*(char **)grow((void **)&env->warnings, &env->nwarnings, sizeof text) = text;
}

static const char *hypervisor_of(const struct set *set)
{
	return text_of(set->runs[0]->head, KEY_HYPERVISOR);
}

static const char *may_be_why_of(const struct set *set)
{
	return text_of(set->runs[0]->head, KEY_MAY_BE_WHY);
}

/*
 * Returns true if all sets ran under one hypervisor, which runs the code and does not emulate it.
 */
static bool all_virtual(const struct sets *sets)
{
	for (size_t i = 0; i < sets->n; i++)
		if (!*hypervisor_of(&sets->set[i]) || is_emulated(&sets->set[i]) ||
			strcmp(hypervisor_of(&sets->set[i]), hypervisor_of(&sets->set[0])))
			return false;
	return true;
}

static void find_warnings(struct environment *env, const struct sets *sets)
{
	for (size_t i = 0; i < env->n; i++)
		if (begins(env->differences[i].key, "cpu.") &&
			strcmp(env->differences[i].key, "cpu.microcode")) {
			warn_of(env, "THE PROCESSORS DIFFER (%s): this compares two machines%s",
				env->differences[i].key + 4, ", not two rooms");
			break;
		}
	for (size_t i = 0; i < sets->n; i++)
		if (sets->set[i].copies) {
			size_t n = sets->set[i].copies;
			char copies[48];
			snprintf(copies, sizeof copies, "%zu %s", n, n > 1 ? "copies" : "copy");
			warn_of(env,
				n > 1 ? "%s of a run of %s are left out"
				      : "%s of a run of %s is left out",
				copies, set_name(&sets->set[i]));
		}
	for (size_t i = 0; i < sets->n; i++)
		if (!strcmp(text_of(sets->set[i].runs[0]->head, KEY_SIBLINGS), SIBLINGS_PAUSE))
			warn_of(env, "%s/%s had a thread beside it that spun: " HALF_A_CORE,
				set_name(&sets->set[i]), sets->set[i].room);
	if (all_virtual(sets)) {
		warn_of(env, "all are VIRTUAL (%s): the host's other work is part of them%s",
			hypervisor_of(&sets->set[0]), "");
		return;
	}
	for (size_t i = 0; i < sets->n; i++) {
		const struct set *s = &sets->set[i];
		if (is_simulated(s))
			warn_of(env,
				"%s/%s is SIMULATED: its timings are those of a known-answer "
				"machine",
				set_name(s), s->room);
		else if (is_emulated(s))
			warn_of(env, "%s/%s is EMULATED: its timings mean nothing", set_name(s),
				s->room);
		else if (*hypervisor_of(s))
			warn_of(env, "%s is VIRTUAL (%s): the host's other work is part of it",
				set_name(s), hypervisor_of(s));
		if (*may_be_why_of(s))
			warn_of(env, "%s may not be silicon alone: %s", set_name(s),
				may_be_why_of(s));
	}
}

static void environment_compare(struct environment *env, const struct sets *sets)
{
	json_t *flat = json_array(), *keys = json_object(), *unused;
	const char *key;

	*env = (struct environment){ 0 };
	for (size_t i = 0; i < sets->n; i++) {
		json_t *runs = json_array();
		for (size_t j = 0; j < sets->set[i].nruns; j++) {
			json_t *run = json_object();
			flatten(run, "", sets->set[i].runs[j]->head);
			json_object_update_missing(keys, run);
			json_array_append_new(runs, run);
		}
		json_array_append_new(flat, runs);
	}
	json_object_foreach(keys, key, unused)
		compare_key(env, key, flat);
	json_decref(keys);
	json_decref(flat);
	if (env->n)
		qsort(env->differences, env->n, sizeof *env->differences, by_rank);
	find_warnings(env, sets);
}

static void environment_free(struct environment *env, const struct sets *sets)
{
	for (size_t i = 0; i < env->n; i++) {
		for (size_t j = 0; j < sets->n; j++)
			free(env->differences[i].values[j]);
		free(env->differences[i].values);
		free(env->differences[i].key);
	}
	free(env->differences);
	for (size_t i = 0; i < env->nwarnings; i++)
		free(env->warnings[i]);
	free(env->warnings);
}

#define DISTURBS(text) text,
#define MEASURES(text)
const char *const disturber_keys[DISTURBERS] = {
#define EVENT(NAME, name, kind, words) kind(#name)
#include "lib/event_counts.inc"
#undef EVENT
};
const char *const disturber_words[DISTURBERS] = {
#define EVENT(NAME, name, kind, words) kind(words)
#include "lib/event_counts.inc"
#undef EVENT
};

const char *const noise_threshold_us[NOISE_THRESHOLDS] = {
#define NOISE_THRESHOLD(us, whose) #us,
#include "lib/noise_thresholds.inc"
#undef NOISE_THRESHOLD
};

/* Add to a sum that stays unknown until a known value comes. */
static void add_known(double *sum, double value)
{
	if (!isnan(value))
		*sum = (isnan(*sum) ? 0 : *sum) + value;
}

static void add_row(struct disturbance *d, const struct row_data *row)
{
	const json_t *counts = json_object_get(row->json, KEY_COUNTS);

	d->samples += row->samples;
	d->disturbed += row->disturbed;
	for (int i = 0; i < DISTURBERS; i++)
		add_known(&d->events[i], number_of(counts, disturber_keys[i]));
}

/* Sums over the runs of a set, until disturbance_of divides them. */
struct scans {
	double stolen_seconds, seconds, above[NOISE_THRESHOLDS];
	double runs, parts, squares; /* of runs that scanned: number, sums of their stolen part */
};

static double summary_value(const struct run_data *run, enum value_id id)
{
	return number_of(run_summary(run, id), KEY_VALUE);
}

/*
 * Seconds of the scan, or, if thinning has removed the row's `more`, its planned seconds: a scan
 * that SIGINT or SIGTERM ended is shorter. NAN: there was no scan.
 */
static double scanned_seconds(const struct run_data *run)
{
	for (size_t i = 0; i < run->nrows; i++) {
		const json_t *row = run->rows[i].json;
		if (!strcmp(run->rows[i].probe, "noise") && !strcmp(run->rows[i].variant, "gaps"))
			return number_or(json_object_get(row, KEY_MORE), "observed_seconds",
				row_parameter(row, "seconds"));
	}
	return NAN;
}

/*
 * Add the noise of a run, from summary lines, which thinning keeps: parts are weighted by seconds,
 * counts are added.
 */
static void add_noise(struct disturbance *d, struct scans *scans, const struct run_data *run)
{
	double stolen = summary_value(run, VALUE_noise_stolen_ppm), seconds = scanned_seconds(run);

	if (isnan(stolen) || isnan(seconds))
		return;
	scans->stolen_seconds += stolen / 1e6 * seconds;
	scans->seconds += seconds;
	scans->runs++;
	scans->parts += stolen / 1e6;
	scans->squares += stolen / 1e6 * stolen / 1e6;
	d->longest_ns = fmax(d->longest_ns, summary_value(run, VALUE_noise_longest_ns));
	for (int i = 0; i < NOISE_THRESHOLDS; i++)
		scans->above[i] += summary_value(run, VALUE_noise_gaps_above + i);
}

static void add_disturbance(struct disturbance *d, struct scans *scans, const struct run_data *run)
{
	const json_t *os = json_object_get(run->end, KEY_OS);

	for (size_t i = 0; i < run->nrows; i++)
		add_row(d, &run->rows[i]);
	add_noise(d, scans, run);
	add_known(&d->involuntary, number_of(os, "switches_involuntary"));
	add_known(&d->steal_s, number_of(os, "steal_s"));
	add_known(&d->waited_s, number_of(os, "waited_s"));
	d->seconds += number_or(run->end, KEY_SECONDS, 0);
}

/* Compute the interval of the stolen part: Student's, over the runs. */
static void find_interval(struct disturbance *d, const struct scans *scans)
{
	double n = scans->runs, mean = scans->parts / n;

	if (!(n > 1))
		return;
	double variance = fmax(0, scans->squares - n * mean * mean) / (n - 1);
	double half = student_quantile(0.025, n - 1) * sqrt(variance / n);
	d->stolen_low = fmax(0, mean - half);
	d->stolen_high = fmin(1, mean + half); /* never more than all of the time */
}

static void disturbance_of(struct disturbance *d, const struct set *set)
{
	struct scans scans = { 0 };

	*d = (struct disturbance){
		.involuntary = NAN,
		.steal_s = NAN,
		.waited_s = NAN,
		.longest_ns = NAN,
		.stolen_low = NAN,
		.stolen_high = NAN,
	};
	for (int i = 0; i < DISTURBERS; i++)
		d->events[i] = NAN;
	for (size_t i = 0; i < set->nruns; i++)
		add_disturbance(d, &scans, set->runs[i]);
	d->scanned_s = scans.seconds;
	find_interval(d, &scans);
	d->stolen_part = scans.seconds > 0 ? scans.stolen_seconds / scans.seconds : NAN;
	for (int i = 0; i < NOISE_THRESHOLDS; i++)
		d->above[i] = scans.seconds > 0 ? scans.above[i] / scans.seconds : NAN;
}

static struct set_clock set_clock_of(const struct set *set)
{
	double *hz = new_array(set->nrows + set->nruns + 1, sizeof *hz);
	struct set_clock clock = { NAN, NAN, NAN };
	size_t n = 0;

	for (size_t i = 0; i < set->nrows; i++)
		if (set->rows[i].core_hz > 0)
			hz[n++] = set->rows[i].core_hz;
	for (size_t i = 0; !n && i < set->nruns; i++) {
		double measured = number_of(set->runs[i]->head, KEY_CORE_HZ);
		if (measured > 0)
			hz[n++] = measured;
	}
	for (size_t i = 0; i < n; i++) {
		clock.low = fmin(clock.low, hz[i]);
		clock.high = fmax(clock.high, hz[i]);
	}
	if (n)
		clock.median = stats_median(hz, n);
	free(hz);
	return clock;
}

/* --- the comparison --- */

const char *const verdict_names[VERDICTS] = { "unknown", "same", "slower", "faster", "more",
	"less" };

/*
 * Index the rows of a set by their loose identity (row_identity): page size and bytes may differ.
 */
static json_t *loose_index(const struct set *set)
{
	json_t *index = json_object();

	for (size_t i = 0; i < set->nrows; i++) {
		char *identity = row_identity(set->rows[i].row->json, true);
		json_object_set_new(index, identity, json_integer((json_int_t)i));
		free(identity);
	}
	return index;
}

static void match_row(struct cell *cell, const struct set *base, const struct set *set,
	const struct pooled *row, const json_t *loose)
{
	cell->row = set_find(set, row->row->identity);
	cell->exact = cell->row;
	if (!cell->row) {
		char *identity = row_identity(row->row->json, true);
		const json_t *at = json_object_get(loose, identity);
		if (at)
			cell->row = &set->rows[json_integer_value(at)];
		/* Do not take a row that is the exact partner of another row. */
		if (cell->row && set_find(base, cell->row->row->identity))
			cell->row = NULL;
		free(identity);
	}
	if (cell->row)
		cell->cycles = both_core_paced(base, row, set, cell->row);
}

/* The name of a row for people: "latency pointer-padded 16K 2M-pages"; the caller frees it. */
static char *row_name(const json_t *row)
{
	struct parameter params[PARAMETERS_MOST];
	size_t n = row_parameters(row, params), bytes;
	char *text, parameter[ROW_LABEL];
	FILE *out = text_stream(&text, &bytes);

	fprintf(out, "%s %s", text_of(row, KEY_PROBE), text_of(row, KEY_VARIANT));
	for (size_t i = 0; i < n; i++) {
		label_parameter(params[i].name, params[i].value, parameter, sizeof parameter);
		fputs(parameter, out);
	}
	fclose(out);
	return text;
}

static void compare_row(struct comparison *c, const struct pooled *base, json_t *const *loose)
{
	struct compared *row = grow((void **)&c->rows, &c->nrows, sizeof *row);

	row->label = row_name(base->row->json);
	row->probe = base->row->probe;
	row->unit = base->row->unit;
	row->cells = new_array(c->sets.n, sizeof *row->cells);
	row->cells[0] = (struct cell){
		.row = base,
		.exact = true,
		.ratio = 1,
		.change = NAN,
		.low = 1,
		.high = 1,
		.slower = 1,
		.verdict = VERDICT_SAME,
	};
	for (size_t i = 1; i < c->sets.n; i++)
		match_row(&row->cells[i], &c->sets.set[0], &c->sets.set[i], base, loose[i]);
}

/* The median; NAN if n is 0. */
static double median_of(double *values, size_t n)
{
	return n ? stats_median(values, n) : NAN;
}

static void cost_row(struct set_cost *cost, const struct cell *cell)
{
	cost->rows++;
	cost->rows_cycles += cell->cycles;
	cost->verdicts[cell->verdict]++;
	cost->clock += cell->because == BECAUSE_CLOCK;
	cost->edge += cell->because == BECAUSE_EDGE;
	if (cell->verdict == VERDICT_SLOWER)
		cost->worst = fmax(cost->worst, cell->slower);
}

/*
 * Compute median slowdowns: of rows in core cycles, of rows in time, and of all rows if the clocks
 * are equal.
 */
static void effects_of(struct comparison *c, size_t s)
{
	struct set_cost *cost = &c->costs[s];
	double *cycles = new_array(2 * c->nrows + 1, sizeof *cycles), *time = cycles + c->nrows;
	size_t n = 0, m = 0;

	for (size_t i = 0; i < c->nrows; i++) {
		const struct cell *cell = &c->rows[i].cells[s];
		if (!row_counts(&c->rows[i], cell) || !cell->exact || cell->difference)
			continue;
		if (cell->cycles)
			cycles[n++] = cell->slower;
		else
			time[m++] = cell->slower;
	}
	cost->median_cycles = median_of(cycles, n);
	cost->median_time = median_of(time, m);
	memmove(cycles + n, time, m * sizeof *time);
	cost->median_effect =
		clocks_differ(&c->clocks[0], &c->clocks[s]) ? NAN : median_of(cycles, n + m);
	free(cycles);
}

static void cost_of(struct comparison *c, size_t s)
{
	struct set_cost *cost = &c->costs[s];
	double *tails = new_array(c->nrows + 1, sizeof *tails);
	size_t ntails = 0, matched = 0;

	cost->worst = 1;
	for (size_t i = 0; i < c->nrows; i++) {
		const struct cell *cell = &c->rows[i].cells[s];
		matched += cell->row != NULL;
		cost->events += cell->row && is_event(&c->rows[i]);
		if (!row_counts(&c->rows[i], cell))
			continue;
		if (!cell->exact) {
			cost->loose++;
			continue;
		}
		double tail = cell->row->tail / c->rows[i].cells[0].row->tail;
		if (!isnan(tail))
			tails[ntails++] = tail;
		cost_row(cost, cell);
	}
	cost->alone = c->sets.set[0].nrows + c->sets.set[s].nrows - 2 * matched;
	effects_of(c, s);
	cost->tail_effect = median_of(tails, ntails);
	free(tails);
}

void compare_sets(struct comparison *c, struct sets sets, double margin)
{
	json_t **loose = new_array(sets.n, sizeof *loose);

	*c = (struct comparison){
		.sets = sets,
		.margin = margin,
		.clocks = new_array(sets.n, sizeof *c->clocks),
		.costs = new_array(sets.n, sizeof *c->costs),
		.lots = new_array(sets.n, sizeof *c->lots),
		.disturbances = new_array(sets.n, sizeof *c->disturbances),
	};
	environment_compare(&c->environment, &c->sets);
	for (size_t i = 0; i < sets.n; i++) {
		loose[i] = loose_index(&sets.set[i]);
		c->clocks[i] = set_clock_of(&sets.set[i]);
		disturbance_of(&c->disturbances[i], &sets.set[i]);
	}
	for (size_t i = 0; i < sets.set[0].nrows; i++)
		compare_row(c, &sets.set[0].rows[i], loose);
	for (size_t i = 1; i < sets.n; i++) {
		effects_find(c, i);
		cost_of(c, i);
	}
	for (size_t i = 0; i < sets.n; i++)
		json_decref(loose[i]);
	free(loose);
}

void comparison_free(struct comparison *c)
{
	for (size_t i = 0; i < c->nrows; i++) {
		free(c->rows[i].label);
		free(c->rows[i].cells);
	}
	free(c->rows);
	free(c->clocks);
	free(c->costs);
	free(c->lots);
	free(c->disturbances);
	environment_free(&c->environment, &c->sets);
	sets_free(&c->sets);
}

struct ranked {
	double slower;
	size_t row;
};

static int worst_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->slower != y->slower)
		return x->slower < y->slower ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

size_t worst_rows(const struct comparison *c, size_t s, size_t *out)
{
	struct ranked *ranked = new_array(c->nrows + 1, sizeof *ranked);
	size_t n = 0;

	for (size_t i = 0; i < c->nrows; i++) {
		const struct cell *cell = &c->rows[i].cells[s];
		if (row_counts(&c->rows[i], cell) && cell->exact && cell->verdict == VERDICT_SLOWER)
			ranked[n++] = (struct ranked){ cell->slower, i };
	}
	qsort(ranked, n, sizeof *ranked, worst_first);
	for (size_t i = 0; i < n; i++)
		out[i] = ranked[i].row;
	free(ranked);
	return n;
}
