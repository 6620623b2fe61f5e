/* SPDX-License-Identifier: MIT */
/*
 * anechoic check: suspicious points in a result of a machine that nobody knows yet, from the result
 * alone: is it whole, is the machine what it says, are its values consistent? docs/rent.md lists
 * what each subject looks at.
 */
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/infer/card.h"
#include "lib/machine_id.h"
#include "lib/published.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "linux/clocks.h"
#include "linux/command_line.h"
#include "linux/commands.h"
#include "linux/show_json.h"
#include "linux/show_row.h"
#include "linux/report/allocate.h"
#include "linux/report/board/board_report.h"
#include "linux/report/reading/results.h"
#include "linux/report/wrap.h"

#define ME "check"

static const struct command_help help = {
	.name = ME,
	.usage = "Usage: anechoic check [OPTION...] FILE...\n\n"
		 "Lists what a result should make one suspicious of before its values are\n"
		 "believed: whether it is whole, whether the machine is what it says, and\n"
		 "whether its values can stand beside one another; of several rooms of one\n"
		 "machine also whether they agree. docs/rent.md explains each subject.",
	.notes = "Exit code: 0 nothing FAILED; 1 something did; 2 a file is damaged (the\n"
		 "rest of it is still checked) or cannot be used, a mistake in the command\n"
		 "line, or the output failed.\n\n"
		 "Example: anechoic check bare.ndjson linux.ndjson",
};

/* --- the findings --- */

enum check_verdict {
	VERDICT_PASS, /* looked at, nothing found */
	VERDICT_LOOK, /* needs an explanation before the run's values are believed */
	VERDICT_FAIL, /* impossible: the run, or a part of it, must not be used */
};

struct finding {
	enum check_verdict verdict;
	const char *subject; /* "time stamps" */
	char *text;
	bool quotes_user; /* the text quotes the user's own words, which may identify the user */
};

struct findings {
	struct finding *list;
	size_t n;
};

/* Parts by which equal things may differ. */
#define RATES_APART  0.01  /* rates of one counter: no crystal is 1 % off */
#define ROOMS_TSC    0.001 /* the same in two rooms: timed for 20 ms and more */
#define ROOMS_VALUES 0.05  /* values of the core in two rooms: neither is better known */
#define CLOCK_MOVES  0.05  /* ends of the core clock's bracket: more than the TSC's steps explain */
#define ORDER_APART  0.05  /* a level that must be slower than the one before */

#define STOLEN_MOST 1000.0 /* ppm: a machine that is not shared has less */
#define GAPS_LIMIT  "10us"
#define UNSTEADY    0.05 /* part of the rows */
#define NAMED_MOST  6    /* most names in one finding */
#define UNSAID      "the result does not say"

