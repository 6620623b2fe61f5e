/* SPDX-License-Identifier: MIT */
#include "engine/infer/since.h"

#include <string.h>

#include "engine/infer/infer.h"
#include "lib/math.h"
#include "lib/noise_assumed.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "lib/values.h"

/* A line with the end of its text; the most that is shown of a change, per cent. */
enum { COLUMNS = 80, MOST_CHANGE = 9999 };

#define HEADS "                   now  before  change" /* as value_text has its columns */

#define LOSS_ALLOWS 0.3 /* doubt per 1 less the confidence, as engine/witnesses.c has it */
#define STOLEN_PPM  100 /* less, no median shows: QUIET_PPM of the card */
#define STOLEN_PART 0.5 /* stolen time of one run has no interval: only twice as much counts */

/* The values, in the order of their places: down, then the second half beside the first. */
static const struct tuned {
	enum value_id id;
	const char *label;
	double scale;   /* from its unit to that of the label */
	bool per_cycle; /* a rate per core cycle: times the clock */
	bool shared;    /* of what a host's other guests use, too */
	double part;    /* of the value, that two runs differ by in any case */
	double least;   /* the same, in the unit of the label */
} values[] = {
	{ VALUE_l1d_latency_ns, "L1 ns", 1, false, false, NOISE_ASSUMED, 0 },
	{ VALUE_l2_latency_ns, "L2 ns", 1, false, false, NOISE_ASSUMED, 0 },
	{ VALUE_l3_latency_ns, "L3 ns", 1, false, true, NOISE_ASSUMED, 0 },
	{ VALUE_memory_latency_ns, "memory ns", 1, false, true, NOISE_ASSUMED, 0 },
	{ VALUE_parallel_misses, "misses at once", 1, false, true, NOISE_ASSUMED, 0 },
	{ VALUE_core_clock_hz, "clock GHz", 1e-9, false, false, NOISE_ASSUMED, 0 },
	{ VALUE_read_roof_memory, "read GB/s", 1e-9, true, true, NOISE_ASSUMED, 0 },
	{ VALUE_write_roof_memory, "write GB/s", 1e-9, true, true, NOISE_ASSUMED, 0 },
	{ VALUE_copy_roof_memory, "copy GB/s", 1e-9, true, true, NOISE_ASSUMED, 0 },
	{ VALUE_memory_read_gbs, "all read GB/s", 1, false, true, NOISE_ASSUMED, 0 },
	{ VALUE_noise_stolen_ppm, "stolen ppm", 1, false, false, STOLEN_PART, STOLEN_PPM },
};

#define VALUES (sizeof values / sizeof *values)

static bool is_kept(struct line line)
{
	if (line_kind(line) != LINE_SUMMARY)
		return line_kind(line) == LINE_RUN;
	for (size_t i = 0; i < VALUES; i++)
		if (line_is(line, KEY_NAME, value_facts(values[i].id).name))
			return true;
	return false;
}

size_t since_keep(const char *text, size_t n, char *out, size_t bytes)
{
	const char *end = text + n;
	struct line line;
	size_t used = 0;

	while (line_next(&text, end, &line)) {
		if (!is_kept(line))
			continue;
		if (line.n >= bytes - used || (!used && line_kind(line) != LINE_RUN))
			return 0;
		memcpy(out + used, line.text, line.n);
		out[used + line.n] = '\n';
		used += line.n + 1;
	}
	return used;
}

/* A value and by how much it may be wrong; not a number where it is not resolved. */
struct amount {
	double value, doubt;
};

/* The further end of its bracket, or what its confidence leaves open. */
static struct amount amount_of(const struct card *card, enum value_id id)
{
	const struct card_value *v = card_value(card, value_facts(id).name);
	struct amount a = { NOT_A_NUMBER, NOT_A_NUMBER };

