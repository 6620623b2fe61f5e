/* SPDX-License-Identifier: MIT */
/* The page: its head, the card of values, the data for its script; page_probes.c has the rest. */
#include <string.h>

#include "lib/crc32.h"
#include "lib/math.h"
#include "lib/pack.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "page/html.h"
#include "page/page.h"
#include "page/page_memory.h"
#include "page/page_parts.h"
#include "page/pictures.h"
#include "page/shown_run.h"
#include "page/picture/chart.h"

/*
 * The rows for the page's script, numbers as the file has them:
 *
 *   {"columns":["i","label","median",...],
 *    "runs":[{"name":"A hosted","groups":[{"p":probe,"v":variant,"u":unit,"r":[row...]}...],
 *             "s":{"12":[sample...]}}...],
 *    "labels":["16K 2M-pages",...]}
 *
 * A row has its number in the run, the number of the label with its parameters, and the statistics
 * that `columns` names. "s" has a row's samples in ascending order, or some, evenly spaced, if all
 * would make the page too large.
 */

#define SAMPLES_BYTES 400e3 /* bytes of the page for samples, about */
#define SAMPLE_BYTES  9
#define MOST          257 /* samples of a row */
#define FEWEST        8   /* fewer samples show nothing */

struct shown_sample {
	double value;
	const char *text;
};

static int ascending(const void *a, const void *b)
{
	double x = ((const struct shown_sample *)a)->value,
	       y = ((const struct shown_sample *)b)->value;

	return (x > y) - (x < y);
}

static void put_samples(const struct result_row *row, size_t most, struct sink *out)
{
	struct shown_sample *samples = page_new(row->nvalues, sizeof *samples);
	const char *at = row->values.value, *end = at + row->values.value_bytes;
	size_t n = row->nvalues < most ? row->nvalues : most;

	struct member element;

	for (size_t i = 0; i < row->nvalues && element_next(&at, end, &element); i++)
		samples[i] = (struct shown_sample){ member_number(&element), element.value };
	page_sort(samples, row->nvalues, sizeof *samples, ascending);
	for (size_t i = 0; i < n; i++) {
		html_put(out, i ? "," : "");
		html_number(out, samples[n > 1 ? i * (row->nvalues - 1) / (n - 1) : 0].text);
	}
	page_free(samples);
}

static size_t page_samples_most(const struct report_page *page)
{
	for (size_t most = MOST; most > FEWEST; most = most / 2 + 1) {
		double all = 0;

		for (size_t i = 0; i < page->subjects.n; i++)
			for (size_t j = 0; j < page->subjects.list[i].run->nrows; j++)
				all += math_min((double)most,
					(double)page->subjects.list[i].run->rows[j].nvalues);
		if (all * SAMPLE_BYTES <= SAMPLES_BYTES)
			return most;
	}
	return 0;
}

static void page_samples(const struct shown_run *run, size_t most, struct sink *out)
{
	bool first = true;

	for (size_t i = 0; most && i < run->nrows; i++) {
		if (!run->rows[i].nvalues)
			continue;
		sink_put(out, "%s\"%u\":[", first ? "" : ",\n", (unsigned)i);
		put_samples(&run->rows[i], most, out);
		html_put(out, "]");
		first = false;
	}
}

#define ROWS_FULL   12000 /* with more rows, only the first columns are written */
#define COLUMNS_FEW 5

/* Statistics of a row, the more important ones first. */
static const struct page_column {
	const char *name;
	enum row_statistic at;
} columns[] = {
#define COLUMN(name)                                                                               \
	{                                                                                          \
#name, ROW_##name                                                                  \
	}
	COLUMN(median), COLUMN(min), COLUMN(p90), COLUMN(samples), COLUMN(disturbed), COLUMN(p99),
	COLUMN(max), COLUMN(core_hz)
#undef COLUMN
};

static size_t rows_of(const struct report_page *page)
{
	size_t rows = 0;

	for (size_t i = 0; i < page->subjects.n; i++)
		rows += page->subjects.list[i].run->nrows;
	return rows;
}

static void put_columns(size_t n, struct sink *out)
{
	html_put(out, "{\"columns\":[\"i\",\"label\"");
	for (size_t i = 0; i < n; i++)
		sink_put(out, ",\"%s\"", columns[i].name);
	html_put(out, "],\n");
}

