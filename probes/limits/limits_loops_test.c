/* SPDX-License-Identifier: MIT */
/*
 * The loops of `limits`: their bytes, and what they do against plain C, in words that begin or end
 * at a page that faults.
 */
#include "engine/bench.h"
#include "lib/crc32.h"
#include "probes/limits/limits.c"
#include "tests/unit/fake_code.h"
#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

#define BYTES (LIMITS_WORDS * sizeof(uint64_t))

static bool can_be_run(const struct limits_kind *k)
{
	return (!(k->needs & NEED_AVX2) || __builtin_cpu_supports("avx2")) &&
		(!(k->needs & NEED_FMA) || __builtin_cpu_supports("fma")) &&
		(!(k->needs & NEED_BMI2) || __builtin_cpu_supports("bmi2")) &&
		(!(k->needs & NEED_AVX512) ||
			(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")));
}

/* The bytes of the turns with what is before and after them. */
static size_t code_of(const struct limits_kind *k, bool more)
{
	struct code_block c = code_begin(runnable_memory(CODE_BYTES), CODE_BYTES);

	put_turns(&c, k, more);
	return c.at;
}

/*
 * Turns as GNU as 2.40 wrote them, unrolled: where they begin in a line, and of 59 and of twice as
 * many instructions the bytes, and their CRC-32. What jumps pass over is 90h.
 */
static const struct {
	unsigned place, bytes[2];
	uint32_t crc[2];
} assembled[] = {
	{ 32, { 604, 1204 }, { 0x3f3a973e, 0xf906814b } },
	{ 0, { 366, 726 }, { 0xdf2eaa84, 0xb7c248fe } },
	{ 0, { 505, 1005 }, { 0xc3e3cf53, 0xc6f78562 } },
	{ 4, { 245, 485 }, { 0xeba9d4f9, 0xa0588e3d } },
	{ 0, { 186, 366 }, { 0x6bb783c5, 0x730ccd66 } },
	{ 0, { 304, 604 }, { 0x3e8faf9d, 0x5848f170 } },
	{ 4, { 245, 485 }, { 0xc72b06f2, 0xfd3ec43a } },
	{ 38, { 323, 643 }, { 0x4fb4eccc, 0x11ec2f28 } },
	{ 43, { 289, 574 }, { 0x284a758b, 0xb55e3e97 } },
	{ 32, { 407, 812 }, { 0x42642a9b, 0x17f74886 } },
	{ 36, { 245, 485 }, { 0x81a56f14, 0xe233195d } },
	{ 0, { 299, 594 }, { 0x499bda7d, 0x58d20f9c } },
	{ 0, { 299, 594 }, { 0xa03b2f9e, 0xe0990b4b } },
	{ 0, { 407, 812 }, { 0xdc24f6db, 0x53e9d05c } },
	{ 0, { 240, 475 }, { 0x85ae6e15, 0x4855bf62 } },
	{ 32, { 393, 777 }, { 0xc86bee14, 0xd4378232 } },
	{ 32, { 9, 937 }, { 0xdedef3c3, 0x079bab0e } },
	{ 32, { 304, 604 }, { 0x669bd522, 0x595d4b3a } },
	{ 32, { 304, 604 }, { 0x78ce5209, 0x048843b2 } },
	{ 32, { 363, 723 }, { 0x17437a80, 0xa1598415 } },
	{ 0, { 304, 604 }, { 0x8bd4dc46, 0x31812a60 } },
	{ 0, { 363, 723 }, { 0x646b8578, 0x251af7cc } },
	{ 36, { 485, 965 }, { 0x18c90549, 0xc8696016 } },
};

/* Up to the jump back, behind which there is no more than vzeroupper and ret. */
TEST(the_bytes_that_an_assembler_writes)
{
	assert_int_equal(sizeof assembled / sizeof *assembled, limits_kind_count);
	for (unsigned i = 0; i < limits_kind_count; i++)
		for (unsigned more = 0; more < 2; more++) {
			const struct limits_kind *k = &limits_kinds[i];
			size_t n = code_of(k, more) - 1 - (k->prefix >= VEX_128 ? 3 : 0);
			size_t bytes = assembled[i].bytes[more], first = n - bytes;
			uint32_t crc = crc32_of(0, runnable_memory(CODE_BYTES) + first, bytes);

			if (first >= n || first % LINE_BYTES != assembled[i].place ||
				crc != assembled[i].crc[more])
				fail_msg("%s, %s: the last %zu bytes to the jump back begin at "
					 "%zu of a line, expected %u; CRC %08x, expected %08x",
					k->variant, more ? "more" : "less", bytes,
					first % LINE_BYTES, assembled[i].place, crc,
					assembled[i].crc[more]);
		}
}

/* The jump back, with its count, neither crosses a multiple of 32 bytes nor ends at one. */
TEST(the_jump_back_is_well_placed)
{
	for (unsigned i = 0; i < limits_kind_count; i++)
		for (unsigned more = 0; more < 2; more++) {
			size_t n = code_of(&limits_kinds[i], more) - 1;

			n -= limits_kinds[i].prefix >= VEX_128 ? 3 : 0;
			assert_int_equal((n - COUNT_BYTES) / 32, n / 32);
		}
}

/* Both loops of each kind fit, each from a line on, and no byte depends on where they are. */
TEST(the_same_bytes_anywhere)
{
	static _Alignas(LINE_BYTES) unsigned char elsewhere[CODE_BYTES];

	for (unsigned i = 0; i < limits_kind_count; i++) {
		size_t less = code_of(&limits_kinds[i], false),
		       more = code_of(&limits_kinds[i], true);
		struct code_block c = code_begin(elsewhere, CODE_BYTES);

		assert_true(less + LINE_BYTES + more <= CODE_BYTES);
		put_turns(&c, &limits_kinds[i], true);
		assert_memory_equal(runnable_memory(CODE_BYTES), elsewhere, more);
	}
}

static void fill(uint64_t *words)
{
	for (unsigned i = 0; i < LIMITS_WORDS; i++)
		words[i] = 0x9e3779b97f4a7c15ULL * (i + 1);
}

static void check(const struct limits_kind *k, bool more, uint64_t n, bool at_start)
{
	uint64_t *words = (uint64_t *)(void *)guarded_side(0, BYTES, at_start), kept[LIMITS_WORDS];
	loop_fn *loop = in_chains(k) ? loop_limits_chains : loop_limits_turns;

	fill(words);
	code_of(k, more);
	uint64_t value = call_kernel(k->variant, loop, n, (uintptr_t)(words + MIDDLE),
		(uintptr_t)runnable_memory(CODE_BYTES), first_of(k), each_of(k));

	memcpy(kept, words, BYTES);
	fill(words);
	uint64_t wanted = limits_value(k, more, n, words);

	if (value != wanted || memcmp(kept, words, BYTES))
		fail_msg("%s, %s, %lu turns: plain C says %#lx, the loop %#lx; memory is %s",
			k->variant, more ? "more" : "less", n, wanted, value,
			memcmp(kept, words, BYTES) ? "another" : "the same");
}

TEST(each_kind_as_plain_c)
{
	for (unsigned i = 0; i < limits_kind_count; i++)
		for (uint64_t n = 0; n < 24 && can_be_run(&limits_kinds[i]); n++)
			for (unsigned more = 0; more < 2; more++)
				for (unsigned at_start = 0; at_start < 2; at_start++)
					check(&limits_kinds[i], more, n, at_start);
}

static uint64_t value_of(const char *variant, bool more, uint64_t n)
{
	uint64_t words[LIMITS_WORDS];

	for (unsigned i = 0; i < LIMITS_WORDS; i++)
		words[i] = i;
	for (unsigned i = 0; i < limits_kind_count; i++)
		if (!strcmp(limits_kinds[i].variant, variant))
			return limits_value(&limits_kinds[i], more, n, words);
	fail_msg("no kind '%s'", variant);
	return 0;
}

/* Plain C itself: twelve registers begin with 1 to 12, which is 78. */
TEST(by_hand)
{
	assert_int_equal(7, value_of("nop", true, 7));
	assert_int_equal(78, value_of("add", false, 0));
	assert_int_equal(78 + 3 * 119, value_of("add", false, 3));
	assert_int_equal(78 + 3 * 239, value_of("lea", true, 3));
	/* 59 are four rounds of twelve and eleven: five steps each, of the last one four */
	assert_int_equal(32 * 66 + 16 * 12, value_of("shl", false, 1));
	assert_int_equal(243 * 66 + 81 * 12, value_of("imul", false, 1));
	assert_int_equal(2 + 2 * 119, value_of("vector-128", true, 2));
	assert_int_equal(1 + 31 + 0 + 9, value_of("load-64", false, 1));
	assert_int_equal(1 + 3 * (0 + 10 + 20 + 30), value_of("load-128", true, 1));
	assert_int_equal(2 * PATTERN, value_of("store-64", true, 0));
	assert_int_equal(5 + 2 * PATTERN, value_of("store-64", true, 5));
	assert_int_equal(4 + 9 + 2 + 4, value_of("load-store", false, 4));
	assert_int_equal(6, value_of("branch-taken", true, 6));
}
