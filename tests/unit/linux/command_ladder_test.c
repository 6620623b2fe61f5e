/* SPDX-License-Identifier: MIT */
/* `anechoic ladder` reads back after a reboot the state that it wrote before. */
#include <unistd.h>

#include "linux/command_ladder.c"
#include "linux/boot/whole_file.h"
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

/* The run under Linux takes what both have; whom the image greets is nothing to it. */
TEST(test_keys_of_both)
{
	assert_true(is_of_run("profile=full"));
	assert_true(is_of_run("probes=mlp"));
	assert_false(is_of_run("profile"));
	assert_false(is_of_run("profiles=full"));
	assert_false(is_of_run("timeout=5"));
	assert_false(is_of_run("--esp=/boot"));
}

TEST(test_as_it_was_written)
{
	char path[] = "/tmp/ladder-test-XXXXXX", err[REASON_BYTES];
	struct ladder_run l = {
		.out = "/a folder/of results", .runs = 3, .run = 2, .reboot = true, .nwords = 2
	};
	struct ladder_run back;

	l.words[0] = strdup("--esp=/boot/a b");
	l.words[1] = strdup("run_id=word of mine");
	close(mkstemp(path));
	ladder_note_boot(&l);
	assert_int_equal(ladder_write(&l, path, err), 0);
	assert_int_equal(ladder_read(&back, path, err), 0);
	assert_string_equal(back.out, l.out);
	assert_int_equal(back.runs, 3);
	assert_int_equal(back.run, 2);
	assert_true(back.reboot);
	assert_int_equal(back.nwords, 2);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(back.words[i], l.words[i]);
	assert_true(ladder_same_boot(&back));
	back.boot[0] ^= 1;
	assert_false(ladder_same_boot(&back));
	FILE *state = fopen(path, "a");
	fputs("bo!\nwo!\nou!\nru!\n", state); /* begin as lines of ours do, and are none */
	fclose(state);
	ladder_free(&back);
	assert_int_equal(ladder_read(&back, path, err), 0);
	assert_string_equal(back.boot, l.boot);
	assert_string_equal(back.out, l.out);
	assert_int_equal(back.nwords, 2);
	unlink(path);
	ladder_free(&l);
	ladder_free(&back);
	assert_int_equal(ladder_read(&back, path, err), 1);
}
