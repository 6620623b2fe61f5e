/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "linux/report/reading/serial_log.h"
#include "lib/crc32.h"
#include "lib/result_keys.h"
#include "linux/report/reading/frame.h"
#include "linux/report/reading/results.h"
#include "lib/thin.h"
#include "linux/report/allocate.h"

#define SEQ_MOST 1000000 /* no run has so many lines; a larger number is an error */
#define ESC      0x1b
#define BEL      7

/* The place in an ANSI sequence (ECMA-48). */
enum ansi { ANSI_NONE, ANSI_ESC, ANSI_CSI, ANSI_STRING };

static enum ansi ansi_next(enum ansi state, int c)
{
	if (c == ESC)
		return ANSI_ESC;
	if (state == ANSI_ESC)
		return c == '[' ? ANSI_CSI : c == ']' ? ANSI_STRING : ANSI_NONE;
	if (state == ANSI_CSI && c >= 0x20 && c < 0x40)
		return ANSI_CSI; /* parameters; any other byte ends it */
	if (state == ANSI_STRING && c != BEL && c != '\n')
		return ANSI_STRING;
	return ANSI_NONE;
}

/* A line with a right crc. */
struct found {
	char *text; /* its own copy */
	size_t seq;
	char room[SAVED_ROOM];
	bool end;
};

/* State of reading: the runs so far, and a run line whose run is not known yet. */
struct log {
	struct saved *saved;
	struct found pending; /* text NULL: none */
	/*
	 * A result line from its start on, whose end is not there yet: a terminal or a console
	 * folds it into lines of its own width.
	 */
	struct frame_buffer begun;
};

static struct saved_run *run_new(struct saved *saved, const char *room)
{
	struct saved_run *run = grow((void **)&saved->runs, &saved->nruns, sizeof *run);

	snprintf(run->room, sizeof run->room, "%s", room);
	return run;
}

/* The last run, if the line is of its room. */
static struct saved_run *last_run(struct saved *saved, const struct found *line)
{
	struct saved_run *run = saved->nruns ? &saved->runs[saved->nruns - 1] : NULL;

	return run && !strcmp(run->room, line->room) ? run : NULL;
}

static bool has(const struct saved_run *run, const struct found *line)
{
	return line->seq < run->lines && run->text[line->seq] &&
		!strcmp(run->text[line->seq], line->text);
}

/*
 * Returns true if a line that the run does not have can be its next one: numbers rise, up to its
 * end line.
 */
static bool follows(const struct saved_run *run, const struct found *line)
{
	return !run->ended && line->seq >= run->lines;
}

static void put_found(struct saved *saved, struct saved_run *run, struct found *line)
{
	if (line->seq >= run->lines) {
		run->text = resize(run->text, (line->seq + 1) * sizeof *run->text);
		memset(run->text + run->lines, 0, (line->seq + 1 - run->lines) * sizeof *run->text);
		run->lines = line->seq + 1;
	}
	run->text[line->seq] = line->text;
	run->kept++;
	run->ended |= line->end;
	saved->kept++;
	line->text = NULL;
}

/*
 * Decide on the run line that waits, now that the next line of its room is known (NULL: there is
 * none). It is a copy if that line continues the last run; else it begins a run.
 */
static void settle(struct log *log, const struct found *next)
{
	struct saved_run *run = last_run(log->saved, &log->pending);
	bool known = run && has(run, &log->pending);
	bool goes_on = run && next && (has(run, next) || follows(run, next));

	if (known && (goes_on || !next)) {
		log->saved->repeated += run->lines == 1; /* else it was sent again on purpose */
		free(log->pending.text);
		log->pending.text = NULL;
	} else {
		put_found(log->saved, goes_on ? run : run_new(log->saved, log->pending.room),
			&log->pending);
	}
}

/*
 * Keep a run line: it begins a run, or it is a copy; if that is open, it waits for the next line.
 */
static void keep_run_line(struct log *log, struct found *line)
{
	struct saved_run *run;

	if (log->pending.text && !strcmp(log->pending.text, line->text))
		return;
	if (log->pending.text)
		settle(log, NULL);
	run = last_run(log->saved, line);
	if (run && (!run->text[0] || has(run, line))) {
		log->pending = *line;
		line->text = NULL;
	} else {
		put_found(log->saved, run_new(log->saved, line->room), line);
	}
}