static void add(struct findings *, enum check_verdict, const char *subject, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static void add(struct findings *found, enum check_verdict verdict, const char *subject,
	const char *format, ...)
{
	struct finding *f = grow((void **)&found->list, &found->n, sizeof *f);
	size_t bytes;
	FILE *out = text_stream(&f->text, &bytes);
	va_list args;

	f->verdict = verdict;
	f->subject = subject;
	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
	fclose(out);
}

/* Pass the subject unless something was found since `before`; an unknown subject has not passed. */
static void pass(struct findings *found, size_t before, const char *subject, bool known,
	const char *text)
{
	if (found->n == before)
		add(found, known ? VERDICT_PASS : VERDICT_LOOK, subject, "%s",
			known ? text : UNSAID);
}

static const json_t *member(const json_t *object, const char *key)
{
	return json_object_get(object, key);
}

static bool is_true(const json_t *object, const char *key)
{
	return json_is_true(member(object, key));
}

static bool is_false(const json_t *object, const char *key)
{
	return json_is_false(member(object, key));
}

/* A summary value; NAN if its confidence is below one half, as if it were unknown. */
static double value_of(const struct run_data *run, enum value_id id)
{
	const json_t *line = run_summary(run, id);

	return number_or(line, KEY_CONFIDENCE, 0) < UNSURE ? NAN : number_of(line, KEY_VALUE);
}

/* Collected names: "a, b, c and 4 more". One finding lists all of them. */
struct finding_names {
	char text[400];
	size_t n, used;
};

static void name_one(struct finding_names *names, const char *name)
{
	if (names->n++ < NAMED_MOST)
		names->used += (size_t)text_format(names->text + names->used,
			sizeof names->text - names->used, "%s%s", names->n > 1 ? ", " : "", name);
}

static const char *names_text(struct finding_names *names)
{
	if (names->n > NAMED_MOST)
		text_format(names->text + names->used, sizeof names->text - names->used,
			" and %zu more", names->n - NAMED_MOST);
	return names->text;
}

static void check_whole(struct findings *found, const struct run_data *run)
{
	static const char subject[] = "the run";
	const char *status = text_of(run->end, KEY_STATUS), *why = text_of(run->end, KEY_WHY);

	if (!run->end)
		add(found, VERDICT_FAIL, subject, "it has no end line: it was cut");
	else if (!strcmp(status, "complete"))
		add(found, VERDICT_PASS, subject, "complete: %zu rows, %zu values, %zu skipped",
			run->nrows, run->summaries.n, run->skips.n);
	else
		add(found,
			strcmp(status, "interrupted") && strcmp(status, "shortened") ? VERDICT_FAIL
										     : VERDICT_LOOK,
			subject, "%s%s%s", status, *why ? ": " : "", why);
}

static void check_proofs(struct findings *found, const struct run_data *run)
{
	static const char subject[] = "proofs";
	double lost = number_or(member(run->end, KEY_THINNED), KEY_SKIPS, 0);
	size_t before = found->n;

	for (size_t i = 0; i < run->skips.n; i++) {
		const json_t *skip = run->skips.list[i].json;

		if (skip_disproved(skip))
			add(found, VERDICT_FAIL, subject, "%s %s: %s", text_of(skip, KEY_PROBE),
				text_of(skip, KEY_VARIANT), text_of(skip, KEY_REASON));
	}
	pass(found, before, subject, run->end && !(lost > 0), "each loop computed what it should");
}

static void check_silicon(struct findings *found, const struct run_data *run)
{
	static const char subject[] = "silicon";
	const char *hypervisor = text_of(run->head, KEY_HYPERVISOR);
	const char *may_be = text_of(run->head, KEY_MAY_BE);
	size_t before = found->n;

	if (member(run->head, KEY_KNOWN_ANSWER))
		add(found, VERDICT_LOOK, subject, "SIMULATED: the times are the model's");
	else if (is_true(run->head, KEY_EMULATED))
		add(found, VERDICT_FAIL, subject, "EMULATED: its times mean nothing");
	else if (*hypervisor)
		add(found, VERDICT_LOOK, subject, "VIRTUAL: CPUID names the hypervisor %s",
			hypervisor);
	if (*may_be)
		add(found, VERDICT_LOOK, subject, "it may be %s: %s", may_be,
			text_of(run->head, KEY_MAY_BE_WHY));
	pass(found, before, subject, member(run->head, KEY_MAY_BE),
		"no sign of an emulator or a hypervisor");
}

static void check_stamps(struct findings *found, const struct run_data *run)
{
	static const char subject[] = "time stamps";
	double used = number_of(run->head, KEY_TSC_HZ);
	const char *by = text_of(run->head, KEY_TSC_SOURCE);
	size_t before = found->n, i, timed = 0;
	const json_t *source;

	json_array_foreach(member(run->head, "tsc_sources"), i, source) {
		double hz = number_of(source, "hz");

		timed += hz > 0 && is_false(source, "claimed");
		if (hz > 0 && fabs(hz / used - 1) > RATES_APART)
			add(found, VERDICT_LOOK, subject, "%s %s %.1f MHz, %s, which is used, %.1f",
				text_of(source, KEY_NAME),
				is_true(source, "claimed") ? "claims" : "has", hz / 1e6, by,
				used / 1e6);
	}
	if (!timed)
		add(found, VERDICT_LOOK, subject, "no clock timed the rate of %s",
			*by ? by : UNSAID);
	const char *doubt = text_of(member(run->head, KEY_OS), KEY_TSC_DOUBT);
	double off = number_of(member(run->end, KEY_OS), KEY_TSC_OFF);

	if (off > TSC_TRUSTED_PPM)
		add(found, VERDICT_FAIL, subject, "their rate was %.0f ppm off in the run", off);
	if (*doubt)
		add(found, VERDICT_LOOK, subject, "Linux does not trust them: %s", doubt);
	if (is_false(run->head, "tsc_invariant"))
		add(found, VERDICT_LOOK, subject,
			"not invariant by CPUID: the rate may follow the core's clock");
	if (found->n == before)
		add(found, VERDICT_PASS, subject, "%.3f MHz by %s, no source 1 %% off", used / 1e6,
			by);
}

static void check_core_clock(struct findings *found, const struct run_data *run)
{
	static const char subject[] = "core clock";
	const json_t *clock = run_summary(run, VALUE_core_clock_hz);
	double hz = number_of(run->head, KEY_CORE_HZ);
	double low = number_of(clock, KEY_LOW), high = number_of(clock, KEY_HIGH);

	if (!(hz > 0))
		add(found, VERDICT_LOOK, subject, "not known: there are no cycles");
	else if (high > low * (1 + CLOCK_MOVES))
		add(found, VERDICT_LOOK, subject, "it moved between %.0f and %.0f MHz", low / 1e6,
			high / 1e6);
	else
		add(found, VERDICT_PASS, subject, "%.0f MHz", hz / 1e6);
}

static void check_cpus(struct findings *found, const struct run_data *run)
{
	static const char subject[] = "CPUs";
	const json_t *idle = member(run->head, "idle");
	double lost = number_or(idle, "unresponsive", 0), kicked = number_or(idle, "kicked", 0);
	double cpus = number_or(run->head, KEY_CPUS, 0);
	size_t before = found->n, placed = json_array_size(member(run->head, KEY_TOPOLOGY));
	const char *siblings = text_of(run->head, KEY_SIBLINGS);

	if (lost > 0)
		add(found, VERDICT_FAIL, subject, "%.0f that the firmware names did not answer",
			lost);
	if (kicked > 0)
		add(found, VERDICT_LOOK, subject, "%.0f were not woken by a store once", kicked);
	if (*text_of(idle, KEY_WHY))
		add(found, VERDICT_LOOK, subject, "they wait otherwise than asked: %s",
			text_of(idle, KEY_WHY));
	if (!strcmp(siblings, SIBLINGS_PAUSE))
		add(found, VERDICT_FAIL, subject,
			"a thread beside the measuring one spun: " HALF_A_CORE);
	if (!strcmp(siblings, "unknown"))
		add(found, VERDICT_LOOK, subject,
			"a thread beside the measuring one may have spun: it was the firmware's");
	if (placed && (double)placed != cpus)
		add(found, VERDICT_LOOK, subject, "%.0f can be used, and %zu have a place", cpus,
			placed);
	if (found->n == before)
		add(found, VERDICT_PASS, subject, "%.0f", cpus);
}

static void check_memory(struct findings *found, const struct run_data *run)
{
	static const char subject[] = "memory";
	const json_t *type = member(run->head, "memory_type"), *arena;
	const json_t *smbios = member(run->head, KEY_SMBIOS);
	const json_t *arenas = member(member(run->head, KEY_OS), "arenas");
	size_t before = found->n, i;

	if (is_false(type, "write_back"))
		add(found, VERDICT_FAIL, subject,
			"not cached as it should be: memory map %s, MTRRs %s, PAT %s",
			text_of(type, "efi"), text_of(type, "mtrr"), text_of(type, "pat"));
	json_array_foreach(arenas, i, arena)
		if (!strcmp(text_of(arena, "how"), "unverified"))
			add(found, VERDICT_LOOK, subject, "no page of %.0f KiB was verified",
				number_of(arena, KEY_PAGE_BYTES) / 1024);
	if (*text_of(smbios, KEY_WHY))
		add(found, VERDICT_LOOK, subject, "no limit by SMBIOS: %s",
			text_of(smbios, KEY_WHY));
	pass(found, before, subject, is_true(type, "write_back") || i,
		type ? "write-back by memory map, MTRRs and PAT" : "its pages were verified");
}

static void check_settings(struct findings *found, const struct run_data *run)
{
	static const char subject[] = "settings";
	const json_t *prefetch = member(run->head, "prefetch"), *clock = member(run->head, "clock");
	const json_t *error;
	size_t before = found->n, i;

	json_array_foreach(member(run->head, "config_errors"), i, error) {
		add(found, VERDICT_LOOK, subject, "refused: %s", json_string_value(error));
		found->list[found->n - 1].quotes_user = true;
	}
	if (is_false(prefetch, "works"))
		add(found, VERDICT_LOOK, subject, "prefetchers were not turned off: %s",
			text_of(prefetch, KEY_WHY));
	if (is_false(clock, "set"))
		add(found, VERDICT_LOOK, subject, "the clock was not set: %s",
			text_of(clock, KEY_WHY));
	pass(found, before, subject, true, "none was refused or without effect");
}

static void check_registers(struct findings *found, const struct run_data *run)
{
	static const char subject[] = "registers";
	const json_t *speed = member(run->head, "speed"), *value;
	size_t before = found->n, i;
	struct finding_names refused = { .n = 0 }, throttled = { .n = 0 };
	const char *key;

	json_array_foreach(member(speed, "absent"), i, value)
		name_one(&refused, json_string_value(value));
	if (refused.n)
		add(found, VERDICT_LOOK, subject, "MSRs that fault: %s", names_text(&refused));
	if (!speed || *text_of(speed, KEY_WHY))
		add(found, VERDICT_LOOK, subject, "none is known: %s",
			speed ? text_of(speed, KEY_WHY) : UNSAID);
	json_object_foreach((json_t *)speed, key, value)
		if (strstr(key, "throttled_by") && json_is_true(value))
			name_one(&throttled, key);
	if (throttled.n)
		add(found, VERDICT_LOOK, subject, "the clock was held back: %s",
			names_text(&throttled));
	pass(found, before, subject, true, "those that decide the speed could be read");
}

/* The number of events of that name in all rows; NAN: no row counts them. */
static double events(const struct run_data *run, const char *name)
{
	double sum = NAN;

	for (size_t i = 0; i < run->nrows; i++) {
		double n = number_of(member(run->rows[i].json, KEY_COUNTS), name);

		sum = isnan(n) ? sum : isnan(sum) ? n : sum + n;
	}
	return sum;
}

static void check_faults(struct findings *found, const struct run_data *run)
{
	static const char subject[] = "faults";
	bool bare = !strcmp(run->room, "bare");
	double checks = number_of(run->end, "machine_checks"), smis = events(run, "smis");
	double exceptions = number_or(run->end, "exceptions", 0);
	double strangers = number_or(run->end, "interrupts", 0) + number_or(run->end, "nmis", 0);
	size_t before = found->n;

	if (checks > 0)
		add(found, VERDICT_FAIL, subject, "%.0f machine checks", checks);
	if (exceptions > 0)
		add(found, VERDICT_LOOK, subject, "%.0f exceptions were taken and ended rows",
			exceptions);
	if (bare && strangers > 0)
		add(found, VERDICT_LOOK, subject, "%.0f interrupts and NMIs, with interrupts off",
			strangers);
	if (smis > 0)
		add(found, VERDICT_LOOK, subject, "%.0f SMIs while rows were timed", smis);
	pass(found, before, subject, !isnan(checks) || !isnan(smis),
		isnan(smis)             ? "no machine check; SMIs were not counted"
			: isnan(checks) ? "no SMI; machine checks were not counted"
					: "no machine check, no SMI");
}

static void check_claims(struct findings *found, const struct run_data *run)
{
	static const char subject[] = "claims";
	size_t before = found->n, compared = 0;

	for (size_t i = 0; i < run->summaries.n; i++) {
		const json_t *line = run->summaries.list[i].json;
		double low = number_of(line, KEY_LOW), high = number_of(line, KEY_HIGH);

		compared += member(line, KEY_AGREES) != NULL;
		if (!is_false(line, KEY_AGREES))
			continue;
		if (low < high)
			add(found, VERDICT_LOOK, subject, "%s: %.9g..%.9g %s, CPUID claims %.9g",
				text_of(line, KEY_NAME), low, high, text_of(line, KEY_UNIT),
				number_of(line, KEY_CLAIMED));
		else
			add(found, VERDICT_LOOK, subject, "%s: %.9g %s, CPUID claims %.9g",
				text_of(line, KEY_NAME), number_of(line, KEY_VALUE),
				text_of(line, KEY_UNIT), number_of(line, KEY_CLAIMED));
	}
	pass(found, before, subject, compared, "no value contradicts CPUID");
}

static void check_answers(struct findings *found, const struct run_data *run)
{
	static const char subject[] = "answers";
	struct finding_names open = { .n = 0 }, unsure = { .n = 0 };
	size_t before = found->n;

	for (size_t i = 0; i < run->summaries.n; i++) {
		const json_t *line = run->summaries.list[i].json;
		bool known = json_is_number(member(line, KEY_VALUE));

		if (!known && strcmp(text_of(line, KEY_REASON), NOT_MEASURED) != 0)
			name_one(&open, text_of(line, KEY_NAME));
		if (known && number_or(line, KEY_CONFIDENCE, 1) < UNSURE)
			name_one(&unsure, text_of(line, KEY_NAME));
	}
	if (open.n)
		add(found, VERDICT_LOOK, subject, "measured, but not resolved: %s",
			names_text(&open));
	if (unsure.n)
		add(found, VERDICT_LOOK, subject, "less than %.0f %% sure: %s", 100 * UNSURE,
			names_text(&unsure));
	pass(found, before, subject, run->summaries.n || run->nrows,
		"each value that was measured is resolved");
}

/*
 * Check that each known value is at least, or at most, the one before. Returns how many pairs were
 * compared.
 */
static size_t check_order_of(struct findings *found, const struct run_data *run,
	const enum value_id *ids, bool rising)
{
	enum value_id last = VALUE_none;
	size_t compared = 0;

	for (; *ids; ids++) {
		double value = value_of(run, *ids), before = value_of(run, last);
		double over = rising ? before / value : value / before;
		const char *name = value_facts(*ids).name, *before_name = value_facts(last).name;

		compared += !isnan(over);
		if (over > 1 + ORDER_APART)
			add(found, VERDICT_FAIL, "order", "%s is %.4g, %s only %.4g",
				rising ? before_name : name, rising ? before : value,
				rising ? name : before_name, rising ? value : before);
		last = isnan(value) ? last : *ids;
	}
	return compared;
}

static void check_order(struct findings *found, const struct run_data *run)
{
#define BY_LEVEL(what)                                                                             \
	{                                                                                          \
		VALUE_##what##_l1, VALUE_##what##_l2, VALUE_##what##_l3, VALUE_##what##_l4,        \
			VALUE_##what##_memory                                                      \
	}
	static const struct {
		bool rising;
		enum value_id ids[6]; /* up to VALUE_none */
	} orders[] = {
		{ true,
			{ VALUE_l1d_latency_ns, VALUE_l2_latency_ns, VALUE_l3_latency_ns,
				VALUE_l4_latency_ns, VALUE_memory_latency_ns } },
		{ true, { VALUE_l1d_bytes, VALUE_l2_bytes, VALUE_l3_bytes, VALUE_l4_bytes } },
		{ true, { VALUE_walk_cycles, VALUE_walk_cold_cycles } },
		{ true, { VALUE_dtlb_4k_entries, VALUE_stlb_entries } },
		{ false, BY_LEVEL(read_bytes_per_cycle) },
		{ false, BY_LEVEL(write_bytes_per_cycle) },
		{ false, BY_LEVEL(copy_bytes_per_cycle) },
	};
#undef BY_LEVEL
	double limit = number_of(member(run->head, KEY_SMBIOS), KEY_MODULES_GBS);
	double read = value_of(run, VALUE_memory_read_gbs);
	size_t before = found->n, compared = !isnan(read / limit);

	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
		compared += check_order_of(found, run, orders[i].ids, orders[i].rising);
	if (read > limit)
		add(found, VERDICT_FAIL, "order",
			"memory was read at %.4g GB/s, its modules transfer at most %.4g", read,
			limit);
	pass(found, before, "order", compared, "no level is faster or smaller than the one before");
}

static void check_quiet(struct findings *found, const struct run_data *run)
{
	static const char subject[] = "quiet";
	double stolen = value_of(run, VALUE_noise_stolen_ppm);
	double gaps = value_of(run, value_by_name("noise_gaps_above_" GAPS_LIMIT));
	size_t before = found->n, unsteady = 0, disturbed = 0;

	for (size_t i = 0; i < run->nrows; i++) {
		unsteady += *text_of(run->rows[i].json, KEY_UNSTEADY) != 0;
		disturbed += run->rows[i].disturbed > run->rows[i].samples / 2;
	}
	if (stolen > STOLEN_MOST)
		add(found, VERDICT_LOOK, subject, "others had %.2g %% of the time", stolen / 1e4);
	if (gaps > 0 && strcmp(run->room, "hosted") != 0)
		add(found, VERDICT_LOOK, subject, "%.0f gaps above " GAPS_LIMIT, gaps);
	if (disturbed)
		add(found, VERDICT_LOOK, subject,
			"more than half of the samples were disturbed in %zu of %zu rows",
			disturbed, run->nrows);
	if ((double)unsteady > UNSTEADY * (double)run->nrows)
		add(found, VERDICT_LOOK, subject, "%zu of %zu rows have two modes, or drift",
			unsteady, run->nrows);
	if (isnan(stolen))
		add(found, VERDICT_LOOK, subject, "how much time was stolen: %s", UNSAID);
	pass(found, before, subject, true, "nothing of note disturbed the run");
}

/* Add the findings of the run: at least one for each of its subjects. */
static void findings_of_run(struct findings *found, const struct run_data *run)
{
	static void (*const checks[])(struct findings *, const struct run_data *) = {
		check_whole,
		check_silicon,
		check_proofs,
		check_stamps,
		check_core_clock,
		check_cpus,
		check_memory,
		check_settings,
		check_registers,
		check_faults,
		check_claims,
		check_order,
		check_answers,
		check_quiet,
	};

	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
		checks[i](found, run);
}

/*
 * Add contradictions between two runs of one machine, in values that no room changes; nothing if
 * they are of different machines.
 */
static void findings_between(struct findings *found, const struct run_data *a,
	const struct run_data *b)
{
	/* Properties of the core that hold in every room; an OS takes no part of any of them. */
	static const enum value_id values[] = { VALUE_l1d_bytes, VALUE_l1d_latency_cycles,
		VALUE_l2_latency_cycles, VALUE_mispredict_cycles, VALUE_window_instructions,
		VALUE_line_bytes, VALUE_return_stack };
	double x = number_of(a->head, KEY_TSC_HZ), y = number_of(b->head, KEY_TSC_HZ);
	size_t before = found->n, compared = 0;

	if (!machine_same_cpu(a->head_line, b->head_line))
		return;
	if (fabs(x / y - 1) > ROOMS_TSC)
		add(found, VERDICT_LOOK, "rooms",
			"time stamps run at %.3f MHz in room %s, at %.3f in %s", x / 1e6, a->room,
			y / 1e6, b->room);
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		x = value_of(a, values[i]);
		y = value_of(b, values[i]);
		compared += !isnan(x / y);
		if (fabs(x / y - 1) > ROOMS_VALUES)
			add(found, VERDICT_LOOK, "rooms", "%s is %.9g in room %s, %.9g in %s",
				value_facts(values[i]).name, x, a->room, y, b->room);
	}
	pass(found, before, "rooms", compared, "what both know of the core is the same");
}