/* The labels for parameters, each once; its number is found by its checksum. */
struct labels {
	char **text;
	size_t n;
	size_t *slots; /* number of a label, + 1; 0: free */
	size_t nslots; /* a power of 2, more than the most labels */
};

static void labels_open(struct labels *labels, size_t most)
{
	*labels = (struct labels){ .nslots = 2 };
	while (labels->nslots < 2 * most)
		labels->nslots *= 2;
	labels->slots = page_new(labels->nslots, sizeof *labels->slots);
}

static size_t label_number(struct labels *labels, const char *text)
{
	size_t slot = crc32_of(0, text, strlen(text)) & (labels->nslots - 1);

	for (; labels->slots[slot]; slot = (slot + 1) & (labels->nslots - 1))
		if (!strcmp(labels->text[labels->slots[slot] - 1], text))
			return labels->slots[slot] - 1;
	*(char **)page_grow((void **)&labels->text, &labels->n, sizeof(char *)) = page_text(text);
	labels->slots[slot] = labels->n;
	return labels->n - 1;
}

static void labels_put(struct labels *labels, struct sink *out)
{
	html_put(out, "\"labels\":[");
	for (size_t i = 0; i < labels->n; i++) {
		html_put(out, i ? "," : "");
		html_json_text(out, labels->text[i]);
		page_free(labels->text[i]);
	}
	html_put(out, "]}");
	page_free(labels->text);
	page_free(labels->slots);
}

static void put_statistic(const struct result_row *row, enum row_statistic at, struct sink *out)
{
	struct member m;

	if (line_find(row->line, row_statistics[at], &m))
		html_number(out, m.value);
	else if (math_finite(row->numbers[at]))
		sink_put(out, "%.0f", row->numbers[at]); /* a count that the line leaves out */
	else
		html_put(out, "null");
}

static void put_row(const struct result_row *row, size_t at, size_t ncolumns, struct labels *labels,
	struct sink *out)
{
	char label[ROW_LABEL];

	row_label(row, false, label);
	sink_put(out, "[%u,%u", (unsigned)at, (unsigned)label_number(labels, label));
	for (size_t i = 0; i < ncolumns; i++) {
		html_put(out, ",");
		put_statistic(row, columns[i].at, out);
	}
	html_put(out, "]");
}

static bool same_group(const struct result_row *a, const struct result_row *b)
{
	return !strcmp(a->probe, b->probe) && !strcmp(a->variant, b->variant) &&
		!strcmp(a->unit, b->unit);
}

static void begin_group(const struct result_row *row, struct sink *out)
{
	html_put(out, "{\"p\":");
	html_json_text(out, row->probe);
	html_put(out, ",\"v\":");
	html_json_text(out, row->variant);
	html_put(out, ",\"u\":");
	html_json_text(out, row->unit);
	html_put(out, ",\"r\":[");
}

static void put_groups(const struct shown_run *run, size_t ncolumns, struct labels *labels,
	struct sink *out)
{
	for (size_t i = 0; i < run->nrows; i++) {
		const struct result_row *row = &run->rows[i];

		if (i && same_group(row, row - 1)) {
			html_put(out, ",");
		} else {
			html_put(out, i ? "]},\n" : "");
			begin_group(row, out);
		}
		put_row(row, i, ncolumns, labels, out);
	}
	if (run->nrows)
		html_put(out, "]}");
}

static void page_data(const struct report_page *page, struct sink *out)
{
	size_t most = page_samples_most(page), rows = rows_of(page);
	size_t ncolumns = rows > ROWS_FULL ? COLUMNS_FEW : sizeof columns / sizeof *columns;
	struct labels labels;
	char name[32];

	labels_open(&labels, rows);
	put_columns(ncolumns, out);
	html_put(out, "\"runs\":[");
	for (size_t i = 0; i < page->subjects.n; i++) {
		const struct subject *subject = &page->subjects.list[i];

		text_format(name, sizeof name, "%c %s", subject->letter, subject->run->room);
		html_put(out, i ? ",\n{\"name\":" : "{\"name\":");
		html_json_text(out, name);
		html_put(out, ",\"groups\":[");
		put_groups(subject->run, ncolumns, &labels, out);
		html_put(out, "],\n\"s\":{");
		page_samples(subject->run, most, out);
		html_put(out, "}}");
	}
	html_put(out, "],\n");
	labels_put(&labels, out);
}

/* The beginning: machines and runs, warnings about them, and how one set compares with another. */