	if (!v || !math_finite(v->value))
		return a;
	a.value = card_value_shown(v);
	a.doubt = LOSS_ALLOWS * (1 - v->confidence) * math_abs(a.value);
	if (v->low < v->high)
		a.doubt = math_max(a.doubt, math_max(v->high - a.value, a.value - v->low));
	return a;
}

static struct amount tuned_amount(const struct card *card, const struct tuned *t)
{
	struct amount a = amount_of(card, t->id), clock = amount_of(card, VALUE_core_clock_hz);

	if (t->per_cycle)
		a = (struct amount){ a.value * clock.value,
			a.doubt * clock.value + a.value * clock.doubt };
	return (struct amount){ a.value * t->scale, a.doubt * t->scale };
}

struct since_printer {
	const struct since *now, *before;
	card_say *say;
	void *to;
	bool emulated, virtual; /* at least one of the two */
};

static void say_line(const struct since_printer *p, const char *text)
{
	char line[COLUMNS + 1];
	int n = text_format(line, COLUMNS, "%s", text);

	if (n > COLUMNS - 1)
		n = COLUMNS - 1;
	while (n && line[n - 1] == ' ')
		n--;
	line[n++] = '\n';
	p->say(p->to, line, (size_t)n);
}

/*
 * Returns true if the difference exceeds both the usual difference of two runs and the doubt of
 * both.
 */
static bool is_more(const struct since_printer *p, const struct tuned *t, struct amount now,
	struct amount before)
{
	double part = t->shared && p->virtual ? NOISE_SHARED : t->part;
	double usual = part * math_max(math_abs(now.value), math_abs(before.value));
	double may = math_max(math_max(usual, t->least), now.doubt + before.doubt);

	return !p->emulated && math_abs(now.value - before.value) > may;
}

static void amount_text(double value, char out[16])
{
	if (!math_finite(value))
		text_format(out, 16, "?");
	else
		text_format(out, 16, math_abs(value) < 1000 ? "%.4g" : "%.0f", value);
}

/* "memory ns        84.2    91.0  -7.5 %!"; false: neither result has it. */
static bool value_text(const struct since_printer *p, const struct tuned *t, char out[COLUMNS])
{
	struct amount now = tuned_amount(p->now->card, t);
	struct amount before = tuned_amount(p->before->card, t);
	double away = now.value - before.value, change = away ? 100 * away / before.value : 0;
	char numbers[2][16], text[16] = " ";

	if (!math_finite(now.value) && !math_finite(before.value))
		return false;
	amount_text(now.value, numbers[0]);
	amount_text(before.value, numbers[1]);
	if (math_finite(away)) /* of 0 it is as much as is shown */
		text_format(text, sizeof text, math_abs(change) < 100 ? "%+.1f %%%c" : "%+.0f %%%c",
			math_min(change, MOST_CHANGE), is_more(p, t, now, before) ? '!' : ' ');
	text_format(out, COLUMNS, "%-14s%8s%8s%9s", t->label, numbers[0], numbers[1], text);
	return true;
}

static void say_values(const struct since_printer *p, const char *file)
{
	char found[VALUES][COLUMNS], text[COLUMNS + 48];
	size_t n = 0;

	for (size_t i = 0; i < VALUES; i++)
		n += value_text(p, &values[i], found[n]);
	text_format(text, sizeof text, "Since %s (%s)", file,
		p->emulated ? "EMULATED: no difference means anything"
			    : "! more than the doubt of both");
	say_line(p, text);
	if (!n)
		return;
	say_line(p, n > 1 ? HEADS "  " HEADS : HEADS);
	for (size_t i = 0, half = (n + 1) / 2; i < half; i++) {
		text_format(text, sizeof text, "%s %s", found[i],
			i + half < n ? found[i + half] : "");
		say_line(p, text);
	}
}

/* Settings of the machine that are compared. */

