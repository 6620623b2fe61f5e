/* SPDX-License-Identifier: MIT */
/*
 * The display's pictures of a fixed result (tests/unit/kernel/screen_result.ndjson: its values are
 * a guest's; the rows of its curves are made up here), drawn into memory on displays of several
 * sizes and compared with what was once looked at. With ANECHOIC_PICTURES=DIRECTORY all are written
 * there, as PPM; one that differs is written in any case, into build/.
 */
#include "engine/infer/since.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/dashboard/end_layout.h"
#include "lib/crc32.h"
#include "page/picture/chart.h"
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

static struct span memory; /* of the pictures */

/* A machine with a display of that size, and so much memory for its pictures. */
static void start(unsigned width, unsigned height, size_t n)
{
	memory = (struct span){ (uint64_t)malloc(n + 1), n };
	open_display(width, height);
	dashboard_setup(&memory, &memory);
}

static void stop(void)
{
	console_give_back();
	free(display.pixels);
	free(display.memory);
	free((void *)memory.base);
}

#define ENOUGH (8 << 20)

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
	{ 640, 480, 0xac6213e3, 0x4aa76d6f, 0x4aa76d6f },
	{ 1280, 800, 0x7a71db43, 0x9c09bca4, 0x693412bf },
	{ 1920, 1080, 0xc4bb40c4, 0xae81835b, 0x277bc808 },
	{ 3840, 2160, 0xc11b5308, 0x9406219b, 0x91955350 },
	{ 800, 1280, 0x8faa9005, 0xdeae006f, 0x4a9e5318 },
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
	static const char now[] = "row 228, at most 6 s left to measure: noise gaps";
	static const char next[] = "\nWhat comes next: the machine resets, and this program starts "
				   "again.\n";
	static const struct qr_modules code = { 93, draught_board, NULL };

	for (unsigned i = 0; i < sizeof golden / sizeof *golden; i++) {
		start(golden[i].width, golden[i].height, ENOUGH);
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
		stop();
	}
	if (differ)
		fail_msg("%u pictures differ: if they are as they should be, their checksums here "
			 "are to be changed",
			differ);
}

/* The text of a fault stays to be read. */
TEST(closed_until_the_next_room)
{
	start(1280, 800, 1 << 20);
	dashboard_result(text, bytes);
	dashboard_open("room bare, 2 of 2");
	dashboard_close();
	assert_false(dashboard_end(NULL, &dots));
	dashboard_open("room bare, 2 of 2");
	assert_true(dashboard_end(NULL, &dots));
	stop();
}

/* With too little memory the card is there, and nothing is written beyond. */
TEST(little_memory)
{
	for (size_t n = 0; n < 400000; n = 3 * n + 100) {
		start(640, 480, n);
		dashboard_open("room bare, 2 of 2");
		feed();
		dashboard_result(text, bytes);
		assert_true(dashboard_end(NULL, &dots));
		stop();
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

	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		start(sizes[i].width, sizes[i].height, ENOUGH);
		dashboard_result(text, bytes);
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
		stop();
	}
}

/* Pixels, one above the other, of the longest white stroke between the head and the card. */
static unsigned longest_stroke(void)
{
	unsigned longest = 0;

	for (unsigned x = 0; x < display.width; x++)
		for (unsigned y = 48, n = 0; y < 160; y++) {
			n = display.pixels[y * display.width + x] == 0xffffff ? n + 1 : 0;
			longest = n > longest ? n : longest;
		}
	return longest;
}

/* The end screen of that result, without a code, which is white. */
static unsigned stroke_of(const char *result, size_t n)
{
	start(1280, 800, ENOUGH);
	dashboard_result(result, n);
	dashboard_open("room bare, 2 of 2");
	assert_true(dashboard_end(NULL, &dots));
	unsigned stroke = longest_stroke();

	stop();
	return stroke;
}

/*
 * The latencies are above the card, in letters that are readable from two metres: 48 pixels of a
 * display of 1280x800, 13 mm of one of 15 inches. An emulator's are not: they mean nothing.
 */
TEST(latencies_are_large)
{
	static const char no[] = "\"emulated\":false", yes[] = "\"emulated\":true";
	char *at = strstr(text, no), *other = malloc(bytes);

	assert_non_null(at);
	int n = sprintf(other, "%.*s%s%s", (int)(at - text), text, yes, at + strlen(no));

	assert_in_range(stroke_of(text, bytes), 24, 64);
	assert_in_range(stroke_of(other, (size_t)n), 0, 20);
	free(other);
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

	start(1280, 800, ENOUGH);
	uint32_t *second_line = display.pixels + 1280 * (GLYPH_HEIGHT + 4);

	dashboard_open("room firmware, 1 of 2");
	dashboard_line(run, sizeof run - 1, sizeof run - 1);
	uint32_t warning = *second_line;

	dashboard_close();
	*second_line = 0;
	dashboard_open("room bare, 2 of 2");
	assert_true(warning != 0);
	assert_int_equal(warning, *second_line);
	stop();
}

/* If the code has no room, even alone, the card stays. */
TEST(no_room_for_the_code)
{
	static const struct qr_modules code = { 177, draught_board, NULL };

	start(1280, 480, ENOUGH);
	dashboard_result(text, bytes);
	dashboard_open("room bare, 2 of 2");
	assert_true(dashboard_end(&code, &dots));
	uint32_t before = all_pixels();

	dashboard_code_alone();
	assert_int_equal(before, all_pixels());
	stop();
}

