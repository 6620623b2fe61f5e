/* SPDX-License-Identifier: MIT */
/*
 * The display's pictures of a fixed result (tests/unit/kernel/screen_result.ndjson: its shape is a
 * guest's, the times from CPU to CPU are made up), drawn into memory on displays of several sizes
 * and compared with what was once looked at. With ANECHOIC_PICTURES=DIRECTORY all are written
 * there, as PPM; one that differs is written in any case, into build/.
 */
#include "infer/since.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/dashboard/end_layout.h"
#include "lib/crc32.h"
#include "tests/unit/given_display.h"
#include "tests/unit/test.h"

static struct code_dots dots;

#define RESULT "tests/unit/kernel/screen_result.ndjson"

static struct {
	unsigned width, height;
	uint32_t *pixels;
	void *memory;
} display;

static char *text; /* of the result */
static size_t bytes;

/* The display is the firmware's, and only its Blt reaches it: so what is to be seen is told. */
void firmware_display_show(const struct area *a)
{
	assert_true(a->x >= 0 && a->y >= 0 && a->width > 0 && a->height > 0);
	assert_true(a->x + a->width <= (int)display.width);
	assert_true(a->y + a->height <= (int)display.height);
}

static void open_display(unsigned width, unsigned height)
{
	struct framebuffer fb = { .width = width,
		.height = height,
		.pitch = width,
		.red = 0xff0000,
		.green = 0xff00,
		.blue = 0xff };
	static const char said[] = "latency: latency of dependent loads against size\n"
				   "  variant         bytes page     ns/load\n"
				   "  pointer-padded   256K   2M        4.45\n";
	struct canvas above;

	display.width = width;
	display.height = height;
	display.pixels = malloc(4ul * width * height);
	fb.shadow = display.pixels;
	display.memory = malloc(console_memory(&fb));
	console_setup(&fb, display.memory, true);
	if (console_share(1, 1, &above))
		console_unshare();
	console_write(said, sizeof said - 1);
}

static void close_display(void)
{
	console_give_back();
	free(display.pixels);
	free(display.memory);
}

static void write_picture(const char *directory, const char *name)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s-%ux%u.ppm", directory, name, display.width,
		display.height);
	f = fopen(path, "wb");
	if (!f)
		fail_msg("%s: cannot be written", path);
	fprintf(f, "P6 %u %u 255\n", display.width, display.height);
	for (size_t i = 0; i < (size_t)display.width * display.height; i++) {
		uint32_t p = display.pixels[i];
		fputc(p >> 16 & 255, f);
		fputc(p >> 8 & 255, f);
		fputc(p & 255, f);
	}
	fclose(f);
	print_message("%s\n", path);
}

static const struct golden {
	unsigned width, height;
	uint32_t running, end, with_code;
} golden[] = {
	{ 640, 480, 0xfde87abc, 0x77c96503, 0x77c96503 },
	{ 1280, 800, 0x25218f53, 0x6a3e2cc1, 0xa66567e1 },
	{ 1920, 1080, 0xf3124e55, 0x7fffbf5a, 0x2cd743fe },
	{ 3840, 2160, 0x8f9436c7, 0x1cd60ab2, 0x5302b43f },
	{ 800, 1280, 0x7f3ab279, 0x6ea9c28f, 0x406dd16d },
};

static unsigned differ;

static void compare(const char *name, uint32_t want)
{
	const char *directory = getenv("ANECHOIC_PICTURES");
	uint32_t crc = crc32_of(0, display.pixels, 4ul * display.width * display.height);

	if (directory)
		write_picture(directory, name);
	if (crc == want)
		return;
	differ++;
	print_message("%s at %ux%u: checksum 0x%08x, not 0x%08x: look at\n", name, display.width,
		display.height, crc, want);
	if (!directory)
		write_picture("build", name);
}

