/* SPDX-License-Identifier: MIT */
/*
 * The loops of `walks`. Ring 3 has neither MOV CR3 nor INVLPG: here they are done by a handler of
 * the fault, which notes them. tests/boot runs the loops in ring 0.
 */
#include <signal.h>
#include <ucontext.h>

#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

#define CR3 0x123456789000ULL

static unsigned reads, writes, wrong, pages;
static uint64_t page;

/* mov %cr3, %r8; mov %r8, %cr3; invlpg (%r8). */
static void emulate(int signal, siginfo_t *info, void *context)
{
	static const unsigned char insns[3][4] = { { 0x41, 0x0f, 0x20, 0xd8 },
		{ 0x41, 0x0f, 0x22, 0xd8 }, { 0x41, 0x0f, 0x01, 0x38 } };
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	const void *at = (const void *)r[REG_RIP];

	if (!memcmp(at, insns[0], 4)) {
		r[REG_R8] = CR3;
		reads++;
	} else if (!memcmp(at, insns[1], 4)) {
		wrong += r[REG_R8] != CR3;
		writes++;
	} else if (!memcmp(at, insns[2], 4)) {
		wrong += (uint64_t)r[REG_R8] != page;
		pages++;
	} else {
		abort();
	}
	r[REG_RIP] += 4;
}

/*
 * Check n rounds over a list of m words. A page that faults lies right behind the words and behind
 * the list, or right before them if n or m is odd.
 */
static void expect_rounds(const char *name, loop_fn *loop, uint64_t n, uint64_t m)
{
	unsigned char *words = guarded_side(0, 2 * sizeof(uint64_t), n & 1);
	unsigned char *list = guarded_side(1, m * sizeof(uint64_t), m & 1);
	uint64_t second = (uintptr_t)words + 8, word = 0x123456789abcdefULL * (n + 1);

	memcpy(words, &second, 8);
	memcpy(words + 8, &word, 8);
	for (uint64_t i = 0; i < m; i++)
		memcpy(list + 8 * i, &second, 8);
	page = second;
	reads = writes = wrong = pages = 0;
	/* A call of no rounds has no ticks to check: the ticks are of the loads alone. */
	uint64_t value = n ? call_kernel(name, loop, n, (uintptr_t)words, (uintptr_t)list, m, page)
			   : loop(0, (uintptr_t)words, (uintptr_t)list, m, page, 0).value;

	if (value != n * word)
		fail_msg("%s of %lu rounds: expected %#lx, came %#lx", name, n, n * word, value);
	assert_int_equal(wrong, 0);
	assert_int_equal(loop == loop_walk_cr3, reads);
	assert_int_equal(loop == loop_walk_cr3 ? n : 0, writes);
	assert_int_equal(loop == loop_walk_cr3 ? 0 : n, pages);
}

TEST(what_is_found_is_summed)
{
	struct sigaction catch = { .sa_sigaction = emulate, .sa_flags = SA_NODEFER | SA_SIGINFO },
			 before;

	sigaction(SIGSEGV, &catch, &before);
	for (uint64_t n = 0; n < 24; n++)
		for (uint64_t m = 0; m <= 5; m++) {
			expect_rounds("walk_cr3", loop_walk_cr3, n, m);
			expect_rounds("walk_invlpg", loop_walk_invlpg, n, m);
		}
	sigaction(SIGSEGV, &before, NULL);
}
