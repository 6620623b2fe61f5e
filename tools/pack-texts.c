/* SPDX-License-Identifier: MIT */
/*
 * pack-texts FILE...: prints these files, each ended by 0, packed together (lib/pack.h), as the
 * bytes of a C array, in which a program carries them. Scripts and styles are packed without their
 * comments and indents.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/pack.h"

#define MOST (1u << 20) /* bytes of all together */

static bool is_code(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (!strcmp(dot, ".js") || !strcmp(dot, ".css"));
}

/* Remove comments and indents; no string of ours has any. Returns the bytes that are left. */
static size_t strip(char *text, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && !memcmp(text + i, "/*", 2)) {
			for (i += 2; i + 1 < n && memcmp(text + i, "*/", 2); i++)
				;
			i++;
		} else if (!((text[i] == '\t' || text[i] == '\n') && left &&
				   text[left - 1] == '\n')) {
			text[left++] = text[i];
		}
	}
	return left;
}

static size_t add(const char *path, char *text, size_t used)
{
	FILE *file = fopen(path, "rb");
	size_t n = file ? fread(text + used, 1, MOST - 1 - used, file) : 0;

	if (!n || fgetc(file) != EOF) {
		fprintf(stderr, "pack-texts: %s cannot be read, or is too long\n", path);
		exit(2);
	}
	fclose(file);
	if (is_code(path))
		n = strip(text + used, n);
	text[used + n] = 0;
	return used + n + 1;
}

int main(int argc, char **argv)
{
	static char text[MOST];
	static unsigned char out[MOST];
	size_t used = 0;

	for (int i = 1; i < argc; i++)
		used = add(argv[i], text, used);
	size_t work_bytes = pack_work(used);
	void *work = malloc(work_bytes);
	size_t n = pack(text, used, out, sizeof out, work, work_bytes);
	for (size_t i = 0; i < n; i++)
		printf("%u,%s", out[i], i % 20 == 19 ? "\n" : "");
	return n && !fflush(stdout) && !ferror(stdout) ? 0 : 2;
}
