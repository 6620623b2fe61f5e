/* SPDX-License-Identifier: MIT */
/* The group of a session: read from made-up files, set, and why it cannot be. */
#include "linux/hosted_room.c"
#include "tests/unit/root_files.h"

BEFORE_EACH(make_root);
AFTER_EACH(remove_root);

static void expect_group(const char *enabled, const char *line, bool on, int nice)
{
	if (enabled)
		put("/proc/sys/kernel/sched_autogroup_enabled", enabled);
	if (line)
		put("/proc/self/autogroup", line);
	struct autogroup g = autogroup_read(root);

	if (g.on != on || g.nice != nice || g.nice_at_start != nice || *g.why)
		fail_msg("%s, %s: expected %s %d, came %s %d", enabled, line, on ? "on" : "off",
			nice, g.on ? "on" : "off", g.nice);
}

TEST(a_group_is_read)
{
	expect_group(NULL, NULL, false, 0);
	expect_group(NULL, "/autogroup-11 nice 3", false, 0);
	expect_group("0", "/autogroup-11 nice 3", false, 0);
	expect_group("1", "/autogroup-11 nice 3", true, 3);
	expect_group("1", "/autogroup-1234 nice -20", true, -20);
	expect_group("1", "no such line", false, 0);
}

/* A second time of the same value writes nothing: Linux counts the changes of a second. */
TEST(a_group_is_set)
{
	char path[128], line[64];

	put("/proc/sys/kernel/sched_autogroup_enabled", "1");
	put("/proc/self/autogroup", "/autogroup-11 nice 3");
	struct autogroup g = autogroup_read(root);

	snprintf(path, sizeof path, "%s/proc/self/autogroup", root);
	assert_int_equal(0, autogroup_set(&g, root, -20));
	assert_true(read_line(path, line, sizeof line));
	assert_string_equal("-20", line);
	assert_int_equal(-20, g.nice);
	assert_int_equal(3, g.nice_at_start);
	put("/proc/self/autogroup", "untouched");
	assert_int_equal(0, autogroup_set(&g, root, -20));
	assert_true(read_line(path, line, sizeof line));
	assert_string_equal("untouched", line);
	assert_int_equal(0, unlink(path));
	assert_int_equal(-1, autogroup_set(&g, root, g.nice_at_start));
	assert_string_equal("No such file or directory", g.why);
	assert_int_equal(-20, g.nice);
	g.on = false;
	assert_int_equal(0, autogroup_set(&g, root, 5)); /* there is none */
}
