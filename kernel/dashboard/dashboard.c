/* SPDX-License-Identifier: MIT */
#include "kernel/dashboard/dashboard.h"

#include "kernel/console/console.h"
#include "kernel/dashboard/views.h"
#include "lib/text.h"

#define TEXT_ROWS_RUN 14 /* at most, while a room runs */
#define TEXT_ROWS_END 7  /* what comes next, and the countdown */
#define TEXT_ROWS     6  /* at least */

static struct {
	bool shown; /* the canvas is ours */
	struct canvas canvas;
	struct card card; /* of the lines so far */
	const char *room;
	int top; /* of what is below the head */
	struct {
		const char *text;
		size_t n;
	} result;
	const struct code *code;
} board;

/* The head is as high as the machine needs: what is below it is drawn after it. */
static void draw_head(void)
{
	struct headline head = { board.room, &board.card };

	board.top = view_head(&board.canvas, &head);
}

void dashboard_open(const char *room)
{
	board.shown = console_share(TEXT_ROWS, TEXT_ROWS_RUN, &board.canvas);
	board.room = room;
	card_begin(&board.card);
	if (board.shown)
		draw_head();
}

void dashboard_line(const char *line, size_t n)
{
	bool known = *board.card.room;

	if (!board.shown)
		return;
	card_read(&board.card, line, n);
	if (*board.card.room && !known) /* the first line says which machine this is */
		draw_head();
}

void dashboard_progress(const char *text, size_t n, double part)
{
	const struct running running = { text, n, part };

	if (board.shown)
		view_running(&board.canvas, board.top, &running);
}

void dashboard_close(void)
{
	if (board.shown)
		console_unshare();
	board.shown = false;
}

void dashboard_result(const char *text, size_t n)
{
	board.result.text = text;
	board.result.n = n;
}

void dashboard_code(const struct code *code)
{
	board.code = code;
}

static void read_card(void)
{
	const char *text = board.result.text, *end = text + board.result.n;

	card_begin(&board.card);
	while (text < end) {
		size_t n = 0;

		while (text + n < end && text[n] != '\n')
			n++;
		card_read(&board.card, text, n);
		text += n + (text + n < end);
	}
}

bool dashboard_end(void)
{
	char right[32];

	if (!board.result.n || !console_share(TEXT_ROWS, TEXT_ROWS_END, &board.canvas))
		return false;
	board.shown = true;
	read_card();
	text_format(right, sizeof right, "room %s: finished", board.card.room);
	board.room = right;
	draw_head();
	board.room = "";
	const struct end_layout layout = end_layout(&board.canvas, board.top, board.code);

	view_card(&board.canvas, &layout, &board.card);
	if (board.code)
		view_code(&board.canvas, &layout.square, board.code);
	return true;
}
