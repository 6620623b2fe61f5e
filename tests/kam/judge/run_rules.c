/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/plan.h"
#include "tests/kam/cpu/cpuid_model.h"
#include "tests/kam/judge/conditions.h"
#include "tests/kam/judge/run_rules.h"
#include "tests/kam/judge/tolerances.h"
#include "tests/kam/judge/value_rules.h"
#include "engine/options.h"

#define LARGE         2097152. /* bytes of a page that the arena is made of */
#define SURE_HALF     0.5  /* on a quiet machine, at least half of the values are surer than that */
#define SURE_FEWEST   10   /* values: of fewer nothing is asked */
#define AGREES_WITHIN 0.01 /* docs/format.md, `agrees`: of the value, where there is no bracket */

/* The summary's words for a value without rows, or with one of the two rows that it needs. */
static const char not_measured[] = "not measured in this run";
static const char one_of_two[] = "only one page size was measured";

/* The run line's number must be within `room` of the truth. */
static void number_fits(const struct judged *j, const char *key, double truth, double room)
{
	double said = number_of(j->run->run, key);

	if (!(fabs(said - truth) <= room * truth))
		tally_wrong(j->tally, key, "the run line says %.10g, expected %.10g", said, truth);
}

static void text_fits(const struct judged *j, json_t *of, const char *key, const char *truth)
{
	if (strcmp(text_of(of, key), truth))
		tally_wrong(j->tally, key, "the run line says '%s', expected '%s'",
			text_of(of, key), truth);
}

/* The run line's claimed data caches must be those of the machine's CPUID. */
static void caches_fit(const struct judged *j)
{
	json_t *list = json_object_get(j->run->run, "caches_claimed"), *cache;
	bool said[CPU_LEVELS] = { false };
	unsigned level;
	size_t i;

	json_array_foreach(list, i, cache) {
		level = (unsigned)number_of(cache, "level");
		if (!strcmp(text_of(cache, "type"), "instruction") || !level || level > CPU_LEVELS)
			continue;
		said[level - 1] = true;
		if (number_of(cache, "bytes") != cpuid_cache_bytes(j->cpu, level))
			tally_wrong(j->tally, "caches_claimed", "L%u of %g bytes, CPUID says %g",
				level, number_of(cache, "bytes"), cpuid_cache_bytes(j->cpu, level));
	}
	for (level = 1; level <= CPU_LEVELS; level++)
		if (!said[level - 1] && !isnan(cpuid_cache_bytes(j->cpu, level)))
			tally_wrong(j->tally, "caches_claimed", "CPUID's L%u is missing", level);
}

/* The run line must agree with the machine's file. */
static void machine_fits(const struct judged *j)
{
	json_t *run = j->run->run, *cpu = json_object_get(run, "cpu");
	bool loops = !strcmp(text_of(json_object_get(run, "known_answer"), "layer"), "a");
	const char *profile = text_of(run, "profile");

	text_fits(j, cpu, "vendor", j->cpu->vendor);
	text_fits(j, cpu, "brand", j->cpu->brand);
	if (number_of(cpu, "family") != (double)j->cpu->family)
		tally_wrong(j->tally, "family", "%g, expected %lu", number_of(cpu, "family"),
			j->cpu->family);
	if (strcmp(profile, "smoke") && strcmp(profile, "default") && strcmp(profile, "full"))
		tally_wrong(j->tally, "profile", "no profile is called '%s'", profile);
	caches_fit(j);
	number_fits(j, "tsc_hz", (double)j->cpu->tsc_hz, CLOCK / 100);
	if (undisturbed(j->cpu))
		number_fits(j, "core_hz", (double)j->cpu->hz, CLOCK / 100);
	if (json_is_true(json_object_get(run, "tsc_invariant")) != !!j->cpu->tsc_invariant)
		tally_wrong(j->tally, "tsc_invariant", "not what CPUID says");
	if (!loops)
		return;
	number_fits(j, "cpus", (double)j->cpu->cpus, 0);
	number_fits(j, "arena_bytes", floor((double)j->cpu->memory_bytes / LARGE) * LARGE, 0);
	if (!j->cpu->small_pages)
		number_fits(j, "page_bytes", LARGE, 0);
}

void judge_run_line(const struct judged *j)
{
	json_t *run = j->run->run, *mark = json_object_get(run, "known_answer");
	const char *room = text_of(run, "room"), *layer = text_of(mark, "layer");
	bool fits = !strcmp(layer, "a")
		? !strcmp(room, "hosted")
		: !strcmp(layer, "b") && (!strcmp(room, "bare") || !strcmp(room, "firmware"));

	if (strcmp(text_of(mark, "machine"), j->cpu->name))
		tally_wrong(j->tally, "machine", "the result is of '%s'", text_of(mark, "machine"));
	if (!fits)
		tally_wrong(j->tally, "room", "room '%s' in layer '%s'", room, layer);
	if (strcmp(text_of(run, "schema"), "anechoic/2"))
		tally_wrong(j->tally, "schema", "'%s'", text_of(run, "schema"));
	machine_fits(j);
}

