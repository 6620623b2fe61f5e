/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/console/console.h"
#include "kernel/console/serial.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/x86.h"
#include "kernel/firmware/firmware_calls.h"
#include "lib/text.h"

#define COLUMNS 79

/* A display that text shares with pictures: it has so many columns and rows; the part for text. */
#define SHARE_COLUMNS 80
#define SHARE_ROWS    30
#define SHARE_PART    4
#define EARLY         1024 /* bytes: a name, and some errors in \anechoic.cfg */

static struct {
	struct screen screen;
	struct framebuffer fb;
	void *memory;
	bool use_screen, use_serial, own;
	bool taken; /* before the exit: the display is ours, the firmware's text goes elsewhere */
	bool serial_opened;
	const char *serial_wrong; /* said once */
	char early[EARLY]; /* where the firmware has no console: until the serial line is known */
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

/* Before the exit. Memory NULL: there was too little of it. */
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

/* Text on the display while that is ours. */
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

/* Takes a progress line away: spaces over it, so that it works without escape codes. */
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

/* Not as it is opened: the console may not be ready for it. */
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