static const struct {
	const char *beginning, *words;
} circumstances[] = {
#define CIRCUMSTANCE(beginning, words, touches) { beginning, words },
#define VARIES(key)
#include "lib/circumstances.inc"
#undef CIRCUMSTANCE
#undef VARIES
};

static const char *const varies[] = {
#define CIRCUMSTANCE(beginning, words, touches)
#define VARIES(key) key,
#include "lib/circumstances.inc"
#undef CIRCUMSTANCE
#undef VARIES
};

#define CIRCUMSTANCES  (sizeof circumstances / sizeof *circumstances)
#define SETTINGS_TITLE "differs: "
#define SETTING_TEXT   (COLUMNS - sizeof SETTINGS_TITLE)

enum {
	SETTINGS_LINES = 2,
	SETTINGS_MORE = 16, /* columns for "; and 12 more" */
	VALUE_COLUMNS = 24, /* of a setting, at most */
	PATH_BYTES = 96
};

/* The differences as they are written, as many as there is space for. */
struct settings {
	const struct since_printer *printer;
	size_t rank; /* of the circumstance that is looked for */
	char line[COLUMNS];
	unsigned lines, said,
		more; /* lines said; differences in the text, and those without space */
	bool modules; /* their text differs: what it is made of is not said again */
};

static bool begins(const char *path, const char *with)
{
	size_t n = strlen(with);

	return strlen(path) >= n && !memcmp(path, with, n);
}

static void end_line(struct settings *s)
{
	say_line(s->printer, s->line);
	s->lines++;
	text_format(s->line, sizeof s->line, "%*s", (int)sizeof SETTINGS_TITLE - 1, "");
}

static void add(struct settings *s, const char *text)
{
	bool last = s->lines + 1 == SETTINGS_LINES;
	size_t used = strlen(s->line);
	bool first = used == sizeof SETTINGS_TITLE - 1;

	if (!first && used + strlen(text) + (last ? SETTINGS_MORE : 4) > COLUMNS) {
		if (last) {
			s->more++;
			return;
		}
		text_format(s->line + used, sizeof s->line - used, ";");
		end_line(s);
		used = strlen(s->line);
		first = true;
	}
	text_format(s->line + used, sizeof s->line - used, "%s%s", first ? "" : "; ", text);
	s->said++;
}

static void setting_text(const char *path, const struct member *m, char out[VALUE_COLUMNS + 1])
{
	if (!strcmp(path, KEY_CPU ".microcode"))
		text_format(out, VALUE_COLUMNS + 1, "%#x", (unsigned)member_number(m));
	else if (!member_text(m, out, VALUE_COLUMNS + 1))
		text_format(out, VALUE_COLUMNS + 1, "%.*s", (int)m->value_bytes, m->value);
}

static void add_setting(struct settings *s, const char *words, const char *path,
	const struct member *now, const struct member *before)
{
	char values[2][VALUE_COLUMNS + 1], text[SETTING_TEXT];

	setting_text(path, now, values[0]);
	setting_text(path, before, values[1]);
	text_format(text, sizeof text, "%.*s %s, was %s",
		(int)(sizeof text - strlen(values[0]) - strlen(values[1]) - 8), words, values[0],
		values[1]);
	add(s, text);
}

static bool is_null(const struct member *m)
{
	return m->value_bytes == 4 && !memcmp(m->value, "null", 4);
}

