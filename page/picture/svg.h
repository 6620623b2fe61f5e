/* SPDX-License-Identifier: MIT */
/* Text, of SVG and of pages, in parts, to wherever the caller wants it. */
#ifndef PICTURE_SVG_H
#define PICTURE_SVG_H

#include <stddef.h>

/* say(to, text, n) takes the text as it comes. */
struct sink {
	void (*say)(void *to, const char *text, size_t n);
	void *to;
};

/* As printf; at most SINK_PART bytes at once, more is cut off. For what this code itself says. */
#define SINK_PART 512
void sink_put(struct sink *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What stands for a character that is markup; NULL: itself. */
const char *svg_entity(char);
/* Text of any origin: what is markup in it stands there as text. */
void svg_text(struct sink *, const char *text);
/* A <text> element at x, y of the class, with `attributes` (""; or each with a space before it). */
void svg_label(struct sink *, double x, double y, const char *class, const char *attributes,
	const char *text);

/* How wide a text of the pictures' size is, at most, in most fonts; in units of the picture. */
double svg_text_width(const char *text);

#define SVG_LINE 12.0 /* from one line of text to the next */

#endif
