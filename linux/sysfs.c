/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux/sysfs.h"

char *keyed_line(const char *path, const char *key)
{
	char *line = NULL;
	size_t capacity = 0, n = strlen(key);
	FILE *f = fopen(path, "re");
	ssize_t got = -1;

	while (f && (got = getline(&line, &capacity, f)) >= 0 && strncmp(line, key, n))
		;
	int error = !f || ferror(f) ? errno : ENODATA;
	if (f)
		fclose(f);
	if (got < 0) {
		free(line);
		errno = error;
		return NULL;
	}
	line[strcspn(line, "\n")] = '\0';
	memmove(line, line + n, strlen(line + n) + 1);
	return line;
}

char *file_line(const char *path)
{
	return keyed_line(path, "");
}

bool read_line(const char *path, char *out, size_t bytes)
{
	char *line = file_line(path);
	bool fits = line && strlen(line) < bytes;

	strcpy(out, fits ? line : "");
	free(line);
	return fits;
}

bool read_number(const char *path, uint64_t *out)
{
	return read_keyed(path, "", out);
}

bool read_keyed(const char *path, const char *key, uint64_t *out)
{
	char *text = keyed_line(path, key);
	bool found = text && text[strspn(text, " \t")] != '-' && sscanf(text, "%" SCNu64, out) == 1;

	free(text);
	return found;
}

char *chosen_word(char *line)
{
	char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
	if (!close)
		return line;
	*close = '\0';
	return open + 1;
}

int write_line(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = (ssize_t)strlen(text);
	int failed = write(fd, text, (size_t)n) != n, error = errno;
	close(fd);
	errno = error;
	return failed ? -1 : 0;
}

bool list_has(const char *list, unsigned n)
{
	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;
		if (end == list)
			return false;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (n >= first && n <= last)
			return true;
		list = *end == ',' ? end + 1 : end + strlen(end);
	}
	return false;
}

bool read_list_has(const char *path, unsigned n, bool *has)
{
	char *list = file_line(path);
	bool known = list;

	*has = known && list_has(list, n);
	free(list);
	return known;
}

/* --- restoring the old values --- */

#define DONE "\n" /* the log's last line, when all is restored; the others have a path */

static struct {
	pid_t pid; /* 0: not started */
	int log;   /* write end of its pipe */
} keeper;

/*
 * Write the old values back from lines "path<tab>before", the last one first: if a file was changed
 * twice, the older line holds.
 */
static void give_back(char *log)
{
	for (char *line; *log; *line = '\0') {
		log[strlen(log) - 1] = '\0';
		char *newline = strrchr(log, '\n'), *tab;
		line = newline ? newline + 1 : log;
		tab = strchr(line, '\t');
		if (tab) {
			*tab = '\0';
			write_line(line, tab + 1);
		}
	}
}

/*
 * Read the log until the other end is closed: by keeper_done, or because that process has ended;
 * then restore.
 */
static void keep(int from)
{
	size_t n = 0, most = 0;
	ssize_t got;
	char *log = NULL;
	do {
		if (most - n < 2) {
			most = 2 * most + 4096;
			log = realloc(log, most);
		}
		got = log ? read(from, log + n, most - n - 1) : -1;
		n += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	if (!log)
		return;
	log[n] = '\0';
	if (n < 2 || log[n - 2] != '\n')
		give_back(log);
}

/*
 * Start the keeper in a process group of its own: a signal that kills this one's does not reach it.
 */
static pid_t begin(void)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		for (int i = SIGHUP; i <= SIGTERM; i++)
			signal(i, SIG_IGN);
		close(ends[1]);
		keep(ends[0]);
		_exit(0);
	}
	close(ends[0]);
	keeper.log = ends[1];
	return pid;
}

void keeper_note(const char *path, const char *before)
{
	if (!keeper.pid)
		keeper.pid = begin();
	if (keeper.pid > 0)
		dprintf(keeper.log, "%s\t%s\n", path, before);
}

void keeper_done(void)
{
	if (keeper.pid <= 0)
		return;
	dprintf(keeper.log, DONE);
	close(keeper.log);
	waitpid(keeper.pid, NULL, 0);
	keeper.pid = 0;
}
