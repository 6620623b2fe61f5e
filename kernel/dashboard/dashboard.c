/* SPDX-License-Identifier: MIT */
#include "kernel/dashboard/dashboard.h"

#include <string.h>

#include "kernel/console/console.h"
#include "kernel/cpu/context.h"
#include "kernel/cpu/fault.h"
#include "kernel/cpu/x86.h"
#include "lib/math.h"
#include "lib/qr.h"
#include "lib/result_keys.h"
#include "lib/result_line.h"
#include "lib/text.h"
#include "page/page_memory.h"
#include "page/pictures.h"
#include "page/picture/pixels.h"

/* Lines for the running row and the bar below it. */
#define RUNNING_LINES 3

#define STRIP_PLACES 16 /* at most */

/* The strip of small pictures: one for each probe that is done. */
struct strip {
	struct area area;
	const char *names[STRIP_PLACES]; /* names of the pictures that are drawn; NULL: none yet */
	unsigned next;
};

#define HEAD_PAPER 0x1d3d5c
#define BAR        0x56b4e9
#define WARNING    0xb3261e

/* A place for text of the same size as below the canvas. */
static struct text_place view_place(const struct canvas *c)
{
	return (struct text_place){ .raster = &c->raster,
		.letters = { c->scale, 2 * c->scale, GLYPH_WIDTH * c->scale },
		.line = GLYPH_HEIGHT * c->scale };
}

/* Draw a line over all the width, with `left` from its left end and `right` up to its right end. */
static void line_of(const struct canvas *c, const char *left, const char *right)
{
	struct text_place p = view_place(c);
	int letter = (int)p.letters.advance, columns = c->width / letter;
	int right_n = (int)strlen(right), most = columns - right_n - 3;
	struct area at = { letter, 0, 0, (int)p.line };

	raster_fill(&c->raster, (struct area){ 0, 0, c->width, (int)p.line }, HEAD_PAPER);
	raster_text(&c->raster, &p.letters, at, left,
		(size_t)math_clamp((double)strlen(left), 0, most), INK_STRONG, HEAD_PAPER);
	at.x = (columns - right_n - 1) * letter;
	raster_text(&c->raster, &p.letters, at, right, (size_t)right_n, INK_STRONG, HEAD_PAPER);
}

/* Draw a warning in letters twice as large, in the middle. */
static void warn(const struct canvas *c, int y, const char *text)
{
	struct letters large = { 2 * c->scale, 4 * c->scale, 2 * GLYPH_WIDTH * c->scale };
	int width = (int)(strlen(text) * large.advance);
	int height = (int)(2 * GLYPH_HEIGHT * c->scale);

	raster_fill(&c->raster, (struct area){ 0, y, c->width, height }, WARNING);
	raster_text(&c->raster, &large, (struct area){ (c->width - width) / 2, y, 0, height }, text,
		strlen(text), INK_STRONG, WARNING);
}

/* Draw the head, with a large warning if the machine is not real. Returns its height in pixels. */
static int view_head(const struct canvas *c, const struct card *card, const char *right)
{
	int line = (int)(GLYPH_HEIGHT * c->scale);
	char left[80];

	text_format(left, sizeof left, "anechoic%s%s", *card->cpu ? ": " : "", card->cpu);
	line_of(c, left, right);
	if (!*card->mark)
		return line;
	warn(c, line, result_mark_text(card->mark));
	return 3 * line;
}

#define NUMBERS     5  /* places for large numbers, side by side */
#define NUMBER_PART 10 /* their letters get 1/NUMBER_PART of the height at most */

/* Letters in which four digits and their unit fit into a place. */
static struct letters number_letters(const struct canvas *c)
{
	unsigned width = (unsigned)c->width / NUMBERS - 4 * GLYPH_WIDTH * c->scale;
	unsigned high = (unsigned)c->height / (NUMBER_PART * GLYPH_HEIGHT);
	unsigned wide = math_min(width / (4 * GLYPH_WIDTH), high);

