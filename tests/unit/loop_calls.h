/* SPDX-License-Identifier: MIT */
/* Calls of loops in tests, with registers checked, and a machine's widths. */
#ifndef TESTS_UNIT_LOOP_CALLS_H
#define TESTS_UNIT_LOOP_CALLS_H

#include "probes/streams.h"
#include "tests/unit/test.h"

/* Returns 1 if this machine can run the loops of this width. */
static inline int can_run(const struct width *w)
{
	return w->bits < 256 || (w->bits == 256 && __builtin_cpu_supports("avx2")) ||
		(w->bits == 512 && __builtin_cpu_supports("avx512f") &&
			__builtin_cpu_supports("avx512bw"));
}

/* Sizes in bytes: around every width, block and page, odd ones between. */
static const size_t test_sizes[] = { 0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65,
	100, 127, 128, 129, 255, 257, 511, 513, 777, 1000, 1023, 1024, 1025, 1216, 1448, 2047, 2048,
	2049, 3001, 4095, 4096, 4097, 6143, 8191, 10007, 65535, 131071 };

#define TEST_SIZES (sizeof test_sizes / sizeof *test_sizes)

static inline unsigned char test_byte(size_t i)
{
	return (unsigned char)(i * 167 + (i >> 8) * 31 + 13);
}

/*
 * Calls a loop and checks what the ABI promises beside the value: callee-saved registers kept,
 * the direction flag clear, and ticks that a pair of stamps can give.
 */
static inline uint64_t call_kernel(const char *name, loop_fn *loop, uint64_t a, uint64_t b,
	uint64_t c, uint64_t d, uint64_t e)
{
	uint64_t kept[6] = { 0x1111, 0x2222, 0x3333, 0x4444, 0x5555, 0 }, value, ticks;
	register uint64_t r8 __asm__("r8") = e;
	register uint64_t r9 __asm__("r9") = (uintptr_t)loop;
	register uint64_t *r10 __asm__("r10") = kept;

	__asm__ volatile(
		"push %%rbp\n push %%rbx\n push %%r12\n push %%r13\n push %%r14\n push %%r15\n"
		"push %%r10\n sub $8, %%rsp\n"
		"mov (%%r10), %%rbx\n mov 8(%%r10), %%rbp\n mov 16(%%r10), %%r12\n"
		"mov 24(%%r10), %%r13\n mov 32(%%r10), %%r14\n mov 32(%%r10), %%r15\n"
		"call *%%r9\n"
		"add $8, %%rsp\n pop %%r10\n"
		"mov %%rbx, (%%r10)\n mov %%rbp, 8(%%r10)\n mov %%r12, 16(%%r10)\n"
		"mov %%r13, 24(%%r10)\n mov %%r14, 32(%%r10)\n mov %%r15, 40(%%r10)\n"
		"pop %%r15\n pop %%r14\n pop %%r13\n pop %%r12\n pop %%rbx\n pop %%rbp\n"
		: "=a"(value), "=d"(ticks), "+D"(a), "+S"(b), "+c"(d), "+r"(r8), "+r"(r9), "+r"(r10)
		: "1"(c)
		: "r11", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
		"xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12");
	if (kept[0] != 0x1111 || kept[1] != 0x2222 || kept[2] != 0x3333 || kept[3] != 0x4444 ||
		kept[4] != 0x5555 || kept[5] != 0x5555)
		fail_msg("kern_%s does not keep rbx, rbp, r12..r15", name);
	if (ticks == 0 || ticks >> 40)
		fail_msg("kern_%s returned %llu ticks", name, (unsigned long long)ticks);
	return value;
}

#endif