static void keep_other(struct log *log, struct found *line)
{
	struct saved_run *run;

	if (log->pending.text)
		settle(log, strcmp(log->pending.room, line->room) ? NULL : line);
	run = last_run(log->saved, line);
	if (run && has(run, line))
		log->saved->repeated++;
	else
		put_found(log->saved,
			run && follows(run, line) ? run : run_new(log->saved, line->room), line);
}

/* Keep a line with a right crc. */
static void keep_line(struct log *log, const char *text, size_t n)
{
	json_t *json = json_loadb(text, n, JSON_DECODE_INT_AS_REAL, NULL);
	double seq = number_or(json, KEY_SEQ, -1);
	bool run_line = !strcmp(text_of(json, KEY_KIND), KIND_RUN);

	if (seq < 0 || seq >= SEQ_MOST || run_line != (seq == 0)) {
		log->saved->damaged++; /* the writer writes no such line */
		json_decref(json);
		return;
	}
	struct found line = { .text = memcpy(new_array(n + 1, 1), text, n),
		.seq = (size_t)seq,
		.end = !strcmp(text_of(json, KEY_KIND), KIND_END) };
	snprintf(line.room, sizeof line.room, "%s", text_of(json, KEY_ROOM));
	if (run_line)
		keep_run_line(log, &line);
	else
		keep_other(log, &line);
	free(line.text);
	json_decref(json);
}

static const char *next_start(const char *text, size_t n)
{
	return n ? memmem(text, n, FRAME_START, sizeof FRAME_START - 1) : NULL;
}

/* A line that was begun has no end. */
static void give_up_begun(struct log *log)
{
	log->saved->damaged += log->begun.n > 0;
	log->begun.n = 0;
}

/*
 * Join the line that was begun with text[0..n), which comes before the next start of a line.
 * Returns how much of it belongs to the line: nothing, if they are none together.
 */
static size_t join(struct log *log, const char *text, size_t n)
{
	struct frame_buffer *line = &log->begun;
	size_t before = line->n, from = before > FRAME_TAIL ? before - FRAME_TAIL : 0;
	const char *why;

	for (size_t i = 0; i < n; i++)
		if (!frame_add(line, text[i]))
			return give_up_begun(log), 0;
	const char *end = frame_end(line->text + from, line->n - from);
	if (!end)
		return n;
	size_t bytes = (size_t)(end - line->text);
	if (!frame_valid(line->text, bytes, &why))
		return give_up_begun(log), 0;
	keep_line(log, line->text, bytes);
	line->n = 0;
	return bytes - before;
}

/* Take all result lines out of one line of the log; a lost newline leaves two in one. */
static void search(struct log *log, const char *text, size_t n)
{
	const char *start = next_start(text, n), *end, *why;

	if (log->begun.n) {
		size_t used = join(log, text, start ? (size_t)(start - text) : n);
		if (start)
			give_up_begun(log);
		n -= used;
		text += used;
	}
	while ((start = next_start(text, n))) {
		n -= (size_t)(start - text);
		end = frame_end(start, n);
		if (end && frame_valid(start, (size_t)(end - start), &why)) {
			keep_line(log, start, (size_t)(end - start));
		} else if (end || next_start(start + 1, n - 1)) {
			log->saved->damaged++;
			end = start + 1;
		} else {
			join(log, start, n);
			end = start + n;
		}
		n -= (size_t)(end - start);
		text = end;
	}
}

/* Take the lines out of the log. */
static void read_log(struct log *log, FILE *in)
{
	struct frame_buffer line = { 0 };
	enum ansi ansi = ANSI_NONE;
	int c;

	while ((c = getc_unlocked(in)) != EOF) {
		bool text = c >= ' ' && ansi == ANSI_NONE;
		ansi = ansi_next(ansi, c);
		if (c == '\n' || (text && !frame_add(&line, (char)c))) {
			search(log, line.text, line.n);
			line.n = 0;
		}
	}
	search(log, line.text, line.n);
	give_up_begun(log);
	if (log->pending.text)
		settle(log, NULL);
	free(log->begun.text);
	free(line.text);
}

/* Returns true if crc_all of the end line is that of the lines before it; all must be there. */
static bool sum_right(const struct saved_run *run)
{
	json_t *end = json_loads(run->text[run->lines - 1], 0, NULL);
	uint32_t crc = 0;
	char text[9];

	for (size_t i = 0; i + 1 < run->lines; i++)
		crc = crc32_of(crc32_of(crc, run->text[i], strlen(run->text[i])), "\n", 1);
	snprintf(text, sizeof text, "%08" PRIx32, crc);
	bool right = !strcmp(text_of(end, KEY_CRC_ALL), text);
	json_decref(end);
	return right;
}

