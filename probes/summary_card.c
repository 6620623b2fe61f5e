/* SPDX-License-Identifier: MIT */
/* The card of the machine: one screen for people, from the same findings as the summary lines. */
#include "engine/find.h"
#include "lib/math.h"
#include "engine/table.h"
#include "lib/text.h"

#include <string.h>

struct card {
	const struct findings *f;
	unsigned lines, disagree, open;
};

static bool known(const struct summary *s)
{
	return s && math_finite(s->value);
}

static bool measured(const struct summary *s)
{
	return s && (known(s) || strcmp(s->reason, NOT_MEASURED) != 0);
}

static void head(struct card *c)
{
	const struct facts *facts = &c->f->b->env->facts;
	struct cpu_claim cpu;

	if (c->lines++)
		return;
	claims_cpu(c->f->b->env, &cpu);
	say(c->f->b, "\nThe machine as measured in room %s%s\n", room_names[c->f->b->env->room],
		facts->emulated              ? "   *** EMULATED: these mean nothing ***"
			: *facts->hypervisor ? "   *** VIRTUAL: under a hypervisor ***"
					     : "");
	say(c->f->b, "%.40s, family %u, model %u, stepping %u\n",
		*cpu.brand ? cpu.brand : cpu.vendor, cpu.family, cpu.model, cpu.stepping);
	say(c->f->b, "%-18s %-36s%-8s %-9s sure\n", "", "measured", "CPUID", "");
}

/*
 * One line: what is measured, the claim for it as text, whether it agrees, and how sure the first
 * finding is. A value that is not resolved says why.
 */
static void line(struct card *c, const char *label, const struct summary *s, const char *text,
	const char *claim)
{
	char sure[8] = "", why[64], both[80], whole[128];
	const char *verdict = "";
	int n;

	if (!measured(s))
		return;
	head(c);
	if (known(s)) {
		text_format(sure, sizeof sure, "%3.0f %%", 100 * s->confidence);
		verdict = !*claim ? "" : summary_agrees(s) ? "agrees" : "DISAGREES";
	} else {
		text_format(why, sizeof why, "? %s", s->reason);
		text = why;
		c->open++;
	}
	c->disagree += *verdict == 'D';
	text_format(both, sizeof both, "%-35s %s", text, claim);
	n = text_format(whole, sizeof whole, "%-18s %-44s %-9s%s", label, both, verdict, sure);
	while (n && whole[n - 1] == ' ')
		n--;
	say(c->f->b, "%.*s\n", n, whole);
}

static const struct summary *get(const struct card *c, const char *name)
{
	return finding(c->f, name);
}

static double value(const struct card *c, const char *name)
{
	const struct summary *s = get(c, name);

	return known(s) ? s->value : NOT_A_NUMBER;
}

/* "32K..45.2K": the bracket; or a lone value. */
static void size_text(const struct summary *s, char out[24])
{
	char low[16], high[16];

	table_bytes(s->value, low);
	table_bytes(s->high, high);
	text_format(out, 24, s->low < s->high ? "%s..%s" : "%s", low, high);
}

static void claim_text(const struct summary *s, bool bytes, char out[16])
{
	*out = 0;
	if (!s || !math_finite(s->claimed))
		return;
	if (bytes)
		table_bytes(s->claimed, out);
	else
		text_format(out, 16, "%.0f", s->claimed);
}

/* Appends a number with its unit; nothing where it is not known. */
static void put(char *out, size_t bytes, const char *format, double number)
{
	size_t used = strlen(out);

	if (math_finite(number))
		text_format(out + used, bytes - used, format, number);
}

static void cache_line(struct card *c, const char *label, const char *size, const char *cycles,
	const char *ns)
{
	const struct summary *s = get(c, size);
	char text[64] = "", range[24], claim[16];

	claim_text(s, true, claim);
	if (known(s)) {
		size_text(s, range);
		text_format(text, sizeof text, "%-13s", range);
		put(text, sizeof text, "%6.1f cy", value(c, cycles));
		put(text, sizeof text, "%8.2f ns", value(c, ns));
	}
	line(c, label, s, text, claim);
}

static void memory_line(struct card *c)
{
	char text[64] = "             ";

	put(text, sizeof text, "%6.1f cy", value(c, "memory_latency_cycles"));
	put(text, sizeof text, "%8.2f ns", value(c, "memory_latency_ns"));
	line(c, "memory", get(c, "memory_latency_ns"), text, "");
}

/* A count with its bracket: "4096..8191 branches". */
static void count_line(struct card *c, const char *label, const char *name)
{
	const struct summary *s = get(c, name);
	char text[64] = "", claim[16];

	claim_text(s, false, claim);
	if (known(s) && s->high > s->low + 1 && s->low == s->value)
		text_format(text, sizeof text, "%.0f..%.0f %s", s->value, s->high - 1, s->unit);
	else if (known(s))
		text_format(text, sizeof text, "%.4g %s", s->value, s->unit);
	line(c, label, s, text, claim);
}

