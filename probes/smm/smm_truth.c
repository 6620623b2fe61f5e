/* SPDX-License-Identifier: MIT */
/* Rows and values of `smm`: SMIs as the machine states them, and no others. */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/truth.h"

TOLERANCE(SMI_STEPS, 2, "steps", "of the gap scan's loop, in which an SMI begins and ends")
TOLERANCE(SMI_PERIOD, 0.1, "%", "such a step, of the shortest interval")
TOLERANCE(SMI_BY_CHANCE, 25, "%", "the median of 40 intervals from half to one and a half")
TOLERANCE(SMIS_LOST, 3, "%", "those that come between two scans")
TOLERANCE(SMI_LOOK, 4, "cycles", "beside an RDMSR that looks whether an SMI has come")
TOLERANCE(SMI_SIGMAS, 3, "deviations", "of how many come, at any time")
TOLERANCE(SMI_SHARE, 10, "%", "long ones among 40, which come or do not")

#define UNIFORM 0.29 /* deviation of an interval, over its mean: from half to one and a half */

static const char *const lengths[] = { "smi-length", "common-length" };
static const char *const intervals[] = { "smi-interval", "common-interval" };

/* Returns true if the machine has SMIs; without them `smm` has neither rows nor values of them. */
static bool has_smis(const struct judged *j)
{
	return j->cpu->smi.every != 0;
}

static double ticks_ns(const struct judged *j, uint64_t ticks)
{
	return (double)ticks * 1e9 / (double)j->cpu->tsc_hz;
}

static double period_ns(const struct judged *j)
{
	return (double)j->cpu->smi.every * 1e9 / (double)j->cpu->hz;
}

static json_t *more_of_watch(const struct judged *j)
{
	json_t *row = row_with(j, "smm", "watch", NULL, 0, NULL);

	return row ? json_object_get(row, "more") : NULL;
}

/* A gap has the SMI, and the loop's own step before or behind it. */
static bool is_length(const struct judged *j, double ns, uint64_t ticks)
{
	double least = ticks_ns(j, ticks), step = number_of(more_of_watch(j), "resolution_ns");

	return ns >= less(least, PRINTED) && ns <= least + SMI_STEPS * step;
}

/* The length of most SMIs. */
static struct wanted length(const struct judged *j, json_t *row, unsigned of)
{
	double least = ticks_ns(j, j->cpu->smi.ticks);

	return between(less(least, PRINTED),
		least + SMI_STEPS * number_of(more_of_watch(j), "resolution_ns"));
}

static struct wanted interval(const struct judged *j, json_t *row, unsigned of)
{
	double period = period_ns(j);

	return j->cpu->smi.irregular
		? between(less(period, SMI_BY_CHANCE), more(period, SMI_BY_CHANCE))
		: within(period, SMI_PERIOD);
}

/* The OUT, the looks until the SMI comes, and all that it takes. */
static struct wanted asked(const struct judged *j, json_t *row, unsigned of)
{
	double looks = (double)(j->cpu->smi.late * (j->cpu->privileged.rdmsr + SMI_LOOK));
	double out = ((double)j->cpu->privileged.port_out + looks) * 1e9 / (double)j->cpu->hz;
	double smi = ticks_ns(j, j->cpu->smi.asked), step = ticks_ns(j, j->cpu->tsc_step);

	if (j->cpu->smi.deaf)
		tally_wrong(j->tally, "smm:asked",
			"expected none of a firmware that does not answer");
	return between(less(out + smi, PRIVILEGED) - 2 * step,
		more(out + smi, PRIVILEGED) + 2 * step);
}

/* Each length is that of an SMI; the machine's file states how often one is long. */
static void judge_lengths(const struct judged *j, const char *variant)
{
	json_t *row = row_with(j, "smm", variant, NULL, 0, NULL), *v;
	double n = 0, of_long = 0, of = (double)j->cpu->smi.long_of;
	size_t i;

	json_array_foreach(row ? json_object_get(row, "values") : NULL, i, v) {
		bool is_long = of > 0 && is_length(j, json_number_value(v), j->cpu->smi.long_ticks);

		if (!is_long && !is_length(j, json_number_value(v), j->cpu->smi.ticks)) {
			tally_wrong(j->tally, "smm:lengths", "expected no SMI of %.0f ns",
				json_number_value(v));
			return;
		}
		n++;
		of_long += is_long;
	}
	if (of > 0 && fabs(of_long - n / of) > 1 + n * SMIS_LOST / 100)
		tally_wrong(j->tally, "smm:lengths", "expected %.0f of %.0f to be long, got %.0f",
			n / of, n, of_long);
}

/* The SMIs must be as many as come in the time watched, except those between two looks. */
static const char *count_fault(const struct judged *j, double smis)
{
	double n = number_of(more_of_watch(j), "observed_seconds") * 1e9 / period_ns(j);
	double room = 2 + n * SMIS_LOST / 100;

	if (j->cpu->smi.irregular)
		room += SMI_SIGMAS * UNIFORM * sqrt(n);
	return fabs(smis - n) <= room ? NULL : "not as many as come in the time watched";
}

