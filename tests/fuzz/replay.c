/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target over the files of its corpus, as a test that speaks TAP. */
#include <dirent.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static void replay(const char *path)
{
	FILE *in = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t n = 0, got;

	if (!in)
		err(1, "%s", path);
	do {
		data = realloc(data, n + 65536);
		if (!data)
			err(1, "%s", path);
		got = fread(data + n, 1, 65536, in);
		n += got;
	} while (got);
	fclose(in);
	/* In a block of its own size, so that the sanitizer sees a read behind it. */
	uint8_t *exact = malloc(n ? n : 1);
	if (!exact)
		err(1, "%s", path);
	memcpy(exact, data, n);
	free(data);
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
}

/* "build/san/tests/fuzz/serial_replay_test" -> "build/fuzz/corpus/serial" */
static void corpus(char path[512], const char *program)
{
	const char *name = strrchr(program, '/');

	name = name ? name + 1 : program;
	snprintf(path, 512, "build/fuzz/corpus/%.*s", (int)strcspn(name, "_"), name);
}

static int shown(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

int main(int argc, char **argv)
{
	char dir[512], path[1024];
	struct dirent **files;

	corpus(dir, argv[0]);
	int n = scandir(dir, &files, shown, alphasort);
	if (n <= 0)
		errx(1, "%s: no corpus here (make build/fuzz/corpus)", dir);
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, files[i]->d_name);
		replay(path);
		printf("ok %d - %s\n", i + 1, path);
		fflush(stdout);
		free(files[i]);
	}
	free(files);
	return 0;
}
