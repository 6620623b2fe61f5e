/* SPDX-License-Identifier: MIT */
/* The output of a run: what is on the disk when it says where the result is. */
#include <string.h>
#include <unistd.h>

static unsigned flushed; /* files that were written to the disk */

static int flush_to_disk(int fd)
{
	flushed++;
	return fsync(fd);
}

#define fsync flush_to_disk
#include "linux/run_output.c"
#include "tests/unit/root_files.h"

BEFORE_EACH(make_root);
AFTER_EACH(remove_root);

/* Without a line there is no file. */
TEST(a_result_is_flushed)
{
	for (unsigned lines = 0; lines < 2; lines++) {
		static struct hosted h;
		char name[96], text[16] = "", err[256];

		snprintf(name, sizeof name, "%s/out-%u.ndjson", root, lines);
		h = (struct hosted){ .room.priv = &h };
		flushed = 0;
		assert_int_equal(0, output_open(&h, name, false, true, err, sizeof err));
		if (lines)
			h.room.write(&h.room, "a line\n", 7);
		assert_int_equal(0, output_close(&h, err, sizeof err));
		assert_int_equal(1, flushed);
		FILE *f = fopen(name, "r");

		assert_int_equal(lines, f != NULL);
		if (f) {
			assert_int_equal(7, fread(text, 1, sizeof text, f));
			assert_string_equal("a line\n", text);
			fclose(f);
		}
	}
}
