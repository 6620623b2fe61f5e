/* SPDX-License-Identifier: MIT */
/* The meaning of keys at the opening prompt, and of a PS/2 controller's bytes. */
#include "kernel/console/keys.c"
#include "kernel/prompt.c"
#include "tests/unit/test.h"

TEST(keys_go_round_profiles_and_rooms)
{
	static struct config c;
	static const uint64_t profiles[] = { PROFILE_FULL, PROFILE_SMOKE, PROFILE_DEFAULT };
	static const uint64_t rooms[] = { ROOMS_FIRMWARE, ROOMS_BARE, ROOMS_BOTH };

	c.options.profile = PROFILE_DEFAULT;
	c.rooms = ROOMS_BOTH;
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(PROMPT_GO_ON, prompt_key(&c, i % 2 ? 'P' : 'p'));
		assert_int_equal(profiles[i], c.options.profile);
		assert_int_equal(ROOMS_BOTH, c.rooms);
	}
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(PROMPT_GO_ON, prompt_key(&c, i % 2 ? 'R' : 'r'));
		assert_int_equal(rooms[i], c.rooms);
		assert_int_equal(PROFILE_DEFAULT, c.options.profile);
	}
}

TEST(a_series_under_way_keeps_its_choices)
{
	static struct config c = { .options.run = 2 }, before = { .options.run = 2 };

	for (const char *key = "pPrR"; *key; key++)
		assert_int_equal(PROMPT_GO_ON, prompt_key(&c, (unsigned char)*key));
	assert_memory_equal(&before, &c, sizeof c);
}

TEST(other_keys_change_nothing)
{
	static struct config c, before;

	c.options.profile = before.options.profile = PROFILE_FULL;
	for (unsigned key = 1; key < 256; key++) {
		if (strchr("pPrR", (int)key))
			continue;
		enum prompt_answer want = key == KEY_ENTER ? PROMPT_START
			: key == KEY_ESC                   ? PROMPT_LEAVE
							   : PROMPT_GO_ON;

		assert_int_equal(want, prompt_key(&c, key));
		assert_memory_equal(&before, &c, sizeof c);
	}
}

TEST(ps2_bytes)
{
	enum { FULL = 1, MOUSE = 0x20, OTHER_BITS = 0x1c };

	assert_int_equal(KEY_ESC, ps2_key(FULL, 0x01));
	assert_int_equal(KEY_ESC, ps2_key(FULL | OTHER_BITS, 0x76));
	assert_int_equal(KEY_OTHER, ps2_key(FULL, 0x39)); /* space */
	assert_int_equal(KEY_NONE, ps2_key(FULL, 0x81));  /* Esc released */
	assert_int_equal(KEY_NONE, ps2_key(FULL, 0xfa));  /* acknowledge */
	assert_int_equal(KEY_NONE, ps2_key(0, 0x01));     /* no byte */
	assert_int_equal(KEY_NONE, ps2_key(FULL | MOUSE, 0x01));
	assert_int_equal(KEY_NONE, ps2_key(0xff, 0x01)); /* no controller */
}
