/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/compare/environment.h"

/* These differ between any two runs, or say nothing of the machine: not shown. */
static const char *const ignored[] = { KEY_KIND, KEY_SEQ, KEY_CRC, KEY_ROOM, KEY_SCHEMA, "time_utc",
	"tsc_sources", "tsc_disagree_ppm", "os.load_average", KEY_TOPOLOGY,
	"prefetch.sequential_on_ns", "prefetch.sequential_off_ns", "speed.absent", "speed.ratio",
	"speed.celsius_below_limit", "speed.why", "node_bytes_votes",
	KEY_CORE_HZ /* compare has the rows' clocks */ };

#define TSC_ALIKE 1e-4 /* two measurements of one TSC differ by no more than this part */

static const struct {
	const char *beginning, *words, *touches;
} deciding[] = {
#define CIRCUMSTANCE(beginning, words, touches) { beginning, words, touches },
#include "report/compare/circumstances.inc"
#undef CIRCUMSTANCE
};

#define DECIDING (sizeof deciding / sizeof *deciding)

/* Beginnings of keys: what is shown before all others that do not decide the speed. */
static const char *const shown_first[] = { "cpu.", "pages", "tsc_", "build", "compiler" };

#define SHOWN_FIRST (sizeof shown_first / sizeof *shown_first)

/* Revisions of microcode are written in hexadecimal wherever people meet them. */
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

/* Objects become paths: {"cpu":{"model":85}} -> {"cpu.model":"85"}. */
static void flatten(json_t *into, const char *prefix, const json_t *from)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)from, key, value) {
		char path[128];
		snprintf(path, sizeof path, "%s%s", prefix, key);
		if (json_is_object(value) && strlen(path) < sizeof path - 2) {
			flatten(into, strcat(path, "."), value);
		} else if (!json_is_null(value)) {
			char *text = value_text(path, value);
			json_object_set_new(into, path, json_string(text));
			free(text);
		}
	}
}

static bool is_ignored(const char *key)
{
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		if (!strcmp(key, ignored[i]))
			return true;
	return false;
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

/* The value in a set: of its runs, every one that differs from the one before. */
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

/* The place of the key among what decides the speed; DECIDING: it does not. */
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
	/* A register that only one room could read says nothing of a difference. */
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

/* Under one hypervisor, which runs the code and does not emulate it. */
static bool all_virtual(const struct sets *sets)
{
	for (size_t i = 0; i < sets->n; i++)
		if (!*hypervisor_of(&sets->set[i]) || is_emulated(&sets->set[i]) ||
			strcmp(hypervisor_of(&sets->set[i]), hypervisor_of(&sets->set[0])))
			return false;
	return true;
}

static void warnings(struct environment *env, const struct sets *sets)
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
	}
}

void environment_compare(struct environment *env, const struct sets *sets)
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
	json_object_foreach(keys, key, unused) {
		if (!is_ignored(key))
			compare_key(env, key, flat);
	}
	json_decref(keys);
	json_decref(flat);
	if (env->n)
		qsort(env->differences, env->n, sizeof *env->differences, by_rank);
	warnings(env, sets);
}

void environment_free(struct environment *env, const struct sets *sets)
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
