/* SPDX-License-Identifier: MIT */
/*
 * A result stored and harvested, with the power failing at every step: a result whose header was
 * written becomes exactly one file, and nothing stays behind in the variables.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/fake_storage.h"
#include "tests/unit/test.h"

static bool committed(void)
{
	struct stored_result h;
	const char *why;

	return store_find(&calls, &h, &why) == PENDING_VALID;
}

BEFORE_ALL(make_result);
AFTER_ALL(drop_result);

TEST(no_cut_loses_or_doubles)
{
	unsigned commits = 0, cuts = 0;
	bool wrote = false;

	for (unsigned first = 0; !wrote; first++) {
		bool harvested = false;

		for (unsigned second = 0; !harvested; second++) {
			empty(variables, VARIABLES);
			empty(files, FILES);
			wrote = run_for(first, write_result);
			bool was = committed();
			harvested = run_for(second, harvest_result);
			run_for(second / 2, harvest_result); /* a second cut */
			assert_true(run_for(-1U, harvest_result));
			assert_harvested(was);
			assert_true(run_for(-1U, harvest_result));
			assert_int_equal(last, HARVEST_NOTHING);
			assert_harvested(was);
			commits += was;
			cuts++;
		}
	}
	assert_true(commits > 5 && cuts - commits > 5);
}

TEST(a_full_store_leaves_nothing)
{
	for (unsigned refused = 0; refused < 4; refused++) {
		empty(variables, VARIABLES);
		steps_left = -1U;
		writes_refused_after = refused;
		assert_string_equal(store_write(&calls, NAME, packed, packed_bytes),
			"out of resources");
		assert_int_equal(count(variables, VARIABLES), 0);
	}
}

TEST(limits)
{
	struct variable_store s = { true, true, true, 262044, 250000, 33732, NULL };
	static const struct {
		uint64_t remaining;
		size_t low, high; /* of the limit */
	} rows[] = {
		{ 250000, 60 * 1024, 64 * 1024 },
		{ 40000, 18000, 20000 },
		{ 12000, 5000, 6000 },
		{ 8000, 2048, 2880 }, /* the card: what is left is 5120 */
		{ 6000, 0, 0 },
		{ 5000, 0, 0 },
		{ 0, 0, 0 },
	};
	const char *why;

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		s.remaining = rows[i].remaining;
		size_t limit = store_limit(&s, &why);

		if (limit < rows[i].low || limit > rows[i].high || (!limit && !why))
			fail_msg("of %u bytes a result may take %u (kernel/result/store.c)",
				(unsigned)s.remaining, (unsigned)limit);
	}
	s.size_known = false; /* nothing is said: little is taken */
	assert_in_range(store_limit(&s, &why), 2048, 8192);
	s.size_known = true;
	s.remaining = 250000;
	s.usable_at_runtime = false;
	s.why_not = "because";
	assert_int_equal(store_limit(&s, &why), 0);
	assert_string_equal(why, "because");
}

static size_t asked; /* bytes of the largest variable that was to be set */

static uint64_t set_noted(const char *name, const void *data, size_t n)
{
	asked = n > asked ? n : asked;
	return set(name, data, n);
}

/* Where little is free the firmware is asked for more than there is; nothing of it stays. */
TEST(a_small_store_is_reclaimed)
{
	struct variable_store store = { true, true, true, 65536, 8000, 33732, NULL };
	static const char memory[STORE_SMALL + 1024];
	struct storage noted = calls;

	noted.set = set_noted;
	empty(variables, VARIABLES);
	steps_left = -1U;
	for (unsigned granted = 0; granted < 2; granted++) {
		asked = 0;
		writes_refused_after = granted;
		store_reclaim(&noted, &store, memory);
		assert_int_equal(asked, 9024);
		assert_int_equal(count(variables, VARIABLES), 0);
	}
	asked = 0;
	store.remaining = STORE_SMALL; /* enough: flash is not worn for nothing */
	store_reclaim(&noted, &store, memory);
	store.remaining = 0;
	store.size_known = false;
	store_reclaim(&noted, &store, memory);
	assert_int_equal(asked, 0);
	store.size_known = true;
	writes_refused_after = -1U;
	steps_left = 1; /* the power fails before it is deleted: the next start does that */
	if (!setjmp(power_cut))
		store_reclaim(&noted, &store, memory);
	assert_int_equal(count(variables, VARIABLES), 1);
	steps_left = -1U;
	store_erase(&calls);
	assert_int_equal(count(variables, VARIABLES), 0);
}

/* What a firmware says that it stored must be there. */
static uint64_t set_nothing(const char *name, const void *data, size_t n)
{
	(void)name, (void)data, (void)n;
	return 0;
}

TEST(what_does_not_read_back_is_not_stored)
{
	struct storage lies = calls;

	lies.set = set_nothing;
	empty(variables, VARIABLES);
	assert_string_equal(store_write(&lies, NAME, packed, packed_bytes),
		"what it stores does not read back");
}
