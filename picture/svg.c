/* SPDX-License-Identifier: MIT */
#include "picture/svg.h"

#include <string.h>

#include "lib/text.h"

#define LETTER 6.3 /* of 11 units: the widest of the usual sans-serif fonts, DejaVu, on average */

void svg_put(struct svg *svg, const char *format, ...)
{
	char part[SVG_PART];
	va_list args;

	va_start(args, format);
	int n = text_vformat(part, sizeof part, format, args);
	va_end(args);
	if (n > 0)
		svg->say(svg->to, part, (size_t)n < sizeof part ? (size_t)n : sizeof part - 1);
}

static const char *entity(char c)
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
	return (unsigned char)c < ' ' ? " " : NULL;
}

void svg_text(struct svg *svg, const char *text)
{
	while (*text) {
		const char *start = text;

		while (*text && !entity(*text))
			text++;
		svg->say(svg->to, start, (size_t)(text - start));
		if (*text) {
			const char *escaped = entity(*text++);
			svg->say(svg->to, escaped, strlen(escaped));
		}
	}
}

void svg_label(struct svg *svg, double x, double y, const char *class, const char *attributes,
	const char *text)
{
	svg_put(svg, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\"%s>", class, x, y, attributes);
	svg_text(svg, text);
	svg_put(svg, "</text>");
}

double svg_text_width(const char *text)
{
	return LETTER * (double)strlen(text);
}
