/* SPDX-License-Identifier: MIT */
/*
 * A picture of a result as numbers, before it is drawn: what is chosen of which rows (pictures.h)
 * ends here, and what draws (picture/) begins. Who has another surface than SVG draws it instead.
 */
#ifndef PAGE_DRAWING_H
#define PAGE_DRAWING_H

#include "picture/chart.h"
#include "picture/dots.h"
#include "picture/matrix.h"

enum drawing_kind { DRAW_NOTHING, DRAW_CHART, DRAW_DOTS, DRAW_MATRIX };

struct drawing {
	enum drawing_kind kind;
	union {
		struct chart chart;
		struct dots dots;
		struct matrix matrix;
	};
};

/* As chart_draw (picture/chart.h): its height; 0 of DRAW_NOTHING. */
double drawing_svg(const struct drawing *, struct svg *, double y);
/* Makes it the chart, if its axes have a range; else gives the chart back. */
void drawing_chart(struct drawing *, struct chart *);
/* Gives back its points, labels and texts, all of which it owns. */
void drawing_free(struct drawing *);

#endif
