/* SPDX-License-Identifier: MIT */
/*
 * Takes results out of a captured serial log, which may have other text before, between and behind
 * the lines, ANSI sequences, carriage returns, lost and changed bytes. A line with a right crc is
 * copied.
 */
#ifndef REPORT_SERIAL_LOG_H
#define REPORT_SERIAL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One run of the log. */
struct saved_run {
	char room[16];
	unsigned char *seen; /* seen[seq]: that line was kept */
	size_t lines;        /* how many lines the run had, as far as it can be known */
	size_t kept;
	bool ended; /* its end line was kept */
};

struct saved {
	struct saved_run *runs;
	size_t nruns;
	size_t kept;     /* lines */
	size_t damaged;  /* beginnings of lines that no valid line follows */
	size_t repeated; /* lines that were already there */
};

/* Copies every valid line of `in` once to `out`, each ended by a newline. */
void serial_save(struct saved *, FILE *in, FILE *out);
void saved_free(struct saved *);

/* Whether every run is whole. */
bool saved_whole(const struct saved *);

/* What was kept and what is lost, run by run. */
void saved_print(const struct saved *, FILE *out);

#endif
