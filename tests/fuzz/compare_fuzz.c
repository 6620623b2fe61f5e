/* SPDX-License-Identifier: MIT */
/*
 * Results that are compared. The input: a byte and a result of two runs or more. Its lowest bit:
 * the result is to be sealed; the next: JSON is written, not text. What is read: result_fuzz.c.
 */
#include "linux/report/compare/compare.h"
#include "tests/fuzz/read_input.h"

enum { SEALED = 1, JSON = 2 };

static void compare_all(const struct results *r, bool json, FILE *out)
{
	struct sets sets = { 0 };
	struct comparison c;

	sets_add(&sets, r, false);
	if (sets.n < 2) {
		sets_free(&sets);
		return;
	}
	sets_pool(&sets);
	compare_sets(&c, sets, MARGIN_DEFAULT);
	if (json)
		comparison_print_json(&c, out);
	else
		comparison_print(&c, true, out);
	comparison_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	FILE *out = discarded();
	struct results r;

	if (!n || !out)
		return 0;
	read_input(&r, *data & SEALED, data + 1, n - 1);
	compare_all(&r, *data & JSON, out);
	results_free(&r);
	return 0;
}