/* Write `before` and the member's string; nothing if the line has none. */
static void put_item(struct sink *out, const char *before, struct line line, const char *key)
{
	struct member m;

	if (!line_find(line, key, &m) || m.value_bytes <= 2)
		return;
	html_put(out, before);
	html_member(out, line, key);
}

static double number_or_0(struct line line, const char *key)
{
	double value = line_number(line, key);

	return math_finite(value) ? value : 0;
}

/*
 * Write the number of lines that room bare's result left out to be stored: no count includes them.
 */
static void put_thinned(struct line thinned, struct sink *out)
{
	if (!thinned.text)
		return;
	put_item(out, "; left out ", thinned, KEY_WHY);
	sink_put(out, ": %.0f rows, %.0f skip lines", number_or_0(thinned, KEY_ROWS),
		number_or_0(thinned, KEY_SKIPS));
}

static void put_run(const struct subject *subject, struct sink *out)
{
	const struct shown_run *run = subject->run;
	struct line head = run->head, cpu = line_object(head, KEY_CPU);
	struct member source;

	html_put(out, "<li>");
	page_key(subject, out);
	html_put(out, "<b>");
	html_text(out, run->room);
	html_put(out, "</b>");
	put_item(out, " ", cpu, KEY_BRAND);
	sink_put(out, " family %.0f, model %.0f, stepping %.0f; %.0f CPU(s)",
		number_or_0(cpu, "family"), number_or_0(cpu, "model"), number_or_0(cpu, "stepping"),
		number_or_0(head, KEY_CPUS));
	put_item(out, "; ", line_object(head, KEY_OS), "kernel");
	html_put(out, "<br><small>");
	html_text(out, subject->name);
	put_item(out, ", ", head, KEY_TIME_UTC);
	if (line_find(head, KEY_SOURCE, &source))
		put_item(out, ", source ", head, KEY_SOURCE);
	else
		put_item(out, ", profile ", head, KEY_PROFILE);
	put_item(out, ", build ", head, KEY_BUILD);
	sink_put(out, ", %u rows, %u skipped, ", (unsigned)run->nrows, (unsigned)run->skips.n);
	if (run->end.text)
		html_member(out, run->end, KEY_STATUS);
	else
		html_put(out, "cut");
	put_thinned(line_object(run->end, KEY_THINNED), out);
	html_put(out, "</small></li>\n");
}

/* Mark runs of an emulator or under a hypervisor in letters that nobody overlooks: in one box. */
static void put_marks(const struct report_page *page, struct sink *out)
{
	bool any = false;

	for (size_t i = 0; i < page->subjects.n; i++) {
		const struct subject *subject = &page->subjects.list[i];
		const char *mark = result_mark(subject->run->head);

		if (!*mark || (i && subject->colour == page->subjects.list[i - 1].colour))
			continue;
		sink_put(out, "%s<p><b>%s</b> ", any ? "" : "<div class=\"warn\">", mark);
		any = true;
		page_key(subject, out);
		bool sure = !strchr(mark, '?');

		html_member(out, subject->run->head, sure ? KEY_HYPERVISOR : KEY_MAY_BE_WHY);
		html_put(out,
			*mark == 'S'    ? ": its times are those of the stated processor"
				: !sure ? ": nobody says what it is, but silicon is not so"
				: *mark == 'E'
				? ": an emulator ran this; its times mean nothing"
				: ": it ran under a hypervisor, whose work is in the times");
		html_put(out, "</p>\n");
	}
	html_put(out, any ? "</div>\n" : "");
}

/* The sum of how sure each of the run's values is. */
static double sureness(const struct shown_run *run)
{
	double sum = 0;

	for (size_t i = 0; i < run->summaries.n; i++)
		sum += number_or_0(run->summaries.line[i], KEY_CONFIDENCE);
	return sum;
}

/* Write the runs of each set, and one card: that of the run whose values are surest. */
static void put_cards(const struct report_page *page, struct sink *out)
{
	const struct subjects *all = &page->subjects;

	html_put(out, "<section id=\"card\" class=\"cards\">\n");
	for (size_t i = 0, end; i < all->n; i = end) {
		size_t best = i;

		html_put(out, "<article><ul class=\"runs\">\n");
		for (end = i; end < all->n && all->list[end].colour == all->list[i].colour; end++) {
			put_run(&all->list[end], out);
			if (sureness(all->list[end].run) > sureness(all->list[best].run))
				best = end;
		}
		html_put(out, "</ul>\n");
		if (end - i > 1)
			sink_put(out, "<p>Run %u of these, whose values are surest:</p>\n",
				(unsigned)(best - i + 1));
		if (all->list[best].run->summaries.n && !page->sections_alone)
			page_card(page, all->list[best].run, out);
		html_put(out, "</article>\n");
	}
	html_put(out, "</section>\n");
}

