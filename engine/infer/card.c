/* SPDX-License-Identifier: MIT */
/* Print the card: what people ask first, so that the last screen of 80 x 25 holds all of it. */
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "engine/infer/card.h"
#include "engine/infer/infer.h"
#include "lib/math.h"
#include "lib/published.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "lib/values.h"

enum {
	COLUMNS = 79,
	LABEL = 11, /* columns of a line's name */
	MORE = 14,  /* columns of ", and 123 more" */
	NOTE_BYTES = 512
};

#define GRADE_SURE   0.8 /* confidence from which a value is called sure */
#define GRADE_LIKELY 0.5 /* and likely; below, it is a guess */

/* Round to the per cent that is printed, so that the grade agrees with it. */
static double rounded(double confidence)
{
	return (int)(100 * math_clamp(confidence, 0, 1) + 0.5) / 100.0;
}

const char *card_grade(double confidence)
{
	return rounded(confidence) >= GRADE_SURE      ? "sure"
		: rounded(confidence) >= GRADE_LIKELY ? "likely"
						      : "guess";
}

/* A card being printed. */
struct card_printer {
	const struct card *card;
	const struct published_core *core; /* NULL: nothing is known of it */
	card_say *say;
	void *to;
	unsigned lines;
	bool table;   /* its head is printed */
	bool watched; /* there is a verdict on the room */
	/* State of the row or part to come: a value was disturbed; the least confidence. */
	bool disturbed;
	double confidence;
	unsigned parts; /* of the line to come, and its text so far */
	char line[COLUMNS + 1];
};

