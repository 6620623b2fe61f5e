/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/compare/disturbance.h"
#include "report/reading/row_identity.h"
#include "report/compare/student.h"

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

/* A sum that stays unknown until something is known. */
static void add(double *sum, double value)
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
		add(&d->events[i], number_of(counts, disturber_keys[i]));
}

/* Sums over the runs of a set, until disturbance_of divides them. */
struct scans {
	double stolen_seconds, seconds, above[NOISE_THRESHOLDS];
	double runs, parts, squares; /* of runs that scanned: how many, sums of their stolen part */
};

static double value_of(const struct run_data *run, const char *summary)
{
	return number_of(run_summary(run, summary), KEY_VALUE);
}

/*
 * The seconds that the scan took, or, where thinning has removed the row's `more`, those it was
 * planned to take: a scan that SIGINT or SIGTERM ended is shorter. NAN: there was no scan.
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

/* From summary lines, which thinning keeps: parts are weighted by seconds, counts are added. */
static void add_noise(struct disturbance *d, struct scans *scans, const struct run_data *run)
{
	double stolen = value_of(run, "noise_stolen_ppm"), seconds = scanned_seconds(run);
	char name[40];

	if (isnan(stolen) || isnan(seconds))
		return;
	scans->stolen_seconds += stolen / 1e6 * seconds;
	scans->seconds += seconds;
	scans->runs++;
	scans->parts += stolen / 1e6;
	scans->squares += stolen / 1e6 * stolen / 1e6;
	d->longest_ns = fmax(d->longest_ns, value_of(run, "noise_longest_ns"));
	for (int i = 0; i < NOISE_THRESHOLDS; i++) {
		snprintf(name, sizeof name, "noise_gaps_above_%sus", noise_threshold_us[i]);
		scans->above[i] += value_of(run, name);
	}
}

static void add_run(struct disturbance *d, struct scans *scans, const struct run_data *run)
{
	const json_t *os = json_object_get(run->end, KEY_OS);

	for (size_t i = 0; i < run->nrows; i++)
		add_row(d, &run->rows[i]);
	add_noise(d, scans, run);
	add(&d->involuntary, number_of(os, "switches_involuntary"));
	add(&d->steal_s, number_of(os, "steal_s"));
	add(&d->waited_s, number_of(os, "waited_s"));
	d->seconds += number_or(run->end, KEY_SECONDS, 0);
}

/* The interval of the stolen part: Student's, of the runs. */
static void find_interval(struct disturbance *d, const struct scans *scans)
{
	double n = scans->runs, mean = scans->parts / n;

	if (!(n > 1))
		return;
	double variance = fmax(0, scans->squares - n * mean * mean) / (n - 1);
	double half = student_quantile(0.025, n - 1) * sqrt(variance / n);
	d->stolen_low = fmax(0, mean - half);
	d->stolen_high = mean + half;
}

void disturbance_of(struct disturbance *d, const struct set *set)
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
		add_run(d, &scans, set->runs[i]);
	d->scanned_s = scans.seconds;
	find_interval(d, &scans);
	d->stolen_part = scans.seconds > 0 ? scans.stolen_seconds / scans.seconds : NAN;
	for (int i = 0; i < NOISE_THRESHOLDS; i++)
		d->above[i] = scans.seconds > 0 ? scans.above[i] / scans.seconds : NAN;
}

double disturbed_part(const struct disturbance *d)
{
	return d->samples > 0 ? d->disturbed / d->samples : 0;
}

bool was_disturbed(const struct disturbance *d)
{
	double switches = d->events[DISTURBER_SWITCHES];

	return d->stolen_part > 0.01 || d->waited_s > 0.01 * d->seconds ||
		(switches > 10 && switches > 0.005 * d->samples);
}

/* More than twice as many events per sample, and more than 10, which chance does not explain. */
static bool many_more(double a, double a_samples, double b, double b_samples)
{
	return b > 10 && b / b_samples > 2 * (isnan(a) ? 0 : a) / a_samples;
}

bool more_disturbed(const struct disturbance *a, const struct disturbance *b)
{
	if (!(a->samples > 0) || !(b->samples > 0))
		return false;
	return disturbed_part(b) > 2 * disturbed_part(a) + 0.01 ||
		many_more(a->events[DISTURBER_SWITCHES], a->samples, b->events[DISTURBER_SWITCHES],
			b->samples);
}
