/* SPDX-License-Identifier: MIT */
#include "kernel/dashboard/views.h"

#include <string.h>

#include "kernel/cpu/context.h"
#include "kernel/cpu/fault.h"
#include "lib/result_keys.h"
#include "page/page_memory.h"
#include "page/pictures.h"

#define STRIP_LETTERS 20 /* width of a small picture */

/* Taken from its beginning on; all is given back together. */
static struct {
	unsigned char *base;
	size_t bytes, used;
	struct context none_left; /* to where take returns then */
} pool;

void picture_memory(void *memory, size_t bytes)
{
	pool.base = memory;
	pool.bytes = memory ? bytes : 0;
}

static void *take(size_t bytes)
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
	(void)memory;
}

static void begin(void)
{
	pool.used = 0;
	page_memory_use(take, give_back);
}

static struct place place_of(const struct canvas *c, const struct area *a)
{
	struct place p = view_place(c);

	p.area = *a;
	return p;
}

/* false: it is not of a kind that can be drawn so. */
static bool draw(const struct place *place, const struct drawing *drawing)
{
	if (drawing->kind == DRAW_CHART)
		chart_pixels(place, &drawing->chart);
	else if (drawing->kind == DRAW_MATRIX)
		matrix_pixels(place, &drawing->matrix);
	else
		return false;
	return true;
}

/* Of the run's lines, in memory of the pool. */
static struct subjects only(const struct shown_run *run)
{
	struct subject *subject = page_new(1, sizeof *subject);

	subject->run = run;
	return (struct subjects){ .list = subject, .n = 1, .sets = 1 };
}

/* A place for a picture: that of the name, or if the lines have nothing of it, any other. */
struct picture_slot {
	const char *name;
	struct area area;
};

/* Draws the first picture of the name, or else of any, that was not drawn yet. */
static bool fill_slot(const struct place *place, const char *name, const struct subjects *subjects,
	uint64_t *drawn)
{
	for (size_t i = 0; i < pictures_count && i < 64; i++) {
		if ((name && strcmp(pictures[i].name, name)) || *drawn >> i & 1)
			continue;
		struct drawing drawing = picture_drawing(&pictures[i], subjects);
		if (!draw(place, &drawing))
			continue;
		*drawn |= 1ull << i;
		return true;
	}
	return false;
}

static void say_empty(const struct place *place, const char *why)
{
	const struct area *a = &place->area;

	pixels_text(place, a->x, a->y, a->width, why, INK_FAINT);
}

/* Each place first has its own picture; what is then empty has any other. */
static void fill_slots(const struct canvas *c, const struct end_layout *l,
	const struct picture_slot *slots, size_t n, const struct subjects *subjects)
{
	uint64_t drawn = 0;
	bool full[8] = { false };

	for (unsigned turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < n; i++) {
			struct place place = place_of(c, &slots[i].area);

			if (l->small) {
				place.letters = l->letters;
				place.line = l->line;
			}
			if (!full[i] && slots[i].area.width > 0 && slots[i].area.height > 0)
				full[i] = fill_slot(&place, turn ? NULL : slots[i].name, subjects,
					&drawn);
			if (turn && !full[i])
				say_empty(&place, "no rows for another picture");
		}
}

void view_pictures(const struct canvas *c, const struct end_layout *l, const char *lines, size_t n)
{
	const struct picture_slot slots[] = { { "latency", l->latency }, { "noise", l->noise },
		{ "cores-bounce", l->matrix } };
	static struct shown_run run;

	if (!pool.bytes || context_save(&pool.none_left)) {
		const struct place place = place_of(c, &l->latency);

		fault_recover_to(NULL);
		say_empty(&place, "no pictures: too little memory, or a fault");
		return;
	}
	fault_recover_to(&pool.none_left);
	begin();
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

/* Copies the run line and the rows of the probe to the pool, and returns their bytes. */
static size_t gather(const char *probe, const char *text, size_t n)
{
	size_t used = 0;
	struct line line;

	for (const char *end = text + n; line_next(&text, end, &line);) {
		size_t bytes = (size_t)(text - line.text); /* with its newline */

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

/* That of the last row that any shows. */
static const struct picture *picture_of(const struct shown_run *run)
{
	for (size_t at = run->nrows; at-- > 0;)
		for (size_t i = 0; i < pictures_count; i++)
			if (picture_takes(&pictures[i], run, &run->rows[at]))
				return &pictures[i];
	return NULL;
}

/* What is to be drawn of a probe: nothing where `picture` is NULL. */
struct probe_picture {
	const struct picture *picture;
	struct drawing drawing;
};

static struct probe_picture make(const char *probe, const char *lines, size_t n)
{
	struct probe_picture p = { .picture = NULL };
	static struct shown_run run;

	begin();
	size_t gathered = gather(probe, lines, n);

	shown_run_read(&run, (char *)pool.base, gathered);
	p.picture = picture_of(&run);
	if (p.picture) {
		struct subjects subjects = only(&run);
		p.drawing = picture_drawing(p.picture, &subjects);
	}
	return p;
}

const char *view_probe(const struct canvas *c, const struct area *a, const char *probe,
	const char *lines, size_t n)
{
	if (!pool.bytes || context_save(&pool.none_left))
		return NULL;
	const struct probe_picture p = make(probe, lines, n);
	const struct place place = place_of(c, a);

	return p.picture && draw(&place, &p.drawing) ? p.picture->name : NULL;
}

static int strip_width(const struct canvas *c)
{
	return STRIP_LETTERS * (int)(GLYPH_WIDTH * c->scale);
}

/* Where the strip has that picture, or else the next one of its places. */
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
	struct place place = place_of(c, &strip->area);
	int width = strip_width(c);

	if (!p->picture || (p->drawing.kind != DRAW_CHART && p->drawing.kind != DRAW_MATRIX))
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

void view_in_strip(const struct canvas *c, struct strip *strip, const char *probe,
	const char *lines, size_t n)
{
	const int places = strip->area.width / strip_width(c);

	if (places < 1 || strip->area.height < 1 || !pool.bytes || context_save(&pool.none_left))
		return;
	struct probe_picture p = make(probe, lines, n);

	draw_in_strip(c, strip, places < STRIP_PLACES ? (unsigned)places : STRIP_PLACES, &p);
}
