/* SPDX-License-Identifier: MIT */
/* Text of SVG and of pages, written in parts to any place that the caller chooses. */
#ifndef PICTURE_SVG_H
#define PICTURE_SVG_H

#include <stddef.h>

/* say(to, text, n) receives the text in parts. */
struct sink {
	void (*say)(void *to, const char *text, size_t n);
	void *to;
};

/*
 * Write formatted text, as printf; at most SINK_PART bytes at once, the rest is cut off. Only for
 * text of this program.
 */
#define SINK_PART 512
void sink_put(struct sink *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The entity for a character that is markup; NULL: none, the character stands for itself. */
const char *svg_entity(char);
/* Write text of any origin: markup in it is shown as text. */
void svg_text(struct sink *, const char *text);
/*
 * Write a <text> element at x, y of the class, with `attributes` (""; or each with a space before
 * it).
 */
void svg_label(struct sink *, double x, double y, const char *class, const char *attributes,
	const char *text);

/* The largest width of a text of the pictures' size in most fonts, in units of the picture. */
double svg_text_width(const char *text);

#define SVG_LINE 12.0 /* from one line of text to the next */

#endif
