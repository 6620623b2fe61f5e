/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/text.h"
#include "lib/stats.h"
#include "linux/report/compare/effects.h"
#include "linux/report/reading/results.h"
#include "linux/report/compare/compare_parts.h"
#include "linux/report/wrap.h"
#include "linux/report/compare/sets.h"

/* The names of the sets in a comparison, and the choice of sets that are shown. */

#define SETS_BESIDE 4 /* columns that fit */

char set_letter(size_t set)
{
	return (char)('A' + set);
}

static const char *kernel_of(const struct set *set)
{
	return text_of(json_object_get(set->runs[0]->head, KEY_OS), "kernel");
}

/* A name for the room that everybody understands; "": there is none. */
static void system_name(const struct set *set, char out[64])
{
	if (!strcmp(set->room, "hosted"))
		snprintf(out, 64, "Linux%s%.50s", *kernel_of(set) ? " " : "", kernel_of(set));
	else if (!strcmp(set->room, "bare"))
		strcpy(out, "no system");
	else if (!strcmp(set->room, "firmware"))
		strcpy(out, "the firmware");
	else
		snprintf(out, 64, "room %.50s", set->room);
}

static const char *brand_of(const struct set *set)
{
	return text_of(json_object_get(set->runs[0]->head, KEY_CPU), KEY_BRAND);
}

/*
 * Print the name of `set`, which is the first one or s, in the comparison of these two, with its
 * letter: its system if the two differ in it ("Linux 6.1 (B)"), else its file; with its processor
 * if these differ.
 */
static void print_who(const struct comparison *c, size_t set, size_t s, FILE *out)
{
	const struct set *this = &c->sets.set[set], *a = &c->sets.set[0], *b = &c->sets.set[s];
	char name[2][64];

	system_name(a, name[0]);
	system_name(b, name[1]);
	if (strcmp(name[0], name[1]) && !is_simulated(this))
		fputs(name[set > 0], out);
	else
		fputs(strcmp(set_name(a), set_name(b)) ? set_name(this) : this->group, out);
	fprintf(out, " (%c", set_letter(set));
	if (strcmp(brand_of(a), brand_of(b)))
		fprintf(out, ", %.32s", brand_of(this));
	fputc(')', out);
}

bool costs_mean_something(const struct comparison *c, size_t s)
{
	const struct set *a = &c->sets.set[0], *b = &c->sets.set[s];

	return (!is_emulated(a) && !is_emulated(b)) || (is_simulated(a) && is_simulated(b));
}

static bool is_an_emulators(const struct set *set)
{
	return is_emulated(set) && !is_simulated(set);
}

const char *costs_forbidden_by(const struct comparison *c, size_t s)
{
	return is_an_emulators(&c->sets.set[0]) || is_an_emulators(&c->sets.set[s]) ? "EMULATED"
										    : "SIMULATED";
}

size_t sets_on_screen(const struct comparison *c)
{
	return c->sets.n < SETS_BESIDE ? c->sets.n : SETS_BESIDE;
}

/* --- the answer --- */

static const struct {
	const char *level, *name;
} levels[] = { { "l1", "L1" }, { "l2", "L2" }, { "l3", "L3" }, { "l4", "L4" },
	{ "memory", "memory" } };

#define LEVELS (sizeof levels / sizeof *levels)

static const double page_sizes[] = { 4096, 2097152, 1073741824 };

#define PAGES       (sizeof page_sizes / sizeof *page_sizes)
#define LARGE_PAGES 2097152

/* A subject: a selection of rows. */
struct answer_subject {
	const char *probe, *variant, *level; /* NULL: any */
	double page_bytes;                   /* 0: any */
};

static const char curve[] = "pointer-padded"; /* the main curve of `latency` */