static void findings_free(struct findings *found)
{
	for (size_t i = 0; i < found->n; i++)
		free(found->list[i].text);
	free(found->list);
	*found = (struct findings){ .n = 0 };
}

/* --- the command --- */

static const char *const verdicts[] = { "pass", "look", "FAIL" };

/* The request, and the number of findings of each verdict. */
struct checking {
	bool issue;
	bool quiet, as_json;
	json_t *json, *runs; /* what --json prints, and its runs so far; NULL: text is printed */
	size_t n[VERDICT_FAIL + 1];
};

static void print_finding(const struct finding *f)
{
	char start[40];

	snprintf(start, sizeof start, "  %s  %-12s ", verdicts[f->verdict], f->subject);
	print_wrapped(stdout, start, f->text);
}

/*
 * Print an item for an issue: passed items are not listed, and a text that quotes a user is left
 * out.
 */
static void print_item(const struct finding *f)
{
	char start[40];

	snprintf(start, sizeof start, "- %s, %s: ", verdicts[f->verdict], f->subject);
	if (f->verdict != VERDICT_PASS)
		print_wrapped(stdout, start, f->quotes_user ? "(not shown)" : f->text);
}

/* Print the findings, or with --json add them to `to`. */
static void print_findings(struct checking *what, const struct findings *found, json_t *to)
{
	json_t *all = json_array();

	for (size_t i = 0; i < found->n; i++) {
		const struct finding *f = &found->list[i];

		what->n[f->verdict]++;
		if (to)
			json_array_append_new(all,
				json_pack("{s:s, s:s, s:o}", "verdict", verdicts[f->verdict],
					"subject", f->subject, "text", text_json(f->text)));
		else
			(what->issue ? print_item : print_finding)(f);
	}
	json_object_set_new(to, to == what->json ? "between" : "findings", all);
}

