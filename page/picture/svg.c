/* SPDX-License-Identifier: MIT */
#include "page/picture/svg.h"

#include <string.h>

#include "lib/text.h"

/*
 * Widths of the letters of DejaVu Sans at 11 units, the widest of the usual fonts: lower case by
 * letter, for other kinds the widest of the kind.
 */
static const double lower[] = { 6.8, 7, 6.1, 7, 6.8, 3.9, 7, 7, 3.1, 3.1, 6.4, 3.1, 10.8, 7, 6.8, 7,
	7, 4.6, 5.8, 4.4, 7, 6.6, 9, 6.6, 6.6, 5.8 };
#define CAPITAL 8.8
#define SIGN    9.3 /* = + % @ */
#define DIGIT   7.0
#define NARROW  4.0 /* blanks and stops */

void sink_put(struct sink *svg, const char *format, ...)
{
	char part[SINK_PART];
	va_list args;

	va_start(args, format);
	int n = text_vformat(part, sizeof part, format, args);
	va_end(args);
	if (n > 0)
		svg->say(svg->to, part, (size_t)n < sizeof part ? (size_t)n : sizeof part - 1);
}

const char *svg_entity(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	}
	return NULL;
}

void svg_text(struct sink *svg, const char *text)
{
	for (; *text; text++) {
		const char *escaped = svg_entity(*text);

		if (escaped)
			svg->say(svg->to, escaped, strlen(escaped));
		else
			svg->say(svg->to, (unsigned char)*text < ' ' ? " " : text, 1);
	}
}

void svg_label(struct sink *svg, double x, double y, const char *class, const char *attributes,
	const char *text)
{
	sink_put(svg, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\"%s>", class, x, y, attributes);
	svg_text(svg, text);
	sink_put(svg, "</text>");
}

double svg_text_width(const char *text)
{
	double width = 0;

	for (; *text; text++)
		width += *text >= 'a' && *text <= 'z'  ? lower[*text - 'a']
			: *text >= 'A' && *text <= 'Z' ? CAPITAL
			: strchr("=+<>%@~", *text)     ? SIGN
			: strchr(" .,:;|'()-", *text)  ? NARROW
						       : DIGIT;
	return width;
}