	return (struct letters){ wide, 2 * wide, GLYPH_WIDTH * wide };
}

/* Height of the large numbers in pixels, with a line above for what they are; 0: there are none. */
static int numbers_height(const struct canvas *c, const struct card *card)
{
	return strcmp(card->mark, "EMULATED")
		? (int)(GLYPH_HEIGHT * (number_letters(c).wide + 2 * c->scale))
		: 0;
}

/*
 * Draw at y what is to be read from two metres: the latency of memory, then that of each level, as
 * far as they are resolved.
 */
static void view_numbers(const struct canvas *c, const struct card *card, int y)
{
	static const char *const names[NUMBERS][2] = { { "memory_latency_ns", "memory" },
		{ "l1d_latency_ns", "L1" }, { "l2_latency_ns", "L2" }, { "l3_latency_ns", "L3" },
		{ "l4_latency_ns", "L4" } };
	const struct letters large = number_letters(c);
	struct text_place p = view_place(c);
	int line = (int)p.line, x = (int)p.letters.advance, high = (int)(GLYPH_HEIGHT * large.wide);

	for (unsigned i = 0; i < NUMBERS; i++) {
		const struct card_value *v = card_value(card, names[i][0]);
		char text[40];

		if (!v || math_is_nan(v->value))
			continue;
		double ns = card_value_shown(v);

		bool guess = !strcmp(card_grade(v->confidence), "guess");

		text_format(text, sizeof text, "%s%s", names[i][1], guess ? ", a guess" : "");
		pixels_text(&p, x, y + line, c->width, text, INK_FAINT);
		text_format(text, sizeof text, "%.*f", ns < 10 ? 2 : ns < 100, ns);
		raster_text(&c->raster, &large, (struct area){ x, y + 2 * line, 0, high }, text,
			strlen(text), guess ? INK_FAINT : INK_STRONG, PAPER);
		pixels_text(&p, x + (int)(strlen(text) * large.advance), y + line + high, c->width,
			"ns", INK_FAINT);
		x += c->width / NUMBERS;
	}
}

/* Draw at y the running row, and the part of the profile's time that is over, 0 to 1. */
static void view_running(const struct canvas *c, int y, const char *running, size_t n, double part)
{
	struct text_place p = view_place(c);
	int line = (int)p.line, letter = (int)p.letters.advance;
	int width = c->width - 2 * letter, done = (int)(width * math_clamp(part, 0, 1));
	char text[160];

	memset(text, ' ', sizeof text);
	memcpy(text, running, n < sizeof text ? n : sizeof text);
	raster_text(&c->raster, &p.letters, (struct area){ letter, y + line, 0, line }, text,
		(size_t)math_clamp(width / letter, 0, sizeof text), INK_STRONG, PAPER);
	y += 2 * line + line / 4;
	raster_fill(&c->raster, (struct area){ letter, y, done, line / 2 }, BAR);
	raster_fill(&c->raster, (struct area){ letter + done, y, width - done, line / 2 }, GRID);
}

/* The text beside the pictures: the card, and the lines printed below it. */
struct shown_text {
	const struct card *card;
	void (*below)(card_say *say, void *to); /* NULL: nothing */
};

static void say_seen(const struct shown_text *seen, card_say *say, void *to)
{
	card_print(seen->card, NULL, say, to);
	if (seen->below)
		seen->below(say, to);
}

/* Counts the lines behind the empty one with which the card begins. */
static void count_line(void *to, const char *text, size_t n)
{
	unsigned *lines = to;

	*lines += *lines || *text != '\n';
}

/*
 * Draw the code black on white, with the white border that it needs, from the left upper corner of
 * the area on. Returns the pixels of a module; 0: there is no space, and nothing is drawn.
 */