void serial_save(struct saved *saved, FILE *in, FILE *out)
{
	struct log log = { .saved = saved };

	*saved = (struct saved){ 0 };
	read_log(&log, in);
	for (size_t i = 0; i < saved->nruns; i++) {
		struct saved_run *run = &saved->runs[i];
		run->wrong = run->ended && run->kept == run->lines && !sum_right(run);
		saved_write(run, out);
	}
}

void saved_write(const struct saved_run *run, FILE *out)
{
	for (size_t i = 0; i < run->lines; i++)
		if (run->text[i])
			fprintf(out, "%s\n", run->text[i]);
}

void saved_free(struct saved *saved)
{
	for (size_t i = 0; i < saved->nruns; i++) {
		for (size_t j = 0; j < saved->runs[i].lines; j++)
			free(saved->runs[i].text[j]);
		free(saved->runs[i].text);
	}
	free(saved->runs);
}

bool saved_run_whole(const struct saved_run *run)
{
	return run->ended && run->kept == run->lines && !run->wrong;
}

bool saved_whole(const struct saved *saved)
{
	for (size_t i = 0; i < saved->nruns; i++)
		if (!saved_run_whole(&saved->runs[i]))
			return false;
	return saved->nruns;
}

/* Print "; lost lines: 3, 7-9". */
static void print_lost(const struct saved_run *run, FILE *out)
{
	const char *between = "; lost lines: ";

	for (size_t i = 0; i < run->lines; i++) {
		size_t first = i;
		if (run->text[i])
			continue;
		while (i + 1 < run->lines && !run->text[i + 1])
			i++;
		fprintf(out, first == i ? "%s%zu" : "%s%zu-%zu", between, first, i);
		between = ", ";
	}
}

static void print_run(const struct saved_run *run, size_t number, FILE *out)
{
	fprintf(out, "run %zu, room %s: %zu lines kept", number, run->room, run->kept);
	print_lost(run, out);
	if (!run->ended)
		fprintf(out, "; the end is lost: what came after line %zu is not known",
			run->lines - 1);
	if (run->wrong)
		fputs("; crc_all is wrong: they are not of one run", out);
	fputs(saved_run_whole(run) ? ", whole\n" : "\n", out);
	if (!run->text[0])
		fprintf(out,
			"run %zu: every copy of its run line (0) is lost, and with it the machine "
			"and the circumstances:\n  no command can use these lines\n",
			number);
}

void saved_print(const struct saved *saved, FILE *out)
{
	for (size_t i = 0; i < saved->nruns; i++)
		print_run(&saved->runs[i], i + 1, out);
	if (saved->repeated)
		fprintf(out, "%zu lines were there twice\n", saved->repeated);
	if (saved->damaged)
		fprintf(out, "%zu damaged lines left out\n", saved->damaged);
}

/* Bytes for a thinned run: its end line is longer, and a short number may have more digits. */
#define THIN_BYTES(n) (2 * (n) + 1024)

/* The end line, which the caller frees; NULL if the text does not end with one. */
static json_t *end_line(const char *text, size_t n)
{
	size_t start = n ? n - 1 : 0;

	while (start && text[start - 1] != '\n')
		start--;
	return json_loadb(text + start, n - start, JSON_DECODE_INT_AS_REAL, NULL);
}

/* Returns true if thinning `whole` at some level, for that reason, makes `stored`. */
static bool thins_to(const char *whole, size_t n, const char *why, const char *stored, size_t bytes)
{
	char *out = new_array(THIN_BYTES(n), 1);
	bool same = false;

	for (unsigned level = 0; level <= THIN_CARD && !same; level++)
		same = thin(whole, n, level, why, out, THIN_BYTES(n)) == bytes &&
			!memcmp(out, stored, bytes);
	free(out);
	return same;
}

const char *stored_copy_wrong(const char *whole, size_t n, const char *stored, size_t bytes)
{
	const char *wrong = NULL;

	if (n == bytes && !memcmp(whole, stored, n))
		return NULL;
	json_t *end = end_line(stored, bytes);
	const json_t *thinned = json_object_get(end, KEY_THINNED);
	if (!thinned)
		wrong = "it is not thinned, and differs";
	else if (!thins_to(whole, n, text_of(thinned, KEY_WHY), stored, bytes))
		wrong = "no thinning of the log's run gives it";
	json_decref(end);
	return wrong;
}
