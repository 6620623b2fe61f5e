/* SPDX-License-Identifier: MIT */
/* The loops that save and restore the vector state: what they save, and that ours is kept. */
#include <cpuid.h>

#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

#define AREA      4096
#define XMM       160
#define XMM_BYTES 256
#define HEADER    512
#define SSE       2

/* Bits of CPUID.Dh, sub-leaf 1; -1: no XSAVE that the system allows. */
static int has(void)
{
	unsigned a, b, c, d;

	__cpuid(1, a, b, c, d);
	if (!(c & bit_OSXSAVE))
		return -1;
	__cpuid_count(0xd, 1, a, b, c, d);
	return (int)a;
}

static void make_areas(unsigned char *areas)
{
	const uint32_t mxcsr = 0x1f80;

	memset(areas, 0, 3 * AREA);
	areas[0] = 0x7f;
	areas[1] = 0x03;
	memcpy(areas + 24, &mxcsr, 4);
	areas[HEADER] = SSE;
	for (unsigned i = 0; i < XMM_BYTES; i++)
		areas[XMM + i] = test_byte(i + 1);
}

/* Calls it with rounding, XMM15 and the x87's precision other than usual: they must be kept. */
static uint64_t call_keeping(const char *name, loop_fn *loop, uint64_t n, unsigned char *areas)
{
	uint32_t mine = 0x9fc0, usual, came;
	uint16_t precision = 0x27f, was, is;
	uint64_t x = 0x1234567890abcdefULL, y, value;

	__asm__ volatile("stmxcsr %0; fnstcw %1" : "=m"(usual), "=m"(was));
	__asm__ volatile("ldmxcsr %0; fldcw %1; movq %2, %%xmm15" ::"m"(mine), "m"(precision),
			 "r"(x)
			 : "xmm15");
	value = call_kernel(name, loop, n, (uintptr_t)areas, 3, 0, 0);
	__asm__ volatile("movq %%xmm15, %0; stmxcsr %1; fnstcw %2" : "=r"(y), "=m"(came), "=m"(is));
	__asm__ volatile("ldmxcsr %0; fldcw %1" ::"m"(usual), "m"(was));
	assert_int_equal(mine, came & ~0x3fU); /* without flags of exceptions */
	assert_int_equal(precision, is);
	assert_int_equal(x, y);
	return value;
}

TEST(the_state_is_saved_and_ours_kept)
{
	static const struct {
		const char *name;
		loop_fn *loop;
		int needs; /* of CPUID.Dh */
		bool saves_behind;
	} loops[] = { { "xsave", loop_xsave, 0, false }, { "xsaveopt", loop_xsaveopt, 1, false },
		{ "xsavec", loop_xsavec, 2, false }, { "xrstor", loop_xrstor, 0, true } };
	int there = has();

	for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++)
		for (uint64_t n = 0; there >= 0 && n < 20; n++) {
			unsigned char *areas = guarded_side(0, 3 * AREA, n & 1);
			unsigned char *saved = areas + AREA;

			if ((there & loops[i].needs) != loops[i].needs)
				continue;
			make_areas(areas);
			assert_int_equal(n, call_keeping(loops[i].name, loops[i].loop, n, areas));
			if (!n && !loops[i].saves_behind) {
				assert_int_equal(0, saved[HEADER]);
				continue;
			}
			if (n &&
				(memcmp(areas + XMM, saved + XMM, XMM_BYTES) ||
					(saved[HEADER] & SSE) != SSE))
				fail_msg("%s, %lu turns: the registers are not as saved",
					loops[i].name, n);
		}
}