static void print(struct card_printer *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void print(struct card_printer *p, const char *format, ...)
{
	char text[COLUMNS + 2];
	va_list args;
	int n;

	va_start(args, format);
	n = text_vformat(text, COLUMNS + 1, format, args);
	va_end(args);
	n = n > COLUMNS ? COLUMNS : n;
	while (n && text[n - 1] == ' ')
		n--;
	text[n++] = '\n';
	text[n] = 0;
	p->say(p->to, text, (size_t)n);
}

static bool known(const struct card_value *v)
{
	return v && math_finite(v->value);
}

/* Returns true if a row was measured for the value; otherwise nothing is printed of it. */
static bool looked_for(const struct card_value *v)
{
	return known(v) || (v && strcmp(v->reason, NOT_MEASURED) != 0);
}

static const struct card_value *value_of(const struct card_printer *p, enum value_id id)
{
	return id ? card_value(p->card, value_facts(id).name) : NULL;
}

/* The number of a value that the row or part to come has, which is at most as sure. */
static double shown(struct card_printer *p, enum value_id id)
{
	const struct card_value *v = value_of(p, id);

	if (!known(v))
		return NOT_A_NUMBER;
	p->confidence = math_min(p->confidence, v->confidence);
	p->disturbed |= math_finite(v->floor);
	return card_value_shown(v);
}

static void values_begin(struct card_printer *p)
{
	p->confidence = 1;
	p->disturbed = false;
}

/* "85 % sure*": how sure the least sure value is, and whether any was disturbed. */
static void sure_text(const struct card_printer *p, char out[24])
{
	text_format(out, 24, "%.0f %% %s%s", 100 * rounded(p->confidence),
		card_grade(p->confidence), p->disturbed ? "*" : "");
}

/* Published figures. */

/* Appends the published figure: "48K", "12-18", with a sign where ours is elsewhere. */
static void put_published(const struct card_printer *p, enum value_id id, const char *unit,
	char *out, size_t bytes)
{
	const struct card_value *v = value_of(p, id);
	const struct published_fact *f = published_fact(p->core, id);
	size_t used = strlen(out);
	char size[SIZE_TEXT];

	if (!f)
		return;
	card_published_text(f, size);
	text_format(out + used, bytes - used, "%s%s%s%s", used ? ", " : "", size, unit,
		v && card_value_unlike(v, f) ? "!" : "");
}

/* The head: which machine, how quiet the room was. */

static void head(struct card_printer *p)
{
	const struct card *c = p->card;

	if (p->lines++)
		return;
	print(p, "%s", "");
	print(p, "The machine as measured in room %s%s%s", c->room, *c->mark ? "   " : "",
		result_mark_text(c->mark));
	if (*c->may_be)
		print(p, "(%s)", c->may_be);
	if (c->half_a_core)
		print(p, "(a thread beside it spun: " HALF_A_CORE ")");
	print(p, "%.32s, family %.0f, model %.0f, stepping %.0f%s%s", c->cpu, c->family, c->model,
		c->stepping, p->core ? ": " : "", p->core ? p->core->name : "");
}

static void time_text(double ns, char out[24])
{
	unsigned unit = ns < 1e3 ? 0 : ns < 1e6 ? 1 : 2;
	static const struct {
		const char *format;
		double ns;
	} units[] = { { "%.3g ns", 1 }, { "%.3g us", 1e3 }, { "%.3g ms", 1e6 } };

	text_format(out, 24, units[unit].format, ns / units[unit].ns);
}

#define QUIET_PPM 100   /* less is a hundredth of a per cent, which no median shows */
#define BUSY_PPM  10000 /* more is twice the spread at which a row ends (TARGET_SPREAD) */

/* Print the room's noise. It comes first, because it decides how the others are read. */
static void verdict(struct card_printer *p)
{
	double stolen = shown(p, VALUE_noise_stolen_ppm), most = shown(p, VALUE_noise_longest_ns);
	char part[24], longest[24] = "";

	p->watched = math_finite(stolen);
	if (!p->watched)
		return;
	head(p);
	text_format(part, sizeof part, stolen < QUIET_PPM ? "< 0.01" : "%.2g", stolen / 1e4);
	if (math_finite(most))
		time_text(most, longest);
	print(p, "A %s room: others had the core %s %% of the time%s%s%s.",
		stolen < QUIET_PPM          ? "quiet"
			: stolen > BUSY_PPM ? "busy"
					    : "noisy",
		part, *longest ? ", up to " : "", longest, *longest ? " at once" : "");
	if (stolen > BUSY_PPM)
		print(p, "Latencies are upper bounds therefore, and rates are lower ones.");
}

/* The table of the levels. */

static const struct level {
	const char *name;
	enum value_id size, ns, cycles, roof, rate; /* rate: of results without the roof */
} levels[] = {
	{ "L1", VALUE_l1d_bytes, VALUE_l1d_latency_ns, VALUE_l1d_latency_cycles, VALUE_read_roof_l1,
		VALUE_read_bytes_per_cycle_l1 },
	{ "L2", VALUE_l2_bytes, VALUE_l2_latency_ns, VALUE_l2_latency_cycles, VALUE_read_roof_l2,
		VALUE_read_bytes_per_cycle_l2 },
	{ "L3", VALUE_l3_bytes, VALUE_l3_latency_ns, VALUE_l3_latency_cycles, VALUE_read_roof_l3,
		VALUE_read_bytes_per_cycle_l3 },
	{ "L4", VALUE_l4_bytes, VALUE_l4_latency_ns, VALUE_l4_latency_cycles, VALUE_read_roof_l4,
		VALUE_read_bytes_per_cycle_l4 },
	{ "memory", VALUE_none, VALUE_memory_latency_ns, VALUE_memory_latency_cycles,
		VALUE_read_roof_memory, VALUE_read_bytes_per_cycle_memory },
	{ " walks", VALUE_none, VALUE_memory_walk_latency_ns, VALUE_memory_walk_latency_cycles,
		VALUE_none, VALUE_none },
};

#define LEVELS     (sizeof levels / sizeof *levels)
#define WALK_COSTS 1.1 /* times the latency without page walks: less, and no line tells of them */

static bool has_row(const struct card_printer *p, const struct level *l)
{
	const struct card_value *ns = value_of(p, l->ns), *size = value_of(p, l->size);

	if (l->ns != VALUE_memory_walk_latency_ns)
		return known(ns) || known(size) ||
			(looked_for(size) && l->ns != VALUE_l4_latency_ns) ||
			(looked_for(ns) && !l->size);
	const struct card_value *near = value_of(p, VALUE_memory_latency_ns);

	return known(near) && known(ns) &&
		card_value_shown(ns) > WALK_COSTS * card_value_shown(near);
}

static void number(const char *format, double x, char out[16])
{
	text_format(out, 16, math_finite(x) ? format : "?", x);
}

/* Write the reads of one CPU from there, GB/s; "" if no row was measured. */
static void rate_text(struct card_printer *p, const struct level *l, char out[16])
{
	enum value_id id = value_of(p, l->roof) ? l->roof : l->rate;

	*out = 0;
	if (!looked_for(value_of(p, id)))
		return;
	double gbs = shown(p, id) * shown(p, VALUE_core_clock_hz) / 1e9;

	number(gbs < 999.5 ? "%.3g" : "%.0f", gbs, out);
}

/* Write the bracket of the level's end, "40K..49K"; of memory its latency's sizes. */
static void size_column(struct card_printer *p, const struct level *l, char out[CARD_SIZE])
{
	const struct card_value *v = value_of(p, l->size), *ns = value_of(p, l->ns);

	*out = 0;
	if (l->size && known(v)) {
		shown(p, l->size);
		card_value_size(v, out);
		if (math_finite(v->rise[0]))
			out[strlen(out) - strlen(" soft")] = 0;
	} else if (l->size) {
		text_format(out, CARD_SIZE, "?");
	} else if (ns) {
		text_format(out, CARD_SIZE, "%.13s", ns->form);
	}
}

static void claim_text(const struct card_value *v, char out[16])
{
	*out = 0;
	if (!v || !math_finite(v->claimed))
		return;
	size_text(v->claimed, out);
	if (known(v) && !v->agrees)
		text_format(out + strlen(out), 16 - strlen(out), "!");
}

static void table_head(struct card_printer *p)
{
	char name[24] = "";

	head(p);
	if (p->table)
		return;
	p->table = true;
	if (!p->watched)
		print(p, "Whether the room was quiet was not measured.");
	if (p->core)
		text_format(name, sizeof name, "(%s)", p->core->name);
	print(p, "                      latency     one CPU  * disturbed         ! unlike ours");
	print(p, "level  size            ns  cycles    GB/s  sure         CPUID  %s", name);
}

static void level_row(struct card_printer *p, const struct level *l)
{
	char size[CARD_SIZE], ns[16], cycles[16], gbs[16], sure[24] = "", claim[16],
							   others[24] = "", published[32] = "";

	if (!has_row(p, l))
		return;
	table_head(p);
	values_begin(p);
	size_column(p, l, size);
	number("%.2f", shown(p, l->ns), ns);
	number("%.1f", shown(p, l->cycles), cycles);
	rate_text(p, l, gbs);
	if (known(value_of(p, l->size)) || known(value_of(p, l->ns)))
		sure_text(p, sure);
	claim_text(value_of(p, l->size), claim);
	put_published(p, l->size, "", others, sizeof others);
	put_published(p, l->cycles, " cy", others, sizeof others);
	if (*others)
		text_format(published, sizeof published, "(%s)", others);
	print(p, "%-6s %-12s%7s %7s %7s  %-13s%-6s %s", l->name, size, ns, cycles, gbs, sure, claim,
		published);
}

/*
 * Lines of several parts each, which are broken where they are too long. A part whose values are
 * not sure, or were disturbed, says so: "timer 71.7 us late [56 % likely*]".
 */

static void part(struct card_printer *p, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void part(struct card_printer *p, const char *label, const char *format, ...)
{
	char text[COLUMNS + 1 - LABEL], sure[24];
	va_list args;
	size_t n;

	va_start(args, format);
	n = (size_t)text_vformat(text, sizeof text, format, args);
	va_end(args);
	sure_text(p, sure);
	if (n < sizeof text && (rounded(p->confidence) < GRADE_SURE || p->disturbed))
		text_format(text + n, sizeof text - n, " [%s]", sure);
	if (p->parts && strlen(p->line) + 3 + strlen(text) > COLUMNS) {
		print(p, "%s,", p->line);
		text_format(p->line, sizeof p->line, "%*s%s", LABEL, "", text);
	} else if (p->parts) {
		text_format(p->line + strlen(p->line), sizeof p->line - strlen(p->line), ", %s",
			text);
	} else {
		head(p);
		text_format(p->line, sizeof p->line, "%-*s%s", LABEL, label, text);
	}
	p->parts++;
	values_begin(p);
}

static void end_parts(struct card_printer *p)
{
	if (p->parts)
		print(p, "%s", p->line);
	p->parts = 0;
}

/* A part with a time: "switch 1.74 us". */
static void time_part(struct card_printer *p, const char *label, const char *format,
	enum value_id id)
{
	double ns = shown(p, id);
	char text[24], whole[COLUMNS];

	if (!math_finite(ns))
		return;
	time_text(ns, text);
	text_format(whole, sizeof whole, format, text);
	part(p, label, "%s", whole);
}

/* The published figure of a value behind ours: " (448)"; "" where there is none. */
static const char *beside_text(const struct card_printer *p, enum value_id id, char out[32])
{
	char figure[28] = "";

	put_published(p, id, "", figure, sizeof figure);
	text_format(out, 32, *figure ? " (%s)" : "%s", figure);
	return out;
}

/* A part with a count and its bracket: "window 443 instructions (448)". */
static void count_part(struct card_printer *p, const char *label, const char *what,
	enum value_id id, const char *unit)
{
	const struct card_value *v = value_of(p, id);
	char count[CARD_TEXT], other[32];

	if (!known(v))
		return;
	if (!card_value_count(v, count))
		text_format(count, sizeof count, v->value < 1000 ? "%.4g" : "%.0f", shown(p, id));
	shown(p, id);
	part(p, label, "%s%s%s%s", what, count, unit, beside_text(p, id, other));
}

static void parallel_line(struct card_printer *p)
{
	double limit = p->card->memory_limit_gbs, read;

	values_begin(p);
	if (known(value_of(p, VALUE_parallel_misses)))
		part(p, "parallel", "%.1f misses at once", shown(p, VALUE_parallel_misses));
	read = shown(p, VALUE_memory_read_gbs);
	if (math_finite(read) && limit > read)
		part(p, "parallel", "all CPUs read %.1f of %.0f GB/s", read, limit);
	else if (math_finite(read))
		part(p, "parallel", "all CPUs read %.1f GB/s", read);
	end_parts(p);
}

static void system_line(struct card_printer *p)
{
	values_begin(p);
	time_part(p, "Linux", "system call %s", VALUE_syscall_ns);
	time_part(p, "Linux", "switch %s", VALUE_switch_ns);
	time_part(p, "Linux", "page fault %s", VALUE_page_fault_ns);
	time_part(p, "Linux", "timer %s late", VALUE_timer_late_ns);
	end_parts(p);
}

static void core_line(struct card_printer *p)
{
	const struct card_value *clock = value_of(p, VALUE_core_clock_hz);
	const struct card_value *width = value_of(p, VALUE_issue_width);
	char other[32];

	values_begin(p);
	shown(p, VALUE_core_clock_hz);
	if (known(clock) && clock->low < clock->high)
		part(p, "core", "%.2f..%.2f GHz", clock->low / 1e9, clock->high / 1e9);
	else if (known(clock))
		part(p, "core", "%.3f GHz", clock->value / 1e9);
	count_part(p, "core", "window ", VALUE_window_instructions, " instructions");
	if (known(width))
		part(p, "core", "%.1f ops a cycle%s", shown(p, VALUE_issue_width),
			beside_text(p, VALUE_issue_width, other));
	count_part(p, "core", "misprediction ", VALUE_mispredict_cycles, " cycles");
	count_part(p, "core", "targets ", VALUE_branch_targets, "");
	end_parts(p);
}

static void handover_line(struct card_printer *p)
{
	values_begin(p);
	time_part(p, "CPU to CPU", "a line in %s", VALUE_handover_ns);
	time_part(p, "CPU to CPU", "between the farthest in %s", VALUE_handover_most_ns);
	end_parts(p);
}

/* One line each lists what is not there and what is not sure. */

/* Returns false if the line is full. */
static bool listed(struct card_printer *p, const char *label, const char *text)
{
	size_t used = p->parts ? strlen(p->line) : LABEL;

	size_t n = strlen(text), most = COLUMNS - LABEL - MORE;

	if (p->parts && used + 2 + n + MORE > COLUMNS)
		return false;
	if (n > most) /* words, not letters, are left out */
		for (n = most - 3; n && text[n] != ' '; n--)
			;
	part(p, label, "%.*s%s", (int)n, text, text[n] ? "..." : "");
	return true;
}

static void end_list(struct card_printer *p, unsigned more)
{
	if (p->parts)
		print(p, more ? "%s, and %u more" : "%s", p->line, more);
	p->parts = 0;
}

static bool is_main(const struct card_value *v)
{
	return value_facts(value_by_name(v->name)).line != CARD_NONE;
}

/* The main values that are guesses, by their names in the result. */
static void unsure_line(struct card_printer *p)
{
	unsigned more = 0;
	char text[COLUMNS];

	values_begin(p);
	for (unsigned i = 0; i < p->card->n; i++) {
		const struct card_value *v = &p->card->values[i];

		if (!known(v) || rounded(v->confidence) >= GRADE_LIKELY || !is_main(v))
			continue;
		text_format(text, sizeof text, "%s %.0f %%", v->name, 100 * v->confidence);
		more += !listed(p, "NOT SURE", text);
	}
	end_list(p, more);
}

/* A line of the caller: whole, so that a file's name can be copied from it. */
static void note(struct card_printer *p, const char *label, const char *command, const char *text)
{
	char line[NOTE_BYTES];
	int n = text_format(line, sizeof line, "%-*s%s%s\n", LABEL, label, command, text);

	head(p);
	p->say(p->to, line, n < NOTE_BYTES ? (size_t)n : NOTE_BYTES - 1);
}

/* The next commands, on one line if both fit. */
static void next_lines(struct card_printer *p, const char *file)
{
	bool one = LABEL + sizeof "anechoic check ; anechoic report " - 1 + 2 * strlen(file) <=
		COLUMNS;

	if (one) {
		print(p, "%-*sanechoic check %s; anechoic report %s", LABEL, "NEXT", file, file);
		return;
	}
	note(p, "NEXT", "anechoic check ", file);
	note(p, "", "anechoic report ", file);
}

/* The main values that were measured and are not resolved, with the reasons. */
static void open_line(struct card_printer *p)
{
	unsigned more = 0;
	char text[COLUMNS];

	values_begin(p);
	for (unsigned i = 0; i < p->card->n; i++) {
		const struct card_value *v = &p->card->values[i];

		if (known(v) || !looked_for(v) || !is_main(v))
			continue;
		text_format(text, sizeof text, "%s: %s", v->name, v->reason);
		more += !listed(p, "?", text);
	}
	end_list(p, more);
}

void card_print(const struct card *card, const struct card_beside *beside, card_say *say, void *to)
{
	struct card_printer p = { .card = card, .say = say, .to = to };

	if (beside && beside->core_of)
		p.core = beside->core_of(card->vendor, card->family, card->model, card->core_type);
	verdict(&p);
	for (unsigned i = 0; i < LEVELS; i++)
		level_row(&p, &levels[i]);
	parallel_line(&p);
	system_line(&p);
	core_line(&p);
	handover_line(&p);
	if (p.lines)
		unsure_line(&p);
	if (p.lines && beside && beside->not_done && *beside->not_done)
		note(&p, "NOT DONE", "", beside->not_done);
	if (beside && beside->saved) {
		note(&p, "SAVED", "", beside->saved);
		next_lines(&p, beside->saved);
	}
	if (p.lines)
		open_line(&p);
}
