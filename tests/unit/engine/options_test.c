/* SPDX-License-Identifier: MIT */
/* The experiments that a list of names chooses. */
#include "engine/bench.h"
#include "engine/plan.h"
#include "lib/text.h"
#include "tests/unit/test.h"
#include "engine/options.c"

TEST(probes_by_name)
{
	assert_true(probe_selected("", "latency"));
	assert_true(probe_selected("latency", "latency"));
	assert_true(probe_selected("mlp,latency", "latency"));
	assert_true(probe_selected("latency:pointer", "latency"));
	assert_false(probe_selected("latency:pointer", "late"));
	assert_false(probe_selected("late", "latency"));
	assert_false(probe_selected("mlp", "latency"));
}

TEST(rows_by_variant)
{
	assert_true(variant_selected("", "latency", "pointer"));
	assert_true(variant_selected("latency", "latency", "pointer"));
	assert_true(variant_selected("mlp,latency:index,latency:pointer", "latency", "pointer"));
	assert_false(variant_selected("latency:pointer", "latency", "pointer-padded"));
	assert_false(variant_selected("latency:pointer-padded", "latency", "pointer"));
	assert_false(variant_selected("latency:", "latency", "pointer"));
	assert_false(variant_selected("mlp:pointer", "latency", "pointer"));
}

TEST(names_of_no_probe_are_refused)
{
	char err[256];

	assert_int_equal(0, selection_check("", err, sizeof err));
	assert_int_equal(0, selection_check("latency,clock:any,mlp:", err, sizeof err));
	assert_int_equal(-1, selection_check("clock,latenc:pointer", err, sizeof err));
	assert_string_equal(err,
		"probes = 'latenc:pointer': no such probe: did you mean 'latency'?");
	assert_int_equal(-1, selection_check("clock,far:pointer", err, sizeof err));
	assert_memory_equal(err, "probes = 'far:pointer': no such probe; there are clock, ", 55);
	assert_int_equal(-1, selection_check("nosuch", err, 40));
	assert_int_equal(39, strlen(err));
}

TEST(a_name_ends_at_a_comma)
{
	assert_int_equal(0, selection_name(""));
	assert_int_equal(0, selection_name(",b"));
	assert_int_equal(1, selection_name("a,b"));
	assert_int_equal(3, selection_name("a:b"));
	assert_true(probe_selected(",latency", "latency"));
}

/* The first 40 bytes of a name are shown, then all probes; nothing is written beyond its place. */
static void expect_refused(const char *name, const char *shown)
{
	char err[512], expected[64];

	assert_int_equal(-1, selection_check(name, err, sizeof err));
	snprintf(expected, sizeof expected, "probes = '%s': no such probe; ", shown);
	if (strncmp(err, expected, strlen(expected)))
		fail_msg("expected '%s...', came '%s'", expected, err);
	const char *last = probes[probe_count - 1].name;

	if (strcmp(err + strlen(err) - strlen(last), last))
		fail_msg("expected %s as the last probe, came '%s'", last, err);
	for (size_t bytes = 1; bytes < strlen(err); bytes++) {
		char part[512];

		memset(part, '#', sizeof part);
		selection_check(name, part, bytes);
		assert_memory_equal(err, part, bytes - 1);
		assert_int_equal(0, part[bytes - 1]);
		for (size_t i = bytes; i < sizeof part; i++)
			assert_int_equal('#', part[i]);
	}
}

TEST(code_is_bytes_of_two_digits)
{
	char err[256];
	unsigned char bytes[4] = { 0 };

	assert_int_equal(0, text_to_bytes("", NULL, 0));
	assert_int_equal(0, text_to_bytes(" \t,", NULL, 0));
	assert_int_equal(4, text_to_bytes(" 48 0F,af\tc0 ", bytes, 4));
	assert_memory_equal("\x48\x0f\xaf\xc0", bytes, 4);
	assert_int_equal(3, text_to_bytes("01 02 03", bytes, 2));
	assert_memory_equal("\x01\x02\xaf", bytes, 3);
	static const char *const wrong[] = { "4", "48 0", "480f", "48 g0", "48 0g", "4 8", "48x",
		"-1" };

	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (text_to_bytes(wrong[i], NULL, 0) != -1)
			fail_msg("'%s' was taken", wrong[i]);
	assert_int_equal(0, code_check("48 0f af c0", err, sizeof err));
	assert_int_equal(-1, code_check("48 0", err, sizeof err));
	assert_string_equal("code '48 0': must be bytes of two hexadecimal digits: 48 0f af c0",
		err);
}

TEST(code_alone_is_all_that_is_measured)
{
	struct options o = { .code_unroll = 1000 };

	assert_null(options_settle(&o));
	assert_string_equal("", o.probes);
	strcpy(o.code, "90");
	assert_null(options_settle(&o));
	assert_string_equal("code", o.probes);
	strcpy(o.probes, "clock,code");
	assert_null(options_settle(&o));
	assert_string_equal("clock,code", o.probes);
	o.probes[0] = 0;
	o.source = SOURCE_L;
	assert_null(options_settle(&o));
	assert_string_equal("", o.probes);
	o.code[0] = 0;
	o.code_loop = 1;
	assert_string_equal("code_init and code_loop: there is no code that they are for",
		options_settle(&o));
	o.code_loop = 0;
	assert_null(options_settle(&o));
	strcpy(o.code_init, "90");
	assert_non_null(options_settle(&o));
}

TEST(a_quick_run_is_a_part_of_the_default_profile)
{
	struct options o = { .profile = PROFILE_DEFAULT, .quick = 1 };

	assert_null(options_settle(&o));
	o.profile = PROFILE_FULL;
	assert_non_null(options_settle(&o));
	o.profile = PROFILE_DEFAULT;
	o.source = SOURCE_L;
	assert_non_null(options_settle(&o));
}

TEST(a_run_takes_its_scans_beside_its_profile)
{
	struct options o = { .profile = PROFILE_DEFAULT, .noise_seconds = 100 };

	assert_float_equal(30 + 100 + 60, expected_seconds(&o), 0);
	o.quick = 1;
	assert_float_equal(10 + 100 + 60, expected_seconds(&o), 0);
	o.quick = 0;
	o.profile = PROFILE_FULL; /* smm watches as long once more */
	assert_float_equal(900 + 100 + 60 + 100, expected_seconds(&o), 0);
	o.source = SOURCE_L;
	assert_float_equal(900 + 100 + 60, expected_seconds(&o), 0);
	o.source = SOURCE_NONE;
	strcpy(o.probes, "latency,noise:gaps");
	assert_float_equal(900 + 100 + 60, expected_seconds(&o), 0);
	o.profile = PROFILE_SMOKE;
	strcpy(o.probes, "smm");
	assert_float_equal(10 + 100, expected_seconds(&o), 0);
}

TEST(a_refusal_is_as_long_as_its_place)
{
	expect_refused("a-name-of-30-bytes-is-shown-so,clock", "a-name-of-30-bytes-is-shown-so");
	expect_refused("0123456789012345678901234567890123456789x",
		"0123456789012345678901234567890123456789");
}