static bool cpu_has(const struct cpu *c, enum needed needed)
{
	return needed == ALWAYS || (needed == WITH_L3 && cpu_levels(c) > 2) ||
		(needed == WITH_L4 && cpu_levels(c) > 3);
}

/* Returns the level in a value's name, from 1; 0: none. */
static unsigned level_of_name(const char *name)
{
	const char *at = strstr(name, "_l");

	if (name[0] == 'l' && name[1] >= '2' && name[1] <= '9' && name[2] == '_')
		return (unsigned)(name[1] - '0');
	return at && at[2] >= '2' && at[2] <= '9' && !at[3] ? (unsigned)(at[2] - '0') : 0;
}

/*
 * Call a value wrong if the machine does not have its level. A level behind a wrong claim of CPUID
 * may be counted, if the value says that it could not be told.
 */
static void invented(const struct judged *j, json_t *line)
{
	const char *name = text_of(line, "name");

	if (level_of_name(name) > cpu_levels(j->cpu) && !isnan(number_of(line, "value")))
		tally_wrong(j->tally, name, "the machine has %u levels of caches",
			cpu_levels(j->cpu));
}

/* Judge the confidences of the values: not all alike, and on a quiet machine mostly sure. */
static void confidences(const struct judged *j)
{
	unsigned n = 0, sure = 0, alike = 0;
	double first = NAN;
	json_t *line;
	size_t i;

	json_array_foreach(j->run->summaries, i, line) {
		double c = number_of(line, "confidence");

		if (isnan(number_of(line, "value")))
			continue;
		first = n++ ? first : c;
		alike += c == first;
		sure += c >= SURE_HALF;
	}
	if (n < SURE_FEWEST)
		return;
	if (alike == n)
		tally_wrong(j->tally, "confidence", "%u values are all %g sure", n, first);
	if (undisturbed(j->cpu) && 2 * sure < n)
		tally_wrong(j->tally, "confidence",
			"only %u of %u values of a quiet machine are %g sure", sure, n, SURE_HALF);
}

static unsigned times(const struct judged *j, const char *name)
{
	json_t *line;
	unsigned n = 0;
	size_t i;

	json_array_foreach(j->run->summaries, i, line)
		n += !strcmp(text_of(line, "name"), name);
	return n;
}

/* Returns true if the run could see so many levels: CPUID claims three at most. */
static bool levels_seen(const struct judged *j, enum needed needed)
{
	return needed != WITH_L4 ||
		variant_selected(text_of(j->run->run, "probes"), "latency", "pointer-padded");
}

static bool has_rows(const struct judged *j, const char *probe)
{
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row)
		if (!strcmp(text_of(row, "probe"), probe))
			return true;
	return false;
}

/* A line for each value of the probes asked for; of others only what has rows or a number. */
static void presence(const struct judged *j, const struct value_rule *n)
{
	bool asked = probe_selected(text_of(j->run->run, "probes"), n->probe);
	unsigned lines = times(j, n->name);

	if (!lines && asked && cpu_has(j->cpu, n->needed) && levels_seen(j, n->needed))
		tally_wrong(j->tally, n->name, "the summary has no such line");
	if (lines && !asked && !has_rows(j, n->probe) &&
		isnan(number_of(summary_of(j->run, n->name), "value")))
		tally_wrong(j->tally, n->name, "a line, and probe %s did not run", n->probe);
	if (lines > 1)
		tally_wrong(j->tally, n->name, "the summary has %u such lines", lines);
}

bool is_measured(json_t *line)
{
	return line && strcmp(text_of(line, "reason"), not_measured) != 0 &&
		strcmp(text_of(line, "reason"), one_of_two) != 0;
}

bool was_asked_for(const struct judged *j, const char *name)
{
	const struct value_rule *n = value_rule(name);

	return n && *n->variant &&
		variant_selected(text_of(j->run->run, "probes"), n->probe, n->variant);
}

void judge_unmeasured(const struct judged *j, const char *name)
{
	const struct value_rule *n = value_rule(name);

	if (was_asked_for(j, name))
		tally_wrong(j->tally, name, "not measured, although %s:%s was asked for", n->probe,
			n->variant);
	else
		tally_unmeasured(j->tally, name);
}

/* docs/format.md, `agrees`. */
static bool should_agree(json_t *line, double value, double claimed)
{
	double low = number_of(line, "low"), high = number_of(line, "high");
	double rise_10 = number_of(line, "rise_10"), rise_90 = number_of(line, "rise_90");
	bool count = low < high && strcmp(text_of(line, "unit"), "bytes") != 0;

	if (isnan(low))
		return fabs(claimed - value) <= AGREES_WITHIN * fabs(value);
	if (claimed < fmin(low, rise_10))
		return false;
	return claimed <= rise_90 || (count ? claimed < high : claimed <= high);
}

