/* SPDX-License-Identifier: MIT */
/* Which displays text shares with pictures (docs/boot.md), and which it has alone. */
#include "kernel/console/console.h"
#include "kernel/console/serial.h"
#include "kernel/firmware/firmware_calls.h"
#include "tests/unit/test.h"

const char *serial_open(void)
{
	return NULL;
}

bool serial_present(void)
{
	return false;
}

void serial_write(const char *text, size_t n)
{
}

void serial_result(const char *line, size_t n)
{
}

bool firmware_has_console(void)
{
	return false;
}

void firmware_print(const char *text, size_t n)
{
}

bool firmware_display_take(void)
{
	return true;
}

void firmware_display_give_back(void)
{
}

void firmware_display_show(const struct area *a)
{
}

/* Whether it is shared; then at least six rows are left for text. */
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
	void *memory = malloc(screen_memory(&fb));
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
