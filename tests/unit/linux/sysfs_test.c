/* SPDX-License-Identifier: MIT */
/* Small files of /proc and /sys are read whole or not at all. */
#include <errno.h>

#include "linux/sysfs.h"
#include "tests/unit/root_files.h"

static char path[96], text[3 * 8192];

BEFORE_EACH(a_long_line)
{
	make_root();
	snprintf(path, sizeof path, "%s/list", root);
	for (unsigned cpu = 0, n = 0; cpu < 8192; cpu += 2)
		n += (unsigned)sprintf(text + n, cpu ? ",%u" : "%u", cpu);
	put("/list", text);
}

AFTER_EACH(remove_root);

TEST(a_line_of_any_length_is_whole)
{
	char *line = file_line(path), *rest = keyed_line(path, "0,2,4,");

	assert_string_equal(text, line);
	assert_string_equal(text + 6, rest);
	free(line);
	free(rest);
}

TEST(a_line_that_does_not_fit_is_refused)
{
	char exact[4], small[3];

	put("/list", "0-7");
	assert_true(read_line(path, exact, sizeof exact));
	assert_string_equal("0-7", exact);
	assert_false(read_line(path, small, sizeof small));
	assert_string_equal("", small);
}

TEST(no_limit_is_no_number)
{
	uint64_t value;

	put("/list", "-1\n");
	assert_false(read_number(path, &value));
	put("/list", "950000\n");
	assert_true(read_number(path, &value) && value == 950000);
}

TEST(what_is_not_there_says_so)
{
	char gone[128];
	bool has = true;

	put("/keys", "a: 1\nbb: 2 kB\n");
	snprintf(gone, sizeof gone, "%s/keys", root);
	assert_null(keyed_line(gone, "c:"));
	assert_int_equal(ENODATA, errno);
	uint64_t value;
	assert_true(read_keyed(gone, "bb:", &value) && value == 2);
	assert_true(read_list_has(path, 8190, &has) && has);
	assert_true(read_list_has(path, 8191, &has) && !has);
	unlink(gone);
	assert_null(file_line(gone));
	assert_int_equal(ENOENT, errno);
	assert_false(read_list_has(gone, 0, &has) || has);
}
