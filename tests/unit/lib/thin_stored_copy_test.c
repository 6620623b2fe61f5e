/* SPDX-License-Identifier: MIT */
/* A thinned result against the one that it was made from. */
#include "lib/thin.h"
#include "report/reading/serial_log.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

#define WHY "to fit into EFI variables"

/* A run with a sweep, whose samples are all `value`. To be freed. */
static char *whole(double value)
{
	const double values[] = { value, value };
	struct fixture f;
	char members[64];

	fixture_open(&f);
	fixture_run(&f, "bare", "");
	for (unsigned i = 0; i < 40; i++) {
		snprintf(members, sizeof members, PARAMS("\"bytes\":%u") "%s", 1024U << (i % 20),
			i % 8 ? "" : ",\"level\":\"l1\"");
		fixture_row(&f, i < 20 ? "a" : "b", members, "ns/load", values, 2);
	}
	fixture_line(&f, "skip", ",\"probe\":\"tlb\",\"reason\":\"no time\"");
	fixture_end(&f);
	fclose(f.file);
	return f.text;
}

static size_t thinned(const char *text, unsigned level, char *out, size_t bytes)
{
	size_t n = thin(text, strlen(text), level, WHY, out, bytes);

	assert_true(n > 0 && n < bytes);
	out[n] = 0;
	return n;
}

TEST(test_every_level)
{
	char *text = whole(1.23456789), *other = whole(1.24456789), small[32768];

	for (unsigned level = 0; level <= THIN_CARD; level++) {
		size_t n = thinned(text, level, small, sizeof small);
		assert_null(stored_copy_wrong(text, strlen(text), small, n));
		/* the same rows with other medians; the card has no row, and shows no difference */
		const char *wrong = stored_copy_wrong(other, strlen(other), small, n);
		if (level == THIN_CARD)
			assert_null(wrong);
		else
			assert_string_equal(wrong, "no thinning of the log's run gives it");
	}
	free(text);
	free(other);
}

TEST(test_not_thinned)
{
	char *text = whole(1), *other = whole(2);

	assert_null(stored_copy_wrong(text, strlen(text), text, strlen(text)));
	assert_string_equal(stored_copy_wrong(text, strlen(text), other, strlen(other)),
		"it is not thinned, and differs");
	assert_non_null(stored_copy_wrong(text, strlen(text), "", 0));
	assert_non_null(stored_copy_wrong(text, strlen(text), "x\n", 2));
	free(text);
	free(other);
}

/* Whichever byte was changed, it is not a copy. */
TEST(test_any_byte)
{
	char *text = whole(1.5), small[32768];
	size_t n = thinned(text, 4, small, sizeof small);

	for (size_t at = 0; at < n; at += 7) {
		small[at] ^= 1;
		if (!stored_copy_wrong(text, strlen(text), small, n))
			fail_msg("byte %zu was changed, and nothing was said", at);
		small[at] ^= 1;
	}
	free(text);
}
