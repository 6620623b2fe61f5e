/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/frame.h"
#include "report/results.h"
#include "report/serial_log.h"

#define SEQ_MOST 10000000 /* no run has so many lines; a larger number is an error */
#define ESC      0x1b
#define BEL      7

/* Where in an ANSI sequence (ECMA-48) the stream is. */
enum ansi { ANSI_NONE, ANSI_ESC, ANSI_CSI, ANSI_STRING };

static enum ansi ansi_next(enum ansi state, int c)
{
	if (c == ESC)
		return ANSI_ESC;
	if (state == ANSI_ESC)
		return c == '[' ? ANSI_CSI : c == ']' ? ANSI_STRING : ANSI_NONE;
	if (state == ANSI_CSI && c >= 0x20 && c < 0x40)
		return ANSI_CSI; /* parameters; anything else ends it */
	if (state == ANSI_STRING && c != BEL && c != '\n')
		return ANSI_STRING;
	return ANSI_NONE;
}

static struct saved_run *run_new(struct saved *saved, const char *room)
{
	struct saved_run *run = grow((void **)&saved->runs, &saved->nruns, sizeof *run);

	snprintf(run->room, sizeof run->room, "%s", room);
	return run;
}

/* The run that a line belongs to: the last one, or a new one whose run line is lost. */
static struct saved_run *run_of(struct saved *saved, const json_t *line, size_t seq)
{
	struct saved_run *run = saved->nruns ? &saved->runs[saved->nruns - 1] : NULL;
	const char *room = text_of(line, KEY_ROOM);

	if (!strcmp(text_of(line, KEY_KIND), KIND_RUN))
		return run && !run->ended && run->kept == 1 && run->seen[0] ? run
									    : run_new(saved, room);
	if (!run || strcmp(run->room, room))
		return run_new(saved, room);
	return run->ended && seq >= run->lines ? run_new(saved, room) : run;
}

static void mark(struct saved_run *run, size_t seq)
{
	if (seq >= run->lines) {
		run->seen = resize(run->seen, seq + 1);
		memset(run->seen + run->lines, 0, seq + 1 - run->lines);
		run->lines = seq + 1;
	}
	run->seen[seq] = 1;
	run->kept++;
}

/* A line with a right crc. */
static void keep(struct saved *saved, const char *text, size_t n, FILE *out)
{
	json_t *line = json_loadb(text, n, JSON_DECODE_INT_AS_REAL, NULL);
	double seq = number_or(line, KEY_SEQ, -1);

	if (seq < 0 || seq >= SEQ_MOST) {
		saved->damaged++;
		json_decref(line);
		return;
	}
	struct saved_run *run = run_of(saved, line, (size_t)seq);
	if ((size_t)seq < run->lines && run->seen[(size_t)seq]) {
		saved->repeated++;
	} else {
		mark(run, (size_t)seq);
		run->ended |= !strcmp(text_of(line, KEY_KIND), KIND_END);
		saved->kept++;
		fwrite(text, 1, n, out);
		fputc('\n', out);
	}
	json_decref(line);
}

/* Takes all result lines out of one line of the log; a lost newline leaves two in one. */
static void search(struct saved *saved, const char *text, size_t n, FILE *out)
{
	const char *start, *end, *why;

	while (n && (start = memmem(text, n, FRAME_START, sizeof FRAME_START - 1))) {
		n -= (size_t)(start - text);
		end = frame_end(start, n);
		if (end && frame_valid(start, (size_t)(end - start), &why)) {
			keep(saved, start, (size_t)(end - start), out);
		} else {
			saved->damaged++;
			end = start + 1;
		}
		n -= (size_t)(end - start);
		text = end;
	}
}

void serial_save(struct saved *saved, FILE *in, FILE *out)
{
	struct frame_buffer line = { 0 };
	enum ansi ansi = ANSI_NONE;
	int c;

	*saved = (struct saved){ 0 };
	while ((c = getc_unlocked(in)) != EOF) {
		bool text = c >= ' ' && ansi == ANSI_NONE;
		ansi = ansi_next(ansi, c);
		if (c == '\n' || (text && !frame_add(&line, (char)c))) {
			search(saved, line.text, line.n, out);
			line.n = 0;
		}
	}
	search(saved, line.text, line.n, out);
	free(line.text);
}

void saved_free(struct saved *saved)
{
	for (size_t i = 0; i < saved->nruns; i++)
		free(saved->runs[i].seen);
	free(saved->runs);
}

bool saved_whole(const struct saved *saved)
{
	for (size_t i = 0; i < saved->nruns; i++)
		if (!saved->runs[i].ended || saved->runs[i].kept < saved->runs[i].lines)
			return false;
	return saved->nruns;
}

/* "lost: 3, 7-9" */
static void print_lost(const struct saved_run *run, FILE *out)
{
	const char *between = "; lost lines: ";

	for (size_t i = 0; i < run->lines; i++) {
		size_t first = i;
		if (run->seen[i])
			continue;
		while (i + 1 < run->lines && !run->seen[i + 1])
			i++;
		fprintf(out, first == i ? "%s%zu" : "%s%zu-%zu", between, first, i);
		between = ", ";
	}
}

void saved_print(const struct saved *saved, FILE *out)
{
	for (size_t i = 0; i < saved->nruns; i++) {
		const struct saved_run *run = &saved->runs[i];
		fprintf(out, "run %zu, room %s: %zu lines kept", i + 1, run->room, run->kept);
		print_lost(run, out);
		if (!run->ended)
			fprintf(out, "; the end is lost: what came after line %zu is not known",
				run->lines - 1);
		fputs(run->ended && run->kept == run->lines ? ", whole\n" : "\n", out);
	}
	if (saved->repeated)
		fprintf(out, "%zu lines were there twice\n", saved->repeated);
	if (saved->damaged)
		fprintf(out, "%zu damaged lines left out\n", saved->damaged);
}