static void page_head(const struct report_page *page, struct sink *out)
{
	bool many = false, marked = true;

	html_put(out, "<h1>");
	for (size_t i = 0; i < page->nmachines; i++) {
		html_put(out, i ? " | " : "");
		html_member(out, line_object(page->machines[i].list->run->head, KEY_CPU),
			KEY_BRAND);
		many |= page->machines[i].n > PICTURE_SETS;
		marked &= page->machines[i].n <= MARKS_SETS;
	}
	html_put(out, "</h1>\n");
	if (page->answer)
		page->answer(page->answer_of, out);
	else
		put_marks(page, out);
	put_cards(page, out);
	if (page->published)
		html_put(out, page->published);
	if (many && !page->sections_alone)
		html_put(out,
			"<p>Of so many runs a picture has one curve each: that of its first "
			"variant "
			"and the largest pages. The tables have all rows.</p>\n");
	if (!marked && !page->sections_alone)
		html_put(out,
			"<p>Of so many runs a picture has no lines at the values found: the table "
			"of all values has them.</p>\n");
}

/* The files of page/files/ in the order of enum page_file: tools/pack-texts. */
static const unsigned char packed[] = {
#include "page_files.inc"
};

char *page_texts(const char *of[PAGE_FILES])
{
	size_t n = unpack_length(packed, sizeof packed);
	char *text = page_new(n, 1), *at = text;

	unpack(packed, sizeof packed, text, n);
	for (int i = 0; i < PAGE_FILES; i++) {
		of[i] = at;
		while (*at++)
			;
	}
	return text;
}

/* The machine as measured, beside what CPUID claims: every summary value of every run. */

#define NAME 96 /* of a summary value */
#define UNIT 24

/* Write a value as the card on the console does: sizes as sizes. */
static void put_value(const char *unit, double value, struct sink *out)
{
	char size[SIZE_TEXT];

	size_text(value, size);
	if (math_is_nan(value))
		return;
	if (!strcmp(unit, "bytes") && value >= 1024)
		html_put(out, size);
	else if (!strcmp(unit, "Hz"))
		sink_put(out, "%.4g G", value / 1e9);
	else
		sink_put(out, math_abs(value) >= 1000 ? "%.0f" : "%.4g", value);
}

static void put_exact(const char *before, struct line line, const char *key, struct sink *out)
{
	struct member m;

	if (!line_find(line, key, &m) || math_is_nan(member_number(&m)))
		return;
	html_put(out, before);
	html_number(out, m.value);
}

/* Write the rest of the line as a title that is shown on demand. */
static void put_details(struct line line, struct sink *out)
{
	html_put(out, " title=\"");
	put_exact("", line, KEY_VALUE, out);
	put_exact(", bracket ", line, KEY_LOW, out);
	put_exact(" to ", line, KEY_HIGH, out);
	put_exact(", in quiet moments ", line, KEY_FLOOR, out);
	put_exact(", CPUID claims ", line, KEY_CLAIMED, out);
	put_exact(", confidence ", line, KEY_CONFIDENCE, out);
	html_put(out, "; from ");
	html_member(out, line, "rests_on");
	html_put(out, "\"");
}

/* Write "31K 38 %", or why there is no value. */
static void put_measured(struct line line, struct sink *out)
{
	char unit[UNIT];
	double value = line_number(line, KEY_VALUE), sure = line_number(line, KEY_CONFIDENCE);

	line_string(line, KEY_UNIT, unit, sizeof unit);
	html_put(out, "<td");
	if (line.text)
		put_details(line, out);
	html_put(out, ">");
	if (math_is_nan(value)) {
		html_put(out, "<small>");
		html_member(out, line, KEY_REASON);
		html_put(out, "</small>");
	} else {
		put_value(unit, value, out);
		if (!math_is_nan(sure))
			sink_put(out, " <small>%.0f&nbsp;%%</small>", 100 * sure);
	}
	html_put(out, "</td>");
}

