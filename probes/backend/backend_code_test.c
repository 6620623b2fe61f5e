/* SPDX-License-Identifier: MIT */
/* The code between the misses of `backend`: its bytes, and loop_backend with it run for real. */

#include "probes/backend/backend.c"
#include "tests/unit/fake_code.h"
#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

#define NODES 64

static bool can_be_run(const struct fillers *k)
{
	return !(k->needs & NEED_AVX512) ||
		(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"));
}

static size_t bytes_of(const struct fillers *k, unsigned fillers)
{
	struct code_block c = code_begin(runnable_memory(CODE_BYTES), CODE_BYTES);

	put_code(&c, k, fillers);
	return c.at;
}

/* The same wherever it stands, and as long as its instructions are; the longest fits. */
TEST(the_same_bytes_anywhere)
{
	static unsigned char elsewhere[CODE_BYTES + 7];

	for (unsigned i = 0; i < KINDS; i++) {
		size_t bytes = bytes_of(&kinds[i], FILLERS_MOST), period = 0;

		struct code_block c = code_begin(elsewhere + 7, CODE_BYTES);
		put_code(&c, &kinds[i], FILLERS_MOST);
		assert_memory_equal(runnable_memory(CODE_BYTES), elsewhere + 7, bytes);
		for (const char *p = kinds[i].fillers; *p; p++)
			period += insn_of(*p)->bytes;
		assert_int_equal(bytes - bytes_of(&kinds[i], 0),
			2 * period * FILLERS_MOST / strlen(kinds[i].fillers));
	}
}

/* Two loads by turns behind each miss; a lead before it, from where that chase is. */
TEST(by_hand)
{
	static const unsigned char loads[] = {
		0x48, 0x8b, 0x17, 0x48, 0x33, 0x17, /* mov (%rdi), %rdx; xor (%rdi), %rdx */
		0x48, 0x8b, 0x3f,                   /* mov (%rdi), %rdi */
		0x49, 0x8b, 0x0c, 0x12,             /* mov (%r10, %rdx), %rcx */
		0x48, 0x8b, 0x16, 0x48, 0x33, 0x16, /* likewise rsi */
		0x48, 0x8b, 0x36, 0x49, 0x8b, 0x0c, 0x12, 0x49, 0xff, 0xce, /* dec %r14 */
		0x0f, 0x85, 0xdd, 0xff, 0xff, 0xff, 0xc3                    /* jnz; ret */
	};
	static const unsigned char masks[] = { 0x48, 0x8b, 0x3f, 0xc5, 0xe4, 0x45, 0xca, 0x48, 0x8b,
		0x36, 0xc5, 0xe4, 0x45, 0xca, 0x49, 0xff, 0xce, 0x0f, 0x85, 0xe9, 0xff, 0xff, 0xff,
		0xc5, 0xf8, 0x77, 0xc3 }; /* vzeroupper; ret */

	assert_int_equal(sizeof loads, bytes_of(&kinds[LOAD_WAITING], 1));
	assert_memory_equal(loads, runnable_memory(CODE_BYTES), sizeof loads);
	assert_int_equal(sizeof masks, bytes_of(&kinds[MASK], 1));
	assert_memory_equal(masks, runnable_memory(CODE_BYTES), sizeof masks);
}

static uint64_t after(uint64_t node, uint64_t steps)
{
	while (steps--)
		node = *(uint64_t *)(uintptr_t)node;
	return node;
}

/* Both chases go as many steps as there are turns; of `words` no other line is touched. */
static void check(const struct fillers *k, unsigned fillers, uint64_t turns)
{
	static uint64_t nodes[NODES];
	unsigned char *words = guarded_side(0, CHAIN_LINE, fillers & 1);
	uint64_t from = (uintptr_t)nodes, other = (uintptr_t)(nodes + NODES / 2);

	for (unsigned i = 0; i < NODES; i++)
		nodes[i] = (uintptr_t)&nodes[(i + 5) % NODES];
	memset(words, 0xff, CHAIN_LINE);
	bytes_of(k, fillers);
	uint64_t value = call_kernel(k->variant, loop_backend, from, other, turns,
		(uintptr_t)runnable_memory(CODE_BYTES), (uintptr_t)words);
	uint64_t stored = 0;

	memcpy(&stored, words, sizeof stored);
	bool stores = turns && fillers && strchr("sS", k->fillers[0]);

	if (value != after(from, turns) + after(other, turns) || stored != (stores ? 0 : ~0ULL))
		fail_msg("%s, %u fillers, %lu turns: plain C says %#lx, the loop %#lx; it %s",
			k->variant, fillers, turns, after(from, turns) + after(other, turns), value,
			stored ? "stored nothing" : "stored");
}

TEST(each_kind_as_plain_c)
{
	for (unsigned i = 0; i < KINDS; i++) {
		for (unsigned fillers = 0; fillers < 24 && can_be_run(&kinds[i]); fillers++)
			for (uint64_t turns = 0; turns < 24; turns++)
				check(&kinds[i], fillers, turns);
		if (can_be_run(&kinds[i]))
			check(&kinds[i], FILLERS_MOST, 3);
	}
}
