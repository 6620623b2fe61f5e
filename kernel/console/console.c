/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/console/console.h"
#include "kernel/console/serial.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/x86.h"
#include "kernel/firmware/firmware_calls.h"
#include "lib/text.h"

/* --- the screen --- */

/*
 * Text on a display, all of it or its last rows. The characters shown are remembered, and only
 * cells that change are drawn: the framebuffer, which is slow to read, is never read.
 */
struct screen {
	struct raster raster; /* pixels that may be written */
	unsigned scale;       /* pixels per dot of the font */
	unsigned columns, rows;
	unsigned first;        /* row of text: the rows before it are not for text */
	unsigned column, row;  /* where the next character goes */
	unsigned char *shown;  /* columns * rows characters as drawn */
	unsigned char *wanted; /* the same as they should be drawn */
};

#define COLUMNS_MIN 100 /* columns that must remain when the dots are made larger */
#define ROWS_MIN    40

static unsigned choose_scale(const struct raster *r)
{
	unsigned scale = 1;

	while (r->width / (GLYPH_WIDTH * (scale + 1)) >= COLUMNS_MIN &&
		r->height / (GLYPH_HEIGHT * (scale + 1)) >= ROWS_MIN)
		scale++;
	return scale;
}

/* The pixels of the display; lines beyond the span are not memory of it and must not be touched. */
static struct raster raster_of(const struct framebuffer *fb)
{
	uint64_t lines = fb->span.bytes && fb->pitch ? fb->span.bytes / 4 / fb->pitch : 0;
	uint32_t *pixels = fb->span.bytes ? (uint32_t *)fb->span.base : fb->shadow;

	if (!fb->span.bytes && fb->shadow)
		lines = fb->height;

	return (struct raster){
		.width = fb->width,
		.height = lines < fb->height ? (unsigned)lines : fb->height,
		.pixels = pixels,
		.pitch = fb->pitch,
		.red = fb->red,
		.green = fb->green,
		.blue = fb->blue,
	};
}

static void measure(struct screen *s, const struct framebuffer *fb)
{
	s->raster = raster_of(fb);
	s->scale = choose_scale(&s->raster);
	s->columns = fb->width / (GLYPH_WIDTH * s->scale);
	s->rows = s->raster.height / (GLYPH_HEIGHT * s->scale);
}

size_t console_memory(const struct framebuffer *fb)
{
	struct screen s;

	measure(&s, fb);
	return 2 * (size_t)s.columns * s.rows;
}

/* A glyph has 8 rows of dots; each is drawn twice as high as wide. */
static void draw(const struct screen *s, unsigned at, unsigned n)
{
	const struct letters letters = { s->scale, 2 * s->scale, GLYPH_WIDTH * s->scale };
	struct area area = {
		.x = (int)(at % s->columns * GLYPH_WIDTH * s->scale),
		.y = (int)(at / s->columns * GLYPH_HEIGHT * s->scale),
		.height = (int)(GLYPH_HEIGHT * s->scale),
	};

	raster_text(&s->raster, &letters, area, (const char *)s->wanted + at, n, 0xffffff, 0);
}

/* Draw neighbouring cells that changed in one call; draw no cell that did not change. */
static void refresh(struct screen *s)
{
	for (unsigned i = s->first * s->columns, n; i < s->columns * s->rows; i += n) {
		unsigned end = (i / s->columns + 1) * s->columns;

		for (n = 0; i + n < end && s->shown[i + n] != s->wanted[i + n]; n++)
			s->shown[i + n] = s->wanted[i + n];
		if (n)
			draw(s, i, n);
		else
			n = 1;
	}
}

/* Clear the display. memory: console_memory() bytes. Without pixels, all later calls do nothing. */
static void screen_open(struct screen *s, const struct framebuffer *fb, void *memory)
{
	memset(s, 0, sizeof *s);
	if (fb->span.bytes || fb->shadow)
		measure(s, fb);
	if (!s->rows || !s->columns)
		return;
	s->shown = memory;
	s->wanted = s->shown + s->columns * s->rows;
	memset(s->shown, ' ', 2 * s->columns * s->rows);
	raster_fill(&s->raster, (struct area){ 0, 0, (int)s->raster.width, (int)s->raster.height },
		0);
}

/*
 * Restrict text to the last `rows` rows, which keep the last lines. If there are more rows than
 * before, the kept text stands at the top of them and the rest is empty. The display above is left
 * as it is.
 */