static const char *agreement(json_t *line)
{
	json_t *agrees = json_object_get(line, "agrees");
	double value = number_of(line, "value"), claimed = number_of(line, "claimed");

	if (isnan(value) || isnan(claimed))
		return agrees ? "'agrees' without a value and a claim" : NULL;
	if (!json_is_boolean(agrees))
		return "'agrees' is missing";
	if (json_is_true(agrees) == should_agree(line, value, claimed))
		return NULL;
	return json_is_true(agrees) ? "'agrees' although the claim is outside of low..high"
				    : "'agrees' is false although the claim is in low..high";
}

static const char *bracket(json_t *line)
{
	double value = number_of(line, "value");
	double low = number_of(line, "low"), high = number_of(line, "high");

	if (isnan(low) && !isnan(high))
		return "the lower end of low..high is missing";
	if (isnan(high) && !isnan(low) && !json_is_null(json_object_get(line, "high")))
		return "the upper end of low..high is missing";
	if (!isnan(low) && (isnan(value) || low > value || value > high))
		return "the value is outside low..high";
	return NULL;
}

static const char *confidence(json_t *line)
{
	double c = number_of(line, "confidence");

	if (!(c >= 0 && c <= 1))
		return "confidence is not in 0..1";
	if (isnan(number_of(line, "value")) ? c != 0 : c == 0)
		return "confidence is 0, or above 0, against the value";
	return NULL;
}

static const char *reason(json_t *line)
{
	bool value = !isnan(number_of(line, "value")), why = *text_of(line, "reason");

	if (!value && !json_is_null(json_object_get(line, "value")))
		return "the value is neither a number nor null";
	return value == why ? value ? "a reason beside a value" : "no value and no reason" : NULL;
}

static double claim(uint64_t said, uint64_t truth)
{
	uint64_t value = said == UINT64_MAX ? truth : said;

	return value ? (double)value : NAN;
}

/*
 * Returns the number that CPUID of this machine claims for a value; NAN: none. It has no leaf for
 * TLBs.
 */
static double claim_of(const struct cpu *c, const char *name)
{
	static const char *const caches[] = { "l1d_bytes", "l2_bytes", "l3_bytes", "l4_bytes" };
	unsigned i;

	for (i = 0; i < sizeof(caches) / sizeof(*caches); i++)
		if (!strcmp(name, caches[i]))
			return cpuid_cache_bytes(c, i + 1);
	if (!strcmp(name, "l1i_bytes"))
		return cpuid_code_bytes(c);
	if (isnan(cpuid_cache_bytes(c, 1))) /* the leaf has neither its line nor its ways */
		return NAN;
	if (!strcmp(name, "line_bytes"))
		return claim(c->claims.line, c->line);
	if (!strcmp(name, "l1d_ways"))
		return claim(c->claims.l1_ways, c->level[0].ways);
	return NAN;
}

static const char *claimed(const struct judged *j, json_t *line)
{
	double said = number_of(line, "claimed"), truth = claim_of(j->cpu, text_of(line, "name"));

	if (isnan(said) && isnan(truth))
		return NULL;
	return said == truth ? NULL : "claimed is not what CPUID says";
}

static void one_line(const struct judged *j, json_t *line)
{
	const char *name = text_of(line, "name");
	const struct value_rule *n = value_rule(name);
	const char *wrong[] = { reason(line), bracket(line), confidence(line), claimed(j, line),
		agreement(line) };
	size_t i;

	if (!n) {
		tally_wrong(j->tally, name, "no summary line has this name");
		return;
	}
	if (strcmp(text_of(line, "unit"), n->unit))
		tally_wrong(j->tally, name, "unit '%s', expected '%s'", text_of(line, "unit"),
			n->unit);
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (wrong[i])
			tally_wrong(j->tally, name, "%s", wrong[i]);
}

void judge_summary_lines(const struct judged *j)
{
	json_t *line;
	size_t i;

	for (i = 1; i < VALUES_KNOWN; i++)
		presence(j, &value_rules[i]);
	json_array_foreach(j->run->summaries, i, line) {
		one_line(j, line);
		invented(j, line);
	}
	confidences(j);
}

void judge_skips(const struct judged *j)
{
	static const char failed[] = "proof failed";
	json_t *line;
	size_t i;

	json_array_foreach(j->run->skips, i, line) {
		if (!strncmp(text_of(line, "reason"), failed, strlen(failed)))
			tally_wrong(j->tally, text_of(line, "variant"), "%s: %s",
				text_of(line, "probe"), text_of(line, "reason"));
		else if (!*text_of(line, "reason"))
			tally_wrong(j->tally, text_of(line, "variant"), "skipped without a reason");
	}
}

/* A row's variant and parameters tell it from all others of its probe (engine/bench.h). */
void judge_rows_differ(const struct judged *j)
{
	json_t *seen = json_object(), *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row) {
		char *params = json_dumps(json_object_get(row, "params"), JSON_SORT_KEYS);
		char name[64], key[512];

		snprintf(name, sizeof(name), "%s:%s", text_of(row, "probe"),
			text_of(row, "variant"));
		snprintf(key, sizeof(key), "%s %s %s", name, text_of(row, "level"), params);
		if (json_object_get(seen, key))
			tally_wrong(j->tally, name, "two rows of %s", params);
		json_object_set(seen, key, row);
		free(params);
	}
	json_decref(seen);
}