static const char *period_fault(const struct judged *j, json_t *line)
{
	double period = period_ns(j);

	if (j->cpu->smi.irregular)
		return isnan(number_of(line, "value")) ? NULL : "a period of irregular SMIs";
	return number_of(line, "low") <= period && period < number_of(line, "high")
		? NULL
		: "the expected value is outside low..high";
}

struct smm_value {
	const char *name;
	double expected, low, high;
};

/* Judge a value of a kind of gaps; a machine without such gaps must have no value. */
static void judge_value(const struct judged *j, const struct smm_value *t, bool seen)
{
	json_t *line = summary_of(j->run, t->name);
	double got = line ? number_of(line, "value") : NAN;
	const char *wrong = NULL;

	if (!line) {
		tally_wrong(j->tally, t->name, "expected a line, as smm:watch was measured");
		return;
	}
	if (strstr(t->name, "period"))
		wrong = seen ? period_fault(j, line) : NULL;
	else if (seen && !(got >= t->low && got <= t->high))
		wrong = "out of tolerance";
	if (!seen && !isnan(got) && got != 0)
		wrong = "none can be told, or there are none";
	if (seen && strstr(t->name, "per_second") &&
		!(number_of(line, "low") <= t->expected && t->expected < number_of(line, "high")))
		wrong = "the expected value is outside low..high";
	if (isnan(got) && !wrong)
		tally_excused(j->tally, t->name, text_of(line, "reason"));
	else
		tally_value(j->tally, t->name, t->expected, got, "by the machine's SMIs", wrong);
}

static void judge_values(const struct judged *j)
{
	const struct cpu *c = j->cpu;
	json_t *watch = more_of_watch(j);
	double seconds = number_of(watch, "observed_seconds"),
	       step = number_of(watch, "resolution_ns");
	double usual = ticks_ns(j, c->smi.ticks), most = usual, mean = usual;
	double each = 1e9 / period_ns(j), smis = number_of(watch, "smis");
	bool counted = !isnan(smis), several = j->chip->cpus > 1;

	if (!watch)
		return;
	if (c->smi.long_of) {
		most = fmax(usual, ticks_ns(j, c->smi.long_ticks));
		mean += (ticks_ns(j, c->smi.long_ticks) - usual) / (double)c->smi.long_of;
	}
	if (counted && has_smis(j) && count_fault(j, smis))
		tally_wrong(j->tally, "smm:count", "%.0f SMIs in %.2f s: %s", smis, seconds,
			count_fault(j, smis));
	double far = SMI_STEPS * step, n = smis / seconds;
	const struct smm_value of_smis[] = {
		{ "smis_per_second", each, less(n, PRINTED), more(n, PRINTED) },
		{ "smi_length_ns", usual, less(usual, PRINTED), usual + far },
		{ "smi_period_ns", period_ns(j), 0, 0 },
		{ "smi_longest_ns", most, less(most, PRINTED), most + far },
		{ "smi_stolen_ppm", mean * each / 1e3, less(mean * n / 1e3, SMI_SHARE),
			more((mean + far) * n / 1e3, SMI_SHARE) },
	};
	const struct smm_value of_common[] = {
		{ "common_gaps_per_second", each, less(n, SMI_SHARE), more(n, SMI_SHARE) },
		{ "common_gap_ns", usual, less(usual, PRINTED), usual + far },
		{ "common_gap_period_ns", period_ns(j), 0, 0 },
	};

	for (unsigned i = 0; i < sizeof(of_smis) / sizeof(*of_smis); i++)
		judge_value(j, &of_smis[i], counted && has_smis(j));
	for (unsigned i = 0; i < sizeof(of_common) / sizeof(*of_common); i++)
		judge_value(j, &of_common[i], several && has_smis(j));
}

static void judge_asked(const struct judged *j)
{
	json_t *line = summary_of(j->run, "smi_asked_ns");
	struct wanted w = asked(j, NULL, 0);
	double got = line ? number_of(line, "value") : NAN;

	if (!line && row_with(j, "smm", "asked", NULL, 0, NULL))
		tally_wrong(j->tally, "smi_asked_ns", "expected a line, as its row was measured");
	if (line)
		tally_value(j->tally, "smi_asked_ns", w.value, got, PRIVILEGED_TEXT,
			got >= w.low && got <= w.high ? NULL : "out of tolerance");
}

static void rows(const struct judged *j)
{
	for (unsigned i = 0; i < 2; i++) {
		judge_lengths(j, lengths[i]);
		if (!has_smis(j) &&
			(row_with(j, "smm", lengths[i], NULL, 0, NULL) ||
				row_with(j, "smm", intervals[i], NULL, 0, NULL)))
			tally_wrong(j->tally, "smm:lengths", "rows of a machine without SMIs");
	}
	judge_values(j);
	judge_asked(j);
}

static const struct row_rule rules[] = {
	ROWS("smi-length", MEDIAN, length),
	ROWS("smi-interval", MEDIAN, interval),
	ROWS("common-length", MEDIAN, length),
	ROWS("common-interval", MEDIAN, interval),
	ROWS("asked", MEDIAN, asked),
};

const struct truth truth_smm = { RULES(rules), .rows = rows, .over_all_samples = "" };