static void print_member(const json_t *object, const char *key)
{
	const char *text = text_of(object, key);

	if (*text)
		printf(", %s", text);
}

static void print_number(const json_t *object, const char *key)
{
	double number = number_of(object, key);

	if (!isnan(number))
		printf(", %s %.0f", key, number);
}

/*
 * Print the run and the machine's model, but nothing that identifies this machine among others of
 * its model.
 */
static void print_run(const struct run_data *run)
{
	const json_t *cpu = json_object_get(run->head, KEY_CPU);
	const json_t *smbios = json_object_get(run->head, KEY_SMBIOS);
	char plan[PLAN_TEXT];

	run_plan_text(run->head, plan);
	printf("room %s, build %s, %s\n", run->room, text_of(run->head, KEY_BUILD), plan);
	fputs(text_of(cpu, KEY_BRAND), stdout);
	print_number(cpu, KEY_FAMILY);
	print_number(cpu, KEY_MODEL);
	print_number(cpu, KEY_STEPPING);
	if (number_of(cpu, "microcode") > 0)
		printf(", microcode 0x%x", (unsigned)number_of(cpu, "microcode"));
	print_member(smbios, "board");
	print_member(smbios, "firmware_vendor");
	print_member(smbios, "firmware_version");
	putchar('\n');
}

