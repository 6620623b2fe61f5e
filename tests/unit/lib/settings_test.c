/* SPDX-License-Identifier: MIT */
#include "engine/room.h"
#include "engine/options.h"
#include "tests/unit/test.h"

static struct options opt;
static char err[160];

static int set(const char *key, const char *value)
{
	err[0] = 0;
	return settings_set(option_settings, option_settings_count, &opt, key, value, err,
		sizeof err);
}

TEST(defaults)
{
	memset(&opt, 0xaa, sizeof opt);
	settings_init(option_settings, option_settings_count, &opt);
	assert_int_equal(opt.profile, PROFILE_DEFAULT);
	assert_string_equal(opt.probes, "");
	assert_int_equal(opt.page, 0);
	assert_int_equal(opt.max_bytes, 0);
}

TEST(values_of_each_kind)
{
	assert_int_equal(set("profile", "smoke"), 0);
	assert_int_equal(opt.profile, PROFILE_SMOKE);
	assert_int_equal(set("page", "2m"), 0);
	assert_int_equal(opt.page, PAGE_2M);
	assert_int_equal(set("memory", "512M"), 0);
	assert_int_equal(opt.max_bytes, 512 * MIB);
	assert_int_equal(set("memory", "0x10k"), 0);
	assert_int_equal(opt.max_bytes, 16 * KIB);
	assert_int_equal(set("seed", "18446744073709551615"), 0);
	assert_true(opt.seed == UINT64_MAX);
	assert_int_equal(set("probes", "clock,latency"), 0);
	assert_string_equal(opt.probes, "clock,latency");
}

TEST(refusals_say_why)
{
	static const struct {
		const char *key, *value, *reason;
	} bad[] = {
		{ "profil", "smoke", "unknown key 'profil': did you mean 'profile'?" },
		{ "pgae", "2m", "unknown key 'pgae': did you mean 'page'?" },
		{ "porbes", "", "unknown key 'porbes': did you mean 'probes'?" },
		{ "run-id", "", "unknown key 'run-id': did you mean 'run_id'?" },
		{ "prefetchers", "on", "unknown key 'prefetchers': did you mean 'prefetch'?" },
		{ "larg", "1g", "unknown key 'larg': did you mean 'largest'?" },
		{ "prefetching_by_more_than_the_sixty_four_letters_that_a_name_can_have_at_all", "",
			"unknown key 'prefetching_by_more_than_the_sixty_four_'" },
		{ "zebra-crossing", "1", "unknown key 'zebra-crossing'" },
		{ "profile", "fast", "profile = 'fast': must be one of smoke, default, full" },
		{ "profile", "", "profile = '': must be one of smoke, default, full" },
		{ "profile", "smok", "profile = 'smok': must be one of smoke, default, full" },
		{ "cpu", "-1", "cpu = '-1': must be a number" },
		{ "cpu", "65536", "cpu = '65536': must be 0 to 65535" },
		{ "runs", "0", "runs = '0': must be 1 to 99" },
		{ "runs", "100", "runs = '100': must be 1 to 99" },
		{ "seed", "18446744073709551616",
			"seed = '18446744073709551616': must be a number" },
		{ "seed", "0x", "seed = '0x': must be a number" },
		{ "seed", "12 ", "seed = '12 ': must be a number" },
		{ "memory", "1t",
			"memory = '1t': must be a number of bytes, with an optional k, m or g" },
		{ "memory", "18446744073709551615g",
			"memory = '18446744073709551615g': must be a number of bytes, "
			"with an optional k, m or g" },
	};

	settings_init(option_settings, option_settings_count, &opt);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct options before = opt;

		assert_int_equal(set(bad[i].key, bad[i].value), -1);
		assert_string_equal(err, bad[i].reason);
		assert_memory_equal(&before, &opt, sizeof opt);
	}
}

TEST(choices_have_their_words)
{
	static const char *const pairs[][2] = { { "profile", "smoke" }, { "profile", "full" },
		{ "prefetch", "both" }, { "page", "2m" } };
	char word[16];

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		assert_int_equal(set(pairs[i][0], pairs[i][1]), 0);
		settings_choice(option_settings, option_settings_count, &opt, pairs[i][0], word,
			sizeof word);
		assert_string_equal(word, pairs[i][1]);
	}
	settings_choice(option_settings, option_settings_count, &opt, "seed", word, sizeof word);
	assert_string_equal(word, "?");
	settings_choice(option_settings, option_settings_count, &opt, "profile", word, 3);
	assert_string_equal(word, "fu");
}

TEST(long_text_is_refused_whole)
{
	char text[600];

	memset(text, 'x', sizeof text);
	memcpy(text, "clock:", 6);
	text[511] = 0;
	assert_int_equal(set("probes", text), 0);
	text[511] = 'x';
	text[512] = 0;
	assert_int_equal(set("probes", text), -1);
	assert_string_equal(err, "probes: longer than 511 characters");
	text[512] = 'x';
	text[599] = 0;
	assert_int_equal(set(text, "1"), -1);
}
