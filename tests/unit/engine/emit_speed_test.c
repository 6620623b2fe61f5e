/* SPDX-License-Identifier: MIT */
/* The registers that decide how fast the processor runs, read from processors that we made up. */
#include <jansson.h>

#include "engine/emit_speed.c"
#include "lib/jsonl_write.h"
#include "tests/unit/msr_double.h"

static const struct cpuid_answer intel[] = { INTEL };

static struct cpuid room_cpuid(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	return subleaf ? (struct cpuid){ 0 } : double_cpuid(leaf, subleaf);
}

static int room_read(struct room *room, uint32_t msr, uint64_t *value)
{
	return double_read(msr, value);
}

/* The object `speed` of the processor in the box. */
static json_t *speed(int (*read_msr)(struct room *, uint32_t, uint64_t *), const char *why)
{
	struct room room = { .cpuid = room_cpuid, .read_msr = read_msr, .msr_why = why };
	char text[4096];
	struct jsonl l;
	json_error_t error;

	jsonl_begin(&l, text, sizeof text);
	emit_speed(&room, &l);
	json_t *line = json_loadb(text, jsonl_end(&l), 0, &error);
	if (!line)
		fail_msg("no JSON: %s: %s", error.text, text);
	json_t *object = json_incref(json_object_get(line, "speed"));
	json_decref(line);
	return object;
}

static void expect(json_t *object, const char *expected)
{
	char *text = json_dumps(object, JSON_COMPACT);

	if (strcmp(text, expected))
		fail_msg("expected %s\nread     %s", expected, text);
	free(text);
	json_decref(object);
}

#define INTEL_ABSENT_BUT                                                                           \
	"\"absent\":[\"48\",\"e2\",\"1a4\",\"1b0\",\"1b1\",\"1fc\",\"620\",\"621\",\"64f\","       \
	"\"6b1\""

TEST(intel_fields)
{
	static const struct value msrs[] = { { 0xce, 0x80838f1012000, 0 },
		{ 0x198, 0x1f8000002b00, 0 }, { 0x199, 0x100002c00, 0 }, { 0x19c, 0x88370404, 0 },
		{ 0x1a0, 0x4000850089, 0 }, { 0x1ad, 0x2526272829102a2b, 0 }, { 0x606, 0xa0e03, 0 },
		{ 0x610, 0x42862800158320, 0 }, { 0x770, 1, 0 }, { 0x771, 0x01081830, 0 },
		{ 0x774, 0x80003001, 0 } };

	MACHINE(intel, msrs);
	expect(speed(room_read, NULL),
		"{\"base_ratio\":32,\"ratio\":43,\"ratio_requested\":44,\"turbo_disengaged\":true,"
		"\"throttled_by_heat\":false,\"throttled_by_signal\":true,"
		"\"throttled_by_power\":true,\"celsius_below_limit\":55,\"speedstep\":true,"
		"\"turbo_off\":true,\"turbo_ratios\":[43,42,16,41,40,39,38,37],"
		"\"power_limit_1_watts\":100,\"power_limit_2_watts\":197,\"hwp\":true,"
		"\"hwp_highest\":48,\"hwp_guaranteed\":24,\"hwp_minimum\":1,\"hwp_maximum\":48,"
		"\"hwp_desired\":0,\"hwp_preference\":128," INTEL_ABSENT_BUT "]}");
}

TEST(rest_of_intel)
{
	static const struct value msrs[] = { { 0x48, 0x401, 0 }, { 0xe2, 0x1e008403, 0 },
		{ 0x1a4, 0x2f, 0 }, { 0x1b0, 6, 0 }, { 0x1b1, 0x400, 0 }, { 0x1fc, 0x3c005f, 0 },
		{ 0x620, 0x0c18, 0 }, { 0x621, 0x16, 0 }, { 0x64f, 0x08000000, 0 }, { 0x6b1, 2, 0 },
		{ 0x198, 0, 0 } };

	MACHINE(intel, msrs);
	expect(speed(room_read, NULL),
		"{\"spec_ctrl\":\"401\",\"cstate_limit\":3,\"prefetch_control\":\"2f\","
		"\"energy_bias\":6,\"package_throttled_by_heat\":false,"
		"\"package_throttled_by_power\":true,\"c1e\":true,\"power_control\":\"3c005f\","
		"\"uncore_ratio_highest\":24,\"uncore_ratio_lowest\":12,\"uncore_ratio\":22,"
		"\"core_limit_reasons\":\"8000000\",\"ring_limit_reasons\":\"2\","
		"\"absent\":[\"ce\",\"199\",\"19c\",\"1a0\",\"1ad\",\"610\",\"770\",\"771\","
		"\"774\"]}");
}

