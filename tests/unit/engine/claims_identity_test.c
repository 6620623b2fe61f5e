/* SPDX-License-Identifier: MIT */
/* Who executes us and what CPUID says of the TSC's rate, from the words of known processors. */
#include "engine/claims.h"
#include "tests/unit/test.h"

#define INTEL 0x756e6547, 0x6c65746e, 0x49656e69 /* leaf 0: ebx, ecx, edx */
#define AMD   0x68747541, 0x444d4163, 0x69746e65
#define GUEST (1u << 31) /* leaf 1, ecx */

struct leaf {
	uint32_t leaf;
	struct cpuid words;
};

static struct leaf leaves[8];
static unsigned used;

/* None of these leaves has another subleaf than 0. */
static struct cpuid answer(struct room *room, uint32_t leaf, uint32_t sub)
{
	(void)room;
	for (unsigned i = 0; i < used; i++)
		if (leaves[i].leaf == leaf && sub == 0)
			return leaves[i].words;
	return (struct cpuid){ 0 };
}

static struct room room = { .cpuid = answer };

static void add(uint32_t leaf, uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
	assert_true(used < sizeof leaves / sizeof *leaves);
	leaves[used++] = (struct leaf){ leaf, { eax, ebx, ecx, edx } };
}

/* A processor with all leaves up to 16h; its signature is leaf 1's eax. */
static void processor(uint32_t ebx, uint32_t ecx, uint32_t edx, uint32_t signature, uint32_t guest)
{
	used = 0;
	add(0, 0x16, ebx, ecx, edx);
	add(1, signature, 0, guest, 0);
}

static void expect_hypervisor(const char *name, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
	char out[13];

	processor(INTEL, 0x306c3, GUEST);
	add(0x40000000, 0x40000010, ebx, ecx, edx);
	identity_hypervisor(&room, out);
	assert_string_equal(out, name);
}

TEST(hypervisors_have_names)
{
	char out[13] = "left over";

	expect_hypervisor("KVMKVMKVM", 0x4b4d564b, 0x564b4d56, 0x4d);
	expect_hypervisor("TCGTCGTCGTCG", 0x54474354, 0x43544743, 0x47435447);
	expect_hypervisor("Microsoft Hv", 0x7263694d, 0x666f736f, 0x76482074);
	expect_hypervisor("????????????", 0x01010101, 0x7f1f1fff, 0x80808080);
	expect_hypervisor("unnamed", 0, 0, 0);
	expect_hypervisor("K", 0x4b, 0, 0);
	expect_hypervisor("~ ~ !!!!{|}~", 0x207e207e, 0x21212121, 0x7e7d7c7b);
	processor(INTEL, 0x306c3,
		~GUEST); /* what a processor says there without one means nothing */
	add(0x40000000, 0x40000010, 0x4b4d564b, 0x564b4d56, 0x4d);
	identity_hypervisor(&room, out);
	assert_string_equal(out, "");
}

TEST(emulators_are_known)
{
	assert_true(identity_emulated("TCGTCGTCGTCG"));
	assert_true(identity_emulated("BOCHSBOCHSBO"));
	assert_true(identity_emulated("known-answer"));
	assert_false(identity_emulated("KVMKVMKVM"));
	assert_false(identity_emulated("TCGTCGTCGTC"));
	assert_false(identity_emulated("TCGTCGTCGTCGX"));
	assert_false(identity_emulated(""));
}

TEST(ratios_multiply_the_bus_clock)
{
	static const struct {
		uint32_t signature;
		double hz;
	} models[] = { { 0x106a5, 400e6 / 3 }, { 0x206c2, 400e6 / 3 }, { 0x206a7, 100e6 },
		{ 0x50654, 100e6 }, { 0x30678, 0 }, { 0x406c4, 0 } };

	for (unsigned i = 0; i < sizeof models / sizeof *models; i++) {
		processor(INTEL, models[i].signature, 0);
		assert_true(identity_bus_hz(&room) == models[i].hz);
	}
	processor(AMD, 0xa20f10, 0);
	assert_true(identity_bus_hz(&room) == 0);
}

TEST(invariance_is_bit_8)
{
	processor(INTEL, 0x306c3, 0);
	assert_false(identity_tsc_invariant(&room));
	add(0x80000000, 0x80000008, 0, 0, 0);
	add(0x80000007, 0, 0, 0, 1u << 8);
	assert_true(identity_tsc_invariant(&room));
	leaves[used - 1].words.edx = ~(1u << 8);
	assert_false(identity_tsc_invariant(&room));
	leaves[used - 1].words.edx = 1u << 8;
	leaves[used - 2].words.eax = 0x80000006; /* there is no leaf 80000007h */
	assert_false(identity_tsc_invariant(&room));
}

/* Leaf 15h of a model: a ratio of 200 / 2, and a crystal or 0. */
static double by_15h(uint32_t ebx, uint32_t ecx, uint32_t edx, uint32_t signature, uint32_t crystal)
{
	processor(ebx, ecx, edx, signature, 0);
	add(0x15, 2, 200, crystal, 0);
	return identity_tsc_15h(&room);
}

TEST(the_crystal_is_told_or_known)
{
	static const struct {
		uint32_t signature;
		double mhz;
	} models[] = { { 0x406e3, 24 }, { 0x506e3, 24 }, { 0x806e9, 24 }, { 0x906e9, 24 },
		{ 0x50654, 25 }, { 0x506f1, 25 }, { 0x506c9, 19.2 }, { 0x306c3, 0 },
		{ 0x406e3 & ~0xf00u, 0 } /* not of family 6 */ };

	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		assert_true(by_15h(INTEL, models[i].signature, 0) == models[i].mhz * 100e6);
		assert_true(by_15h(INTEL, models[i].signature, 38400000) == 3840e6);
	}
	assert_true(by_15h(AMD, 0x406e3, 0) == 0);
	processor(INTEL, 0x406e3, 0);
	add(0x15, 0, 200, 24000000, 0);
	assert_true(identity_tsc_15h(&room) == 0);
	leaves[used - 1].words.eax = 2;
	leaves[used - 1].words.ebx = 0;
	assert_true(identity_tsc_15h(&room) == 0);
	leaves[used - 1].words.ebx = 200;
	leaves[0].words.eax = 0x14; /* there is no leaf 15h */
	assert_true(identity_tsc_15h(&room) == 0);
}

TEST(rounded_rates)
{
	processor(INTEL, 0x306c3, GUEST);
	add(0x16, 0xffff0000 | 2400, 0, 0, 0);
	add(0x40000000, 0x40000010, 0x61774d56, 0x4d566572, 0x65726177);
	add(0x40000010, 2394230, 66000, 0, 0);
	assert_true(identity_tsc_16h(&room) == 2400e6);
	assert_true(identity_tsc_40000010h(&room) == 2394.23e6);
	leaves[0].words.eax = 0x15;
	leaves[3].words.eax = 0x4000000f;
	assert_true(identity_tsc_16h(&room) == 0);
	assert_true(identity_tsc_40000010h(&room) == 0);
	leaves[3].words.eax = 0x40000010;
	leaves[1].words.ecx = ~GUEST;
	assert_true(identity_tsc_40000010h(&room) == 0);
}
