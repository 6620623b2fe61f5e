/* SPDX-License-Identifier: MIT */
/* Drawing into memory whose ends fault or are watched. */
#include "page/picture/font.h"
#include "page/picture/raster.h"
#include "tests/unit/test.h"

#define WIDTH  40
#define HEIGHT 24
#define PITCH  48
#define NOBODY 0xdeadbeef

static uint32_t *pixels; /* exactly as many as a raster may touch: more is an error of ASan */
static struct raster raster;

BEFORE_EACH(fresh)
{
	free(pixels);
	pixels = malloc(4 * PITCH * HEIGHT);
	for (unsigned i = 0; i < PITCH * HEIGHT; i++)
		pixels[i] = NOBODY;
	raster = (struct raster){ .width = WIDTH,
		.height = HEIGHT,
		.pixels = pixels,
		.pitch = PITCH,
		.red = 0xff0000,
		.green = 0xff00,
		.blue = 0xff };
}

static uint32_t at(int x, int y)
{
	return pixels[y * PITCH + x];
}

/* Returns the number of drawn pixels; asserts that none is between the width and the pitch. */
static unsigned drawn(void)
{
	unsigned n = 0;

	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < PITCH; x++) {
			if (x >= WIDTH)
				assert_int_equal(at(x, y), NOBODY);
			n += at(x, y) != NOBODY;
		}
	return n;
}

TEST(fills_are_clipped)
{
	static const struct {
		struct area area;
		unsigned pixels;
	} cases[] = {
		{ { 3, 4, 5, 6 }, 30 },
		{ { -3, -4, 5, 6 }, 4 },
		{ { WIDTH - 2, HEIGHT - 1, 100, 100 }, 2 },
		{ { -1000, -1000, 3000, 3000 }, WIDTH * HEIGHT },
		{ { 5, 5, 0, 10 }, 0 },
		{ { 5, 5, -4, 10 }, 0 },
		{ { WIDTH, 0, 5, 5 }, 0 },
		{ { 0, -9, 5, 9 }, 0 },
	};

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		fresh();
		raster_fill(&raster, cases[i].area, 0x123456);
		if (drawn() != cases[i].pixels)
			fail_msg("case %u: %u pixels, not %u", i, drawn(), cases[i].pixels);
	}
	fresh();
	raster_fill(&raster, (struct area){ 3, 4, 2, 1 }, 0x123456);
	assert_int_equal(at(3, 4), 0x123456);
	assert_int_equal(at(4, 4), 0x123456);
}

/* The red, green and blue of a colour, in the places and widths that the masks give. */
TEST(any_format_of_pixels)
{
	static const struct {
		uint32_t red, green, blue, pixel;
	} formats[] = {
		{ 0xff0000, 0xff00, 0xff, 0x80c0e0 },
		{ 0xff, 0xff00, 0xff0000, 0xe0c080 },
		{ 0x3ff00000, 0xffc00, 0x3ff, 0x200u << 20 | 0x300u << 10 | 0x380 },
		{ 0xff000000, 0xff0000, 0xff00, 0x80c0e000 },
		{ 0xf800, 0x7e0, 0x1f, 0x10u << 11 | 0x30 << 5 | 0x1c },
	};

	for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++) {
		fresh();
		raster.red = formats[i].red;
		raster.green = formats[i].green;
		raster.blue = formats[i].blue;
		raster_fill(&raster, (struct area){ 0, 0, 1, 1 }, 0x80c0e0);
		assert_int_equal(at(0, 0), formats[i].pixel);
	}
}

TEST(lines_reach_both_ends)
{
	static const double ends[][4] = { { 2, 3, 30, 3 }, { 30, 20, 2, 3 }, { 7, 20, 7, 1 },
		{ 5, 5, 5, 5 }, { 2, 20, 9, 1 } };

	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
		for (unsigned thick = 1; thick < 4; thick++) {
			const double *e = ends[i];

			fresh();
			raster_line(&raster, e[0], e[1], e[2], e[3], thick, 0xffffff);
			assert_int_equal(at((int)e[0], (int)e[1]), 0xffffff);
			assert_int_equal(at((int)e[2], (int)e[3]), 0xffffff);
		}
	fresh();
	raster_line(&raster, 2, 3, 30, 3, 1, 0xffffff);
	assert_int_equal(drawn(), 29);
	fresh();
	raster_line(&raster, 2, 3, 30, 3, 3, 0xffffff); /* a pixel more on each side */
	assert_int_equal(drawn(), 31 * 3);
}

TEST(lines_are_clipped)
{
	static const double ends[][4] = { { -1e9, 5, 1e9, 5 }, { 5, -1e18, 5, 1e18 },
		{ -1e12, -1e12, 1e12, 1e12 }, { 1e9, 0, 1e9, 5 }, { 0.0 / 0.0, 1, 2, 3 },
		{ 1e308, 1e308, -1e308, -1e308 } };
	static const unsigned least[] = { WIDTH, HEIGHT, HEIGHT, 0, 0, 0 };

	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
		fresh();
		raster_line(&raster, ends[i][0], ends[i][1], ends[i][2], ends[i][3], 1, 0xff);
		if (drawn() < least[i])
			fail_msg("line %u: %u pixels, at least %u", i, drawn(), least[i]);
	}
	fresh();
	raster_line(&raster, 1e9, 0, 1e9, 5, 1, 0xff);
	assert_int_equal(drawn(), 0);
}

TEST(text_is_the_fonts)
{
	static const struct letters sizes[] = { { 1, 2, 8 }, { 1, 1, 6 }, { 2, 2, 12 } };

	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const struct letters *l = &sizes[i];

		fresh();
		raster_text(&raster, l, (struct area){ 2, 1, 0, 18 }, "gQ", 2, 0xffffff, 0x10);
		assert_int_equal(drawn(), 2 * l->advance * 18);
		for (unsigned x = 0; x < 2 * l->advance; x++)
			for (unsigned y = 0; y < 18; y++) {
				unsigned top = (18 - 8 * l->high) / 2,
					 dot = x % l->advance / l->wide;
				bool ink = y >= top && y < top + 8 * l->high && dot < 8 &&
					(font_dots(x < l->advance ? 'g' : 'Q',
						 (y - top) / l->high) &
						0x80 >> dot);

				assert_int_equal(at(2 + (int)x, 1 + (int)y), ink ? 0xffffff : 0x10);
			}
	}
}

/* Letter i of the text begins at x + 8 i; what lies outside is cut off there, not moved. */
TEST(text_is_clipped)
{
	static const struct letters letters = { 1, 2, 8 };
	static const char text[] =
		"a text that is far longer than the raster is wide, of many letters";

	for (int x = -30; x < 50; x += 7)
		for (int y = -30; y < 30; y += 5) {
			fresh();
			raster_text(&raster, &letters, (struct area){ x, y, 0, 16 }, text,
				sizeof text - 1, 0xffffff, 0);
			drawn();
			for (int at_x = 0; at_x < WIDTH; at_x++)
				for (int at_y = 0; at_y < HEIGHT; at_y++) {
					bool in = at_x >= x && at_y >= y && at_y < y + 16;
					unsigned char c = in ? text[(at_x - x) / 8] : 0;

					if (!in)
						assert_int_equal(at(at_x, at_y), NOBODY);
					else
						assert_int_equal(at(at_x, at_y),
							font_dots(c, (unsigned)(at_y - y) / 2) &
									0x80 >> (at_x - x) % 8
								? 0xffffff
								: 0);
				}
		}
}

AFTER_ALL(finish)
{
	free(pixels);
}