static bool is_of(const struct row_data *row, const struct answer_subject *subject)
{
	return !strcmp(row->probe, subject->probe) &&
		(!subject->variant || !strcmp(row->variant, subject->variant)) &&
		(!subject->level || !strcmp(row->level, subject->level)) &&
		(!subject->page_bytes ||
			row_parameter(row->json, KEY_PAGE_BYTES) == subject->page_bytes);
}

/*
 * Returns true if two rows may be compared. At a level, the bytes may differ a little between runs;
 * the pages may not.
 */
static bool alike(const struct compared *row, const struct cell *cell)
{
	const struct row_data *a = row->cells[0].row->row, *b = cell->row->row;

	return cell->exact ||
		(*a->level &&
			row_parameter(a->json, KEY_PAGE_BYTES) ==
				row_parameter(b->json, KEY_PAGE_BYTES));
}

/*
 * Add a group of the rows of the subject that both sets have. n counts it if there are such rows,
 * even if none of them is in every run: then nothing is known of it.
 */
static void add_subject(const struct comparison *c, size_t s, const struct answer_subject *subject,
	struct effect_group *out, size_t *n)
{
	struct effect_group *g = &out[*n];
	struct gathering all = gather(c, s, g);

	for (size_t i = 0; i < c->nrows; i++) {
		const struct compared *row = &c->rows[i];
		const struct cell *cell = &row->cells[s];
		if (!row_counts(row, cell) || !alike(row, cell) ||
			!is_of(row->cells[0].row->row, subject))
			continue;
		g->rows++;
		gather_row(&all, row->cells[0].row, cell);
	}
	gathered(&all);
	*n += g->rows > 0;
}

static struct effect_group named(const char *level, const char *kind)
{
	struct effect_group g = { 0 };

	snprintf(g.level, sizeof g.level, "%s", level);
	snprintf(g.kind, sizeof g.kind, "%s", kind);
	return g;
}

/* The entry of a level in a run's line `end`; NULL: it has none. */
static const json_t *level_of_run(const struct run_data *run, const char *level)
{
	return json_object_get(json_object_get(run->end, KEY_LEVELS), level);
}

/* Returns true if no run of the set assumed the size of the level, or took it from CPUID. */
static bool level_was_seen(const struct set *set, const char *level)
{
	for (size_t i = 0; i < set->nruns; i++) {
		const json_t *of = level_of_run(set->runs[i], level);

		if (of && strcmp(text_of(of, KEY_ORIGIN), "measured"))
			return false;
	}
	return true;
}

/*
 * A group of a level's rows. Rows at a size that was not measured are those of whatever level has
 * this size: their name is the size. Memory is what follows the last level.
 */
static struct effect_group at_level(const struct comparison *c, size_t s, size_t i,
	const char *kind)
{
	const char *level = levels[i].level;
	char size[SIZE_TEXT];

	if (i + 1 == LEVELS ||
		(level_was_seen(&c->sets.set[0], level) && level_was_seen(&c->sets.set[s], level)))
		return named(levels[i].name, kind);
	size_text(number_of(level_of_run(c->sets.set[0].runs[0], level), KEY_BYTES), size);
	return named(size, kind);
}

static void add_latencies(const struct comparison *c, size_t s, struct effect_group *out, size_t *n)
{
	for (size_t page = PAGES; page-- > 0;)
		for (size_t i = 0; i < LEVELS; i++) {
			char size[SIZE_TEXT];
			size_text(page_sizes[page], size);
			out[*n] = at_level(c, s, i, "latency");
			snprintf(out[*n].pages, sizeof out[*n].pages, "%s pages", size);
			add_subject(c, s,
				&(struct answer_subject){
					"latency", curve, levels[i].level, page_sizes[page] },
				out, n);
		}
}