static int view_code(const struct canvas *c, const struct area *a, const struct qr_modules *code)
{
	int dot = code_dot_in(a, code);
	int side = dot * (int)(code->side + 2 * QR_QUIET);

	raster_fill(&c->raster, (struct area){ a->x, a->y, side, side }, INK_STRONG);
	for (int y = 0; y < (int)code->side; y++)
		for (int x = 0; x < (int)code->side; x++)
			if (code->dark(code->of, (unsigned)x, (unsigned)y))
				raster_fill(&c->raster,
					(struct area){ a->x + (QR_QUIET + x) * dot,
						a->y + (QR_QUIET + y) * dot, dot, dot },
					PAPER);
	return dot;
}

/* The place of the next line of the card. */
struct pen {
	const struct canvas *canvas;
	const struct end_layout *layout;
	int y;
	unsigned lines;
};

/* A card_say function: card_print calls it once a line, which ends in '\n'. */
static void write_line(void *to, const char *text, size_t n)
{
	struct pen *pen = to;
	const struct area *a = &pen->layout->card;

	if (!pen->lines && *text == '\n')
		return;
	n -= n && text[n - 1] == '\n';
	if (pen->y + (int)pen->layout->line <= a->y + a->height)
		raster_text(&pen->canvas->raster, &pen->layout->letters,
			(struct area){ a->x, pen->y, 0, (int)pen->layout->line }, text, n,
			pen->lines ? INK : INK_STRONG, PAPER);
	pen->y += (int)pen->layout->line;
	pen->lines++;
}

static void view_card(const struct canvas *c, const struct end_layout *l,
	const struct shown_text *seen)
{
	struct pen pen = { c, l, l->card.y, 0 };

	say_seen(seen, write_line, &pen);
}

#define STRIP_LETTERS 20 /* width of a small picture, in letters */

/*
 * Memory for the pictures of result lines, which are chosen as in the report (page/). It is taken
 * from the start on, and given back all at once. bytes 0: no pictures are drawn.
 */
static struct {
	unsigned char *base;
	size_t bytes, used;
	struct context none_left; /* pool_take returns there when memory has run out */
} pool;

/* Set the memory for all pictures from now on; bytes 0: no pictures are drawn. */
static void picture_memory(void *memory, size_t bytes)
{
	pool.base = memory;
	pool.bytes = memory ? bytes : 0;
}

static void *pool_take(size_t bytes)
{
	void *at = pool.base + pool.used;

	bytes = (bytes + 15) & ~(size_t)15;
	if (pool.used > pool.bytes || bytes > pool.bytes - pool.used)
		context_restore(&pool.none_left);
	pool.used += bytes;
	memset(at, 0, bytes);
	return at;
}

static void give_back(void *memory)
{
}

static void pool_begin(void)
{
	pool.used = 0;
	page_memory_use(pool_take, give_back);
}

static struct text_place place_of(const struct canvas *c, const struct area *a)
{
	struct text_place p = view_place(c);

	p.area = *a;
	return p;
}

/* Returns true if one of the chart's curves has the points that a line needs. */
static bool is_curve(const struct chart *chart)
{
	for (size_t i = 0; i < chart->n; i++)
		if (chart->series[i].n >= LINE_LEAST)
			return true;
	return false;
}

/*
 * Returns true if it can be drawn as pixels and is worth it: three points are no curve, and two
 * cells, a CPU's way there and back, are no matrix.
 */
static bool is_picture(const struct drawing *drawing)
{
	return (drawing->kind == DRAW_CHART && is_curve(&drawing->chart)) ||
		(drawing->kind == DRAW_MATRIX && drawing->matrix.ncells > 2);
}

static void draw(const struct text_place *place, const struct drawing *drawing)
{
	if (drawing->kind == DRAW_CHART)
		chart_pixels(place, &drawing->chart);
	else
		matrix_pixels(place, &drawing->matrix);
}

/* One subject with the run's lines, in memory of the pool. */
static struct subjects only(const struct shown_run *run)
{
	struct subject *subject = page_new(1, sizeof *subject);