/* Up to the last row of each probe, as if they came then. */
static void feed(void)
{
	static const char *const probes[] = { "latency", "bandwidth", "tlb", "noise" };
	const char *end = strchr(text, '\n') + 1;

	dashboard_line(text, (size_t)(end - text), (size_t)(end - text));
	for (unsigned i = 0; i < sizeof probes / sizeof *probes; i++) {
		char key[40];
		size_t line = 0, last = 0, n = 0;

		snprintf(key, sizeof key, "\"probe\":\"%s\"", probes[i]);
		for (size_t at = 0; at < bytes; at += line) {
			char *next = memchr(text + at, '\n', bytes - at);
			char *found = strstr(text + at, key);

			line = (size_t)(next + 1 - (text + at));
			if (found && found < next) {
				last = at;
				n = line;
			}
		}
		dashboard_line(text, last + n, n);
	}
}

static bool draught_board(const void *of, unsigned column, unsigned row)
{
	return (column + row) % 2;
}

TEST(pictures_are_as_they_were)
{
	static const char now[] = "[228/267] at most 6 s left: noise gaps";
	static const char next[] = "\nWhat comes next: the machine resets, and this program starts "
				   "again.\n";
	static const struct code code = { 93, draught_board, NULL };
	struct span memory = { (uint64_t)malloc(8 << 20), 8 << 20 };

	dashboard_setup(&memory, &memory);
	for (unsigned i = 0; i < sizeof golden / sizeof *golden; i++) {
		open_display(golden[i].width, golden[i].height);
		dashboard_open("room bare, 2 of 2");
		feed();
		dashboard_progress(now, sizeof now - 1, 0.4);
		compare("running", golden[i].running);
		dashboard_result(text, bytes);
		dashboard_end(NULL, &dots);
		console_write(next, sizeof next - 1);
		compare("end", golden[i].end);
		dashboard_end(&code, &dots);
		compare("code", golden[i].with_code);
		close_display();
	}
	free((void *)memory.base);
	if (differ)
		fail_msg("%u pictures differ: if they are as they should be, their checksums here "
			 "are to be changed",
			differ);
}

/* The text of a fault stays to be read. */
TEST(closed_until_the_next_room)
{
	struct span memory = { (uint64_t)malloc(1 << 20), 1 << 20 };

	open_display(1280, 800);
	dashboard_setup(&memory, &memory);
	dashboard_result(text, bytes);
	dashboard_open("room bare, 2 of 2");
	dashboard_close();
	assert_false(dashboard_end(NULL, &dots));
	dashboard_open("room bare, 2 of 2");
	assert_true(dashboard_end(NULL, &dots));
	close_display();
	free((void *)memory.base);
}

/* With too little memory the card is there, and nothing is written beyond. */
TEST(little_memory)
{
	for (size_t n = 0; n < 400000; n = 3 * n + 100) {
		struct span memory = { (uint64_t)malloc(n + 1), n };

		open_display(640, 480);
		dashboard_setup(&memory, &memory);
		dashboard_open("room bare, 2 of 2");
		feed();
		dashboard_result(text, bytes);
		assert_true(dashboard_end(NULL, &dots));
		close_display();
		free((void *)memory.base);
	}
}

static uint32_t all_pixels(void)
{
	return crc32_of(0, display.pixels, 4ul * display.width * display.height);
}

static bool text_is_whole(void)
{
	struct screen *s = &console.screen;
	uint32_t before = all_pixels();

	memset(s->shown, 0, s->columns * s->rows); /* all of it is drawn again */
	screen_write(s, "", 0);
	return before == all_pixels();
}

static void most_below(card_say *say, void *to)
{
	static const char line[] = "differs: memory modules 2 x 16 GiB DDR5-6000, was 2 x 16 GiB "
				   "DDR5-4800\n";

	for (unsigned i = 0; i < SINCE_LINES; i++)
		say(to, line, sizeof line - 1);
}

/* On displays as low as any that is shared, nothing is drawn over the text. */
TEST(the_text_stays)
{
	static const struct {
		unsigned width, height;
	} sizes[] = { { 640, 480 }, { 1280, 480 }, { 640, 1136 } };
	struct span memory = { (uint64_t)malloc(8 << 20), 8 << 20 };

	dashboard_setup(&memory, &memory);
	dashboard_result(text, bytes);
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		open_display(sizes[i].width, sizes[i].height);
		dashboard_open("room bare, 2 of 2");
		feed();
		bool running = text_is_whole();

		assert_true(dashboard_end(NULL, &dots));
		if (!running || !text_is_whole())
			fail_msg("%ux%u: a picture %s reaches into the text", sizes[i].width,
				sizes[i].height, running ? "of the end" : "of a running room");
		uint32_t without = all_pixels();

		dashboard_below(most_below);
		assert_true(dashboard_end(NULL, &dots));
		dashboard_below(NULL);
		if ((without == all_pixels()) == (sizes[i].height > 480) || !text_is_whole())
			fail_msg("%ux%u: the lines below the card are not there, or reach into the "
				 "text",
				sizes[i].width, sizes[i].height);
		close_display();
	}
	free((void *)memory.base);
}

