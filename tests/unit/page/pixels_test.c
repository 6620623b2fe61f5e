/* SPDX-License-Identifier: MIT */
/* The names beside a chart of pixels, whole up to half of the width, and those above its marks. */
#include "page/picture/pixels.c"
#include "tests/unit/test.h"

#define LETTER 8
#define LINE   16
#define WIDTH  (28 * LETTER)
#define HEIGHT (20 * LINE)

static uint32_t pixels[HEIGHT][WIDTH], wanted[LINE][WIDTH];

static struct text_place place_of(uint32_t *to, unsigned height, struct raster *raster)
{
	*raster = (struct raster){ .pixels = to,
		.width = WIDTH,
		.height = height,
		.pitch = WIDTH,
		.red = 0xff0000,
		.green = 0xff00,
		.blue = 0xff };
	return (struct text_place){ .raster = raster,
		.area = { 0, 0, WIDTH, (int)height },
		.letters = { 1, 2, LETTER },
		.line = LINE };
}

static void draw(const char *name)
{
	const struct chart_point points[] = { { .x = 1, .y = 1 }, { .x = 2, .y = 2 } };
	const struct chart_series series = { .label = name, .points = points, .n = 2 };
	struct chart chart = { .title = "", .series = &series, .n = 1 };
	struct raster raster;
	struct text_place place = place_of(*pixels, HEIGHT, &raster);

	chart.x = chart.y = (struct axis){ .kind = AXIS_LINEAR, .low = 0, .high = 3, .name = "" };
	chart_pixels(&place, &chart);
}

static bool shows_in(const char *text, uint32_t colour)
{
	unsigned width = (unsigned)strlen(text) * LETTER;
	struct raster raster;
	struct text_place place = place_of(*wanted, LINE, &raster);

	raster_fill(&raster, place.area, PAPER);
	pixels_text(&place, 0, 0, WIDTH, text, colour);
	for (unsigned y = 0; y + LINE <= HEIGHT; y++)
		for (unsigned x = 0; x + width <= WIDTH; x++) {
			unsigned line = 0;

			while (line < LINE &&
				!memcmp(&pixels[y + line][x], wanted[line], 4 * width))
				line++;
			if (line == LINE)
				return true;
		}
	return false;
}

/* Returns true if the text stands somewhere in the first curve's colour. */
static bool shows(const char *text)
{
	return shows_in(text, pixels_colour(0));
}

static bool shows_faint(const char *text)
{
	return shows_in(text, INK_FAINT);
}

TEST(a_name_of_a_third_of_the_width_is_whole)
{
	draw("2M pages");
	assert_true(shows("2M pages"));
}

TEST(a_name_that_is_too_long_ends_with_a_word)
{
	draw("hosted read 2M pages");
	assert_true(shows("hosted read"));
	assert_false(shows("hosted read 2"));
	draw("no read 2M pages"); /* eleven letters fit: up to the blank */
	assert_true(shows("no read 2M"));
	assert_false(shows("no read 2M p"));
	draw("state-machines");
	assert_true(shows("state-machi"));
}

/* Three marks; names as wide as the chart fill both rows above it. */
static void draw_marks(const char *first, const char *second)
{
	const struct mark marks[] = { { .at = 1, .colour = COLOURS, .label = first },
		{ .at = 1.5, .colour = COLOURS, .label = second },
		{ .at = 1.6, .colour = COLOURS, .claimed = true, .label = "CPUID L2" } };
	const struct chart_point points[] = { { .x = 1, .y = 1 }, { .x = 2, .y = 2 } };
	const struct chart_series series = { .label = "", .points = points, .n = 2 };
	struct chart chart = {
		.title = "", .series = &series, .n = 1, .marks = marks, .nmarks = 3
	};
	struct raster raster;
	struct text_place place = place_of(*pixels, HEIGHT, &raster);

	chart.x = chart.y = (struct axis){ .kind = AXIS_LINEAR, .low = 0, .high = 3, .name = "" };
	chart_pixels(&place, &chart);
}

/* Columns with the colour of marks half-way down the plot, where only their lines are. */
static unsigned mark_columns(void)
{
	unsigned n = 0;

	for (unsigned x = 0; x < WIDTH; x++)
		for (unsigned y = HEIGHT / 2 - LINE; y < HEIGHT / 2; y++)
			if (pixels[y][x] == INK_FAINT) {
				n++;
				break;
			}
	return n;
}

TEST(a_mark_without_room_for_its_name_is_not_drawn)
{
	draw_marks("L1", "L2");
	unsigned three = mark_columns();

	assert_true(shows_faint("L1") && shows_faint("L2") && shows_faint("CPUID L2"));
	draw_marks("a name of all the width..", "another of all the width");
	assert_false(shows_faint("CPUID L2"));
	assert_true(mark_columns() < three);
}

/* What is drawn beside a chart's area is never cleared: the last number stands within it. */
TEST(the_last_number_is_within_the_area)
{
	const struct chart_point points[] = { { .x = 1, .y = 1 }, { .x = 2, .y = 2 } };
	const struct chart_series series = { .label = "", .points = points, .n = 2 };
	struct chart chart = { .title = "", .series = &series, .n = 1 };
	struct raster raster;
	struct text_place place = place_of(*pixels, HEIGHT, &raster);

	raster_fill(&raster, place.area, GRID);
	place.area.width -= 2 * LETTER;
	chart.x = (struct axis){ .kind = AXIS_LINEAR, .low = 0, .high = 2000, .name = "" };
	chart.y = (struct axis){ .kind = AXIS_LINEAR, .low = 0, .high = 3, .name = "" };
	chart_pixels(&place, &chart);
	for (unsigned y = 0; y < HEIGHT; y++)
		for (unsigned x = WIDTH - 2 * LETTER; x < WIDTH; x++)
			if (pixels[y][x] != GRID)
				fail_msg("a pixel at %u, %u, beside the area of %u x %u", x, y,
					WIDTH - 2 * LETTER, HEIGHT);
}
