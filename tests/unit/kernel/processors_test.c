/* SPDX-License-Identifier: MIT */
/* Topology from CPUID as processors of several kinds answer it. */
#include "kernel/smp/processors.c"
#include "tests/unit/test.h"

/* One leaf's answer; the first that matches counts, everything else is 0. */
struct cpuid_leaf_answer {
	uint32_t leaf, subleaf;
	struct cpuid c;
};

static const struct cpuid_leaf_answer *answers;
static size_t nanswers;

static struct cpuid ask(uint32_t leaf, uint32_t subleaf)
{
	for (size_t i = 0; i < nanswers; i++)
		if (answers[i].leaf == leaf && answers[i].subleaf == subleaf)
			return answers[i].c;
	return (struct cpuid){ 0, 0, 0, 0 };
}

static const struct cpu_ops cpu = { .cpuid = ask };

static void expect(const struct cpuid_leaf_answer *a, size_t n, struct cpu_location e)
{
	answers = a;
	nanswers = n;
	struct cpu_location p = topology_of(&cpu);

	if (p.id != e.id || p.package != e.package || p.die != e.die || p.core != e.core ||
		p.thread != e.thread || p.core_type != e.core_type)
		fail_msg("expected id %u package %u die %u core %u thread %u type %#x, "
			 "came %u %u %u %u %u %#x",
			e.id, e.package, e.die, e.core, e.thread, e.core_type, p.id, p.package,
			p.die, p.core, p.thread, p.core_type);
}

#define EXPECT(answers_, ...)                                                                      \
	expect(answers_, sizeof answers_ / sizeof *answers_, (struct cpu_location){ __VA_ARGS__ })

/* Two threads a core, 16 cores' ids a package: APIC id 0x2d = package 1, core 6, thread 1. */
TEST(intel_by_leaf_0b)
{
	static const struct cpuid_leaf_answer a[] = {
		{ 0, 0, { 0x16, 0, 0, 0 } },
		{ 0x0b, 0, { 1, 2, 0x100, 0x2d } },
		{ 0x0b, 1, { 5, 24, 0x201, 0x2d } },
	};

	EXPECT(a, .id = 0x2d, .package = 1, .die = 0, .core = 6, .thread = 1);
}

/* Leaf 1Fh with dies: SMT 1 bit, core 4 bits, die 5 bits; id 0x33 = package 1, die 1, core 9. */
TEST(intel_dies_by_leaf_1f)
{
	static const struct cpuid_leaf_answer a[] = {
		{ 0, 0, { 0x1f, 0, 0, 0 } },
		{ 0x0b, 0, { 1, 2, 0x100, 0x33 } },
		{ 0x1f, 0, { 1, 2, 0x100, 0x33 } },
		{ 0x1f, 1, { 4, 16, 0x201, 0x33 } },
		{ 0x1f, 2, { 5, 32, 0x502, 0x33 } },
	};

	EXPECT(a, .id = 0x33, .package = 1, .die = 1, .core = 9, .thread = 1);
}

/* A die has 17 bits of the id, a package 18: id 0x70005 = package 1, die 1. */
TEST(dies_of_many_cores)
{
	static const struct cpuid_leaf_answer a[] = {
		{ 0, 0, { 0x1f, 0, 0, 0 } },
		{ 0x0b, 0, { 1, 2, 0x100, 0x70005 } },
		{ 0x1f, 0, { 1, 2, 0x100, 0x70005 } },
		{ 0x1f, 1, { 17, 16, 0x201, 0x70005 } },
		{ 0x1f, 2, { 18, 32, 0x502, 0x70005 } },
	};

	EXPECT(a, .id = 0x70005, .package = 1, .die = 1, .core = 0x18002, .thread = 1);
}

TEST(hybrid_core_type)
{
	static const struct cpuid_leaf_answer a[] = {
		{ 0, 0, { 0x1a, 0, 0, 0 } },
		{ 0x0b, 0, { 1, 2, 0x100, 2 } },
		{ 0x0b, 1, { 7, 20, 0x201, 2 } },
		{ 0x1a, 0, { 0x40000001, 0, 0, 0 } },
	};

	EXPECT(a, .id = 2, .core = 1, .core_type = 0x40);
}

/* Zen with dense cores: leaf 80000026h calls them efficiency cores, type 1, where cores differ. */
TEST(hybrid_core_type_of_amd)
{
	static const struct cpuid_leaf_answer a[] = {
		{ 0, 0, { 0x10, 0x68747541, 0x444d4163, 0x69746e65 } },
		{ 0x0b, 0, { 1, 2, 0x100, 2 } },
		{ 0x0b, 1, { 7, 20, 0x201, 2 } },
		{ 0x80000000, 0, { 0x80000028, 0, 0, 0 } },
		{ 0x80000026, 0, { 1U << 30 | 1, 1U << 28 | 2, 0x100, 2 } },
	};
	static const struct cpuid_leaf_answer alike[] = {
		{ 0, 0, { 0x10, 0x68747541, 0x444d4163, 0x69746e65 } },
		{ 0x0b, 0, { 1, 2, 0x100, 2 } },
		{ 0x0b, 1, { 7, 20, 0x201, 2 } },
		{ 0x80000000, 0, { 0x80000028, 0, 0, 0 } },
		{ 0x80000026, 0, { 1, 2, 0x100, 2 } },
	};

	EXPECT(a, .id = 2, .core = 1, .core_type = 2);
	EXPECT(alike, .id = 2, .core = 1);
}