static void screen_keep_rows(struct screen *s, unsigned rows)
{
	unsigned first = s->rows - (rows < s->rows ? rows : s->rows);
	unsigned used = s->row - s->first + 1, kept = used < rows ? used : rows;

	if (!s->rows || !s->columns || !rows || first == s->first)
		return;
	memmove(s->wanted + first * s->columns, s->wanted + (s->row + 1 - kept) * s->columns,
		kept * s->columns);
	memset(s->wanted + (first + kept) * s->columns, ' ', (s->rows - first - kept) * s->columns);
	memset(s->shown, 0, s->columns * s->rows); /* no character: all are drawn again */
	s->first = first;
	s->row = first + kept - 1;
	refresh(s);
}

/* Clear the part above the text and return it. */
static struct canvas screen_canvas(const struct screen *s)
{
	struct canvas c = { .raster = s->raster, .scale = s->scale };

	c.width = (int)s->raster.width;
	c.height = (int)(s->first * GLYPH_HEIGHT * s->scale);
	raster_fill(&s->raster, (struct area){ 0, 0, c.width, c.height }, 0);
	return c;
}

static void new_line(struct screen *s)
{
	s->column = 0;
	if (s->row + 1 < s->rows) {
		s->row++;
		return;
	}
	memmove(s->wanted + s->first * s->columns, s->wanted + (s->first + 1) * s->columns,
		s->columns * (s->rows - 1 - s->first));
	memset(s->wanted + s->columns * (s->rows - 1), ' ', s->columns);
}

static void put_character(struct screen *s, unsigned char c)
{
	if (c == '\n') {
		new_line(s);
	} else if (c == '\r') {
		s->column = 0;
	} else {
		if (s->column == s->columns)
			new_line(s);
		s->wanted[s->row * s->columns + s->column++] = c;
	}
}

/* Write text: handle "\n" and "\r", wrap long lines, scroll. */
static void screen_write(struct screen *s, const char *text, size_t n)
{
	if (!s->rows || !s->columns)
		return;
	for (size_t i = 0; i < n; i++)
		put_character(s, (unsigned char)text[i]);
	refresh(s);
}

/* --- the console --- */

#define COLUMNS 79

/*
 * A display is shared with pictures only if it has this many columns and rows; text gets
 * 1/SHARE_PART.
 */
#define SHARE_COLUMNS 80
#define SHARE_ROWS    30
#define SHARE_PART    4
#define EARLY         1024 /* bytes: a name, and some errors in \anechoic.cfg */

static struct {
	struct screen screen;
	struct framebuffer fb;
	void *memory;
	bool use_screen, use_serial, own;
	bool taken; /* before the exit: the display is ours, the firmware prints elsewhere */
	bool serial_opened;
	const char *serial_wrong; /* printed once */
	char early[EARLY];        /* held until the serial line is known */
	size_t early_bytes;
	bool progress_shown;
	uint64_t progress_at;
} console;

void console_setup(const struct framebuffer *fb, void *memory, bool screen)
{
	console.fb = *fb;
	console.memory = memory;
	console.use_screen = screen;
}

static void say_serial(void);

static void open_serial(void)
{
	const char *wrong = NULL;

	if (console.use_serial && !console.serial_opened)
		wrong = serial_open();
	console.serial_opened = console.use_serial;
	console.serial_wrong = wrong ? wrong : console.serial_wrong;
}

void console_choose_serial(bool use)
{
	console.use_serial = use;
	if (firmware_has_console())
		return;
	open_serial();
	if (use)
		serial_write(console.early, console.early_bytes);
	say_serial();
}

void console_take_over(void)
{
	console.own = true;
	console.fb.shadow = NULL;
	open_serial();
	if (console.use_screen)
		screen_open(&console.screen, &console.fb, console.memory);
	console.taken = false;
	say_serial();
}

/* Before the exit: take the display from the firmware. memory NULL: there was too little of it. */
static void take_display(void)
{
	const struct framebuffer *fb = &console.fb;

	if (console.own || console.taken || !console.use_screen || !console.memory ||
		!(fb->span.bytes || fb->shadow) || !firmware_display_take())
		return;
	console.taken = true;
	screen_open(&console.screen, fb, console.memory);
}

void console_show(const struct area *a)
{
	if (console.taken && !console.fb.span.bytes)
		firmware_display_show(a);
}

