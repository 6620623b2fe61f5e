/* SPDX-License-Identifier: MIT */
#include "linux/boot/ladder_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux/boot/reason.h"
#include "linux/boot/whole_file.h"
#include "linux/sysfs.h"
#include "report/allocate.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define UNITS   "/etc/systemd/system/"
#define WANTS   UNITS "multi-user.target.wants/"

/* "out FOLDER", "boot ID", and "word WORD" for each argument; a line each. */
static void take_line(struct ladder *l, const char *line)
{
	if (!strncmp(line, "out ", 4))
		snprintf(l->out, sizeof(l->out), "%s", line + 4);
	else if (!strncmp(line, "boot ", 5))
		snprintf(l->boot, sizeof(l->boot), "%s", line + 5);
	else if (!strncmp(line, "word ", 5) && l->nwords < LADDER_WORDS)
		l->words[l->nwords++] = copy_text(line + 5);
}

int ladder_read(struct ladder *l, const char *path, char *err)
{
	size_t n;

	*l = (struct ladder){ 0 };
	char *text = file_bytes(path, &n);
	if (!text)
		return errno == ENOENT ? 1 : give_reason(err, "%s: %s", path, strerror(errno));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		take_line(l, line);
	free(text);
	return *l->out ? 0 : give_reason(err, "%s is no state of a ladder: delete it", path);
}

int ladder_write(const struct ladder *l, const char *path, char *err)
{
	char *text;
	size_t n;
	FILE *to = text_stream(&text, &n);

	fprintf(to, "out %s\nboot %s\n", l->out, l->boot);
	for (size_t i = 0; i < l->nwords; i++)
		fprintf(to, "word %s\n", l->words[i]);
	fclose(to);
	int bad = file_replace(path, text, n, err);
	free(text);
	return bad;
}

void ladder_free(struct ladder *l)
{
	for (size_t i = 0; i < l->nwords; i++)
		free(l->words[i]);
	l->nwords = 0;
}

void ladder_note_boot(struct ladder *l)
{
	read_line(BOOT_ID, l->boot, sizeof(l->boot));
}

bool ladder_same_boot(const struct ladder *l)
{
	struct ladder now = { 0 };

	ladder_note_boot(&now);
	return !strcmp(now.boot, l->boot);
}

int ladder_unit_write(bool *made, char *err)
{
	char program[PATH_MAX] = "", *text;
	size_t n;

	*made = !access("/run/systemd/system", F_OK);
	if (!*made)
		return 0;
	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		return give_reason(err, "/proc/self/exe: %s", strerror(errno));
	FILE *to = text_stream(&text, &n);
	fprintf(to,
		"# Written by `anechoic ladder`, which removes it when it is done.\n"
		"[Unit]\nDescription=anechoic ladder: fetches the results and compares the rooms\n"
		"After=local-fs.target\n\n"
		"[Service]\nType=oneshot\nExecStart=\"%s\" ladder --resume\n",
		program);
	fclose(to);
	int bad = file_replace(UNITS LADDER_UNIT, text, n, err);
	free(text);
	if (bad)
		return -1;
	if ((mkdir(WANTS, 0755) && errno != EEXIST) ||
		(symlink("../" LADDER_UNIT, WANTS LADDER_UNIT) && errno != EEXIST))
		return give_reason(err, "%s: %s", WANTS LADDER_UNIT, strerror(errno));
	return 0;
}

void ladder_unit_remove(void)
{
	unlink(WANTS LADDER_UNIT);
	unlink(UNITS LADDER_UNIT);
}
