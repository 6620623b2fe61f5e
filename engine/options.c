/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/room.h"
#include "engine/options.h"
#include "lib/math.h"
#include "engine/bench.h"
#include "lib/text.h"

/* Lists of selected experiments. */

size_t selection_name(const char *p)
{
	size_t n = 0;

	while (p[n] && p[n] != ',')
		n++;
	return n;
}

/* Returns the rest of the word behind the prefix, or NULL if it does not begin so. */
static const char *after(const char *p, size_t n, const char *prefix)
{
	size_t length = strlen(prefix);

	return length <= n && memcmp(p, prefix, length) == 0 ? p + length : NULL;
}

static bool matches(const char *p, size_t n, const char *probe, const char *variant)
{
	const char *rest = after(p, n, probe), *end = p + n;

	if (!rest || rest == end)
		return rest;
	if (*rest++ != ':')
		return false;
	return !variant || after(rest, (size_t)(end - rest), variant) == end;
}

static bool any(const char *list, const char *probe, const char *variant)
{
	for (const char *p = list; *p;) {
		size_t n = selection_name(p);

		if (matches(p, n, probe, variant))
			return true;
		p += n + (p[n] == ',');
	}
	return !*list;
}

bool probe_selected(const char *list, const char *probe)
{
	return any(list, probe, NULL);
}

bool variant_selected(const char *list, const char *probe, const char *variant)
{
	return any(list, probe, variant);
}

#define NAME_MOST 40 /* bytes of a wrong name that are repeated */

static bool any_probe(const char *p, size_t n)
{
	for (unsigned i = 0; i < probe_count; i++)
		if (matches(p, n, probes[i].name, NULL))
			return true;
	return false;
}

/* The probe that a misspelt name, with or without a variant, is nearest to; NULL: none is near. */
static const char *nearest(const char *p, size_t n)
{
	char word[NAME_MOST + 1] = "";
	const char *near = NULL;
	size_t least = 0;

	for (size_t i = 0; i < n && p[i] != ':'; i++)
		word[i] = p[i];
	for (unsigned i = 0; i < probe_count; i++)
		if (text_nearer(word, probes[i].name, &least))
			near = probes[i].name;
	return near;
}

static void refuse(const char *p, size_t n, char *err, size_t err_bytes)
{
	n = n < NAME_MOST ? n : NAME_MOST;
	const char *near = nearest(p, n);
	size_t used = (size_t)text_format(err, err_bytes,
		near ? "probes = '%.*s': no such probe: did you mean '%s'?"
		     : "probes = '%.*s': no such probe; there are",
		(int)n, p, near);

	if (near)
		return;

	for (unsigned i = 0; i < probe_count && used < err_bytes; i++)
		used += (size_t)text_format(err + used, err_bytes - used, "%s %s", i ? "," : "",
			probes[i].name);
}

/*
 * Check that each name of the list is a probe's, with or without a variant. Returns 0; or -1 with
 * the first wrong name, and all right ones, in err.
 */
static int selection_check(const char *list, char *err, size_t err_bytes)
{
	for (const char *p = list; *p;) {
		size_t n = selection_name(p);

		if (!any_probe(p, n)) {
			refuse(p, n, err, err_bytes);
			return -1;
		}
		p += n + (p[n] == ',');
	}
	return 0;
}

/* The user's own code. 0, or -1 with what is wrong with it in err. */
static int code_check(const char *text, char *err, size_t err_bytes)
{
	if (text_to_bytes(text, NULL, 0) >= 0)
		return 0;
	text_format(err, err_bytes,
		"code '%.40s': must be bytes of two hexadecimal digits: "
		"48 0f af c0",
		text);
	return -1;
}

#define SOURCE(letter) "|" #letter
static const char sources[] = "none"
#include "engine/source_rows.inc"
	;
#undef SOURCE

static const uint64_t node_sizes[] = { 0, 64, 128, 256, 512 };
static const uint64_t page_sizes[] = { 0, PAGE_4K, PAGE_2M, PAGE_1G };

