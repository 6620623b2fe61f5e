/* SPDX-License-Identifier: MIT */
/* Names of a selection that no row has are known before anything is measured. */
#include "engine/plan_trial.h"
#include "tests/unit/fake_room.h"

static enum profile profile = PROFILE_SMOKE;

static void expect_unplanned(const char *list, const char *name, bool any)
{
	static struct room room;
	struct options options = { .profile = profile, .seed = 1 };
	struct unplanned u;

	fake_reset(&room);
	strcpy(options.probes, list);
	u = selection_unplanned(&room, &options);
	if (!name != !u.name || (name && (u.n != strlen(name) || memcmp(u.name, name, u.n))))
		fail_msg("'%s': expected '%s', got '%.*s'", list, name ? name : "none",
			(int)(u.name ? u.n : 0), u.name ? u.name : "");
	assert_int_equal(any, u.any);
	assert_string_equal("", fake_out);
}

TEST(the_first_name_without_rows)
{
	expect_unplanned("", NULL, true);
	expect_unplanned("clock,latency", NULL, true);
	expect_unplanned("clock:rdtsc,latency:pointer", NULL, true);
	expect_unplanned("clock:rdtsc,clock:rdtzc,latency:nosuch", "clock:rdtzc", true);
	expect_unplanned("clock:rdtzc,clock", "clock:rdtzc", true);
	expect_unplanned("latency:poin", "latency:poin", false);
	expect_unplanned("mlp:batch", "mlp:batch", false); /* not in profile smoke */
}

/* A probe without rows in this profile may be named; a short name may follow a long one. */
TEST(only_variants_must_have_rows)
{
	expect_unplanned("remedies,clock:rdtsc", NULL, true);
	expect_unplanned("clock:core-clock,clock:rdtsc", NULL, true);
	expect_unplanned("latency:pointer-padded,clock:rdtsc", NULL, true);
	expect_unplanned("remedies:x", "remedies:x", false);
}

/* Every probe is asked for its rows, in every profile. */
TEST(every_probe_is_planned)
{
	char name[64];

	for (unsigned i = 0; i < probe_count; i++) {
		snprintf(name, sizeof name, "%s:nosuch", probes[i].name);
		for (profile = PROFILE_SMOKE; profile <= PROFILE_FULL; profile++)
			expect_unplanned(name, name, false);
	}
	profile = PROFILE_SMOKE;
}
