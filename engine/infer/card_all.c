/* SPDX-License-Identifier: MIT */
/* Print all main values, a line of them after another: `anechoic show --all`. */
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "engine/infer/card.h"
#include "engine/infer/infer.h"
#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "lib/values.h"

#define LINE_TEXT       53 /* columns of what is measured and of the claim */
#define LINE_CLAIMED    35 /* of what is measured beside a claim */
#define LEVELS          5  /* L1 to L4 and memory */
#define MODULES_COLUMNS 60 /* beside the label */
#define NO_LIMIT        " (no limit known)"
#define SMALL_RATE      0.1 /* smaller ones would be printed as 0.0 */

/* A card being printed. */
struct card_printer {
	const struct card *card;
	card_say *say;
	void *to;
	unsigned lines, disagree, open, disturbed;
	double unsure; /* 1 - the confidence of the least sure value of the line to come */
};

static void print(struct card_printer *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void print(struct card_printer *p, const char *format, ...)
{
	char text[160];
	va_list args;
	int n;

	va_start(args, format);
	n = text_vformat(text, sizeof text, format, args);
	va_end(args);
	p->say(p->to, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

static bool known(const struct card_value *v)
{
	return v && math_finite(v->value);
}

/* Returns true if the value is only a lower bound. */
static bool at_least(const struct card_value *v)
{
	return math_finite(v->low) && !math_finite(v->high);
}

/* Returns true if a row was measured for the value; otherwise it has no line. */
static bool looked_for(const struct card_value *v)
{
	return known(v) || (v && strcmp(v->reason, NOT_MEASURED) != 0);
}

static void head(struct card_printer *p)
{
	if (!p->lines++)
		print(p, "\n%-18s %-36s%-8s %-9s sure\n", "all main values", "measured", "CPUID",
			"");
}

/* Beside a value that has no claim: what it is in quiet moments, or was in busy ones. */
static void other_text(const struct card_value *v, char out[24])
{
	double number = card_value_quiet(v) ? v->value : v->floor;
	char text[16];

	*out = 0;
	if (!math_finite(v->floor))
		return;
	if (strcmp(v->unit, "bytes") == 0)
		size_text(number, text);
	else
		text_format(text, sizeof text, "%.4g%s", number,
			strcmp(v->unit, "ns") == 0 ? " ns" : "");
	text_format(out, 24, card_value_quiet(v) ? "busy %s" : "quiet %s", text);
}

/* A value that the line under way has: it is at most as sure. */
static double shown(struct card_printer *p, const struct card_value *v)
{
	if (!known(v))
		return NOT_A_NUMBER;
	p->unsure = math_max(p->unsure, 1 - v->confidence);
	return card_value_shown(v);
}

/*
 * One line: what is measured, the claim for it as text, whether it agrees, and how sure the least
 * sure of its values is. A value that is not resolved says why.
 */
static void line(struct card_printer *p, const char *label, const struct card_value *v,
	const char *text, const char *claim)
{
	char sure[12] = "", why[64], other[24], both[80], whole[128];
	const char *verdict = "";
	int n;

	shown(p, v);
	double unsure = p->unsure;

	p->unsure = 0;
	if (!looked_for(v))
		return;
	head(p);
	if (known(v)) {
		text_format(sure, sizeof sure, "%3.0f %%", 100 * (1 - unsure));
		verdict = !*claim ? "" : v->agrees ? "agrees" : "DISAGREES";
	} else {
		text_format(why, sizeof why, "? %s", v->reason);
		text = why;
		p->open++;
	}
	if (math_finite(v->floor)) {
		text_format(sure + strlen(sure), sizeof sure - strlen(sure), "*");
		p->disturbed++;
	}
	p->disagree += *verdict == 'D';
	other_text(v, other);
	bool wide = *claim && strlen(text) >= LINE_CLAIMED; /* it says itself whose claim follows */

	if (!*claim && strlen(text) + strlen(other) < LINE_TEXT)
		claim = other;
	text_format(both, sizeof both,
		*verdict       ? "%-35s %-8s %s"
			: wide ? "%s (CPUID %s)"
			       : "%-35s %s",
		text, claim, verdict);
	n = text_format(whole, sizeof whole, "%-18s %-54s%s", label, both, sure);
	while (n && whole[n - 1] == ' ')
		n--;
	print(p, "%.*s\n", n, whole);
}

static const struct card_value *value_of(const struct card_printer *p, enum value_id id)
{
	return card_value(p->card, value_facts(id).name);
}

static double value(struct card_printer *p, enum value_id id)
{
	return shown(p, value_of(p, id));
}

/* A line to come. */
struct written {
	const char *label;
	const char *tail; /* of a list: behind its values */
	unsigned n;
	enum value_id of[LINE_VALUES];
};

static void claim_text(const struct card_value *v, bool bytes, char out[16])
{
	*out = 0;
	if (!v || !math_finite(v->claimed))
		return;
	if (bytes)
		size_text(v->claimed, out);
	else
		text_format(out, 16, "%.0f", v->claimed);
}

/* Appends a number with its unit; nothing where it is not known. */
static void put_number(char *out, size_t bytes, const char *format, double number)
{
	size_t used = strlen(out);

	if (math_finite(number))
		text_format(out + used, bytes - used, format, number);
}

/* Appends the values from this one on, as the table has their parts of the line. */
static void put_parts(struct card_printer *p, const struct written *w, unsigned from, char *out,
	size_t bytes)
{
	for (unsigned i = from; i < w->n; i++)
		put_number(out, bytes, value_facts(w->of[i]).part, value(p, w->of[i]));
}

/* The first value's size, and what a load from there costs. */
static void cache_line(struct card_printer *p, const struct written *w)
{
	const struct card_value *v = value_of(p, w->of[0]);
	char text[64] = "", range[24], claim[16];

	claim_text(v, true, claim);
	if (known(v)) {
		card_value_size(v, range);
		text_format(text, sizeof text, "%-13s", range);
		put_parts(p, w, 1, text, sizeof text);
	}
	line(p, w->label, v, text, claim);
}

/* The sizes that memory's latency holds for, and what a load from there costs. */
static void memory_line(struct card_printer *p, const struct written *w)
{
	const struct card_value *ns = value_of(p, w->of[1]);
	char text[64];

	text_format(text, sizeof text, "%-13.12s", ns ? ns->form : "");
	put_parts(p, w, 0, text, sizeof text);
	line(p, w->label, ns, text, "");
}

/* The parts as they are. */
static void phrase_line(struct card_printer *p, const struct written *w)
{
	char text[64] = "";

	put_parts(p, w, 0, text, sizeof text);
	line(p, w->label, value_of(p, w->of[0]), text, "");
}

/* A count with its bracket: "4096..8191"; v is known. */
static void count_text(const struct card_value *v, char *out, size_t bytes)
{
	char range[CARD_TEXT];

	if (card_value_count(v, range))
		text_format(out, bytes, "%s", range);
	else
		text_format(out, bytes, "%.4g", card_value_shown(v));
}

/* A count and its unit, or a count and parts. */
static void count_line(struct card_printer *p, const struct written *w)
{
	const struct card_value *v = value_of(p, w->of[0]);
	char text[64] = "", claim[16];

	claim_text(v, false, claim);
	if (known(v)) {
		count_text(v, text, sizeof text);
		if (w->n == 1)
			text_format(text + strlen(text), sizeof text - strlen(text), " %s",
				v->unit);
	}
	put_parts(p, w, 1, text, sizeof text);
	line(p, w->label, v, text, claim);
}

/*
 * Bytes per cycle of an operation in L1, L2, L3, perhaps L4, and memory, by the fastest form tried:
 * the second half of the values. A result of an earlier version has one form only, the first half.
 */
static void rate_line(struct card_printer *p, const struct written *w)
{
	const struct card_value *first = NULL;
	char text[64] = "";

	for (unsigned i = 0; i < LEVELS; i++) {
		const struct card_value *v = value_of(p, w->of[LEVELS + i]);

		if (!v)
			v = value_of(p, w->of[i]);
		if (!v && i + 2 == LEVELS) /* L4: few have one */
			continue;
		if (!first && known(v))
			first = v;
		if (i)
			put_number(text, sizeof text, " / ", 0);
		put_number(text, sizeof text,
			!known(v)                                  ? "-"
				: card_value_shown(v) < SMALL_RATE ? "%.2g"
								   : "%.1f",
			known(v) ? shown(p, v) : 0);
	}
	line(p, w->label, first, text, "");
}

/* Appends the entries of a level, or the range that they lie in. */
static void put_entries(struct card_printer *p, char *out, size_t bytes, const struct card_value *v)
{
	char range[CARD_TEXT];
	size_t used = strlen(out);

	if (!known(v))
		return;
	shown(p, v);
	if (!card_value_count(v, range))
		text_format(range, sizeof range, "%.0f", v->value);
	text_format(out + used, bytes - used, used ? " + %s" : "%s", range);
}

/*
 * Add the costs of a miss in each level, in cycles: a hit in the second level, then a walk. Omit
 * their names if they leave no space for the claim.
 */
static void put_costs(struct card_printer *p, char *text, size_t bytes, const enum value_id of[2],
	size_t most)
{
	bool hit = known(value_of(p, of[0])), walk = known(value_of(p, of[1]));
	size_t used = strlen(text);

	put_number(text, bytes, ", miss +%.1f", value(p, of[0]));
	put_number(text, bytes, ", walk +%.1f", value(p, of[1]));
	if (hit || walk)
		put_number(text, bytes, " cy", 0);
	if (strlen(text) <= most)
		return;
	text[used] = 0;
	put_number(text, bytes, hit ? ", +%.1f" : ", ?", hit ? value(p, of[0]) : 0);
	put_number(text, bytes, "/+%.1f", value(p, of[1]));
	put_number(text, bytes, " cy", 0);
}

/* Entries of both levels and what missing them costs, in this order. */
static void tlb_line(struct card_printer *p, const struct written *w)
{
	char text[64] = "", claim[16] = "";

	claim_text(value_of(p, w->of[0]), false, claim);
	put_entries(p, text, sizeof text, value_of(p, w->of[0]));
	put_entries(p, text, sizeof text, value_of(p, w->of[1]));
	put_costs(p, text, sizeof text, w->of + 2, *claim ? LINE_CLAIMED : LINE_TEXT);
	line(p, w->label, value_of(p, w->of[0]), text, claim);
}

/* The modules in so many columns; what does not fit is marked. */
static void cut_modules(const char *memory, int columns, char out[MODULES_COLUMNS + 1])
{
	bool cut = strlen(memory) > (size_t)columns;

	text_format(out, MODULES_COLUMNS + 1, "%.*s%s", cut ? columns - 3 : columns, memory,
		cut ? "..." : "");
}

/*
 * The modules that the firmware states, the most that they can transfer, and what all CPUs read. A
 * limit below what was read is none: the firmware states the modules wrongly ("but").
 */
static void modules_line(struct card_printer *p, const struct written *w)
{
	const struct card_value *v = value_of(p, VALUE_memory_read_gbs);
	double limit = p->card->memory_limit_gbs,
	       read = known(v) ? card_value_shown(v) : NOT_A_NUMBER;
	const char *memory = p->card->memory;
	char text[80] = "", part[MODULES_COLUMNS + 1];

	if (!p->lines || !*memory)
		return;
	if (!math_finite(limit)) {
		cut_modules(memory, MODULES_COLUMNS - (int)strlen(NO_LIMIT), part);
		print(p, "%-18s %s" NO_LIMIT "\n", w->label, part);
		return;
	}
	put_number(text, sizeof text, "at most %.0f GB/s", limit);
	put_number(text, sizeof text, read > limit ? ", but read %.1f" : ", read %.1f", read);
	if (read <= limit)
		put_number(text, sizeof text, " (%.0f %%)", 100 * read / limit);
	cut_modules(memory, MODULES_COLUMNS, part);
	if (strlen(part) + 2 + strlen(text) <= MODULES_COLUMNS)
		print(p, "%-18s %s, %s\n", w->label, part, text);
	else
		print(p, "%-18s %s\n%-18s %s\n", w->label, part, "", text);
}

static void clock_line(struct card_printer *p, const struct written *w)
{
	const struct card_value *v = value_of(p, VALUE_core_clock_hz);
	char text[64] = "";

	put_number(text, sizeof text, "%.3f GHz", value(p, VALUE_core_clock_hz) / 1e9);
	if (known(v) && v->low < v->high) {
		put_number(text, sizeof text, ", %.2f GHz", v->low / 1e9);
		put_number(text, sizeof text, " to %.2f GHz", v->high / 1e9);
	} else {
		put_number(text, sizeof text, ", %.3f times the TSC",
			value(p, VALUE_core_tsc_ratio));
	}
	line(p, w->label, v, text, "");
}

static void amount(char *out, size_t bytes, double number, const char *unit)
{
	put_number(out, bytes, number < 100 ? "%.3g" : "%.0f", number);
	text_format(out + strlen(out), bytes - strlen(out), "%s", unit);
}

static void noise_line(struct card_printer *p, const struct written *w)
{
	char text[64] = "";

	amount(text, sizeof text, value(p, VALUE_noise_stolen_ppm), " ppm stolen, ");
	amount(text, sizeof text, value(p, VALUE_noise_gaps_per_second), " gaps/s, to ");
	amount(text, sizeof text, value(p, VALUE_noise_longest_ns) / 1e3, " us");
	line(p, w->label, value_of(p, VALUE_noise_stolen_ppm), text, "");
}

/* Print the values that the room could measure: ">=" where something else ended first. */
static void list_line(struct card_printer *p, const struct written *w)
{
	const struct card_value *first = NULL;
	char text[64] = "";

	for (unsigned i = 0; i < w->n; i++) {
		const struct card_value *v = value_of(p, w->of[i]);

		if (!known(v))
			continue;
		text_format(text + strlen(text), sizeof text - strlen(text), "%s%s",
			first ? ", " : "", at_least(v) ? ">=" : "");
		put_number(text, sizeof text, value_facts(w->of[i]).part, shown(p, v));
		first = first ? first : v;
	}
	if (first && w->tail)
		text_format(text + strlen(text), sizeof text - strlen(text), " %s", w->tail);
	line(p, w->label, first, text, "");
}

/* Print the difference of the CPUs' time stamp counters. */
static void skew_line(struct card_printer *p, const struct written *w)
{
	const struct card_value *v = value_of(p, VALUE_tsc_skew_ns);
	double adjusted = value(p, VALUE_tsc_adjust_ticks);
	char text[64] = "";

	if (known(v)) {
		put_number(text, sizeof text, "%.0f..", v->low);
		put_number(text, sizeof text, "%.0f ns", v->high);
	}
	put_number(text, sizeof text, ", %.3g ppm", value(p, VALUE_tsc_drift_ppm));
	if (adjusted > 0)
		put_number(text, sizeof text, ", TSC_ADJUST %.0f", adjusted);
	line(p, w->label, v, text, "");
}

/* Print the time that the firmware takes for itself. */
static void smi_line(struct card_printer *p, const struct written *w)
{
	char text[64] = "";

	put_number(text, sizeof text, "%.3g/s", value(p, VALUE_smis_per_second));
	put_number(text, sizeof text, ", of %.0f", value(p, VALUE_smi_length_ns) / 1e3);
	put_number(text, sizeof text, " to %.0f us", value(p, VALUE_smi_longest_ns) / 1e3);
	put_number(text, sizeof text, ", every %.3g s", value(p, VALUE_smi_period_ns) / 1e9);
	line(p, w->label, value_of(p, VALUE_smis_per_second), text, "");
}

/* Print the meaning of the marks, and the number of each. */
static void legend(struct card_printer *p)
{
	if (!p->lines)
		return;
	print(p, "? not resolved, why: %u. Unlike CPUID's claim: %u.\n", p->open, p->disagree);
	if (p->disturbed)
		print(p, "* disturbed: %u. Beside them stands what quiet, or busy, moments say.\n",
			p->disturbed);
}

static const struct {
	void (*write)(struct card_printer *, const struct written *);
	const char *label, *tail;
} lines[CARD_LINES] = {
	[CARD_NOISE] = { noise_line, "noise", NULL },
	[CARD_L1] = { cache_line, "L1 data cache", NULL },
	[CARD_L2] = { cache_line, "L2 cache", NULL },
	[CARD_L3] = { cache_line, "L3 cache", NULL },
	[CARD_L4] = { cache_line, "L4 cache", NULL },
	[CARD_MEMORY] = { memory_line, "memory", NULL },
	[CARD_WALKING] = { memory_line, "with page walks", NULL },
	[CARD_LINE] = { count_line, "cache line", NULL },
	[CARD_WAYS] = { count_line, "L1 ways", NULL },
	[CARD_TLB_4K] = { tlb_line, "TLB, 4 KiB pages", NULL },
	[CARD_TLB_2M] = { tlb_line, "TLB, 2 MiB pages", NULL },
	[CARD_PARALLEL] = { phrase_line, "misses at once", NULL },
	[CARD_PAGES] = { phrase_line, "4 KiB pages cost", NULL },
	[CARD_READ] = { rate_line, "read  B/cycle", NULL },
	[CARD_WRITE] = { rate_line, "write B/cycle", NULL },
	[CARD_COPY] = { rate_line, "copy  B/cycle", NULL },
	[CARD_MODULES] = { modules_line, "memory modules", NULL },
	[CARD_HANDOVER] = { list_line, "CPU to CPU", "ns" },
	[CARD_SYSTEM] = { list_line, "Linux", "ns" },
	[CARD_WINDOW] = { count_line, "window", NULL },
	[CARD_REGISTERS] = { list_line, "registers", "renamed" },
	[CARD_IN_FLIGHT] = { list_line, "in flight", "at once" },
	[CARD_WAITING] = { list_line, "waiting", NULL },
	[CARD_MISPREDICTION] = { count_line, "misprediction", NULL },
	[CARD_BRANCHES] = { count_line, "random branches", NULL },
	[CARD_TARGETS] = { count_line, "branch targets", NULL },
	[CARD_RETURNS] = { count_line, "return stack", NULL },
	[CARD_STORE_LOAD] = { list_line, "store to load", "cy" },
	[CARD_ISSUED] = { list_line, "issued a cycle", "ops" },
	[CARD_PRIVILEGED] = { list_line, "privileged", "cycles" },
	[CARD_WAKE] = { list_line, "to wake a CPU", "ns" },
	[CARD_SMI] = { smi_line, "SMIs", NULL },
	[CARD_CLOCK] = { clock_line, "core clock", NULL },
	[CARD_SKEW] = { skew_line, "TSCs differ by", NULL },
};

void card_print_all(const struct card *card, card_say *say, void *to)
{
	struct card_printer p = { .card = card, .say = say, .to = to };

	for (enum card_line i = CARD_NONE + 1; i < CARD_LINES; i++) {
		struct written w = { .label = lines[i].label, .tail = lines[i].tail };

		w.n = values_on_line(i, w.of);
		lines[i].write(&p, &w);
	}
	legend(&p);
}