	subject->run = run;
	return (struct subjects){ .list = subject, .n = 1, .sets = 1 };
}

/* A place for the named picture; for any other if the lines have no rows for it. */
struct picture_slot {
	const char *name;
	struct area area;
};

/* Draw the first picture of that name that is not drawn yet; name NULL: of any name. */
static bool fill_slot(const struct text_place *place, const char *name,
	const struct subjects *subjects, uint64_t *drawn)
{
	for (size_t i = 0; i < pictures_count && i < 64; i++) {
		if ((name && strcmp(pictures[i].name, name)) || *drawn >> i & 1)
			continue;
		struct drawing drawing = picture_drawing(&pictures[i], subjects);
		if (!is_picture(&drawing))
			continue;
		draw(place, &drawing);
		*drawn |= 1ull << i;
		return true;
	}
	return false;
}

static void say_empty(const struct text_place *place, const char *why)
{
	const struct area *a = &place->area;

	pixels_text(place, a->x, a->y, a->width, why, INK_FAINT);
}

#define PICTURE_LINES 6 /* height of a picture in lines of text, at least */

/* Give each place its own picture first; then fill empty places with any other. */
static void fill_slots(const struct canvas *c, const struct end_layout *l,
	const struct picture_slot *slots, size_t n, const struct subjects *subjects)
{
	uint64_t drawn = 0;
	bool full[8] = { false };

	for (unsigned turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < n; i++) {
			struct text_place place = place_of(c, &slots[i].area);

			if (l->small) {
				place.letters = l->letters;
				place.line = l->line;
			}
			if (slots[i].area.height < PICTURE_LINES * (int)place.line)
				continue;
			if (!full[i])
				full[i] = fill_slot(&place, turn ? NULL : slots[i].name, subjects,
					&drawn);
			if (turn && !full[i])
				say_empty(&place, "no other curve has enough points");
		}
}

/*
 * Draw the pictures of n bytes of result lines, one in each place and none twice. An empty place
 * says why it is empty.
 */
static void view_pictures(const struct canvas *c, const struct end_layout *l, const char *lines,
	size_t n)
{
	const struct picture_slot slots[] = { { "latency", l->latency }, { "noise", l->noise },
		{ "cores-bounce", l->matrix } };
	static struct shown_run run;

	if (!pool.bytes || context_save(&pool.none_left)) {
		const struct text_place place = place_of(c, &l->latency);

		fault_recover_to(NULL);
		say_empty(&place, "no pictures: too little memory, or a fault");
		return;
	}
	fault_recover_to(&pool.none_left);
	pool_begin();
	shown_run_read(&run, lines, n);
	struct subjects subjects = only(&run);
	fill_slots(c, l, slots, sizeof slots / sizeof *slots, &subjects);
	fault_recover_to(NULL);
}

static bool is_wanted(struct line line, const char *probe)
{
	enum line_kind kind = line_kind(line);

	return kind == LINE_RUN || (kind == LINE_ROW && line_is(line, KEY_PROBE, probe));
}

/* Copy the run line and the rows of the probe to the pool; return their bytes. */
static size_t gather(const char *probe, const char *text, size_t n)
{
	size_t used = 0;
	struct line line;

	for (const char *end = text + n; line_next(&text, end, &line);) {
		size_t bytes = (size_t)(text - line.text); /* newline included */

		if (!is_wanted(line, probe))
			continue;
		if (bytes > pool.bytes - used)
			context_restore(&pool.none_left);
		memcpy(pool.base + used, line.text, bytes);
		used += bytes;
	}
	pool.used = (used + 15) & ~(size_t)15;
	return used;
}

/* The picture of the last row that any picture shows; NULL: none. */
static const struct picture *picture_of(const struct shown_run *run)
{
	for (size_t at = run->nrows; at-- > 0;)
		for (size_t i = 0; i < pictures_count; i++) {
			const struct picture_rows rows = picture_rows_of(&pictures[i], run);

			if (picture_takes(&rows, &run->rows[at]))
				return &pictures[i];
		}
	return NULL;
}

