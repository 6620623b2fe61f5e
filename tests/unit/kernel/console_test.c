/* SPDX-License-Identifier: MIT */
/*
 * Text on a framebuffer of memory, read back as dots; which displays text shares with pictures
 * (docs/boot.md), and which it has alone.
 */
#include "page/picture/font.h"
#include "tests/unit/given_display.h"
#include "tests/unit/test.h"

void firmware_display_show(const struct area *a)
{
}

/* Returns true if the screen is shared; asserts that at least six rows are left for text then. */
static bool shares(unsigned width, unsigned height)
{
	uint32_t *pixels = malloc(4ul * width * height);
	struct framebuffer fb = { .span = { (uint64_t)(uintptr_t)pixels, 4ull * width * height },
		.width = width,
		.height = height,
		.pitch = width,
		.red = 0xff0000,
		.green = 0xff00,
		.blue = 0xff };
	void *memory = malloc(console_memory(&fb));
	struct canvas canvas;

	console_setup(&fb, memory, true);
	console_take_over();
	bool shared = console_share(6, 7, &canvas);

	if (shared)
		assert_in_range(canvas.height, 1, height - 6 * GLYPH_HEIGHT * canvas.scale);
	free(memory);
	free(pixels);
	return shared;
}

TEST(from_640x480_on)
{
	assert_true(shares(640, 480));
	assert_true(shares(800, 1280));
	assert_true(shares(3840, 2160));
	assert_false(shares(632, 480));
	assert_false(shares(1280, 400)); /* the card would reach into the text */
	assert_false(shares(640, 479));
}

/* The screen. */

#define UNTOUCHED 0xdeadbeef

static struct framebuffer fb;
static struct screen screen;
static uint32_t *pixels;
static void *memory;

static void open_screen(uint32_t width, uint32_t height, uint32_t pitch)
{
	size_t n = (size_t)pitch * height;

	fb = (struct framebuffer){
		.width = width,
		.height = height,
		.pitch = pitch,
		.red = 0xff0000,
		.green = 0xff00,
		.blue = 0xff,
	};
	pixels = malloc(n * 4);
	for (size_t i = 0; i < n; i++)
		pixels[i] = UNTOUCHED;
	fb.span = (struct span){ (uint64_t)pixels, n * 4 };
	memory = malloc(console_memory(&fb));
	screen_open(&screen, &fb, memory);
}

static void close_screen(void)
{
	free(pixels);
	free(memory);
}

/* The character that is shown in a cell; '?' for none. */
static char read_cell(unsigned column, unsigned row)
{
	for (unsigned char c = 32; c < 127; c++) {
		bool same = true;

		for (unsigned y = 0; y < GLYPH_HEIGHT * screen.scale && same; y++)
			for (unsigned x = 0; x < GLYPH_WIDTH * screen.scale && same; x++) {
				uint32_t dot = font_dots(c, y / screen.scale / 2) >>
						(7 - x / screen.scale) &
					1;
				uint32_t at = (row * GLYPH_HEIGHT * screen.scale + y) * fb.pitch +
					column * GLYPH_WIDTH * screen.scale + x;

				same = pixels[at] == (dot ? 0xffffff : 0);
			}
		if (same)
			return (char)c;
	}
	return '?';
}

static void assert_row(unsigned row, const char *text)
{
	for (unsigned i = 0; i < screen.columns; i++) {
		char want = i < strlen(text) ? text[i] : ' ';

		if (read_cell(i, row) != want)
			fail_msg("row %u column %u shows '%c', not '%c'", row, i, read_cell(i, row),
				want);
	}
}

static void write_text(const char *text)
{
	screen_write(&screen, text, strlen(text));
}

TEST(glyphs_differ)
{
	for (unsigned a = 32; a < 127; a++)
		for (unsigned b = a + 1; b < 127; b++) {
			bool same = true;

			for (unsigned y = 0; y < 8; y++)
				same &= font_dots((unsigned char)a, y) ==
					font_dots((unsigned char)b, y);
			if (same)
				fail_msg("'%c' and '%c' look the same", a, b);
		}
}

TEST(writes_wraps_and_scrolls)
{
	open_screen(160, 64, 176); /* 20 columns, 4 rows */
	assert_int_equal(screen.columns, 20);
	assert_int_equal(screen.rows, 4);
	write_text("one\ntwo ~\n01234567890123456789abc");
	assert_row(0, "one");
	assert_row(1, "two ~");
	assert_row(2, "01234567890123456789");
	assert_row(3, "abc");
	write_text("\rx\nlast\n");
	assert_row(0, "01234567890123456789");
	assert_row(1, "xbc");
	assert_row(2, "last");
	assert_row(3, "");
	for (unsigned y = 0; y < 64; y++) /* what lies between width and pitch is not ours */
		for (unsigned x = 160; x < 176; x++)
			assert_int_equal(pixels[y * 176 + x], UNTOUCHED);
	close_screen();
}

TEST(only_changes_are_drawn)
{
	open_screen(160, 64, 160);
	write_text("ab\nab\nab\nab");
	for (unsigned i = 0; i < 160 * 64; i++)
		pixels[i] = UNTOUCHED;
	write_text("\nab"); /* scrolls: the same is to be seen as before */
	for (unsigned i = 0; i < 160 * 64; i++)
		assert_int_equal(pixels[i], UNTOUCHED);
	close_screen();
}

TEST(scales)
{
	static const struct {
		unsigned width, height, scale;
	} sizes[] = { { 640, 480, 1 }, { 1280, 800, 1 }, { 1920, 1080, 1 }, { 3840, 2160, 3 },
		{ 7680, 4320, 6 } };

	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		open_screen(sizes[i].width, sizes[i].height, sizes[i].width);
		assert_int_equal(screen.scale, sizes[i].scale);
		assert_true(screen.columns >= 80);
		write_text("large\nletters");
		assert_int_equal(read_cell(0, 1), 'l');
		assert_int_equal(read_cell(6, 1), 's');
		close_screen();
	}
}

TEST(odd_framebuffers)
{
	struct framebuffer none = { .absent = "no display" };

	assert_int_equal(console_memory(&none), 0);
	screen_open(&screen, &none, NULL);
	write_text("nowhere");
	open_screen(5, 5, 5); /* smaller than a letter */
	write_text("x\ny");
	close_screen();
	open_screen(160, 64, 160);
	fb.span.bytes = 160 * 40 * 4; /* less than height says */
	screen_open(&screen, &fb, memory);
	assert_int_equal(screen.rows, 2);
	write_text("a\nb\nc\nd");
	assert_int_equal(read_cell(0, 1), 'd');
	assert_int_equal(pixels[160 * 63], 0); /* from the first open */
	close_screen();
}
