/* SPDX-License-Identifier: MIT */
/* Rows of `window`: pairs of misses, the fillers between them, and where its edge is looked for. */
#include "probes/window/window.c"
#include "lib/crc32.h"
#include "tests/unit/flushed_lines.h"
#include "tests/unit/loop_calls.h"

/* The turn as GNU as 2.40 wrote it, with all groups; what the jumps pass over is 90h. */
TEST(the_bytes_that_an_assembler_writes)
{
	static unsigned char bytes[CODE_BYTES];
	struct code_block c = code_begin(bytes, sizeof bytes);

	put_turns(&c, 8 * GROUPS_MOST);
	assert_int_equal(GROUP_BYTES + 8265 + 1, c.at); /* and ret */
	assert_int_equal(0xa97de278, crc32_of(0, bytes + GROUP_BYTES, 8265));
}

/* Any number of fillers, of which the sums are not looked at: the chases go their way. */
TEST(the_chases_go_on_with_any_number_of_fillers)
{
	static uint64_t nodes[64];

	give_code_memory(&room);
	for (unsigned i = 0; i < 64; i++)
		nodes[i] = (uintptr_t)&nodes[(i + 5) % 64];
	for (unsigned fillers = 0; fillers <= 8 * GROUPS_MOST; fillers++) {
		struct code_block c = code_begin(fake_code_open(&room, CODE_BYTES), CODE_BYTES);
		uint64_t p = (uintptr_t)nodes, q = (uintptr_t)(nodes + 32);

		put_turns(&c, fillers);
		assert_int_equal(0, fake_code_seal(&room));
		for (uint64_t n = 0; n < 4; n++)
			assert_int_equal(after(p, n) + after(q, n),
				call_kernel("window", loop_window, p, q, n, (uintptr_t)c.base, 0));
	}
}

/*
 * Each filler is executed: in the registers that they write, after a turn, there is what 2 n of
 * them add up to.
 */
TEST(as_many_fillers_are_executed)
{
	struct {
		uint64_t rcx, r12, r13;
	} sum;

	give_code_memory(&room);
	for (unsigned fillers = 0; fillers <= 8 * GROUPS_MOST; fillers++) {
		struct code_block c = code_begin(fake_code_open(&room, CODE_BYTES), CODE_BYTES);
		uint64_t node = (uintptr_t)&node;
		unsigned whole = fillers / 8, rest = fillers % 8;

		put_turns(&c, fillers);
		assert_int_equal(0, fake_code_seal(&room));
		register uint64_t r10 __asm__("r10") = 1, r12 __asm__("r12") = 0;
		register uint64_t r13 __asm__("r13") = 0, r14 __asm__("r14") = 1;
		uint64_t rcx = 0, rdi = (uintptr_t)&node, rsi = rdi;

		__asm__ volatile("call *%[code]"
				 : "+c"(rcx), "+D"(rdi), "+S"(rsi), "+r"(r12), "+r"(r13), "+r"(r14)
				 : [code] "r"(c.base), "r"(r10)
				 : "r8", "r9", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3");
		sum.rcx = rcx, sum.r12 = r12, sum.r13 = r13;
		assert_int_equal(2 * whole, sum.rcx);
		assert_int_equal(2 * (whole + (rest >= 4)), sum.r12);
		assert_int_equal(2 * (whole + (rest >= 1)), sum.r13);
	}
}

/* Half a cycle apart; and each pair of misses goes on where the last one ended. */
TEST(both_misses_of_a_pair_are_flushed)
{
	uint64_t ends[2] = { 0, 0 };

	plan_small("window", PROFILE_DEFAULT);
	expect_ready(row_planned("two-misses instructions=259 bytes=4194304"));
	room.call = noted_call;
	assert_int_equal(253, job.args[2]); /* pairs */
	for (unsigned sample = 0; sample < 3; sample++) {
		job.refresh(&planner, &job);
		assert_int_equal(2 * 254, flushed.n);
		assert_int_equal(job.args[1], after(job.args[0], 16384));
		for (unsigned i = 0; i < 2; i++) {
			assert_true(sample == 0 || job.args[i] == ends[i]);
			ends[i] = after(job.args[i], 253);
			for (unsigned k = 0; k <= 253; k++)
				assert_int_equal(after(job.args[i], k), flushed.list[254 * i + k]);
		}
		assert_int_equal(job.expect, ends[0] + ends[1]);
	}
	flushed.fails = true;
	job.refresh(&planner, &job);
	flushed.fails = false;
	assert_true(job.expect != after(job.args[0], 253) + after(job.args[1], 253));
}

/* Eight have 32 bytes, before the second load and before the count; of more of them fewer pairs. */
TEST(as_many_fillers_as_are_wanted)
{
	static const struct {
		unsigned instructions, bytes, pairs;
	} rows[] = { { 3, 0, 512 }, { 11, 32, 512 }, { 67, 256, 512 }, { 131, 512, 500 },
		{ 515, 2048, 128 }, { 1027, 4096, 128 } };

	plan_small("window", PROFILE_DEFAULT);
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[64];

		snprintf(text, sizeof text, "two-misses instructions=%u bytes=4194304",
			rows[i].instructions);
		expect_ready(row_planned(text));
		assert_int_equal(rows[i].pairs, job.args[2]);
		const unsigned char *at = (const unsigned char *)(uintptr_t)job.args[3];
		uint32_t first, second; /* from behind either instruction that points to them */

		memcpy(&first, at + 3, 4);
		memcpy(&second, at + 10, 4);
		assert_memory_equal("\x48\x8b\x36", at + 7 + first + rows[i].bytes, 3);
		assert_memory_equal("\x49\xff\xce", at + 14 + second + rows[i].bytes, 3);
	}
}

static unsigned window; /* instructions */

static double ns_in_window(const struct row *row)
{
	double x = row_get(row, "instructions", 0);

	return (x <= window ? 100 : 200) + x / 10;
}

/* To one instruction of a small window, and to 0.4 % of a large one. */
TEST(the_edge_of_the_window_is_found)
{
	static const struct {
		unsigned window, within;
	} windows[] = { { 40, 1 }, { 100, 1 }, { 224, 1 }, { 512, 2 } };

	for (unsigned i = 0; i < 4; i++) {
		double low, high;

		plan_small("window", PROFILE_DEFAULT);
		window = windows[i].window;
		unsigned rounds = bisect_rows(ns_in_window, "two-misses", "instructions", window,
			&low, &high);

		if (high - low > windows[i].within || rounds > 6)
			fail_msg("a window of %u: expected %u at most between its bounds, came %g "
				 "to %g, %u rounds",
				windows[i].window, windows[i].within, low, high, rounds);
	}
}