const struct setting option_settings[] = {
	{ .name = "profile",
		.kind = SETTING_CHOICE,
		.offset = offsetof(struct options, profile),
		.help = "time per room: smoke 10 s, default 30 s, full 15 min",
		.choices = "smoke|default|full",
		.initial = "default" },
	{ .name = "quick",
		.kind = SETTING_CHOICE,
		.offset = offsetof(struct options, quick),
		.help = "on: end with the first card, after 10 s at most; profile default",
		.choices = "off|on",
		.initial = "off" },
	{ .name = "probes",
		.kind = SETTING_TEXT,
		.offset = offsetof(struct options, probes),
		.help = "experiments (probe or probe:variant) to run, comma-separated; empty: all",
		.max = sizeof(((struct options *)0)->probes) - 1,
		.initial = "",
		.check = selection_check },
	{ .name = "source",
		.kind = SETTING_CHOICE,
		.offset = offsetof(struct options, source),
		.help = "only the rows that repeat a source's experiments, all of them, in the "
			"time that it takes",
		.choices = sources,
		.initial = "none" },
	{ .name = "page",
		.kind = SETTING_CHOICE,
		.offset = offsetof(struct options, page),
		.help = "page size of rows whose experiment sets none; auto: 2m, else 4k",
		.choices = "auto|4k|2m|1g",
		.values = page_sizes,
		.initial = "auto" },
	{ .name = "seed",
		.kind = SETTING_NUMBER,
		.offset = offsetof(struct options, seed),
		.help = "seed of the random generator",
		.max = UINT64_MAX,
		.initial = "1" },
	{ .name = "cpu",
		.kind = SETTING_NUMBER,
		.offset = offsetof(struct options, cpu),
		.help = "processor to measure on; in the image by ACPI's order, room bare only",
		.max = 65535,
		.initial = "0" },
	{ .name = "memory",
		.kind = SETTING_SIZE,
		.offset = offsetof(struct options, max_bytes),
		.help = "largest memory to measure in, such as 512m; 0: all that can be had",
		.max = UINT64_MAX,
		.initial = "0" },
	{ .name = "smallest",
		.kind = SETTING_SIZE,
		.offset = offsetof(struct options, smallest),
		.help = "smallest buffer of a sweep, such as 16k; 0: the experiment's own",
		.max = UINT64_MAX,
		.initial = "0" },
	{ .name = "largest",
		.kind = SETTING_SIZE,
		.offset = offsetof(struct options, largest),
		.help = "largest buffer of a sweep; 0: the experiment's own",
		.max = UINT64_MAX,
		.initial = "0" },
	{ .name = "noise_seconds",
		.kind = SETTING_NUMBER,
		.offset = offsetof(struct options, noise_seconds),
		.help = "length of the noise scans, beside the profile's time; 0: 1, in profile "
			"full 60",
		.max = 172800,
		.initial = "0" },
	{ .name = "prefetch",
		.kind = SETTING_CHOICE,
		.offset = offsetof(struct options, prefetch),
		.help = "hardware prefetchers; both: latency, mlp and bandwidth with and without",
		.choices = "on|off|both",
		.initial = "on" },
	{ .name = "node",
		.kind = SETTING_CHOICE,
		.offset = offsetof(struct options, node),
		.help = "bytes between nodes of padded chains; auto: what is fetched together",
		.choices = "auto|64|128|256|512",
		.values = node_sizes,
		.initial = "auto" },
	{ .name = "clock",
		.kind = SETTING_CHOICE,
		.offset = offsetof(struct options, clock),
		.help = "core clock; free: as found; fixed: base frequency; max: the highest",
		.choices = "free|fixed|max",
		.initial = "free" },
	{ .name = "edges",
		.kind = SETTING_CHOICE,
		.offset = offsetof(struct options, edges),
		.help = "how edges are found: bisect, or by the sizes of the sweep; auto: grid in "
			"smoke",
		.choices = "auto|bisect|grid",
		.initial = "auto" },
	{ .name = "identity",
		.kind = SETTING_CHOICE,
		.offset = offsetof(struct options, identity),
		.help = "the machine's UUID, serial number and MAC address in the result",
		.choices = "on|off",
		.initial = "on" },
	{ .name = "run_id",
		.kind = SETTING_TEXT,
		.offset = offsetof(struct options, run_id),
		.help = "a name in the result, for what belongs together",
		.max = sizeof(((struct options *)0)->run_id) - 1,
		.initial = "" },
	{ .name = "runs",
		.kind = SETTING_NUMBER,
		.offset = offsetof(struct options, runs),
		.help = "whole runs, one after the other; in the image a restart between two",
		.min = 1,
		.max = RUNS_MAX,
		.initial = "1" },
	{ .name = "code",
		.kind = SETTING_TEXT,
		.offset = offsetof(struct options, code),
		.help = "instructions of your own to time, as bytes: 48 0f af c0; alone unless "
			"probes names others",
		.max = CODE_TEXT - 1,
		.initial = "",
		.check = code_check },
	{ .name = "code_init",
		.kind = SETTING_TEXT,
		.offset = offsetof(struct options, code_init),
		.help = "likewise, what is executed once before them, untimed",
		.max = CODE_TEXT - 1,
		.initial = "",
		.check = code_check },
	{ .name = "code_unroll",
		.kind = SETTING_NUMBER,
		.offset = offsetof(struct options, code_unroll),
		.help = "copies of them in a row; timed are so many, and twice as many",
		.min = 1,
		.max = 10000,
		.initial = "1000" },
	{ .name = "code_loop",
		.kind = SETTING_NUMBER,
		.offset = offsetof(struct options, code_loop),
		.help = "turns of a loop around the copies, counted in R15; 0: none",
		.max = 1000000,
		.initial = "0" },
};

const size_t option_settings_count = sizeof option_settings / sizeof *option_settings;

const char *options_settle(struct options *o)
{
	if (o->quick && (o->profile != PROFILE_DEFAULT || o->source))
		return "quick = on: it is a part of profile default, and of no other or source";
	if (!o->code[0])
		return o->code_init[0] || o->code_loop
			? "code_init and code_loop: there is no code that they are for"
			: NULL;
	if (!o->probes[0] && !o->source)
		text_format(o->probes, sizeof o->probes, "code");
	return NULL;
}

bool wants_all_points(const struct options *opt)
{
	return opt->profile == PROFILE_FULL || opt->source != SOURCE_NONE;
}

bool bisects_edges(const struct options *opt)
{
	if (opt->edges == EDGES_AUTO)
		return opt->profile != PROFILE_SMOKE;
	return opt->edges == EDGES_BISECT;
}

double profile_seconds(const struct options *opt)
{
	static const double seconds[] = {
		[PROFILE_SMOKE] = 10, [PROFILE_DEFAULT] = 30, [PROFILE_FULL] = 900
	};

	return opt->quick ? 10 : seconds[opt->profile];
}

double expected_seconds(const struct options *opt)
{
	const struct options full = { .profile = PROFILE_FULL };
	double seconds = profile_seconds(opt->source ? &full : opt);
	double scan = (double)opt->noise_seconds;
	bool watches = !opt->source && (*opt->probes || opt->profile == PROFILE_FULL);

	if (probe_selected(opt->probes, "noise"))
		seconds += scan + math_min(scan, NOISE_ALONE_MOST);
	if (watches && probe_selected(opt->probes, "smm"))
		seconds += scan;
	return seconds;
}