/* AMD before leaf 0Bh: 2 threads a core, 4 id bits a package; id 0x13 = package 1, core 1. */
TEST(amd_by_leaf_1e)
{
	static const struct cpuid_leaf_answer a[] = {
		{ 0, 0, { 0x0d, 0, 0, 0 } },
		{ 1, 0, { 0, 0x13100000, 0, 1 << 28 } },
		{ 0x80000000, 0, { 0x8000001e, 0, 0, 0 } },
		{ 0x80000001, 0, { 0, 0, 1 << 22, 0 } },
		{ 0x80000008, 0, { 0, 0, 0x4007, 0 } },
		{ 0x8000001e, 0, { 0x13, 0x0101, 0, 0 } },
	};

	EXPECT(a, .id = 0x13, .package = 1, .core = 1, .thread = 1);
}

/* All 8 bits of the id are of the package, which has fewer threads: 80000008h ECX[15:12]. */
TEST(amd_large_package_by_leaf_1e)
{
	static const struct cpuid_leaf_answer a[] = {
		{ 0, 0, { 0x0d, 0, 0, 0 } },
		{ 1, 0, { 0, 0xf3100000, 0, 1 << 28 } },
		{ 0x80000000, 0, { 0x8000001e, 0, 0, 0 } },
		{ 0x80000001, 0, { 0, 0, 1 << 22, 0 } },
		{ 0x80000008, 0, { 0, 0, 0x8007, 0 } },
		{ 0x8000001e, 0, { 0xf3, 0, 0, 0 } },
	};

	EXPECT(a, .id = 0xf3, .core = 0xf3);
}

/*
 * Before all that: 4 logical processors in 2 cores a package; id 7 = package 1, core 1, thread 1.
 */
TEST(old_by_leaves_1_and_4)
{
	static const struct cpuid_leaf_answer a[] = {
		{ 0, 0, { 4, 0, 0, 0 } },
		{ 1, 0, { 0, 0x07040000, 0, 1 << 28 } },
		{ 4, 0, { 1 << 26 | 1, 0, 0, 0 } },
	};

	EXPECT(a, .id = 7, .package = 1, .core = 1, .thread = 1);
}

/*
 * Returns the mask of ids that share the last cache: they differ only in the low bits that its
 * sharers need.
 */
static uint32_t shared_cache(const struct cpuid_leaf_answer *a, size_t n)
{
	answers = a;
	nanswers = n;
	return topology_of(&cpu).l3;
}

#define CACHE(level, type, sharers)                                                                \
	{                                                                                          \
		((sharers)-1) << 14 | (level) << 5 | (type), 0, 0, 0                               \
	}

TEST(last_cache_is_shared)
{
	static const struct cpuid_leaf_answer none[] = { { 0, 0, { 1, 0, 0, 0 } } };
	static const struct cpuid_leaf_answer intel[] = {
		{ 0, 0, { 0x16, 0, 0, 0 } }, { 1, 0, { 0, 0x2d000000, 0, 0 } },
		{ 4, 0, CACHE(1, 1, 2) }, { 4, 1, CACHE(1, 2, 2) }, { 4, 2, CACHE(2, 3, 2) },
		{ 4, 3, CACHE(3, 3, 17) }, /* 5 bits */
	};
	static const struct cpuid_leaf_answer amd[] = {
		/* leaf 4 is not AMD's: it must not be asked */
		{ 0, 0, { 0x10, 0, 0, 0 } },
		{ 1, 0, { 0, 0x2d000000, 0, 0 } },
		{ 4, 0, CACHE(1, 1, 1) },
		{ 0x80000000, 0, { 0x8000001e, 0, 0, 0 } },
		{ 0x80000001, 0, { 0, 0, 1 << 22, 0 } },
		{ 0x8000001d, 0, CACHE(1, 1, 2) },
		{ 0x8000001d, 1, CACHE(3, 3, 16) },
	};

	assert_int_equal(UINT32_MAX, shared_cache(none, 1));
	assert_int_equal(0x2d >> 5, shared_cache(intel, 6));
	assert_int_equal(0x2d >> 4, shared_cache(amd, 7));
}

TEST(single_processor)
{
	static const struct cpuid_leaf_answer a[] = { { 0, 0, { 1, 0, 0, 0 } },
		{ 1, 0, { 0, 0, 0, 0 } } };

	EXPECT(a, .id = 0);
}
