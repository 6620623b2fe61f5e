/* SPDX-License-Identifier: MIT */
/* Lines that we write are read back by a JSON library, and their CRC is zlib's. */
#include <jansson.h>

#include "lib/crc32.h"
#include "lib/jsonl_write.c"
#include "tests/unit/test.h"

static char text[512];

static json_t *parse(size_t n)
{
	json_error_t error;
	json_t *object = json_loadb(text, n, 0, &error);

	if (!object)
		fail_msg("not JSON: %s in %.*s", error.text, (int)n, text);
	return object;
}

TEST(members)
{
	struct jsonl l;

	jsonl_begin(&l, text, sizeof text);
	jsonl_string(&l, "text", "a \"quoted\\\" word\x01\xff");
	jsonl_integer(&l, "big", UINT64_MAX / 2);
	jsonl_bool(&l, "yes", true);
	jsonl_null(&l, "none");
	jsonl_array(&l, "list");
	jsonl_integer(&l, NULL, 1);
	jsonl_object(&l, NULL);
	jsonl_bool(&l, "deep", false);
	jsonl_object_end(&l);
	jsonl_array_end(&l);
	jsonl_array(&l, "empty");
	jsonl_array_end(&l);
	size_t n = jsonl_end(&l);

	assert_int_equal('\n', text[n - 1]);
	json_t *o = parse(n);

	assert_string_equal("a \"quoted\\\" word??", json_string_value(json_object_get(o, "text")));
	assert_true(json_integer_value(json_object_get(o, "big")) == INT64_MAX);
	assert_true(json_is_true(json_object_get(o, "yes")));
	assert_true(json_is_null(json_object_get(o, "none")));
	assert_int_equal(2, json_array_size(json_object_get(o, "list")));
	assert_int_equal(0, json_array_size(json_object_get(o, "empty")));
	json_decref(o);
}

TEST(numbers)
{
	static const double values[] = { 0, 1, -1, 0.5, 1.25e-9, 123456789.125, 3.495658627e9,
		1e300, -2.5e-300, 4.99, 1e15, 0.001, 999999.999 };

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		struct jsonl l;

		jsonl_begin(&l, text, sizeof text);
		jsonl_number(&l, "v", values[i]);
		json_t *o = parse(jsonl_end(&l));
		double came = json_number_value(json_object_get(o, "v"));

		if (fabs(came - values[i]) > 1e-6 * fabs(values[i]))
			fail_msg("wrote %.17g, read %.17g", values[i], came);
		json_decref(o);
	}
}

TEST(not_numbers_become_null)
{
	struct jsonl l;

	jsonl_begin(&l, text, sizeof text);
	jsonl_number(&l, "nan", NAN);
	jsonl_number(&l, "inf", -INFINITY);
	json_t *o = parse(jsonl_end(&l));

	assert_true(json_is_null(json_object_get(o, "nan")));
	assert_true(json_is_null(json_object_get(o, "inf")));
	json_decref(o);
}

TEST(crc_covers_the_line)
{
	struct jsonl l;
	char expected[32];

	jsonl_begin(&l, text, sizeof text);
	jsonl_integer(&l, "a", 1);
	size_t n = jsonl_end(&l);
	char *at = strstr(text, ",\"crc\":\"");

	snprintf(expected, sizeof expected, ",\"crc\":\"%08x\"}\n",
		crc32_of(0, text, (size_t)(at - text)));
	assert_memory_equal(at, expected, n - (size_t)(at - text));
}

TEST(too_long_is_refused_not_overrun)
{
	for (size_t room = 0; room < 64; room++) {
		struct jsonl l;

		memset(text, '#', sizeof text);
		jsonl_begin(&l, text, room);
		jsonl_string(&l, "key", "a value of some length");
		size_t n = jsonl_end(&l);

		for (size_t i = room; i < sizeof text; i++)
			if (text[i] != '#')
				fail_msg("room %zu: byte %zu was written", room, i);
		if (n)
			json_decref(parse(n));
	}
}