/* The picture of a probe, ready to draw; picture NULL: none shows it. */
struct probe_picture {
	const struct picture *picture;
	struct drawing drawing;
};

static struct probe_picture make(const char *probe, const char *lines, size_t n)
{
	struct probe_picture p = { .picture = NULL };
	static struct shown_run run;

	pool_begin();
	size_t gathered = gather(probe, lines, n);

	shown_run_read(&run, (char *)pool.base, gathered);
	p.picture = picture_of(&run);
	if (p.picture) {
		struct subjects subjects = only(&run);
		p.drawing = picture_drawing(p.picture, &subjects);
	}
	return p;
}

/*
 * Draw the picture that shows the probe's last row in those lines, if it is one and there is memory
 * for it; else the area stays as it is.
 */
static void view_probe(const struct canvas *c, const struct area *a, const char *probe,
	const char *lines, size_t n)
{
	if (!pool.bytes || context_save(&pool.none_left))
		return;
	const struct probe_picture p = make(probe, lines, n);
	const struct text_place place = place_of(c, a);

	if (p.picture && is_picture(&p.drawing))
		draw(&place, &p.drawing);
}

static int strip_width(const struct canvas *c)
{
	return STRIP_LETTERS * (int)(GLYPH_WIDTH * c->scale);
}

/* The place in the strip that has that picture, or else the next one in turn. */
static unsigned strip_place(struct strip *strip, unsigned places, const char *name)
{
	for (unsigned i = 0; i < places; i++)
		if (strip->names[i] == name)
			return i;
	strip->next %= places;
	strip->names[strip->next] = name;
	return strip->next++;
}

static void draw_in_strip(const struct canvas *c, struct strip *strip, unsigned places,
	struct probe_picture *p)
{
	struct text_place place = place_of(c, &strip->area);
	int width = strip_width(c);

	if (!p->picture || !is_picture(&p->drawing))
		return;
	place.area.x += width * (int)strip_place(strip, places, p->picture->name);
	place.area.width = width - (int)place.letters.advance;
	place.brief = true;
	if (p->drawing.kind == DRAW_CHART)
		p->drawing.chart.title = p->picture->name;
	else
		p->drawing.matrix.title = p->picture->name;
	draw(&place, &p->drawing);
}

static void view_in_strip(const struct canvas *c, struct strip *strip, const char *probe,
	const char *lines, size_t n)
{
	const int places = strip->area.width / strip_width(c);

	if (places < 1 || strip->area.height < 1 || !pool.bytes || context_save(&pool.none_left))
		return;
	struct probe_picture p = make(probe, lines, n);

	draw_in_strip(c, strip, places < STRIP_PLACES ? (unsigned)places : STRIP_PLACES, &p);
}

#define TEXT_ROWS_RUN 14 /* at most, while a room runs */
#define TEXT_ROWS_END 7  /* the next step, and the countdown */
#define TEXT_ROWS     6  /* at least */

#define HEAD_TEXT   32 /* bytes for the right end of the head */
#define STRIP_PART  4  /* the small pictures get 1/STRIP_PART of the height for pictures */
#define STRIP_LINES 5  /* height of the strip in lines of text, at least; else there is no strip */
#define DRAW_PART   16 /* the live curve gets at most 1/DRAW_PART of the time */

