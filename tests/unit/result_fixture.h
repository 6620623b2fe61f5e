/* SPDX-License-Identifier: MIT */
/* Writes result files for tests, with right checksums (lib/crc32, tested by lib/crc32_test). */
#ifndef TESTS_UNIT_RESULT_FIXTURE_H
#define TESTS_UNIT_RESULT_FIXTURE_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/crc32.h"
#include "linux/report/reading/results.h"

struct fixture {
	char *text;
	size_t n;
	FILE *file;
	const char *room;
	const char *ending; /* more members of the end line; NULL: none */
	const char *status; /* of the end line; NULL: complete */
	unsigned seq, rows, summaries, skips;
	uint32_t crc_all;
};

static inline void fixture_open(struct fixture *f)
{
	*f = (struct fixture){ .room = "hosted" };
	f->file = open_memstream(&f->text, &f->n);
}

/* One line: `members` is what stands between seq and crc, starting with a comma. */
__attribute__((format(printf, 3, 4))) static inline void fixture_line(struct fixture *f,
	const char *kind, const char *members, ...)
{
	char *line, *rest;
	va_list args;

	va_start(args, members);
	if (vasprintf(&rest, members, args) < 0)
		abort();
	va_end(args);
	int n = asprintf(&line, "{\"kind\":\"%s\",\"room\":\"%s\",\"seq\":%u%s", kind, f->room,
		f->seq++, rest);
	uint32_t crc = crc32_of(0, line, (size_t)n);
	char tail[32];
	int m = snprintf(tail, sizeof tail, ",\"crc\":\"%08x\"}\n", crc);
	f->crc_all = crc32_of(crc32_of(f->crc_all, line, (size_t)n), tail, (size_t)m);
	fputs(line, f->file);
	fputs(tail, f->file);
	f->rows += !strcmp(kind, "row");
	f->summaries += !strcmp(kind, "summary");
	f->skips += !strcmp(kind, "skip");
	free(line);
	free(rest);
}

/* A run line with the usual members; `more` as above. */
static inline void fixture_run(struct fixture *f, const char *room, const char *more)
{
	f->room = room;
	f->seq = f->rows = f->summaries = f->skips = 0;
	f->crc_all = 0;
	fixture_line(f, "run",
		",\"schema\":\"anechoic/2\",\"build\":\"v1\",\"cpu\":{\"vendor\":\"X\","
		"\"brand\":\"X 1\",\"family\":6,\"model\":85,\"stepping\":7},\"cpus\":2,"
		"\"emulated\":false,\"hypervisor\":\"\",\"tsc_hz\":2500000000%s",
		more);
}

#define PARAMS(list) ",\"params\":{" list "}"

/*
 * A row of n samples with the median in the middle; `members` as above: PARAMS("\"bytes\":1024").
 */
static inline void fixture_row(struct fixture *f, const char *variant, const char *members,
	const char *unit, const double *values, unsigned n)
{
	char *list;
	size_t bytes;
	FILE *out = open_memstream(&list, &bytes);

	for (unsigned i = 0; i < n; i++)
		fprintf(out, "%s%.17g", i ? "," : "", values[i]);
	fclose(out);
	fixture_line(f, "row",
		",\"probe\":\"latency\",\"variant\":\"%s\"%s,\"unit\":\"%s\","
		"\"samples\":%u,\"min\":%g,\"median\":%.17g,\"p99\":%g,\"mad\":%g,\"core_hz\":3e9,"
		"\"disturbed\":0,\"values\":[%s]",
		variant, members, unit, n, values[0], values[n / 2], values[n - 1],
		(values[n - 1] - values[0]) / 4, list);
	free(list);
}

static inline void fixture_end(struct fixture *f)
{
	char crc[9];

	snprintf(crc, sizeof crc, "%08x", f->crc_all);
	fixture_line(f, "end",
		",\"status\":\"%s\",\"rows\":%u,\"summaries\":%u,\"skips\":%u,"
		"\"crc_all\":\"%s\"%s",
		f->status ? f->status : "complete", f->rows, f->summaries, f->skips, crc,
		f->ending ? f->ending : "");
}

/* Reads bytes as a file of that name. */
static inline void fixture_read_bytes(struct results *results, const char *name, const void *data,
	size_t n)
{
	FILE *in = n ? fmemopen((void *)data, n, "rb") : fopen("/dev/null", "rb");

	results_read(results, in, name);
	fclose(in);
}

/* Closes the fixture and reads what was written. */
static inline void fixture_read(struct fixture *f, struct results *results, const char *name)
{
	fclose(f->file);
	fixture_read_bytes(results, name, f->text, f->n);
	free(f->text);
}

#endif