/* The row of the main curve at a level with the largest pages; NULL: none. */
static const struct pooled *largest_pages(const struct set *set, const char *level, double *pages)
{
	const struct pooled *found = NULL;

	*pages = 0;
	for (size_t i = 0; i < set->nrows; i++) {
		const struct answer_subject at = { "latency", curve, level, 0 };
		double bytes = row_parameter(set->rows[i].row->json, KEY_PAGE_BYTES);
		if (is_of(set->rows[i].row, &at) && bytes > *pages) {
			found = &set->rows[i];
			*pages = bytes;
		}
	}
	return found;
}

/* Returns true if any row of the set has pages of this size. */
static bool has_pages(const struct set *set, double pages)
{
	for (size_t i = 0; i < set->nrows; i++)
		if (row_parameter(set->rows[i].row->json, KEY_PAGE_BYTES) == pages)
			return true;
	return false;
}

/*
 * Add the group of a level with the largest pages of each set, if one set has none as large, and no
 * large ones are common to both. A row that was left out does not mean a lack of pages.
 */
static void add_largest(const struct comparison *c, size_t s, size_t level,
	struct effect_group *out, size_t *n)
{
	const struct set *a = &c->sets.set[0], *b = &c->sets.set[s];
	double pages_a, pages_b;
	const struct pooled *base = largest_pages(a, levels[level].level, &pages_a);
	struct cell cell = { .row = largest_pages(b, levels[level].level, &pages_b) };

	if (!base || !cell.row || pages_a == pages_b ||
		has_pages(pages_a < pages_b ? a : b, fmax(pages_a, pages_b)) ||
		(fmin(pages_a, pages_b) >= LARGE_PAGES &&
			has_pages(pages_a > pages_b ? a : b, fmin(pages_a, pages_b))))
		return;
	char of_a[SIZE_TEXT], of_b[SIZE_TEXT];
	size_text(pages_a, of_a);
	size_text(pages_b, of_b);
	out[*n] = at_level(c, s, level, "latency");
	snprintf(out[*n].pages, sizeof out[*n].pages, "%s pages instead of %s", of_b, of_a);
	cell.cycles = both_core_paced(a, base, b, cell.row);
	struct gathering all = gather(c, s, &out[*n]);
	out[*n].rows = 1;
	gather_row(&all, base, &cell);
	gathered(&all);
	*n += !isnan(out[*n].size);
}

/* The logarithm of a run's clock: the median around its rows, else at its start; NAN: unknown. */
static double run_clock(const struct run_data *run)
{
	double *hz = new_array(run->nrows + 1, sizeof *hz);
	size_t n = 0;

	for (size_t i = 0; i < run->nrows; i++)
		if (run->rows[i].core_hz > 0)
			hz[n++] = run->rows[i].core_hz;
	double clock = n ? stats_median(hz, n) : number_of(run->head, KEY_CORE_HZ);
	free(hz);
	return clock > 0 ? log(clock) : NAN;
}

static void add_clock(const struct comparison *c, size_t s, struct effect_group *out, size_t *n)
{
	struct gathering all;

	out[*n] = named("", CLOCK_KIND);
	all = gather(c, s, &out[*n]);
	out[*n].cycles = false;
	for (int side = 0; side < 2; side++) {
		const struct set *set = &c->sets.set[side ? s : 0];
		for (size_t i = 0; i < set->nruns; i++)
			all.sums[side].run[i] = -run_clock(set->runs[i]);
		all.sums[side].rows = 1;
		all.sums[side].assumed = NOISE_ASSUMED / NOISE_DEVIATIONS;
	}
	gathered(&all);
	*n += !isnan(out[*n].size);
}

/* Subjects without levels. */
static const struct {
	const char *kind;
	struct answer_subject subject;
} whole[] = {
	{ "misses in parallel", { "mlp", "chains" } },
	{ "branches", { "branch" } },
	{ "arithmetic", { "ilp" } },
	{ "calls of the system", { "oscost" } },
};

#define WHOLE (sizeof whole / sizeof *whole)

size_t answer_groups(const struct comparison *c, size_t s,
	struct effect_group out[ANSWER_GROUPS_MOST])
{
	size_t n = 0;

