/* SPDX-License-Identifier: MIT */
#include "kernel/dashboard/dashboard.h"

#include <string.h>

#include "kernel/console/console.h"
#include "kernel/cpu/x86.h"
#include "kernel/dashboard/views.h"
#include "lib/result_keys.h"
#include "lib/result_line.h"
#include "lib/text.h"

#define TEXT_ROWS_RUN 14 /* at most, while a room runs */
#define TEXT_ROWS_END 7  /* what comes next, and the countdown */
#define TEXT_ROWS     6  /* at least */

#define HEAD_TEXT   32 /* bytes for the right end of the head */
#define STRIP_PART  4  /* of the height for pictures: the small ones */
#define STRIP_LINES 5  /* of text, at least that high, or there are none */
#define DRAW_PART   16 /* at most one of so many parts of the time is spent on the live curve */

static struct {
	bool shown;  /* the canvas is ours */
	bool closed; /* dashboard_close, and no room since */
	struct canvas canvas;
	struct card card; /* of the lines so far */
	const char *room;
	int top;                   /* of what is below the head */
	struct area live;          /* for the running probe */
	struct strip strip;        /* for those that are done */
	char probe[16];            /* that runs; "": none yet */
	uint64_t drawn_at, took;   /* TSC ticks: the live curve's end, and its time */
	struct span running, done; /* memory */
	struct {
		const char *text;
		size_t n;
	} result;
	const struct code *code;
	int dot; /* pixels of a module of it on the end screen */
} board;

void dashboard_setup(const struct span *running, const struct span *end)
{
	board.running = *running;
	board.done = *end;
}

static void show(int y, int height)
{
	console_show(&(struct area){ 0, y, board.canvas.width, height });
}

/* The head is as high as the machine needs: what is below it is drawn after it. */
static void draw_head(void)
{
	struct headline head = { board.room, &board.card };

	board.top = view_head(&board.canvas, &head);
	raster_fill(&board.canvas.raster,
		(struct area){ 0, board.canvas.height - 1, board.canvas.width, 1 }, INK_FAINT);
	show(0, board.canvas.height);
}

/* Below the bar: the live curve, and if there is height for both the strip. */
static void divide(void)
{
	int line = (int)(GLYPH_HEIGHT * board.canvas.scale), gap = line / 2;
	int y = board.top + VIEW_RUNNING_LINES * line, height = board.canvas.height - y - gap;
	int strip = height / STRIP_PART;

	if (strip < STRIP_LINES * line)
		strip = height > 3 * STRIP_LINES * line ? STRIP_LINES * line : 0;
	board.live = (struct area){ gap, y, board.canvas.width - 2 * gap, height - strip };
	board.strip = (struct strip){ .area = { gap, y + height - strip + gap / 2, board.live.width,
					      strip } };
	board.probe[0] = 0;
}

void dashboard_open(const char *room)
{
	board.closed = false;
	board.shown = console_share(TEXT_ROWS, TEXT_ROWS_RUN, &board.canvas);
	board.room = room;
	card_begin(&board.card);
	if (!board.shown)
		return;
	picture_memory((void *)board.running.base, board.running.bytes);
	draw_head();
	divide();
}

static bool is_new_probe(struct line row)
{
	char probe[sizeof board.probe];

	return !line_is(row, KEY_PROBE, board.probe) &&
		line_string(row, KEY_PROBE, probe, sizeof probe);
}

static void draw_live(const char *text, size_t n)
{
	uint64_t now = rdtsc();

	if (!board.probe[0] || now - board.drawn_at < DRAW_PART * board.took)
		return;
	view_probe(&board.canvas, &board.live, board.probe, text, n);
	show(board.live.y, board.live.height);
	board.drawn_at = rdtsc();
	board.took = board.drawn_at - now;
}

void dashboard_line(const char *text, size_t bytes, size_t n)
{
	struct line line = { text + bytes - n, n };
	bool known = *board.card.room;

	if (!board.shown || n > bytes)
		return;
	card_read(&board.card, line);
	if (*board.card.room && !known) { /* the first line says which machine this is */
		draw_head();
		divide();
	}
	if (line_kind(line) != LINE_ROW)
		return;
	if (is_new_probe(line)) {
		if (board.probe[0]) {
			view_in_strip(&board.canvas, &board.strip, board.probe, text, bytes);
			show(board.live.y, board.canvas.height - board.live.y);
		}
		line_string(line, KEY_PROBE, board.probe, sizeof board.probe);
		board.took = 0; /* its first row is shown at once */
	}
	draw_live(text, bytes);
}

void dashboard_progress(const char *text, size_t n, double part)
{
	const struct running running = { text, n, part };

	if (!board.shown)
		return;
	view_running(&board.canvas, board.top, &running);
	show(board.top, VIEW_RUNNING_LINES * (int)(GLYPH_HEIGHT * board.canvas.scale));
}

void dashboard_close(void)
{
	if (board.shown)
		console_unshare();
	board.shown = false;
	board.closed = true;
}

void dashboard_result(const char *text, size_t n)
{
	board.result.text = text;
	board.result.n = n;
}

const char *dashboard_lines(size_t *n)
{
	*n = board.result.n;
	return board.result.text;
}

void dashboard_code(const struct code *code)
{
	board.code = code;
}

/* The card, and "room bare: finished"; or as the last line says: "interrupted". */
static void read_result(char head[HEAD_TEXT])
{
	const char *text = board.result.text, *end = text + board.result.n;
	char status[HEAD_TEXT - sizeof board.card.room];
	struct line line = { NULL, 0 };

	card_begin(&board.card);
	while (line_next(&text, end, &line))
		card_read(&board.card, line);
	if (!line_string(line, KEY_STATUS, status, sizeof status))
		text_format(status, sizeof status, "cut");
	if (!strcmp(status, "complete") || !strcmp(status, "shortened"))
		text_format(status, sizeof status, "finished");
	text_format(head, HEAD_TEXT, "room %s: %s", board.card.room, status);
}

bool dashboard_end(void)
{
	char right[HEAD_TEXT];

	if (board.closed || !board.result.n ||
		!console_share(TEXT_ROWS, TEXT_ROWS_END, &board.canvas))
		return false;
	board.shown = true;
	read_result(right);
	board.room = right;
	draw_head();
	board.room = "";
	const struct end_layout layout =
		end_layout(&board.canvas, board.top, &board.card, board.code);

	picture_memory((void *)board.done.base, board.done.bytes);
	view_card(&board.canvas, &layout, &board.card);
	view_pictures(&board.canvas, &layout, board.result.text, board.result.n);
	board.dot = board.code ? view_code(&board.canvas, &layout.square, board.code) : 0;
	show(0, board.canvas.height);
	return true;
}

int dashboard_code_dot(void)
{
	return board.dot;
}

static struct area whole(void)
{
	return (struct area){ 0, 0, board.canvas.width, board.canvas.height };
}

int qr_alone_pixels(void)
{
	const struct area all = whole();

	return board.shown && board.code ? view_code_dot(&all, board.code) : 0;
}

void dashboard_code_alone(void)
{
	const struct area all = whole();

	if (!qr_alone_pixels())
		return;
	raster_fill(&board.canvas.raster, all, PAPER);
	view_code(&board.canvas, &all, board.code);
	show(0, board.canvas.height);
}