/* Write text on the display while it is ours. */
static void put_screen(const char *text, size_t n)
{
	const struct screen *s = &console.screen;
	int top = (int)(s->first * GLYPH_HEIGHT * s->scale);

	screen_write(&console.screen, text, n);
	console_show(&(struct area){ 0, top, (int)s->raster.width, (int)s->raster.height - top });
}

void console_give_back(void)
{
	if (!console.taken)
		return;
	firmware_display_give_back();
	console.taken = false;
	memset(&console.screen, 0, sizeof console.screen);
}

/* Before the exit: on the firmware's console; without one, over the serial line. */
static void put_early(const char *text, size_t n)
{
	size_t space = EARLY - console.early_bytes;

	if (firmware_has_console()) {
		firmware_print(text, n);
	} else if (console.serial_opened) {
		serial_write(text, n);
	} else {
		memcpy(console.early + console.early_bytes, text, n < space ? n : space);
		console.early_bytes += n < space ? n : space;
	}
}

static void put(const char *text, size_t n)
{
	if (!console.own) {
		put_early(text, n);
		if (console.taken)
			put_screen(text, n);
		return;
	}
	if (console.use_serial)
		serial_write(text, n);
	screen_write(&console.screen, text, n);
}

/* Erase a progress line by writing spaces over it, which works without escape codes. */
static void clear_progress(void)
{
	char blank[COLUMNS + 2];

	if (!console.progress_shown)
		return;
	memset(blank, ' ', sizeof blank);
	blank[0] = blank[COLUMNS + 1] = '\r';
	put(blank, sizeof blank);
	console.progress_shown = false;
}

void console_write(const char *text, size_t n)
{
	clear_progress();
	put(text, n);
}

void console_say(void *to, const char *text, size_t n)
{
	console_write(text, n);
}

void console_printf(const char *format, ...)
{
	static char text[1024];
	va_list args;
	int n;

	va_start(args, format);
	n = text_vformat(text, sizeof text, format, args);
	va_end(args);
	console_write(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

#define LINE_COLUMNS 79

/*
 * Returns the length of a text that fits into a line of `most` columns: up to a space, if there is
 * one.
 */
static unsigned fitting(const char *text, unsigned most)
{
	unsigned n = (unsigned)strlen(text);

	if (n <= most)
		return n;
	for (n = most; n && text[n] != ' '; n--)
		;
	return n ? n : most;
}

void console_line(const char *line)
{
	for (const char *indent = ""; *line; indent = "  ") {
		unsigned n = fitting(line, LINE_COLUMNS - (unsigned)strlen(indent));

		console_printf("%s%.*s\n", indent, (int)n, line);
		line += n;
		line += *line == ' ';
	}
}

void console_progress(const char *text, size_t n)
{
	char line[COLUMNS + 1];
	uint64_t now = rdtsc();

	if (console.progress_shown && now - console.progress_at < tsc_per_second / 5)
		return;
	if (n > COLUMNS)
		n = COLUMNS;
	memset(line, ' ', sizeof line);
	line[0] = '\r';
	memcpy(line + 1, text, n);
	put(line, sizeof line);
	console.progress_shown = true;
	console.progress_at = now;
}

/* Called after open_serial, not in it: the console may not be ready when the port is opened. */
static void say_serial(void)
{
	if (console.serial_wrong)
		console_printf("%s\n", console.serial_wrong);
	console.serial_wrong = NULL;
}

bool console_sends_results(void)
{
	open_serial();
	say_serial();
	return console.use_serial && serial_present();
}

void console_serial(const char *text, size_t n)
{
	if (console_sends_results())
		serial_write(text, n);
}

void console_result(const char *line, size_t n)
{
	if (!console_sends_results())
		return;
	if (console.progress_shown)
		clear_progress();
	serial_result(line, n);
}

bool console_share(unsigned least, unsigned most, struct canvas *out)
{
	struct screen *s = &console.screen;
	unsigned rows;

	take_display();
	rows = s->rows / SHARE_PART;
	if (s->columns < SHARE_COLUMNS || s->rows < SHARE_ROWS)
		return false;
	clear_progress();
	screen_keep_rows(s, rows < least ? least : rows > most ? most : rows);
	*out = screen_canvas(s);
	return true;
}

void console_unshare(void)
{
	screen_keep_rows(&console.screen, console.screen.rows);
}

void console_emergency(const char *text, size_t n)
{
	if (!console.own)
		console_take_over();
	console_unshare();
	console_write(text, n);
}
