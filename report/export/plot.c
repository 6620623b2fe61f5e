/* SPDX-License-Identifier: MIT */
/* One picture as a file: a title, the machines, and the drawing that the page has. */
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "page/page_memory.h"
#include "page/page.h"
#include "page/pictures.h"
#include "report/reading/hosted_page.h"

#define TITLE_HEIGHT 22.0
#define LINE_HEIGHT  14.0
#define MARGIN       10.0

static void put_subject(struct sink *svg, const struct subject *subject, double y)
{
	struct line head = subject->run->head;
	char time[32], brand[49], text[160];

	sink_put(svg, "<g class=\"c%u d0\"><path class=\"l\" d=\"M0 %.1fh14\"/></g>",
		subject->colour % COLOURS, y - 4);
	line_string(head, KEY_TIME_UTC, time, sizeof time);
	line_string(line_object(head, KEY_CPU), KEY_BRAND, brand, sizeof brand);
	snprintf(text, sizeof text, "%c  %s: %s%s%s", subject->letter, subject->run->room, brand,
		*time ? ", " : "", time);
	svg_label(svg, 20, y, "f", "", text);
}

/* The drawing, if the runs have anything of it. Its height. */
static double draw_one(const struct picture *picture, const struct subjects *subjects,
	struct sink *svg, double y)
{
	struct drawing drawing = picture_drawing(picture, subjects);
	double height = drawing_svg(&drawing, svg, y);

	drawing_free(&drawing);
	return height;
}

/* The same of each run, if it is a picture of one; returns where it ends. */
static double draw_picture(const struct picture *picture, const struct subjects *subjects,
	struct sink *svg, double y)
{
	if (!picture->each_run)
		return y + draw_one(picture, subjects, svg, y);
	for (size_t i = 0; i < subjects->n; i++) {
		struct subjects one = subject_alone(subjects, i);
		y += draw_one(picture, &one, svg, y);
	}
	return y;
}

static void put_style(FILE *out)
{
	const char *files[PAGE_FILES];
	char *texts = page_texts(files);

	fputs(files[PICTURE_CSS], out);
	page_free(texts);
}

int plot_write(const struct subjects *subjects, const char *name, FILE *out)
{
	const struct picture *picture = picture_find(name);
	double top = TITLE_HEIGHT + LINE_HEIGHT * (double)subjects->n + 4, end;
	size_t bytes;
	char *text;
	FILE *body = text_stream(&text, &bytes);
	struct sink svg = sink_to(body);

	end = picture ? draw_picture(picture, subjects, &svg, top) : top;
	fclose(body);
	if (end > top) {
		svg = sink_to(out);
		sink_put(&svg,
			"<svg class=\"pic\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%.0f "
			"%.0f "
			"%.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n<style>",
			-MARGIN, -MARGIN, PICTURE_WIDTH + 2 * MARGIN, end + 2 * MARGIN,
			1.5 * (PICTURE_WIDTH + 2 * MARGIN), 1.5 * (end + 2 * MARGIN));
		put_style(out);
		sink_put(&svg,
			"</style>\n<rect class=\"paper\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" "
			"height=\"%.0f\"/>\n",
			-MARGIN, -MARGIN, PICTURE_WIDTH + 2 * MARGIN, end + 2 * MARGIN);
		svg_label(&svg, 0, 13, "title", "", picture->title);
		for (size_t i = 0; i < subjects->n; i++)
			put_subject(&svg, &subjects->list[i],
				TITLE_HEIGHT + LINE_HEIGHT * ((double)i + 1) - 5);
		fwrite(text, 1, bytes, out);
		fputs("</svg>\n", out);
	}
	free(text);
	return end > top ? 0 : -1;
}