	add_clock(c, s, out, &n);
	add_latencies(c, s, out, &n);
	for (size_t level = 0; level < LEVELS; level++)
		add_largest(c, s, level, out, &n);
	for (size_t level = 0; level < LEVELS; level++) {
		out[n] = at_level(c, s, level, "bandwidth");
		add_subject(c, s,
			&(struct answer_subject){ "bandwidth", NULL, levels[level].level }, out,
			&n);
	}
	for (size_t i = 0; i < WHOLE; i++) {
		out[n] = named("", whole[i].kind);
		add_subject(c, s, &whole[i].subject, out, &n);
	}
	if (n == (n && !strcmp(out[0].kind, CLOCK_KIND)))
		n += groups_of_probes(c, s, out + n, ANSWER_GROUPS_MOST - n);
	groups_judge(c, out, n);
	return n;
}

/* The answer of a comparison: one sentence, before anything else. */

#define NAMED_MOST 5    /* most names of one kind in a sentence */
#define CERTAIN    0.05 /* per cent: smaller values are printed as this */

struct answer_subjects {
	struct effect_group group[ANSWER_GROUPS_MOST];
	size_t n;
};

static double percent_of(double logarithm)
{
	return 100 * expm1(logarithm);
}

static bool is_clock(const struct effect_group *g)
{
	return !strcmp(g->kind, CLOCK_KIND);
}

static const struct effect_group *clock_of(const struct answer_subjects *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (is_clock(&all->group[i]))
			return &all->group[i];
	return NULL;
}

/* The number of subjects with that verdict, without the clock. */
static size_t count_verdict(const struct answer_subjects *all, enum verdict verdict)
{
	size_t found = 0;

	for (size_t i = 0; i < all->n; i++)
		found += all->group[i].verdict == verdict && !is_clock(&all->group[i]);
	return found;
}

/* Print "+16.0 % time in memory latency with 4K pages (+13.1..+19.2)", the largest first. */
static void print_sizes(const struct answer_subjects *all, enum verdict verdict, FILE *out)
{
	size_t total = count_verdict(all, verdict), printed = 0;
	bool done[ANSWER_GROUPS_MOST] = { false };

	for (; printed < total && printed < NAMED_MOST; printed++) {
		const struct effect_group *largest = NULL;
		char name[GROUP_NAME];
		for (size_t i = 0; i < all->n; i++) {
			const struct effect_group *g = &all->group[i];
			if (g->verdict == verdict && !is_clock(g) && !done[i] &&
				(!largest || fabs(g->size) > fabs(largest->size)))
				largest = g;
		}
		done[largest - all->group] = true;
		group_name(largest, name);
		fprintf(out, "%s%+.1f %%%s in %s (%+.1f..%+.1f)", printed ? "; " : " ",
			percent_of(largest->size), largest->cycles ? " core cycles" : " time", name,
			percent_of(largest->low), percent_of(largest->high));
	}
	if (total > printed)
		fprintf(out, "; and more in %zu others", total - printed);
}

/* Returns true if the two differ in their level only. */
static bool together(const struct effect_group *a, const struct effect_group *b)
{
	return *a->level && !strcmp(a->kind, b->kind) && !strcmp(a->pages, b->pages);
}

/* The next subject with that verdict from i on, or n. */
static size_t next_of_verdict(const struct answer_subjects *all, size_t i, enum verdict verdict)
{
	while (i < all->n && (all->group[i].verdict != verdict || is_clock(&all->group[i])))
		i++;
	return i;
}

