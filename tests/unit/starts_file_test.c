/* SPDX-License-Identifier: MIT */
/* The file of starts: what was written comes back, on the machine that wrote it. */
#include "tests/unit/fake_storage.h"
#include "tests/unit/test.h"

#include "kernel/finish.h"
#include "kernel/result/store.h"

static const struct starts some = { 0xfffffffe, 2, 3, 1893456000 };

BEFORE_EACH(begin)
{
	empty(files, FILES);
	empty(variables, VARIABLES);
	steps_left = writes_refused_after = -1U;
}

TEST(comes_back)
{
	struct starts back;

	assert_true(starts_write(&calls, &some));
	starts_read(&calls, some.machine, &back);
	assert_int_equal(back.machine, some.machine);
	assert_int_equal(back.bare, some.bare);
	assert_int_equal(back.resets, some.resets);
	assert_int_equal(back.ended, some.ended);
}

TEST(another_machine_has_none)
{
	struct starts back;

	assert_true(starts_write(&calls, &some));
	starts_read(&calls, 7, &back);
	assert_int_equal(back.machine, 7);
	assert_true(!back.bare && !back.resets && !back.ended);
}

TEST(without_counts_there_is_no_file)
{
	struct starts none = { .machine = 7, .ended = 5 };

	assert_true(starts_write(&calls, &none)); /* there was none */
	assert_true(starts_write(&calls, &some));
	assert_int_equal(count(files, FILES), 1);
	assert_true(starts_write(&calls, &none));
	assert_int_equal(count(files, FILES), 0);
}

/* Cut or changed, as by a loss of power: read without harm, and never beyond the text. */
TEST(damage_does_no_harm)
{
	struct starts back;

	assert_true(starts_write(&calls, &some));
	for (struct item *file = find(files, FILES, STARTS_FILE); file->n; file->n--) {
		starts_read(&calls, some.machine, &back);
		assert_true(back.bare <= some.bare && back.resets <= some.resets);
	}
}

/* Runs that end in a reset after the exit, where no file is written, on a firmware that forgets. */
static unsigned resets_until_stop(uint64_t gap)
{
	for (unsigned resets = 0; resets < 20; resets++) {
		uint64_t started = 1000 + resets * (100 + gap);
		struct reset_request r = { .wanted = FINISH_RESET };
		struct starts noted;
		const char *why;

		assert_true(resets_note(&calls, 7, started, started + 90, &noted));
		r.before = resets_in_a_row(&calls, &noted, started);
		if (reset_guard(&r, &why) != FINISH_RESET)
			return resets;
		assert_true(resets_record(&calls, r.before + 1, started + 100));
		empty(variables, VARIABLES);
	}
	return 20;
}

TEST(bounds_resets_after_the_exit)
{
	assert_int_equal(resets_until_stop(60), RESETS_MAX);
	assert_int_equal(resets_until_stop(60), RESETS_MAX); /* counting began again */
	empty(files, FILES);
	assert_int_equal(resets_until_stop(RESET_GAP_SECONDS + 20), 20);
}
