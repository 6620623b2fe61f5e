/* SPDX-License-Identifier: MIT */
/* `anechoic ladder` reads back after a reboot the state that it wrote before. */
#include <unistd.h>

#include "linux/command_ladder.c"
#include "linux/boot/whole_file.h"
#include "tests/unit/test.h"

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
	struct ladder_run l = { .out = "/a folder/of results",
		.runs = 3,
		.run = 2,
		.reboot = true,
		.kexec = true,
		.nwords = 2 };
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
	assert_true(back.kexec);
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
