/* SPDX-License-Identifier: MIT */
/* The lists and the code of indirect jumps: bytes, what they prove, and what is found in rows. */

#include "probes/indirect/indirect.c"
#include "tests/unit/prepared.h"

BEFORE_EACH(start)
{
	plan_of(probe_named("indirect"), PROFILE_FULL);
	give_code_memory(&room);
}

static uint64_t called(const uint64_t args[LOOP_ARGS])
{
	return fake_call(&room, loop_timed_call, args).value;
}

TEST(code_is_as_planned)
{
	static const unsigned char jump[] = { 0x48, 0x83, 0xc7, 0x08, 0xff, 0x67, 0xf8, 0xcc };
	static const unsigned char slot[] = { 0x48, 0x05, 1, 0, 0, 0, 0xe9, 0xc5, 0xff, 0xff, 0xff,
		0xcc, 0xcc, 0xcc, 0xcc, 0xcc };
	static const unsigned char calls[] = { 0xe8, 0xcb, 0xff, 0xff, 0xff, 0x48, 0x05, 1, 0, 0, 0,
		0xc3, 0xcc, 0xcc, 0xcc, 0xcc };
	static const unsigned char entry[] = { 0xb9, 3, 0, 0, 0, 0xe8, 0xb6, 0xff, 0xff, 0xff, 0xff,
		0xc9, 0x75, 0xf7, 0xc3 };
	struct indirect_spec s = { IN_ORDER, 1, 1, 3 };
	unsigned char bytes[128];
	struct code_block c = code_begin(bytes, code_bytes(&s));

	put_code(&c, &s);
	assert_int_equal(SLOTS_AT + SLOT_BYTES + 15, c.at);
	assert_int_equal(0xc3, bytes[0]);
	assert_memory_equal(jump, bytes + JUMP_AT, sizeof jump);
	assert_memory_equal(slot, bytes + SLOTS_AT, sizeof slot);
	assert_int_equal(1, bytes[SLOTS_AT + SLOT_BYTES + 1]); /* one descent */
	s.kind = RETURNS;
	c = code_begin(bytes, code_bytes(&s));
	put_code(&c, &s);
	assert_memory_equal(calls, bytes + SLOTS_AT, sizeof calls);
	assert_memory_equal(entry, bytes + SLOTS_AT + SLOT_BYTES, sizeof entry);
	c = code_begin(bytes, code_bytes(&s) - 1);
	expect_broken("bytes <= c->capacity - c->at", put_code(&c, &s));
}

/* Each row's code does what its list says: less of it is less. */
TEST(each_row_is_proved)
{
	for (unsigned i = 0; i < plan.n; i++) {
		expect_ready(&plan.rows[i]);
		expect_sample(job.row);
		expect_sample(job.row);
		assert_int_equal(1, called(job.empty_args));
		assert_true(job.ops >= LIST_LEAST * 0.9 && job.ops <= LIST_MOST * 1.01);
	}
}

static const uint64_t *list_of(const char *variant, const char *param, double value)
{
	expect_ready(row_with(variant, param, value));
	return ((struct jump_list *)job.priv)->at;
}

TEST(an_order_has_each_slot_once_and_again)
{
	const uint64_t *at = list_of("order", "targets", 1024),
		       base = (uint64_t)(uintptr_t)code_memory.base;
	bool seen[1024] = { false };
	unsigned moved = 0;

	for (unsigned i = 0; i < 1024; i++) {
		uint64_t slot = (at[i] - base - SLOTS_AT) / SLOT_BYTES;

		assert_true(slot < 1024 && !seen[slot]);
		seen[slot] = true;
		moved += slot != i;
		assert_int_equal(at[i], at[1024 + i]);
		assert_int_equal(at[i], at[3072 + i]);
	}
	assert_true(moved > 900);
	assert_int_equal(base + RETURN_AT, at[4096]);
	assert_null(job.refresh);
}

/* Descents end, and are alike unless their callers are new; a list is the same in every room. */
TEST(descents_are_alike_or_new)
{
	const uint64_t *at = list_of("returns", "depth", 96);
	uint64_t first[97];

	assert_memory_equal(at, at + 97, 97 * sizeof *at);
	at = list_of("returns-random", "depth", 96);
	assert_memory_not_equal(at, at + 97, 96 * sizeof *at);
	assert_int_equal((uint64_t)(uintptr_t)code_memory.base + RETURN_AT, at[96]);
	assert_int_equal(at[96], at[193]);
	for (unsigned i = 0; i < 97; i++)
		first[i] = at[i] - (uint64_t)(uintptr_t)code_memory.base;
	job.refresh(&planner, &job);
	assert_int_not_equal(first[0] + first[1] * 3 + first[2] * 7,
		at[0] + at[1] * 3 + at[2] * 7 - 11 * (uint64_t)(uintptr_t)code_memory.base);
	random_next(&planner.random);
	at = list_of("returns-random", "depth", 96);
	for (unsigned i = 0; i < 97; i++)
		assert_int_equal(first[i], at[i] - (uint64_t)(uintptr_t)code_memory.base);
}

TEST(without_memory_for_code_it_is_skipped)
{
	expect_code_needed(row_with("random", NULL, 0), "no 2 KiB for generated code");
}

/* 300 targets in order, and 100 elements of either list, are predicted; a miss takes 6 ns. */
static double ns_of(const struct row *row)
{
	double targets = row_get(row, "targets", 1);

	if (!strcmp(row->variant, "order"))
		return targets > 300 ? 7 : 1;
	if (!strcmp(row->variant, "period") && row_get(row, "elements", 0) <= 100)
		return 1;
	return strcmp(row->variant, "returns") ? 1 + 6 * (1 - 1 / targets) : 1;
}

TEST(edges_are_bisected)
{
	double low, high;

	assert_in_range(bisect_rows(ns_of, "order", "targets", 300, &low, &high), 3, 12);
	assert_true(low <= 300 && high > 300 && high <= 1.1 * low);
	plan_of(probe_named("indirect"), PROFILE_FULL);
	bisect_rows(ns_of, "period", "elements", 100, &low, &high);
	assert_true(low <= 100 && high > 100 && high <= 1.1 * low);
}