static struct {
	bool shown;  /* the display above the text is ours */
	bool closed; /* dashboard_close was called, and no room began since */
	struct canvas canvas;
	struct card card; /* made of the lines so far */
	void (*below)(card_say *say, void *to);
	const char *room;
	int top;                   /* y of the part below the head */
	struct area live;          /* place of the running probe's curve */
	struct strip strip;        /* place of the probes that are done */
	char probe[16];            /* the running probe; "": none yet */
	uint64_t drawn_at, took;   /* TSC ticks: end of the last live curve, and its time */
	struct span running, done; /* memory for pictures while rooms run, and at the end */
	struct {
		const char *text;
		size_t n;
	} result;
	const struct qr_modules *code;
	int dot; /* pixels of a module of the code on the end screen */
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

/* Draw the head; its height depends on the machine, so the part below is drawn after it. */
static void draw_head(void)
{
	board.top = view_head(&board.canvas, &board.card, board.room);
	raster_fill(&board.canvas.raster,
		(struct area){ 0, board.canvas.height - 1, board.canvas.width, 1 }, INK_FAINT);
	show(0, board.canvas.height);
}

/* Divide the part below the bar: the live curve, and the strip if there is height for both. */
static void divide(void)
{
	int line = (int)(GLYPH_HEIGHT * board.canvas.scale), gap = line / 2;
	int y = board.top + RUNNING_LINES * line, height = board.canvas.height - y - gap;
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
	const char *mark = board.card.mark; /* the machine is the same as before */

	card_begin(&board.card);
	if (mark)
		board.card.mark = mark;
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
		board.took = 0; /* show its first row at once */
	}
	draw_live(text, bytes);
}

void dashboard_progress(const char *text, size_t n, double part)
{
	if (!board.shown)
		return;
	view_running(&board.canvas, board.top, text, n, part);
	show(board.top, RUNNING_LINES * (int)(GLYPH_HEIGHT * board.canvas.scale));
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

void dashboard_below(void (*print)(card_say *say, void *to))
{
	board.below = print;
}

const char *dashboard_lines(size_t *n)
{
	*n = board.result.n;
	return board.result.text;
}

/*
 * Read the card, and the head's end: "room bare: finished", or the last line's status:
 * "interrupted".
 */
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

static struct end_layout layout_of(const struct shown_text *seen, int top)
{
	unsigned lines = 0;

	say_seen(seen, count_line, &lines);
	return end_layout(&board.canvas, top, lines, board.code);
}

static bool fits(const struct end_layout *l)
{
	return l->card.y + l->card.height <= board.canvas.height;
}

static struct area whole(void)
{
	return (struct area){ 0, 0, board.canvas.width, board.canvas.height };
}

static struct code_dots code_dots(void)
{
	const struct area all = whole();

	return (struct code_dots){ board.dot,
		board.shown && board.code ? code_dot_in(&all, board.code) : 0 };
}

bool dashboard_end(const struct qr_modules *code, struct code_dots *dots)
{
	char right[HEAD_TEXT];

	board.code = code;
	if (board.closed || !board.result.n ||
		!console_share(TEXT_ROWS, TEXT_ROWS_END, &board.canvas))
		return false;
	board.shown = true;
	read_result(right);
	board.room = right;
	draw_head();
	board.room = "";
	struct shown_text seen = { &board.card, board.below };
	int head = board.top, numbers = numbers_height(&board.canvas, &board.card);
	struct end_layout layout = layout_of(&seen, head + numbers);

	if (!fits(&layout)) {
		seen.below = NULL; /* leave it out: the text below has said it */
		layout = layout_of(&seen, head + numbers);
	}
	if (!fits(&layout)) {
		numbers = 0;
		layout = layout_of(&seen, head);
	}
	if (numbers)
		view_numbers(&board.canvas, &board.card, head);
	picture_memory((void *)board.done.base, board.done.bytes);
	view_card(&board.canvas, &layout, &seen);
	view_pictures(&board.canvas, &layout, board.result.text, board.result.n);
	board.dot = board.code ? view_code(&board.canvas, &layout.square, board.code) : 0;
	show(0, board.canvas.height);
	*dots = code_dots();
	return true;
}

void dashboard_code_alone(void)
{
	const struct area all = whole();

	if (!code_dots().alone)
		return;
	raster_fill(&board.canvas.raster, all, PAPER);
	view_code(&board.canvas, &all, board.code);
	show(0, board.canvas.height);
}