/* The same P-state's definition means another frequency from family 1Ah on. */
TEST(amd_fields)
{
	static const struct cpuid_answer zen3[] = { AMD, { 1, { 0x00a20f10, 0, 0, 0 } } },
					 zen5[] = { AMD, { 1, { 0x00b40f40, 0, 0, 0 } } };
	static const struct value msrs[] = { { 0x48, 1, 0 }, { 0xc0000080, 0x200d01, 0 },
		{ 0xc0000108, 0x2f, 0 }, { 0xc0010015, 0x2000010, 0 }, { 0xc0010061, 0x20, 0 },
		{ 0xc0010062, 1, 0 }, { 0xc0010063, 2, 0 }, { 0xc0010064, 0x8000000049120a88, 0 },
		{ 0xc00102b0, 0xa6643010, 0 }, { 0xc00102b1, 1, 0 },
		{ 0xc00102b3, 0x80f010a6, 0 } };
	const double mhz[] = { 2720, 13480 }; /* 200 x 88h / ah, 5 x a88h */

	for (int i = 0; i < 2; i++) {
		char expected[600];

		if (i)
			MACHINE(zen5, msrs);
		else
			MACHINE(zen3, msrs);
		snprintf(expected, sizeof expected,
			"{\"spec_ctrl\":\"1\",\"auto_ibrs\":true,\"prefetch_control\":\"2f\","
			"\"turbo_off\":true,\"p_state_highest\":0,\"p_state_lowest\":2,"
			"\"p_state_requested\":1,\"p_state\":2,\"p_state_0_mhz\":%.0f,"
			"\"cppc_highest\":166,\"cppc_nominal\":100,\"cppc\":true,"
			"\"cppc_maximum\":166,\"cppc_minimum\":16,\"cppc_desired\":240,"
			"\"cppc_preference\":128,\"absent\":[]}",
			mhz[i]);
		expect(speed(room_read, NULL), expected);
	}
}

TEST(nothing_is_believed_of_who_answers_for_everything)
{
	static const struct value none[] = { { 0x10, 0, 0 } };

	MACHINE(intel, none);
	box.ignores = true;
	expect(speed(room_read, NULL),
		"{\"why\":\"this machine answers for MSRs that no processor has\"}");
	expect(speed(NULL, "not permitted"), "{\"why\":\"not permitted\"}");
	expect(speed(NULL, NULL), "{\"why\":\"this room reads no MSRs\"}");
}

static double member(const char *name)
{
	json_t *object = speed(room_read, NULL);
	double value = json_number_value(json_object_get(object, name));

	json_decref(object);
	return value;
}

/* P-states of family 17h have a divisor, and a frequency where they are valid: bit 63. */
TEST(p_states_by_family)
{
	static const struct {
		uint32_t signature;
		uint64_t p_state;
		double mhz;
	} cases[] = { { 0x00800f11, 0x8000000000000a88, 2720 }, { 0x00800f11, 0x80000a88, 0 },
		{ 0x00800f11, 0x8000000000000088, 0 }, { 0x00700f11, 0x8000000000000a88, 0 },
		{ 0x00a00f11, 0x8000000000003fff, 200 * 255 / 63. },
		{ 0x00b00f11, 0x800000000000ffff, 5 * 4095 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct cpuid_answer cpu[] = { AMD, { 1, { cases[i].signature, 0, 0, 0 } } };
		const struct value msrs[] = { { 0xc0010064, cases[i].p_state, 0 } };

		MACHINE(cpu, msrs);
		double mhz = member("p_state_0_mhz");

		if (!(mhz > cases[i].mhz - 1e-3 && mhz < cases[i].mhz + 1e-3))
			fail_msg("case %zu: expected %g MHz, came %g", i, cases[i].mhz, mhz);
	}
}

/* A watt is 2^15 units at most; without the unit, or with no limit, there is no number. */
TEST(watts_need_their_unit)
{
	static const struct value msrs[] = { { 0x610, 0x4000, 0 }, { 0x606, 0xa0e0f, 0 } };
	static const struct value without[] = { { 0x610, 0x4000, 0 } };
	static const struct value none[] = { { 0x610, 0, 0 }, { 0x606, 0xa0e0f, 0 } };

	MACHINE(intel, msrs);
	assert_true(member("power_limit_1_watts") == 0.5);
	MACHINE(intel, without);
	json_t *object = speed(room_read, NULL);

	assert_null(json_object_get(object, "power_limit_1_watts"));
	json_decref(object);
	MACHINE(intel, none);
	object = speed(room_read, NULL);
	assert_null(json_object_get(object, "power_limit_1_watts"));
	json_decref(object);
}

TEST(all_bits_of_a_register)
{
	static const struct value msrs[] = { { 0x48, UINT64_MAX, 0 } };

	MACHINE(intel, msrs);
	json_t *object = speed(room_read, NULL);

	assert_string_equal("ffffffff", json_string_value(json_object_get(object, "spec_ctrl")));
	json_decref(object);
}

TEST(other_vendors_are_not_known)
{
	static const struct cpuid_answer other[] = { { 0,
		{ 1, 0x746e6543, 0x736c7561, 0x48727561 } } };
	static const struct value msrs[] = { { 0x48, 1, 0 } };

	MACHINE(other, msrs);
	expect(speed(room_read, NULL), "{\"why\":\"not known for this vendor\"}");
}
