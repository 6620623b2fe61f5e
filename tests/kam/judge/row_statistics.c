/* SPDX-License-Identifier: MIT */
/* Judge a row by itself: its numbers must agree with one another as docs/format.md says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kam/judge/conditions.h"
#include "tests/kam/judge/tolerances.h"
#include "tests/kam/judge/truth.h"

#define P99_FEWEST  100  /* samples: docs/format.md */
#define QUIET_LEAST 7    /* undisturbed samples, */
#define QUIET_PART  0.25 /* and of all, that the median is over */

/* Samples in ascending order: all of them, and those that median and cycles are over. */
struct sorted {
	double *all, *chosen;
	size_t n, nchosen;
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Hyndman and Fan's type 7. */
static double quantile(const double *v, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t low = (size_t)at;

	return low + 1 < n ? v[low] + (at - (double)low) * (v[low + 1] - v[low]) : v[n - 1];
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_over_all(json_t *row)
{
	const struct truth *t = truth_of(text_of(row, "probe"));

	return t && t->over_all_samples && begins(text_of(row, "variant"), t->over_all_samples);
}

static struct sorted sort(json_t *row)
{
	json_t *values = json_object_get(row, "values"), *flags = json_object_get(row, "flags"), *f;
	struct sorted s = { .n = json_array_size(values) };
	char *flagged = calloc(s.n + 1, 1);
	size_t i;

	s.all = calloc(s.n + 1, sizeof(*s.all));
	s.chosen = calloc(s.n + 1, sizeof(*s.chosen));
	json_array_foreach(flags, i, f)
		flagged[(size_t)fmin(json_number_value(f), (double)s.n)] = 1;
	for (i = 0; i < s.n; i++) {
		s.all[i] = json_number_value(json_array_get(values, i));
		if (!flagged[i])
			s.chosen[s.nchosen++] = s.all[i];
	}
	if (s.nchosen < QUIET_LEAST || (double)s.nchosen < QUIET_PART * (double)s.n ||
		is_over_all(row)) {
		memcpy(s.chosen, s.all, s.n * sizeof(*s.all));
		s.nchosen = s.n;
	}
	qsort(s.all, s.n, sizeof(*s.all), by_value);
	qsort(s.chosen, s.nchosen, sizeof(*s.chosen), by_value);
	free(flagged);
	return s;
}

static void sorted_free(struct sorted *s)
{
	free(s->all);
	free(s->chosen);
}

/* Returns true if the row's number is the truth, within the digits that printing loses. */
static bool same(json_t *row, const char *key, double truth)
{
	double room = PRINTED / 100 * (1 + fabs(truth));

	return fabs(number_of(row, key) - truth) <= room;
}

static double mean_of(const double *v, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += v[i] / (double)n;
	return sum;
}

static double mad_of(const double *v, size_t n)
{
	double *away = calloc(n, sizeof(*away)), median = quantile(v, n, 0.5), mad;
	size_t i;

	for (i = 0; i < n; i++)
		away[i] = fabs(v[i] - median);
	qsort(away, n, sizeof(*away), by_value);
	mad = quantile(away, n, 0.5);
	free(away);
	return mad;
}

/*
 * Returns true if the row's outliers are the samples outside Tukey's fences; a sample on a fence
 * may count or not.
 */
static bool outliers_right(json_t *row, const double *v, size_t n)
{
	double q1 = quantile(v, n, 0.25), q3 = quantile(v, n, 0.75), fence = 1.5 * (q3 - q1);
	double room = PRINTED / 100 * (1 + fabs(q1) + fabs(q3)), said = number_of(row, "outliers");
	unsigned least = 0, most = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		least += v[i] < q1 - fence - room || v[i] > q3 + fence + room;
		most += v[i] < q1 - fence + room || v[i] > q3 + fence - room;
	}
	return said >= least && said <= fmax(least, most);
}

static const char *of_all(json_t *row, const struct sorted *s)
{
	json_t *p99 = json_object_get(row, "p99");

	if (!same(row, "min", s->all[0]) || !same(row, "max", s->all[s->n - 1]))
		return "min or max is not that of its values";
	if (!same(row, "mean", mean_of(s->all, s->n)))
		return "the mean is not that of its values";
	if (!same(row, "p90", quantile(s->all, s->n, 0.9)))
		return "p90 is not that of its values";
	if (s->n < P99_FEWEST ? !json_is_null(p99)
			      : !same(row, "p99", quantile(s->all, s->n, 0.99)))
		return "p99 is not that of its values";
	return outliers_right(row, s->all, s->n) ? NULL : "outliers are not those of its values";
}

static const char *of_chosen(json_t *row, const struct sorted *s)
{
	double undisturbed = number_of(row, "undisturbed");

	if (s->nchosen < s->n ? undisturbed != (double)s->nchosen : !isnan(undisturbed))
		return "'undisturbed' is not how many of its values have no flag";
	if (!same(row, "median", quantile(s->chosen, s->nchosen, 0.5)))
		return "the median is not that of its values";
	if (!same(row, "p10", quantile(s->chosen, s->nchosen, 0.1)))
		return "p10 is not that of its values";
	return same(row, "mad", mad_of(s->chosen, s->nchosen)) ? NULL
							       : "mad is not that of its values";
}

/* Returns how far the clock of the median sample may be from the median of the clocks. */
static double clock_room(const struct cpu *c)
{
	double ticks = 2048.0 * (double)c->tsc_hz / (double)c->hz; /* adds between two stamps */

	return undisturbed(c) ? OF_MEDIANS / 100 + 2 * (double)c->tsc_step / ticks
			      : CLOCK_MOVES / 100;
}

static bool near(double got, double truth, double room)
{
	return isnan(got) || isnan(truth) ||
		fabs(got - truth) <= room * fabs(truth) + PRINTED / 100 * (1 + fabs(truth));
}

/* Returns what is wrong with the median in core cycles, or in bytes a cycle, or NULL. */
static const char *by_clock(const struct judged *j, json_t *row)
{
	double hz = number_of(row, "core_hz"), median = number_of(row, "median");
	double tsc = number_of(j->run->run, "tsc_hz"), room = clock_room(j->cpu);
	double rate = number_of(json_object_get(row, "more"), "bytes_per_cycle");
	const char *unit = text_of(row, "unit");
	double cycles = NAN;

	if (!strncmp(unit, "ns/", 3))
		cycles = median * 1e-9 * hz;
	else if (!strcmp(unit, "ticks"))
		cycles = median * hz / tsc;
	if (!near(number_of(row, "cycles"), cycles, room))
		return "its cycles are not its median by its core clock";
	if (!strcmp(unit, "GB/s") && !near(rate, median * 1e9 / hz, room))
		return "bytes_per_cycle is not its median by its core clock";
	return NULL;
}

/* Returns what is wrong with the median in the other units of `more`, or NULL. */
static const char *in_other_units(const struct judged *j, json_t *row)
{
	json_t *more = json_object_get(row, "more");
	double median = number_of(row, "median"), width = param_of(row, "width_bits") / 8;
	bool stream = !strcmp(text_of(row, "probe"), "bandwidth");
	bool words = !strcmp(text_of(row, "probe"), "random"); /* one each */
	bool chains = !strcmp(text_of(row, "probe"), "mlp");
	bool elements = !strncmp(text_of(row, "variant"), "elements", strlen("elements"));
	double a_step = elements ? 8 : 64; /* the line, whatever comes with it */

	if (stream && !near(number_of(more, "words_per_s"), median * 1e9 / width, OF_MEDIANS / 100))
		return "words_per_s is not its median in words";
	if (words && !near(number_of(more, "words_per_s"), 1e9 / median, OF_MEDIANS / 100))
		return "words_per_s is not its median in words";
	if (chains && !near(number_of(more, "gb_per_s"), a_step / median, OF_MEDIANS / 100))
		return "gb_per_s is not its median in lines or elements";
	return NULL;
}

/* Returns true if the run line says that these events are counted. */
static bool is_counted(const struct judged *j, const char *event)
{
	json_t *name;
	size_t i;

	json_array_foreach(json_object_get(j->run->run, "counts"), i, name)
		if (!strcmp(json_string_value(name), event))
			return true;
	return false;
}

static const char *of_events(const struct judged *j, json_t *row)
{
	size_t flags = json_array_size(json_object_get(row, "flags"));
	json_t *counts = json_object_get(row, "counts"), *n;
	const char *event;

	if (number_of(row, "disturbed") != (double)flags)
		return "'disturbed' is not how many of its values have a flag";
	json_object_foreach(counts, event, n) {
		if (!is_counted(j, event))
			return "it counts events that the run line does not name";
		if (!strcmp(event, "smis") && json_number_value(n) > 0 && !j->cpu->spike_every &&
			!j->cpu->smi.every && !is_row(row, "smm", "asked"))
			return "it counts SMIs on a machine without any";
	}
	return NULL;
}

static const char *of_unit(json_t *row)
{
	const struct truth *t = truth_of(text_of(row, "probe"));

	for (const struct row_unit *u = t ? t->units : NULL; u && u->unit; u++)
		if (begins(text_of(row, "variant"), u->variant))
			return strcmp(text_of(row, "unit"), u->unit)
				? "its unit is not that of such rows"
				: NULL;
	return NULL;
}

const char *row_statistics_fault(const struct judged *j, json_t *row)
{
	json_t *values = json_object_get(row, "values");
	struct sorted s;
	const char *wrong;

	if (!json_is_array(values) || !json_array_size(values) ||
		number_of(row, "samples") != (double)json_array_size(values))
		return "it does not have as many values as samples";
	s = sort(row);
	wrong = of_chosen(row, &s);
	wrong = wrong ? wrong : of_all(row, &s);
	sorted_free(&s);
	wrong = wrong ? wrong : of_unit(row);
	wrong = wrong ? wrong : of_events(j, row);
	wrong = wrong ? wrong : by_clock(j, row);
	return wrong ? wrong : in_other_units(j, row);
}
