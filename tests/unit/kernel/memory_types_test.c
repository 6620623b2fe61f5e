/* SPDX-License-Identifier: MIT */
/* Memory types by MTRRs, as machines have set them. */
#include "engine/room.h"
#include "kernel/memory/memory_types.c"
#include "tests/unit/test.h"

#define NOT_THERE UINT64_MAX

static uint64_t capabilities, defaults, ranges[6], pat;
static uint64_t syscfg = NOT_THERE, top_mem2 = NOT_THERE;
static bool amd;

static uint64_t *find(uint32_t msr)
{
	switch (msr) {
	case 0xfe:
		return &capabilities;
	case 0x2ff:
		return &defaults;
	case 0x277:
		return &pat;
	case 0xc0010010:
		return &syscfg;
	case 0xc001001d:
		return &top_mem2;
	}
	return msr >= 0x200 && msr < 0x206 ? &ranges[msr - 0x200] : NULL;
}

static int double_read(uint32_t msr, uint64_t *value)
{
	const uint64_t *at = find(msr);

	if (!at || *at == NOT_THERE)
		return 13;
	*value = *at;
	return 0;
}

static int double_write(uint32_t msr, uint64_t value)
{
	uint64_t *at = find(msr);

	if (!at || *at == NOT_THERE)
		return 13;
	*at = value;
	return 0;
}

static struct cpuid double_cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid name = { 0x10, 0x756e6547, 0x6c65746e, 0x49656e69 }; /* GenuineIntel */

	if (amd)
		name = (struct cpuid){ 0x10, 0x68747541, 0x444d4163, 0x69746e65 }; /* AMD */
	return name;
}

static const struct cpu_ops test_cpu = { double_cpuid, double_read, double_write };

#define ON      (1 << 11)
#define GIB_(n) ((uint64_t)(n) << 30)
#define MASK(n) (((1ULL << 39) - GIB_(n)) | ON)

static void expect(const char *name, uint64_t base, uint64_t bytes)
{
	struct memory_types types;

	memory_types_read(&test_cpu, &types);
	const char *is = type_name(mtrr_type(&types, base, bytes));

	if (__builtin_strcmp(name, is))
		fail_msg("%#llx and %#llx bytes: expected %s, came %s", (unsigned long long)base,
			(unsigned long long)bytes, name, is);
}

static void set(uint64_t otherwise, const uint64_t values[6])
{
	capabilities = 3;
	defaults = otherwise;
	__builtin_memcpy(ranges, values, sizeof ranges);
}

/* EDK II's form: write-back by default, a hole for devices. */
TEST(a_hole_in_write_back)
{
	static const uint64_t hole[6] = { GIB_(2) | TYPE_UNCACHED, MASK(2) };

	set(ON | TYPE_WRITE_BACK, hole);
	expect("write-back", GIB_(1), GIB_(1));
	expect("write-back", GIB_(4), GIB_(8));
	expect("uncached", GIB_(3), GIB_(1));
	expect("mixed", GIB_(1), GIB_(2));
	expect("mixed", GIB_(3), GIB_(2));
}

/* Older firmware's form: uncached by default, memory in two ranges, a hole over the second. */
TEST(write_back_in_uncached)
{
	static const uint64_t memory[6] = { 0 | TYPE_WRITE_BACK, MASK(4), GIB_(4) | TYPE_WRITE_BACK,
		MASK(4), GIB_(3) | TYPE_UNCACHED, MASK(1) };

	set(ON | TYPE_UNCACHED, memory);
	expect("write-back", GIB_(1), GIB_(2));
	expect("uncached", GIB_(3), GIB_(1)); /* uncached wins */
	expect("write-back", GIB_(4), GIB_(4));
	expect("mixed", GIB_(4), GIB_(5));
	expect("uncached", GIB_(8), GIB_(1));
}

TEST(through_beats_back)
{
	static const uint64_t both[6] = { GIB_(1) | TYPE_WRITE_BACK, MASK(1),
		GIB_(1) | TYPE_WRITE_THROUGH, MASK(1) };

	set(ON | TYPE_UNCACHED, both);
	expect("write-through", GIB_(1), GIB_(1));
}

#define TOM2_ON   (1 << 21)
#define TOM2_BACK (1 << 22)

/* AMD's form on servers: ranges only for memory below 4 GiB, and SYSCFG for the rest. */
TEST(forced_above_4g)
{
	static const uint64_t below[6] = { 0 | TYPE_WRITE_BACK, MASK(2), GIB_(16) | TYPE_UNCACHED,
		MASK(1) };

	set(ON | TYPE_UNCACHED, below);
	syscfg = TOM2_ON | TOM2_BACK;
	top_mem2 = GIB_(20);
	expect("uncached", GIB_(4), GIB_(8)); /* not this vendor's */
	amd = true;
	expect("write-back", GIB_(4), GIB_(8));
	expect("write-back", GIB_(1), GIB_(1));
	expect("uncached", GIB_(2), GIB_(2));
	expect("mixed", GIB_(2), GIB_(3));
	expect("uncached", GIB_(16), GIB_(1)); /* a range overrides it */
	expect("mixed", GIB_(12), GIB_(5));
	expect("write-back", GIB_(17), GIB_(3));
	expect("uncached", GIB_(20), GIB_(1)); /* beyond memory */
	expect("mixed", GIB_(18), GIB_(4));
	syscfg = TOM2_BACK; /* the register of the top is off */
	expect("uncached", GIB_(4), GIB_(8));
	syscfg = TOM2_ON;
	expect("uncached", GIB_(4), GIB_(8));
	syscfg = NOT_THERE; /* a hypervisor that hides it */
	expect("uncached", GIB_(4), GIB_(8));
	syscfg = TOM2_ON | TOM2_BACK;
	defaults = TYPE_WRITE_BACK; /* without MTRRs it has no effect */
	expect("uncached", GIB_(4), GIB_(8));
	amd = false;
}

TEST(off_and_absent)
{
	static const uint64_t unused[6] = { TYPE_UNCACHED, 0 };

	set(TYPE_WRITE_BACK, unused);
	expect("uncached", GIB_(1), GIB_(1)); /* MTRRs off: nothing is cached */
	capabilities = 0;
	expect("unknown", GIB_(1), GIB_(1)); /* an emulator that ignores them */
	capabilities = NOT_THERE;
	expect("unknown", GIB_(1), GIB_(1));
}

TEST(entry_0_of_the_page_attributes)
{
	static const uint64_t unused[6] = { TYPE_UNCACHED, 0 };
	struct memory_types types;

	set(ON | TYPE_WRITE_BACK, unused);
	pat = 0x0007040600070406ULL;
	memory_types_read(&test_cpu, &types);
	assert_int_equal(TYPE_WRITE_BACK, types.pat0);
	pat = NOT_THERE;
	memory_types_read(&test_cpu, &types);
	assert_int_equal(TYPE_UNKNOWN, types.pat0);
}
