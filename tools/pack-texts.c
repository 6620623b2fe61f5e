/* SPDX-License-Identifier: MIT */
/*
 * pack-texts FILE...: prints these files, each ended by 0, packed together (lib/pack.h), as the
 * bytes of a C array, in which a program carries them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/pack.h"

#define MOST (1u << 20) /* bytes of all together */

static size_t add(const char *path, char *text, size_t used)
{
	FILE *file = fopen(path, "rb");
	size_t n = file ? fread(text + used, 1, MOST - 1 - used, file) : 0;

	if (!n || fgetc(file) != EOF) {
		fprintf(stderr, "pack-texts: %s cannot be read, or is too long\n", path);
		exit(2);
	}
	fclose(file);
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