/* The pixels of the head over a result whose end line has that instead of its own status. */
static uint32_t head_over(const char *end)
{
	static const char own[] = "\"status\":\"complete\"";
	char *at = strstr(text, own), *other = malloc(bytes + 80);
	int n = sprintf(other, "%.*s%s%s", (int)(at - text), text, end, at + strlen(own));

	start(640, 480, ENOUGH);
	dashboard_result(other, (size_t)n);
	dashboard_open("room bare, 2 of 2");
	assert_true(dashboard_end(NULL, &dots));
	uint32_t head = crc32_of(0, display.pixels, 4ul * display.width * GLYPH_HEIGHT);

	stop();
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

/* A row with one parameter beside its size of pages; its samples scatter by some per cent. */
static void row(FILE *to, const char *probe, const char *variant, const char *unit,
	const char *param, double x, unsigned page, double y)
{
	fprintf(to,
		"{\"kind\":\"row\",\"room\":\"bare\",\"probe\":\"%s\",\"variant\":\"%s\","
		"\"params\":"
		"{\"%s\":%.0f,\"page_bytes\":%u},\"unit\":\"%s\",\"min\":%g,\"median\":%g,\"p90\":%"
		"g}\n",
		probe, variant, param, x, page, unit, 0.97 * y, y, 1.1 * y);
}

/* Three levels and memory, two levels of a TLB, and CPUs in two groups of four. */
static void write_rows(FILE *to)
{
	static const char *const streams[] = { "read", "write", "copy" };

	for (double x = 1024; x < 3e9; x *= 1.25)
		row(to, "latency", "pointer-padded", "ns/load", "bytes", x, 2 << 20,
			x < 4e4           ? 1.25
				: x < 6e5 ? 3.8
				: x < 4e7 ? 11
					  : 95);
	for (unsigned i = 0; i < 3; i++)
		for (double x = 1024; x < 2e7; x *= 2)
			row(to, "bandwidth", streams[i], "GB/s", "bytes", x, 2 << 20,
				(x < 4e4                  ? 200
						: x < 6e5 ? 96
							  : 64) /
					(1. + i));
	for (unsigned page = 4096; page <= 2 << 20; page *= 512)
		for (double x = 1; x < 20000; x *= 1.5)
			row(to, "tlb", "cost", "ns/load", "pages", x, page,
				x < 65             ? 0.01
					: x < 1500 ? 2.2
						   : page / 2e5 + 9);
	for (unsigned a = 0; a < 8; a++)
		for (unsigned b = a + 1; b < 8; b++)
			fprintf(to,
				"{\"kind\":\"row\",\"probe\":\"cores\",\"variant\":\"bounce\","
				"\"params\":{\"cpu_a\":%u,\"cpu_b\":%u},\"unit\":\"ns/hop\","
				"\"median\":%u}\n",
				a, b, a / 4 == b / 4 ? 23 + 2 * b : 105 + a + b);
}

/*
 * The end screen's pixels of a result with n rows of latency and no others, or a running room's
 * when the last of them came.
 */
static uint32_t pixels_of(unsigned n, bool end)
{
	char *made;
	size_t size, line = 0;
	FILE *to = open_memstream(&made, &size);

	fprintf(to, "{\"kind\":\"run\",\"room\":\"bare\",\"profile\":\"smoke\"}\n");
	for (unsigned i = 0; i < n; i++) {
		line = (size_t)ftell(to);
		row(to, "latency", "pointer-padded", "ns/load", "bytes", 1024 << i, 2 << 20,
			1 + i * i);
	}
	fclose(to);
	start(1280, 800, ENOUGH);
	dashboard_result(made, size);
	dashboard_open("room bare, 2 of 2");
	size_t first = (size_t)(strchr(made, '\n') + 1 - made);

	dashboard_line(made, first, first);
	if (n && !end)
		dashboard_line(made, size, size - line);
	if (end)
		assert_true(dashboard_end(NULL, &dots));
	uint32_t seen = all_pixels();

	stop();
	free(made);
	return seen;
}

/* A curve is drawn from LINE_LEAST points on: fewer are a picture of nothing. */
TEST(three_points_are_no_picture)
{
	pixels_of(0, true); /* the head keeps this machine's mark */
	for (unsigned end = 0; end < 2; end++)
		for (unsigned n = 1; n < 8; n++)
			if ((pixels_of(n, end) == pixels_of(0, end)) != (n < LINE_LEAST))
				fail_msg("%s: %u points, and %s picture",
					end ? "the end screen" : "a running room", n,
					n < LINE_LEAST ? "a" : "no");
}

/* The file's lines, and the rows behind its first one. */
BEFORE_ALL(make_result)
{
	FILE *from = fopen(RESULT, "rb"), *to = open_memstream(&text, &bytes);
	char line[8192];

	if (!from)
		fail_msg("%s cannot be read", RESULT);
	for (unsigned n = 0; fgets(line, sizeof line, from); n++) {
		fputs(line, to);
		if (!n)
			write_rows(to);
	}
	fclose(from);
	fclose(to);
}

AFTER_ALL(free_result)
{
	free(text);
}
