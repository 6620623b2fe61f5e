/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux/sysfs.h"

bool read_line(const char *path, char *out, size_t bytes)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(out, (int)bytes, f);
	if (f)
		fclose(f);
	out[ok ? strcspn(out, "\n") : 0] = '\0';
	return ok;
}

bool read_number(const char *path, uint64_t *out)
{
	char line[64];
	return read_line(path, line, sizeof(line)) && sscanf(line, "%" SCNu64, out) == 1;
}

bool read_keyed(const char *path, const char *key, uint64_t *out)
{
	char line[256];
	bool found = false;
	FILE *f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, key, strlen(key)) &&
			sscanf(line + strlen(key), "%" SCNu64, out) == 1;
	if (f)
		fclose(f);
	return found;
}

bool read_choice(const char *path, char *out, size_t bytes)
{
	if (!read_line(path, out, bytes))
		return false;
	char *open = strchr(out, '['), *close = open ? strchr(open, ']') : NULL;
	if (close) {
		memmove(out, open + 1, (size_t)(close - open - 1));
		out[close - open - 1] = '\0';
	}
	return true;
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
