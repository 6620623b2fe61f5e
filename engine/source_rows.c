/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/source_rows.h"
#include "lib/ensure.h"
#include "lib/math.h"
#include "lib/pack.h"

/*
 * engine/source_rows.txt, packed. By source, in the order of source_rows.inc: entries
 * "probe:variant name=values ...", or "probe" for all of its variants, a line each; an empty line
 * ends them. Values are separated by ','; a..b is a, 2 a, 4 a ... b; page_bytes=common is the size
 * of rows that do not compare pages.
 */
static const unsigned char packed[] = {
#include "source_rows_text.inc"
};

/* A part of the text of an entry. */
struct part {
	const char *at, *end;
};

/* Cuts off what comes before the next `mark`. */
static struct part cut(struct part *from, char mark)
{
	struct part first = { from->at, from->at };

	while (first.end < from->end && *first.end != mark)
		first.end++;
	from->at = first.end + (first.end < from->end);
	return first;
}

/* All lines from those of the source on. */
static struct part lines_of(uint64_t source)
{
	static char text[8192];
	size_t n = unpack_length(packed, sizeof packed);

	ensure(n && n <= sizeof text);
	if (!*text)
		ensure(!unpack(packed, sizeof packed, text, n));
	struct part all = { text, text + strlen(text) };

	while (source-- > SOURCE_NONE + 1) {
		struct part line = cut(&all, '\n');

		while (line.at < line.end)
			line = cut(&all, '\n');
	}
	return all;
}

static bool is_word(struct part p, const char *word)
{
	size_t n = (size_t)(p.end - p.at);

	return strlen(word) == n && memcmp(p.at, word, n) == 0;
}

/* The whole number at the begin of p, which is moved behind it. */
static double take_number(struct part *p)
{
	double x = 0;

	while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
		x = 10 * x + (*p->at++ - '0');
	return x;
}

static bool in_values(struct part values, double x)
{
	while (values.at < values.end) {
		struct part one = cut(&values, ',');
		double low = take_number(&one), high = low;

		if (one.at < one.end) {
			one.at += 2; /* ".." */
			high = take_number(&one);
		}
		for (; low <= high && low > 0; low *= 2)
			if (low == x)
				return true;
		if (low == 0 && x == 0)
			return true;
	}
	return false;
}

static bool has_level(struct part values, const char *level)
{
	while (level && values.at < values.end)
		if (is_word(cut(&values, ','), level))
			return true;
	return false;
}

/* One "name=values" of an entry. A row without that parameter stands for all of its values. */
static bool keeps(struct part condition, const struct row *row, size_t common_page)
{
	struct part name = cut(&condition, '=');
	double x = NOT_A_NUMBER;

	if (is_word(name, "level"))
		return has_level(condition, row->level);
	if (is_word(name, "page_bytes") && is_word(condition, "common"))
		return row->page_bytes == common_page;
	if (is_word(name, "page_bytes"))
		x = (double)row->page_bytes;
	for (unsigned i = 0; i < row->nparams; i++)
		if (is_word(name, row->params[i].name))
			x = row->params[i].value;
	return !math_finite(x) || in_values(condition, x);
}

/* row NULL: any row of the probe. */
static bool in_entry(struct part entry, const char *probe, const struct row *row,
	size_t common_page)
{
	struct part variant = cut(&entry, ' ');

	if (!is_word(cut(&variant, ':'), probe))
		return false;
	if (!row || variant.at == variant.end)
		return true;
	if (!is_word(variant, row->variant))
		return false;
	while (entry.at < entry.end)
		if (!keeps(cut(&entry, ' '), row, common_page))
			return false;
	return true;
}

bool source_has_row(uint64_t source, const char *probe, const struct row *row, size_t common_page)
{
	struct part all = lines_of(source), line = cut(&all, '\n');

	for (; line.at < line.end; line = cut(&all, '\n'))
		if (in_entry(line, probe, row, common_page))
			return true;
	return false;
}

bool source_has_probe(uint64_t source, const char *probe)
{
	return source_has_row(source, probe, NULL, 0);
}

bool probe_asked_for(const struct options *opt, const struct probe *probe)
{
	return probe_selected(opt->probes, probe->name) &&
		(!opt->source || source_has_probe(opt->source, probe->name));
}