static void parallel_line(struct card *c)
{
	char text[64] = "";

	put(text, sizeof text, "%.1f", value(c, "parallel_misses"));
	put(text, sizeof text, " (%.1f with 4 KiB pages)", value(c, "parallel_misses_4k"));
	line(c, "misses at once", get(c, "parallel_misses"), text, "");
}

static void page_line(struct card *c)
{
	char text[64] = "";

	put(text, sizeof text, "%.2f times the latency of memory", value(c, "page_size_effect"));
	line(c, "4 KiB pages cost", get(c, "page_size_effect"), text, "");
}

/* Bytes per cycle in L1, L2, L3 and memory. */
static void rate_line(struct card *c, const char *label, const char *const names[LEVELS])
{
	const struct summary *first = NULL;
	char text[64] = "";

	for (unsigned i = 0; i < LEVELS; i++) {
		const struct summary *s = get(c, names[i]);

		if (!first && known(s))
			first = s;
		put(text, sizeof text, i ? " / %.1f" : "%.1f", known(s) ? s->value : 0);
	}
	line(c, label, first, text, "");
}

static void rate_lines(struct card *c)
{
	rate_line(c, "read  B/cycle", rate_names[0]);
	rate_line(c, "write B/cycle", rate_names[1]);
	rate_line(c, "copy  B/cycle", rate_names[2]);
}

/* Entries of both levels and what missing them costs, in cycles. */
static void tlb_line(struct card *c, const char *label, const char *const names[4])
{
	char text[64] = "", claim[16] = "";

	claim_text(get(c, names[0]), false, claim);
	put(text, sizeof text, "%.0f", value(c, names[0]));
	put(text, sizeof text, " + %.0f", value(c, names[1]));
	put(text, sizeof text, " entries, +%.1f", value(c, names[2]));
	put(text, sizeof text, " / +%.1f cy", value(c, names[3]));
	line(c, label, get(c, names[0]), text, claim);
}

static void tlb_lines(struct card *c)
{
	static const char *const small[] = { "dtlb_4k_entries", "stlb_entries", "stlb_hit_cycles",
		"walk_cycles" };
	static const char *const large[] = { "dtlb_2m_entries", "stlb_2m_entries",
		"stlb_2m_hit_cycles", "walk_2m_cycles" };

	tlb_line(c, "TLB, 4 KiB pages", small);
	tlb_line(c, "TLB, 2 MiB pages", large);
}

static void clock_line(struct card *c)
{
	char text[64] = "";

	put(text, sizeof text, "%.3f GHz", value(c, "core_clock_hz") / 1e9);
	put(text, sizeof text, ", %.3f times the TSC", value(c, "core_tsc_ratio"));
	line(c, "core clock", get(c, "core_clock_hz"), text, "");
}

static void amount(char *out, size_t bytes, double number, const char *unit)
{
	put(out, bytes, number < 100 ? "%.3g" : "%.0f", number);
	text_format(out + strlen(out), bytes - strlen(out), "%s", unit);
}

static void noise_line(struct card *c)
{
	char text[64] = "";

	amount(text, sizeof text, value(c, "noise_stolen_ppm"), " ppm, ");
	amount(text, sizeof text, value(c, "noise_gaps_per_second"), " gaps/s, to ");
	amount(text, sizeof text, value(c, "noise_longest_ns") / 1e3, " us");
	line(c, "stolen time", get(c, "noise_stolen_ppm"), text, "");
}

void print_card(const struct findings *f)
{
	struct card c = { .f = f };

	cache_line(&c, "L1 data cache", "l1d_bytes", "l1d_latency_cycles", "l1d_latency_ns");
	cache_line(&c, "L2 cache", "l2_bytes", "l2_latency_cycles", "l2_latency_ns");
	cache_line(&c, "L3 cache", "l3_bytes", "l3_latency_cycles", "l3_latency_ns");
	memory_line(&c);
	count_line(&c, "cache line", "line_bytes");
	count_line(&c, "L1 ways", "l1d_ways");
	tlb_lines(&c);
	parallel_line(&c);
	page_line(&c);
	rate_lines(&c);
	count_line(&c, "window", "window_instructions");
	count_line(&c, "misprediction", "mispredict_cycles");
	count_line(&c, "random branches", "predictor_branches");
	count_line(&c, "branch targets", "branch_targets");
	count_line(&c, "return stack", "return_stack");
	clock_line(&c);
	noise_line(&c);
	if (c.lines)
		say(f->b, "? = not resolved, why. %u not resolved, %u unlike CPUID's claim.\n",
			c.open, c.disagree);
}