static void print_text(void *to, const char *text, size_t n)
{
	fwrite(text, 1, n, to);
}

static void check_one(struct checking *what, const struct results *file, const struct run_data *run)
{
	json_t *to = what->runs ? run_json(file, run) : NULL;
	struct findings found = { .n = 0 };
	struct card card;

	if (!to) {
		putchar('\n');
		print_run(run);
	}
	findings_of_run(&found, run);
	print_findings(what, &found, to);
	json_array_append_new(what->runs, to);
	findings_free(&found);
	if (what->issue) {
		show_row_card(&card, run);
		puts("```");
		card_print(&card, &(struct card_beside){ .core_of = published_core_of }, print_text,
			stdout);
		puts("```");
		board_report_print(run, stdout);
	}
}

/* Check each pair of runs in different rooms. */
static void check_pairs(struct checking *what, const struct run_data **runs, size_t n)
{
	struct findings found = { .n = 0 };

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (strcmp(runs[i]->room, runs[j]->room) != 0)
				findings_between(&found, runs[i], runs[j]);
	if (found.n && !what->json)
		puts("\nBetween the rooms");
	print_findings(what, &found, what->json);
	findings_free(&found);
}

static void print_counts(const struct checking *what)
{
	const size_t *n = what->n;

	if (what->json) {
		json_object_update_new(what->json,
			json_pack("{s:i, s:i, s:i}", "passed", (int)n[VERDICT_PASS], "look",
				(int)n[VERDICT_LOOK], "failed", (int)n[VERDICT_FAIL]));
		print_json(what->json);
	} else if (!what->issue) {
		printf("\n%zu passed, %zu to look at, %zu FAILED\n", n[VERDICT_PASS],
			n[VERDICT_LOOK], n[VERDICT_FAIL]);
	}
}

