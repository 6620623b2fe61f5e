/* SPDX-License-Identifier: MIT */
/*
 * Files below a root of the test's own, in place of /proc and /sys: for each test anew:
 * BEFORE_EACH(make_root); AFTER_EACH(remove_root);
 */
#ifndef TESTS_UNIT_ROOT_FILES_H
#define TESTS_UNIT_ROOT_FILES_H

#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test.h"

static char root[64];

static void make_root(void)
{
	strcpy(root, "/tmp/anechoic-root-XXXXXX");
	assert_non_null(mkdtemp(root));
}

static void remove_root(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -r '%s'", root);
	assert_int_equal(system(command), 0);
}

/* A file below the root, with the folders that it needs. */
static __attribute__((unused)) void put(const char *path, const char *text)
{
	char all[512];

	snprintf(all, sizeof all, "%s%s", root, path);
	for (char *slash = strchr(all + strlen(root) + 1, '/'); slash;
		slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(all, 0777);
		*slash = '/';
	}
	FILE *f = fopen(all, "w");

	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

#endif