/* A leaf of both run lines. */
static void compare_leaf(struct settings *s, const char *path, const struct member *now,
	const struct member *before)
{
	size_t i;

	for (i = 0; i < CIRCUMSTANCES && !begins(path, circumstances[i].beginning); i++)
		;
	if (i != s->rank || is_null(now) || is_null(before) ||
		(now->value_bytes == before->value_bytes &&
			!memcmp(now->value, before->value, now->value_bytes)))
		return;
	for (size_t j = 0; j < sizeof varies / sizeof *varies; j++)
		if (!strcmp(path, varies[j]))
			return;
	const char *words = circumstances[i].words;
	char text[PATH_BYTES];

	text_format(text, sizeof text, "%s%s", words,
		words[strlen(words) - 1] == ' ' ? path + strlen(circumstances[i].beginning) : "");
	if (!strcmp(path, KEY_SMBIOS "." KEY_MODULES))
		s->modules = true;
	else if (s->modules &&
		(begins(path, KEY_SMBIOS ".modules.") ||
			!strcmp(path, KEY_SMBIOS "." KEY_MODULES_GBS)))
		return;
	add_setting(s, text, path, now, before);
}

static void compare_objects(struct settings *s, const char *path, struct line now,
	struct line before);

static bool is_of_objects(const struct member *m)
{
	return m->value_bytes > 2 && !memcmp(m->value, "[{", 2);
}

static void compare_values(struct settings *s, const char *path, const struct member *now,
	const struct member *before)
{
	const char *a = now->value, *a_end = a + now->value_bytes;
	const char *b = before->value, *b_end = b + before->value_bytes;
	char longer[PATH_BYTES];
	struct member x, y;

	if (*a == '{' && *b == '{') {
		text_format(longer, sizeof longer, "%s.", path);
		compare_objects(s, longer, (struct line){ a, now->value_bytes },
			(struct line){ b, before->value_bytes });
	} else if (is_of_objects(now) && is_of_objects(before)) {
		for (unsigned i = 1; element_next(&a, a_end, &x) && element_next(&b, b_end, &y);
			i++) {
			text_format(longer, sizeof longer, "%s.%u", path, i);
			compare_values(s, longer, &x, &y);
		}
	} else {
		compare_leaf(s, path, now, before);
	}
}

/* Compare the members that both state: another start may not have read the others. */
static void compare_objects(struct settings *s, const char *path, struct line now,
	struct line before)
{
	const char *at = now.text, *end = at + now.n;
	char longer[PATH_BYTES];
	struct member m, other;

	while (at && member_next(&at, end, &m)) {
		text_format(longer, sizeof longer, "%s%.*s", path, (int)m.key_bytes, m.key);
		if (line_find(before, longer + strlen(path), &other))
			compare_values(s, longer, &m, &other);
	}
}

/* Not circumstances, but ways to measure, which change values as well. */
static void compare_ways(struct settings *s)
{
	static const char *const ways[] = { KEY_PROFILE, KEY_BUILD };
	struct line now = s->printer->now->run, before = s->printer->before->run;
	struct member m, other;

	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
		if (!line_same(now, before, ways[i]) && line_find(now, ways[i], &m) &&
			line_find(before, ways[i], &other))
			add_setting(s, ways[i], ways[i], &m, &other);
}

static void say_settings(const struct since_printer *p)
{
	struct settings s = { .printer = p, .line = SETTINGS_TITLE };
	size_t used;

	for (; s.rank < CIRCUMSTANCES; s.rank++)
		compare_objects(&s, "", p->now->run, p->before->run);
	compare_ways(&s);
	used = strlen(s.line);
	if (!s.said)
		text_format(s.line + used, sizeof s.line - used, "no setting that both state");
	if (s.more && used + SETTINGS_MORE > COLUMNS)
		end_line(&s);
	if (s.more)
		text_format(s.line + strlen(s.line), sizeof s.line - strlen(s.line),
			"; and %u more", s.more);
	end_line(&s);
}

void since_print(const struct since *now, const struct since *before, const char *file,
	card_say *say, void *to)
{
	struct since_printer p = { .now = now, .before = before, .say = say, .to = to };
	const char *marks[] = { result_mark(now->run), result_mark(before->run) };

	for (unsigned i = 0; i < 2; i++) {
		p.emulated |= *marks[i] == 'E';
		p.virtual |= *marks[i] == 'V';
	}
	say_values(&p, file);
	say_settings(&p);
}