/* Print "L1, L2 and L3 latency with 2M pages; memory bandwidth". */
static void print_names(const struct answer_subjects *all, enum verdict verdict, FILE *out)
{
	size_t i = next_of_verdict(all, 0, verdict), lists = 0;

	while (i < all->n && lists < NAMED_MOST) {
		const struct effect_group *first = &all->group[i];
		fprintf(out, "%s%s", lists++ ? "; " : " ", first->level);
		size_t then = next_of_verdict(all, i + 1, verdict);
		while (then < all->n && together(first, &all->group[then])) {
			size_t after = next_of_verdict(all, then + 1, verdict);
			bool last = after == all->n || !together(first, &all->group[after]);
			fprintf(out, "%s%s", last ? " and " : ", ", all->group[then].level);
			then = after;
		}
		fprintf(out, "%s%s%s%s", *first->level ? " " : "", first->kind,
			*first->pages ? " with " : "", first->pages);
		i = then;
	}
	size_t more = 0;
	for (; i < all->n; i = next_of_verdict(all, i + 1, verdict))
		more++;
	if (more)
		fprintf(out, "; and %zu more", more);
}

/* The largest distance that the groups of the same speed may have, in per cent. */
static double furthest(const struct answer_subjects *all)
{
	double most = 0;

	for (size_t i = 0; i < all->n; i++)
		if (all->group[i].verdict == VERDICT_SAME && !is_clock(&all->group[i]))
			most = fmax(most, fmax(-all->group[i].low, all->group[i].high));
	return fmax(CERTAIN, percent_of(most));
}

/* Print "Linux 6.1 (B) costs, against no system (A): ...". */
static void print_cost(const struct comparison *c, size_t s, const struct answer_subjects *all,
	FILE *out)
{
	size_t slower = count_verdict(all, VERDICT_SLOWER), same = count_verdict(all, VERDICT_SAME);

	print_who(c, s, s, out);
	if (same && !slower)
		fprintf(out, " costs nothing beyond %.1f %%, against ", furthest(all));
	else if (slower)
		fputs(" costs, against ", out);
	else
		fputs(" against ", out);
	print_who(c, 0, s, out);
	fputs(same && !slower ? ", in" : ":", out);
	if (slower)
		print_sizes(all, VERDICT_SLOWER, out);
	if (slower && same)
		fprintf(out, "; nothing beyond %.1f %% in", furthest(all));
	print_names(all, VERDICT_SAME, out);
	if (slower || same)
		fputc('.', out);
}

static void print_faster(const struct answer_subjects *all, FILE *out)
{
	if (!count_verdict(all, VERDICT_FASTER))
		return;
	fputs(" It needs less in some:", out);
	print_sizes(all, VERDICT_FASTER, out);
	fputc('.', out);
}

/* Print "Its core clock is 20.0 % lower (19.6..20.4)": a lower clock is slower. */
static void print_clock(const struct comparison *c, size_t s, const struct answer_subjects *all,
	FILE *out)
{
	const struct effect_group *g = clock_of(all);

	if (!g || (g->verdict != VERDICT_SLOWER && g->verdict != VERDICT_FASTER))
		return;
	bool lower = g->verdict == VERDICT_SLOWER;
	double a = fabs(percent_of(-g->low)), b = fabs(percent_of(-g->high));
	fprintf(out,
		" Its core clock is %.1f %% %s (%.1f..%.1f), %.2f GHz for %.2f: that is %+.1f %% "
		"time where the core sets the pace, which is compared in core cycles.",
		fabs(percent_of(-g->size)), lower ? "lower" : "higher", fmin(a, b), fmax(a, b),
		c->clocks[s].median / 1e9, c->clocks[0].median / 1e9, percent_of(g->size));
}

/* Runs a side that would decide half of the unknown subjects; NAN: more than RUNS_MOST. */
static double runs_wanted(const struct answer_subjects *all)
{
	size_t unknown = count_verdict(all, VERDICT_UNKNOWN);

	for (double runs = RUNS_LEAST; runs <= RUNS_MOST; runs++) {
		size_t told = 0;
		for (size_t i = 0; i < all->n; i++)
			told += all->group[i].verdict == VERDICT_UNKNOWN &&
				!is_clock(&all->group[i]) && all->group[i].runs <= runs;
		if (2 * told >= unknown)
			return runs;
	}
	return NAN;
}

