/* SPDX-License-Identifier: MIT */
/* A file that is replaced: whole, or as it was, and nothing beside it. */
#include <dirent.h>
#include <sys/stat.h>

#include "linux/boot/whole_file.c"
#include "tests/unit/test.h"

static char folder[64];

static void make_folder(void)
{
	strcpy(folder, "/tmp/whole_file_test.XXXXXX");
	assert_non_null(mkdtemp(folder));
}

BEFORE_ALL(make_folder);

static const char *in_folder(const char *name)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static unsigned entries(void)
{
	DIR *d = opendir(folder);
	unsigned n = 0;

	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

TEST(a_failure_leaves_nothing_behind)
{
	char err[256], text[8] = "";

	assert_int_equal(0, file_replace(in_folder("file"), "first", 5, err));
	assert_int_equal(0, file_replace(in_folder("file"), "2nd", 3, err));
	FILE *f = fopen(in_folder("file"), "r");

	assert_int_equal(3, fread(text, 1, sizeof text, f));
	fclose(f);
	assert_string_equal("2nd", text);
	assert_int_equal(0, mkdir(in_folder("folder"), 0755));
	assert_int_equal(-1, file_replace(in_folder("folder"), "x", 1, err));
	assert_non_null(strstr(err, "directory"));
	assert_int_equal(2, entries());
	rmdir(in_folder("folder"));
	unlink(in_folder("file"));
	assert_int_equal(0, rmdir(folder));
}
