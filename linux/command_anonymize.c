/* SPDX-License-Identifier: MIT */
/*
 * anechoic anonymize: a result without the members that identify its machine among others of its
 * model.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "lib/crc32.h"
#include "lib/result_keys.h"
#include "lib/result_line.h"
#include "linux/boot/whole_file.h"
#include "linux/command_line.h"
#include "linux/commands.h"
#include "linux/report/allocate.h"
#include "linux/report/reading/frame.h"

#define ME "anonymize"

static const struct command_help help = {
	.name = ME,
	.usage = "Usage: anechoic anonymize FILE [--out FILE]\n\n"
		 "Writes a result without the machine's UUID, serial number and MAC address,\n"
		 "without run_id, and without the text of refused lines of the configuration.\n"
		 "Every number stays as it stands; the checksums are made anew. The host's\n"
		 "name is in no result, but it may be in the name of the file.",
	.notes = "Exit code: 0 written; 2 the file is damaged (its valid lines are still\n"
		 "written) or cannot be used, a mistake in the command line, or the output\n"
		 "failed.\n\n"
		 "Example: anechoic anonymize mine.ndjson --out public.ndjson",
};

/* A line under construction: its members so far. */
struct made_line {
	FILE *out;
	bool has_members;
};

static void put(struct made_line *to, const struct member *m, const char *value, size_t n)
{
	fprintf(to->out, "%s\"%.*s\":", to->has_members ? "," : "", (int)m->key_bytes, m->key);
	fwrite(value, 1, n, to->out);
	to->has_members = true;
}

/* Write the same number of texts, all hidden. */
static void put_hidden(struct made_line *to, const struct member *m)
{
	const char *at = m->value, *end = m->value + m->value_bytes;
	struct member element;

	put(to, m, "[", 1);
	for (bool first = true; element_next(&at, end, &element); first = false)
		fputs(first ? "\"(not shown)\"" : ",\"(not shown)\"", to->out);
	fputc(']', to->out);
}

static void put_of_run(struct made_line *to, const struct member *m)
{
	if (member_is(m, KEY_HOST) || member_is(m, KEY_RUN_ID))
		return;
	if (member_is(m, "config_errors"))
		put_hidden(to, m);
	else
		put(to, m, m->value, m->value_bytes);
}

/* The line as it is written, which the caller frees; crc_all: of the lines of its run before it. */
static char *anonymous(struct line line, uint32_t crc_all, size_t *n)
{
	enum line_kind kind = line_kind(line);
	const char *at = line.text;
	struct made_line to = { .has_members = false };
	struct member m;
	char *text, all[11];

	to.out = text_stream(&text, n);
	snprintf(all, sizeof all, "\"%08x\"", crc_all);
	fputc('{', to.out);
	while (member_next(&at, line.text + line.n, &m)) {
		if (kind == LINE_RUN && !member_is(&m, KEY_CRC))
			put_of_run(&to, &m);
		else if (kind == LINE_END && member_is(&m, KEY_CRC_ALL))
			put(&to, &m, all, sizeof all - 1);
		else if (!member_is(&m, KEY_CRC))
			put(&to, &m, m.value, m.value_bytes);
	}
	fflush(to.out);
	fprintf(to.out, ",\"" KEY_CRC "\":\"%08x\"}\n", crc32_of(0, text, *n));
	fclose(to.out);
	return text;
}

static void write_lines(const char *bytes, size_t n, FILE *out)
{
	const char *at = bytes, *why;
	uint32_t crc_all = 0;
	struct line line;

	while (line_next(&at, bytes + n, &line)) {
		size_t length;
		char *text;

		if (!frame_valid(line.text, line.n, &why))
			continue;
		crc_all = line_kind(line) == LINE_RUN ? 0 : crc_all;
		text = anonymous(line, crc_all, &length);
		crc_all = crc32_of(crc_all, text, length);
		fwrite(text, 1, length, out);
		free(text);
	}
}

static int write_file(const char *path, const char *to)
{
	size_t n;
	char *bytes = file_bytes(path, &n);
	FILE *out = bytes && to ? fopen(to, "wbx") : stdout;
	int code = EXIT_OK;

	if (!bytes)
		return command_error(ME, "%s: %s", path, strerror(errno));
	if (!out) {
		code = command_error(ME, "cannot write '%s': %s", to, strerror(errno));
	} else {
		write_lines(bytes, n, out);
		code = finish_output(ME, out, EXIT_OK);
		if (to && fclose(out) && code == EXIT_OK)
			code = command_error(ME, "cannot write '%s': %s", to, strerror(errno));
	}
	free(bytes);
	return code;
}

static int anonymize_main(int argc, char **argv)
{
	const char *out = NULL;
	const struct command_option options[] = {
		{ .name = "out",
			.letter = 'o',
			.argument = " FILE",
			.value = &out,
			.help = "a new file; standard output by default" },
	};
	struct results results;
	bool damaged = false;
	int code = parse_options(&help, options, sizeof options / sizeof *options, argc, argv);

	if (code >= 0)
		return code;
	if (optind == argc)
		return no_file(ME);
	if (argc - optind != 1)
		return command_error(ME, "give one file; see `anechoic anonymize --help`");
	code = open_result(&results, argv[optind], &damaged) ? write_file(argv[optind], out)
							     : EXIT_FAILED;
	results_free(&results);
	return damaged ? EXIT_FAILED : code;
}

const struct command command_anonymize = { ME, anonymize_main,
	"takes out of a result what tells which machine it was" };
