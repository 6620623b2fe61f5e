/* SPDX-License-Identifier: MIT */
/* The code of `frontend`: its bytes, where its jumps are, and run for real. */
#include "probes/frontend/frontend.c"
#include "tests/unit/fake_code.h"
#include "tests/unit/loop_calls.h"

#define MOST (64 * KIB)

static struct footprint code_of(unsigned kind, uint64_t bytes)
{
	const struct footprint f = { &kinds[kind], bytes };
	struct code_block c = code_begin(runnable_memory(MOST + ENTRY), ENTRY + bytes);

	put_code(&c, &f);
	return f;
}

/* One group, in which rax is added to, another with rdx, and the end. */
TEST(by_hand)
{
	static const unsigned char dense[] = { 0x48, 0x83, 0xc0, 1, 0x3e, 0x4d, 0x31, 0xc0, 0x3e,
		0x4d, 0x31, 0xc0, 0x3e, 0x4d, 0x31, 0xc0, 0x66, 0xa9, 0, 0, 0x3e, 0x4d, 0x31, 0xc0,
		0x3e, 0x4d, 0x31, 0xc0, 0x3e, 0x4d, 0x31, 0xc0 };
	static const unsigned char long_code[] = { 0x3e, 0x3e, 0x3e, 0x3e, 0x48, 0x83, 0xc2, 1,
		0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x0f, 0x1f, 0x84,
		0, 0, 0, 0, 0, 0x48, 0xff, 0xcf, 0x0f, 0x85, 0xb7, 0xff, 0xff, 0xff, 0x48, 1, 0xd0,
		0xc3 }; /* dec %rdi; jnz 73 bytes back; add %rdx, %rax; ret */

	code_of(DENSE, 64);
	assert_int_equal(0xc3, runnable_memory(MOST + ENTRY)[0]);
	assert_memory_equal(dense, runnable_memory(MOST + ENTRY) + ENTRY, sizeof dense);
	code_of(LONG, 96);
	assert_memory_equal(long_code, runnable_memory(MOST + ENTRY) + ENTRY + GROUP,
		sizeof long_code);
}

/* A kind's letters are as many as its instructions, and their lengths those of a group. */
TEST(groups_are_full)
{
	for (unsigned i = 0; i < KINDS; i++) {
		unsigned bytes = 0, ops = 0, sums = 0;

		for (const char *p = kinds[i].group; *p; p += 2, ops++) {
			bytes += (unsigned)(p[1] - '0');
			sums += *p == 'a';
		}
		if (bytes != GROUP || ops != kinds[i].ops || sums != 1)
			fail_msg("%s: %u instructions, %u bytes, %u sums", kinds[i].variant, ops,
				bytes, sums);
	}
}

/* No jump ends at a multiple of 32 bytes, or crosses it, but the one that is to. */
TEST(where_jumps_end)
{
	for (unsigned i = CURVES; i < KINDS; i++) {
		code_of(i, 2 * KIB);
		const unsigned char *end = runnable_memory(MOST + ENTRY) + ENTRY + GROUP;
		const unsigned char *jump = i == JUMP_END ? end - 2 : end - 8;

		assert_int_equal(0, (uintptr_t)end % GROUP);
		assert_int_equal(0x70, jump[0]);
		assert_int_equal(0, jump[1]);
	}
}

/* Each turn adds one in each group; the twin, which is a lone return, nothing. */
TEST(each_kind_as_plain_c)
{
	for (unsigned i = 0; i < KINDS; i++)
		for (uint64_t bytes = 64; bytes <= 24 * 64; bytes += 64)
			for (uint64_t turns = 1; turns <= 24; turns += 7) {
				struct footprint f = code_of(i, bytes);
				uint64_t value = call_kernel(f.kind->variant, loop_timed_call,
					(uintptr_t)runnable_memory(MOST + ENTRY) + ENTRY, 1, turns,
					0, 0);

				if (value != 1 + turns * groups_of(&f))
					fail_msg("%s, %lu bytes, %lu turns: came %lu",
						f.kind->variant, bytes, turns, value);
			}
	assert_int_equal(1,
		call_kernel("return", loop_timed_call, (uintptr_t)runnable_memory(MOST + ENTRY), 1,
			0, 0, 0));
}