/* With what changed since the last run below it, at 1280x800: its lines do not touch each other. */
TEST(a_long_card_keeps_its_letters)
{
	struct canvas canvas = { .width = 1280, .height = 688, .scale = 1 };
	struct end_layout l = end_layout(&canvas, 48, 30, NULL);

	if (l.line < 16 || l.card.y + l.card.height > canvas.height)
		fail_msg("expected lines of 16 pixels within %d, came %u, to %d", canvas.height,
			l.line, l.card.y + l.card.height);
}

/* The next room is of the same machine: its head says from the first what that is. */
TEST(the_head_keeps_its_warning)
{
	static const char run[] = "{\"kind\":\"run\",\"room\":\"firmware\",\"emulated\":true}\n";
	struct span memory = { (uint64_t)malloc(8 << 20), 8 << 20 };

	open_display(1280, 800);
	uint32_t *second_line = display.pixels + 1280 * (GLYPH_HEIGHT + 4);

	dashboard_setup(&memory, &memory);
	dashboard_open("room firmware, 1 of 2");
	dashboard_line(run, sizeof run - 1, sizeof run - 1);
	uint32_t warning = *second_line;

	dashboard_close();
	*second_line = 0;
	dashboard_open("room bare, 2 of 2");
	assert_true(warning != 0);
	assert_int_equal(warning, *second_line);
	close_display();
	free((void *)memory.base);
}

/* Where the code has no room, not even alone, the card stays. */
TEST(no_room_for_the_code)
{
	static const struct code code = { 177, draught_board, NULL };
	struct span memory = { (uint64_t)malloc(8 << 20), 8 << 20 };

	open_display(1280, 480);
	dashboard_setup(&memory, &memory);
	dashboard_result(text, bytes);
	dashboard_open("room bare, 2 of 2");
	assert_true(dashboard_end(&code, &dots));
	uint32_t before = all_pixels();

	dashboard_code_alone();
	assert_int_equal(before, all_pixels());
	close_display();
	free((void *)memory.base);
}

/* The pixels of the head over a result whose end line has that instead of its own status. */
static uint32_t head_over(const char *end)
{
	static const char own[] = "\"status\":\"complete\"";
	struct span memory = { (uint64_t)malloc(8 << 20), 8 << 20 };
	char *at = strstr(text, own), *other = malloc(bytes + 80);
	int n = sprintf(other, "%.*s%s%s", (int)(at - text), text, end, at + strlen(own));

	open_display(640, 480);
	dashboard_setup(&memory, &memory);
	dashboard_result(other, (size_t)n);
	dashboard_open("room bare, 2 of 2");
	assert_true(dashboard_end(NULL, &dots));
	uint32_t head = crc32_of(0, display.pixels, 4ul * display.width * GLYPH_HEIGHT);

	close_display();
	free((void *)memory.base);
	free(other);
	return head;
}

TEST(only_what_finished_says_so)
{
	uint32_t finished = head_over("\"status\":\"complete\"");

	assert_int_equal(finished, head_over("\"status\":\"shortened\""));
	assert_int_not_equal(finished, head_over("\"status\":\"interrupted\""));
	assert_int_not_equal(finished, head_over("\"status\":\"faulted\""));
	assert_int_not_equal(finished, head_over("\"no\":0"));
}

BEFORE_ALL(read_result)
{
	FILE *f = fopen(RESULT, "rb");

	if (!f)
		fail();
	fseek(f, 0, SEEK_END);
	bytes = (size_t)ftell(f);
	rewind(f);
	text = calloc(bytes + 1, 1);
	bytes = fread(text, 1, bytes, f);
	fclose(f);
}

AFTER_ALL(free_result)
{
	free(text);
}