/* Write the claim, once; mark it if a measured value does not agree with it. */
static void put_claim(const struct report_page *page, const char *name, struct sink *out)
{
	struct line claims = { NULL, 0 };
	bool differs = false;
	char unit[UNIT];

	for (size_t i = 0; i < page->subjects.n; i++) {
		struct line line = shown_summary(page->subjects.list[i].run, name);

		differs |= line_is(line, KEY_AGREES, "false");
		if (!claims.text && !math_is_nan(line_number(line, KEY_CLAIMED)))
			claims = line;
	}
	html_put(out, differs ? "<td class=\"differs\">" : "<td>");
	line_string(claims, KEY_UNIT, unit, sizeof unit);
	put_value(unit, line_number(claims, KEY_CLAIMED), out);
	html_put(out, differs ? " <small>differs</small></td>" : "</td>");
}

static void put_line(const struct report_page *page, const char *name, struct line line,
	struct sink *out)
{
	html_put(out, "<tr><th scope=\"row\">");
	html_text(out, name);
	html_put(out, "</th>");
	for (size_t i = 0; i < page->subjects.n; i++)
		put_measured(shown_summary(page->subjects.list[i].run, name), out);
	put_claim(page, name, out);
	html_put(out, "<td>");
	html_member(out, line, KEY_UNIT);
	html_put(out, "</td></tr>\n");
}

/* Returns true if an earlier run has a value of that name: then its line is written already. */
static bool is_written(const struct report_page *page, size_t run, const char *name)
{
	for (size_t i = 0; i < run; i++)
		if (shown_summary(page->subjects.list[i].run, name).text)
			return true;
	return false;
}

static void put_lines(const struct report_page *page, struct sink *out)
{
	for (size_t i = 0; i < page->subjects.n; i++) {
		const struct shown_lines *lines = &page->subjects.list[i].run->summaries;

		for (size_t j = 0; j < lines->n; j++) {
			char name[NAME];

			line_string(lines->line[j], KEY_NAME, name, sizeof name);
			if (!is_written(page, i, name))
				put_line(page, name, lines->line[j], out);
		}
	}
}

static void page_values(const struct report_page *page, struct sink *out)
{
	if (!page_has_card(page) || page->sections_alone)
		return;
	html_put(out,
		"<section id=\"values\"><h2>All values</h2>\n<details><summary>Beside each value "
		"how sure it is; behind it, its bracket and the rows that it rests on."
		"</summary>\n<div class=\"wide\"><table><thead><tr><th></th>");
	for (size_t i = 0; i < page->subjects.n; i++) {
		html_put(out, "<th scope=\"col\">");
		page_key(&page->subjects.list[i], out);
		html_text(out, page->subjects.list[i].run->room);
		html_put(out, "</th>");
	}
	html_put(out,
		"<th scope=\"col\">CPUID</th><th scope=\"col\">unit</th></tr></thead>\n<tbody>\n");
	put_lines(page, out);
	html_put(out, "</tbody></table></div></details></section>\n");
}

static void put_title(const struct report_page *page, struct sink *out)
{
	struct line head = page->subjects.list[0].run->head;

	html_member(out, line_object(head, KEY_CPU), KEY_BRAND);
	if (page->subjects.sets > 1)
		sink_put(out, " and %u more", (unsigned)page->subjects.sets - 1);
}

/* Places in page/files/page.html, each a comment of that name; a file or a function fills it. */
static const struct {
	const char *name;
	void (*put)(const struct report_page *, struct sink *out);
	enum page_file file;
} places[] = { { "<!--title-->", put_title }, { "<!--picture-->", NULL, PICTURE_CSS },
	{ "<!--style-->", NULL, PAGE_CSS }, { "<!--head-->", page_head },
	{ "<!--probes-->", page_probes }, { "<!--card-->", page_values },
	{ "<!--data-->", page_data }, { "<!--script-->", NULL, PAGE_JS } };

/* Find the next place in the text; the page's own text has them all. */
static const char *find(const char *text, const char *name)
{
	while (memcmp(text, name, strlen(name)))
		text++;
	return text;
}

void page_write(const struct report_page *page, struct sink *out)
{
	const char *files[PAGE_FILES];
	char *texts = page_texts(files);
	const char *text = files[PAGE_HTML];
	struct report_page whole = *page;

	whole.files = files;

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const char *place = find(text, places[i].name);

		out->say(out->to, text, (size_t)(place - text));
		if (places[i].put)
			places[i].put(&whole, out);
		else
			html_put(out, files[places[i].file]);
		text = place + strlen(places[i].name);
	}
	html_put(out, text);
	page_free(texts);
}