/* Nothing is checked if one of the files cannot be used. */
static int check_files(struct checking *what, char **paths, size_t n)
{
	struct results *files = new_array(n, sizeof *files);
	const struct run_data **runs = NULL;
	bool damaged = false, usable = true;
	size_t nruns = 0;

	for (size_t i = 0; i < n; i++)
		usable = open_result(&files[i], paths[i], &damaged) && usable;
	if (what->issue)
		puts("anechoic check --issue: no UUID, serial number, MAC address, host or file "
		     "name is in it.");
	for (size_t i = 0; i < n && usable; i++)
		for (size_t r = 0; r < files[i].nruns; r++) {
			check_one(what, &files[i], &files[i].runs[r]);
			*(const struct run_data **)grow((void **)&runs, &nruns, sizeof *runs) =
				&files[i].runs[r];
		}
	check_pairs(what, runs, nruns);
	if (usable)
		print_counts(what);
	for (size_t i = 0; i < n; i++)
		results_free(&files[i]);
	free(files);
	free(runs);
	return !usable || damaged ? EXIT_FAILED : what->n[VERDICT_FAIL] ? EXIT_NO : EXIT_OK;
}

static int check_main(int argc, char **argv)
{
	struct checking what = { .issue = false };
	const struct command_option options[] = {
		{ .name = "issue",
			.argument = "",
			.flag = &what.issue,
			.help = "a short text to send to the project, and one for the board's "
				"maker; nothing in it tells which machine it was" },
		{ .name = "json",
			.argument = "",
			.flag = &what.as_json,
			.help = "the findings as JSON (docs/format.md, \"As JSON\")" },
		QUIET_OPTION(&what.quiet),
	};
	int code = parse_options(&help, options, sizeof options / sizeof *options, argc, argv);

	if (code >= 0)
		return code;
	if (optind == argc)
		return no_file(ME);
	if (what.issue && what.as_json)
		return command_error(ME, "--issue is a text: leave --json out");
	if (what.as_json)
		what.json = json_pack("{s:o}", "runs", what.runs = json_array());
	if (what.quiet)
		be_quiet();
	code = check_files(&what, argv + optind, (size_t)(argc - optind));
	json_decref(what.json);
	return finish_output(ME, stdout, code);
}

const struct command command_check = { ME, check_main,
	"lists what a result should make one suspicious of" };
