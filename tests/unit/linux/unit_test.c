/* SPDX-License-Identifier: MIT */
/* What a unit of systemd starts, and when there can be none. */
#include <unistd.h>

#include "linux/boot/unit.c"
#include "tests/unit/root_files.h"

/* What systemd reads as specifiers and as several words. */
TEST(test_path_in_a_unit)
{
	static const char *const paths[][2] = {
		{ "/usr/local/bin/anechoic", "\"/usr/local/bin/anechoic\"" },
		{ "/srv/a%20b/a b", "\"/srv/a%%20b/a b\"" },
		{ "/srv/$HOME/%", "\"/srv/$HOME/%%\"" },
	};

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		char *text;
		size_t n;
		FILE *to = open_memstream(&text, &n);

		write_unit_path(to, paths[i][0]);
		fclose(to);
		assert_string_equal(paths[i][1], text);
		free(text);
	}
}

/* What root starts after the restart is what is there now. */
TEST(test_program_of_root)
{
	char err[REASON_BYTES], path[128];

	assert_int_equal(0, path_of_root("/bin/sh", err));
	assert_int_equal(0, path_of_root("/", err));
	make_root(); /* in /tmp, where others may put files */
	put("/anechoic", "");
	snprintf(path, sizeof path, "%s/anechoic", root);
	assert_int_equal(-1, path_of_root(path, err));
	assert_non_null(strstr(err,
		"others than root can change /tmp, and root would start /tmp/"));
	remove_root();
	assert_int_equal(-1, path_of_root("/bin/no-such-program", err));
	assert_int_equal(-1, service_may_start("/bin/no-such-program", err));
}

TEST(test_labels_of_selinux)
{
	assert_true(label_is_for_services("system_u:object_r:bin_t:s0"));
	assert_true(label_is_for_services("system_u:object_r:sshd_exec_t:s0"));
	assert_false(label_is_for_services("unconfined_u:object_r:user_home_t:s0"));
	assert_false(label_is_for_services("unconfined_u:object_r:admin_home_t:s0"));
	assert_false(label_is_for_services("system_u:object_r:var_lib_t:s0"));
}
