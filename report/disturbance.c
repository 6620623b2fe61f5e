/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/disturbance.h"

const char *const happening_keys[HAPPENINGS] = { "switches", "interrupts", "faults", "smis", "nmis" };
const char *const happening_words[HAPPENINGS] = { "context switches", "interrupts", "page faults",
	"SMIs", "NMIs" };

const char *const verdict_us[VERDICTS] = { "0.1", "1", "10", "20", "150" };

/* A sum that stays unknown until something is known. */
static void add(double *sum, double value)
{
	if (!isnan(value))
		*sum = (isnan(*sum) ? 0 : *sum) + value;
}

static void add_row(struct disturbance *d, const struct row_data *row)
{
	const json_t *counts = json_object_get(row->json, "counts");

	d->samples += row->samples;
	d->disturbed += row->disturbed;
	for (int i = 0; i < HAPPENINGS; i++)
		add(&d->happened[i], number_of(counts, happening_keys[i]));
}

struct watch {
	double stolen_ns, seconds;
};

static void add_gaps(struct disturbance *d, struct watch *watch, const struct row_data *row)
{
	const json_t *more = json_object_get(row->json, "more");
	double stolen = number_of(more, "stolen_ns"), seconds = number_of(more, "observed_seconds");

	if (strcmp(row->probe, "noise") || strcmp(row->variant, "gaps") || isnan(stolen) || isnan(seconds))
		return;
	watch->stolen_ns += stolen;
	watch->seconds += seconds;
	d->longest_ns = fmax(d->longest_ns, number_of(more, "longest_ns"));
}

/* Counts, until disturbance_of divides them. */
static void add_verdicts(struct disturbance *d, const struct run_data *run)
{
	char name[40];

	for (int i = 0; i < VERDICTS; i++) {
		snprintf(name, sizeof name, "noise_gaps_above_%sus", verdict_us[i]);
		for (size_t k = 0; k < run->summaries.n; k++)
			if (!strcmp(text_of(run->summaries.json[k], "name"), name))
				add(&d->above[i], number_of(run->summaries.json[k], "value"));
	}
}

static void add_run(struct disturbance *d, struct watch *watch, const struct run_data *run)
{
	const json_t *os = json_object_get(run->end, "os");

	for (size_t i = 0; i < run->nrows; i++) {
		add_row(d, &run->rows[i]);
		add_gaps(d, watch, &run->rows[i]);
	}
	add_verdicts(d, run);
	add(&d->involuntary, number_of(os, "switches_involuntary"));
	add(&d->steal_s, number_of(os, "steal_s"));
}

void disturbance_of(struct disturbance *d, const struct set *set)
{
	struct watch watch = { 0, 0 };

	*d = (struct disturbance){ .involuntary = NAN, .steal_s = NAN, .longest_ns = NAN };
	for (int i = 0; i < HAPPENINGS; i++)
		d->happened[i] = NAN;
	for (int i = 0; i < VERDICTS; i++)
		d->above[i] = NAN;
	for (size_t i = 0; i < set->nruns; i++)
		add_run(d, &watch, set->runs[i]);
	d->stolen_part = watch.seconds > 0 ? watch.stolen_ns / 1e9 / watch.seconds : NAN;
	for (int i = 0; i < VERDICTS; i++)
		d->above[i] = watch.seconds > 0 ? d->above[i] / watch.seconds : NAN;
}

double disturbed_part(const struct disturbance *d)
{
	return d->samples > 0 ? d->disturbed / d->samples : 0;
}

bool was_disturbed(const struct disturbance *d)
{
	double switches = d->happened[HAPPENING_SWITCHES];

	return d->stolen_part > 0.01 || (switches > 10 && switches > 0.005 * d->samples);
}

/* Twice as many for what one sample holds, and enough to be no accident. */
static bool many_more(double a, double a_samples, double b, double b_samples)
{
	return b > 10 && b / b_samples > 2 * (isnan(a) ? 0 : a) / a_samples;
}

bool more_disturbed(const struct disturbance *a, const struct disturbance *b)
{
	if (!(a->samples > 0) || !(b->samples > 0))
		return false;
	return disturbed_part(b) > 2 * disturbed_part(a) + 0.01 ||
	       many_more(a->happened[HAPPENING_SWITCHES], a->samples, b->happened[HAPPENING_SWITCHES],
		       b->samples);
}