static void print_unknown(const struct comparison *c, size_t s, const struct answer_subjects *all,
	FILE *out)
{
	size_t a = c->sets.set[0].nruns, b = c->sets.set[s].nruns;
	double runs = runs_wanted(all);

	if (!count_verdict(all, VERDICT_UNKNOWN))
		return;
	fprintf(out, " Undecided%s:", a == 1 && b == 1 ? " by single runs" : "");
	print_names(all, VERDICT_UNKNOWN, out);
	if (!isnan(runs))
		fprintf(out, " (about %.0f runs a side in all would decide half of these)", runs);
	fputc('.', out);
}

/* Print "lost 0.31 % of the time (0.28..0.34), longest gap 84 us". */
static void print_lost(const struct disturbance *d, FILE *out)
{
	if (isnan(d->stolen_part)) {
		fputs("was not watched for gaps", out);
	} else if (!(d->stolen_part > 0)) {
		fprintf(out, "lost none of %.3g s to gaps above %s us", d->scanned_s,
			noise_threshold_us[0]);
	} else {
		fprintf(out, "lost %.3g %% of the time", 100 * d->stolen_part);
		if (!isnan(d->stolen_low))
			fprintf(out, " (%.3g..%.3g)", 100 * d->stolen_low, 100 * d->stolen_high);
		fprintf(out,
			d->longest_ns < 1e6 ? ", longest gap %.3g us" : ", longest gap %.3g ms",
			d->longest_ns / (d->longest_ns < 1e6 ? 1e3 : 1e6));
	}
}

static void print_gaps(const struct comparison *c, size_t s, FILE *out)
{
	const struct disturbance *a = &c->disturbances[0], *b = &c->disturbances[s];

	if (isnan(a->stolen_part) && isnan(b->stolen_part)) {
		fputs(" Stolen time was not measured.", out);
		return;
	}
	if (a->stolen_part == 0 && b->stolen_part == 0) {
		fprintf(out, " Neither lost any of %.3g s to gaps above %s us.",
			fmin(a->scanned_s, b->scanned_s), noise_threshold_us[0]);
		return;
	}
	fprintf(out, " %c ", set_letter(s));
	print_lost(b, out);
	fputs("; A ", out);
	print_lost(a, out);
	fputc('.', out);
}

/* Print the sentence, without line breaks. */
static void print_sentence(const struct comparison *c, size_t s, FILE *out)
{
	struct answer_subjects all;

	if (!costs_mean_something(c, s)) {
		print_who(c, s, s, out);
		fputs(" against ", out);
		print_who(c, 0, s, out);
		fprintf(out,
			": no cost is stated, because one of them is %s: its times are not those "
			"of hardware.",
			costs_forbidden_by(c, s));
		return;
	}
	all.n = answer_groups(c, s, all.group);
	if (is_simulated(&c->sets.set[s]))
		fputs("On a simulated machine, ", out);
	print_cost(c, s, &all, out);
	if (!count_verdict(&all, VERDICT_SAME) && !count_verdict(&all, VERDICT_SLOWER) &&
		!count_verdict(&all, VERDICT_FASTER) && !count_verdict(&all, VERDICT_UNKNOWN))
		fputs(" no time or rate was measured in both.", out);
	print_faster(&all, out);
	print_clock(c, s, &all, out);
	print_unknown(c, s, &all, out);
	print_gaps(c, s, out);
}

void print_answer(const struct comparison *c, size_t s, FILE *out)
{
	char *text;
	size_t bytes;
	FILE *sentence = text_stream(&text, &bytes);

	print_sentence(c, s, sentence);
	fclose(sentence);
	print_wrapped(out, "", text);
	free(text);
}
