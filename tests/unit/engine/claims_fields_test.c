/* SPDX-License-Identifier: MIT */
/* CPUID's fields one by one: each with its neighbours' bits set and its own not, and otherwise. */
#include "engine/claims.c"
#include "engine/room.h"
#include "tests/unit/test.h"

#define INTEL 0x756e6547, 0x6c65746e, 0x49656e69 /* leaf 0: ebx, ecx, edx */
#define AMD   0x68747541, 0x444d4163, 0x69746e65
#define FULL  0x04000121 /* leaf 4, eax: data, level 1 */

static struct leaf {
	uint32_t leaf, sub;
	struct cpuid words;
} leaves[48];
static unsigned used;

static struct cpuid answer(struct room *room, uint32_t leaf, uint32_t sub)
{
	(void)room;
	for (unsigned i = 0; i < used; i++)
		if (leaves[i].leaf == leaf && leaves[i].sub == sub)
			return leaves[i].words;
	return (struct cpuid){ 0 };
}

static struct room room = { .cpuid = answer };

static void add(uint32_t leaf, uint32_t sub, uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
	assert_true(used < sizeof leaves / sizeof *leaves);
	leaves[used++] = (struct leaf){ leaf, sub, { eax, ebx, ecx, edx } };
}

/* AMD before 8000001Dh, by its words of the L1d, the L1i, the L2 and the L3. */
static unsigned old_amd(uint32_t l1d, uint32_t l1i, uint32_t l2, uint32_t l3, struct cache_claim *c)
{
	used = 0;
	add(0, 0, 1, AMD);
	add(0x80000000, 0, 0x80000006, 0, 0, 0);
	add(0x80000005, 0, 0, 0, l1d, l1i);
	add(0x80000006, 0, 0, 0, l2, l3);
	return claims_caches(&room, c, 8);
}

static struct cache_claim by_leaf_4(uint32_t eax, uint32_t ebx, uint32_t ecx)
{
	struct cache_claim c[8];

	used = 0;
	add(0, 0, 4, INTEL);
	add(4, 0, eax, ebx, ecx, 0);
	assert_int_equal(1, claims_caches(&room, c, 8));
	return c[0];
}

TEST(signatures)
{
	static const struct {
		uint32_t eax;
		unsigned family, model, stepping;
	} cases[] = { { 0xf, 0, 0, 15 }, { 0xf0, 0, 15, 0 }, { 0x1000, 0, 0, 0 },
		{ 0xf0500, 5, 0, 0 }, { 0xf0600, 6, 0xf0, 0 }, { 0xfff0f6f0, 6, 15, 0 },
		{ 0xff00f00, 270, 0, 0 }, { 0xf0000f00, 15, 0, 0 }, { 0xfffffff0, 270, 255, 0 } };
	struct cpu_claim cpu;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		used = 0;
		add(0, 0, 1, INTEL);
		add(1, 0, cases[i].eax, 0, 0, 0);
		claims_cpu(&room, &cpu);
		if (cpu.family != cases[i].family || cpu.model != cases[i].model ||
			cpu.stepping != cases[i].stepping)
			fail_msg("%x: expected %u %u %u, came %u %u %u", cases[i].eax,
				cases[i].family, cases[i].model, cases[i].stepping, cpu.family,
				cpu.model, cpu.stepping);
	}
}

/* The last letter stands alone; what no screen shows is a question mark. */
TEST(names_are_cleaned)
{
	struct cpu_claim cpu;

	used = 0;
	add(0, 0, 1, 0x7f1f4120, 0x20202020, 0x20207e20);
	add(0x80000000, 0, 0x80000004, 0, 0, 0);
	add(0x80000002, 0, 0x20555043, 0x00204120, 0, 0);
	claims_cpu(&room, &cpu);
	assert_string_equal("A?? ~", cpu.vendor);
	assert_string_equal("CPU A", cpu.brand);
	leaves[2].words.ebx = 0x20;
	claims_cpu(&room, &cpu);
	assert_string_equal("CPU", cpu.brand);
	leaves[2].words.eax = 0x41555043;
	claims_cpu(&room, &cpu);
	assert_string_equal("CPUA", cpu.brand);
}

TEST(fields_of_leaf_4)
{
	struct cache_claim c[20];

	c[0] = by_leaf_4(FULL, 1u << 22 | 2 << 12 | 63, 4);
	assert_int_equal(2 * 3 * 64 * 5, c[0].bytes);
	assert_int_equal(2, c[0].ways);
	assert_int_equal(64, c[0].line_bytes);
	c[0] = by_leaf_4(FULL, 0xfff, 0);
	assert_int_equal(4096, c[0].line_bytes);
	assert_int_equal(4096, c[0].bytes);
	c[0] = by_leaf_4(FULL, 0x3ff000, 0);
	assert_int_equal(1, c[0].line_bytes);
	assert_int_equal(1024, c[0].bytes);
	c[0] = by_leaf_4(FULL, 0xffc00000, UINT32_MAX);
	assert_int_equal(1024, c[0].ways);
	assert_true(c[0].bytes == 1024ULL << 32);
	c[0] = by_leaf_4(FULL | 1 << 9, 7 << 22, 0); /* any way for any line */
	assert_int_equal(0, c[0].ways);
	c[0] = by_leaf_4(FULL | 1 << 10, 7 << 22, 0);
	assert_int_equal(8, c[0].ways);
	leaves[1].words.eax = FULL | 8; /* no type that there is */
	assert_int_equal(0, claims_caches(&room, c, 20));
	leaves[1].words.eax = FULL;
	leaves[0].words.eax = 3; /* there is no leaf 4 */
	assert_int_equal(0, claims_caches(&room, c, 20));
	used = 0;
	add(0, 0, 4, INTEL);
	for (uint32_t sub = 0; sub < 18; sub++)
		add(4, sub, FULL, 63, 63, 0);
	assert_int_equal(16, claims_caches(&room, c, 20));
}

/* 9 sends to 8000001Dh, 7 and 15 are no number: not known. */
TEST(ways_of_an_old_amd)
{
	static const unsigned ways[16] = {
		[1] = 1, 2, 3, 4, 6, 8, [8] = 16, [10] = 32, 48, 64, 96, 128
	};
	struct cache_claim c[8];

	for (uint32_t code = 0; code < 16; code++) {
		uint32_t word = 0xffff0fff | code << 12;

		/* 9 leaves all fields to another leaf. */
		assert_int_equal(code == 9 ? 0 : 2, old_amd(0, 0, word, word, c));
		if (code == 9)
			continue;
		if (c[0].ways != ways[code] || c[1].ways != ways[code])
			fail_msg("code %u: expected %u ways, came %u and %u", code, ways[code],
				c[0].ways, c[1].ways);
		assert_int_equal(0xffff * KIB, c[0].bytes);
		assert_int_equal(0x3fff * 512 * KIB, c[1].bytes);
		assert_int_equal(255, c[0].line_bytes);
	}
	for (uint32_t code = 1; code < 256; code++) {
		uint32_t word = 0xff00ffff | code << 16;

		assert_int_equal(2, old_amd(word, word, 0, 0, c));
		assert_int_equal(code == 255 ? 0 : code, c[0].ways);
		assert_int_equal(code == 255 ? 0 : code, c[1].ways);
		assert_int_equal(255 * KIB, c[0].bytes);
	}
	assert_int_equal(1, old_amd(0x01028080, 0, 0x0000ffff, 0x0003ffff, c));
	assert_int_equal(KIB, c[0].bytes);
	assert_int_equal(2, c[0].ways);
	leaves[1].words.eax = 0x80000005;
	assert_int_equal(1, claims_caches(&room, c, 8));
	leaves[1].words.eax = 0x80000004;
	assert_int_equal(0, claims_caches(&room, c, 8));
}

/* Leaf 8000001Dh counts where bit 22 says that it is there, and only there. */
TEST(amd_says_which_leaf_it_has)
{
	struct cache_claim c[8];

	old_amd(0x40020140, 0, 0, 0, c);
	leaves[1].words.eax = 0x8000001d;
	add(0x80000001, 0, 0, 0, 1u << 22, 0);
	add(0x8000001d, 0, FULL, 0x01c0003f, 63, 0);
	assert_int_equal(1, claims_caches(&room, c, 8));
	assert_int_equal(32 * KIB, c[0].bytes);
	leaves[4].words.ecx = ~(1u << 22);
	claims_caches(&room, c, 8);
	assert_int_equal(64 * KIB, c[0].bytes);
	leaves[4].words.ecx = 1u << 22;
	leaves[1].words.eax = 0x8000001c;
	claims_caches(&room, c, 8);
	assert_int_equal(64 * KIB, c[0].bytes);
}

TEST(the_largest_is_of_data)
{
	struct cache_claim claim;
	uint64_t largest;

	by_leaf_4(FULL, 0x01c0003f, 63);
	assert_int_equal(1, claims_data_caches(&room, &largest));
	assert_int_equal(32 * KIB, largest);
	add(4, 1, 0x22, 0x03c0003f, 63, 0); /* 64 KiB of instructions */
	assert_int_equal(1, claims_data_caches(&room, &largest));
	assert_int_equal(32 * KIB, largest);
	assert_false(claims_data_cache(&room, 2, &claim));
	add(4, 2, 0x43, 0x01c0003f, 31, 0); /* a second level that is smaller than the first */
	assert_int_equal(2, claims_data_caches(&room, &largest));
	assert_int_equal(32 * KIB, largest);
	assert_true(claims_data_cache(&room, 2, &claim));
	assert_int_equal(16 * KIB, claim.bytes);
}

TEST(fields_of_leaf_18h)
{
	static const struct {
		uint32_t ebx, edx;
		unsigned pages, level;
	} cases[] = { { 0x80001, 0x121, TLB_4K, 1 }, { 0x80002, 0x121, TLB_2M, 1 },
		{ 0x80004, 0x141, TLB_2M, 2 }, { 0x80008, 0x1e1, TLB_1G, 7 },
		{ 0x8fff0, 0xffffff24, 0, 1 }, { 0x8000f, 0x24, TLB_4K | TLB_2M | TLB_1G, 1 } };
	struct tlb_claim c[40];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		used = 0;
		add(0, 0, 0x18, INTEL);
		add(0x18, 0, 0, cases[i].ebx, 3, cases[i].edx);
		add(0x18, 1, 0, 0x80001, 3, 0x21); /* beyond the last */
		add(2, 0, 0x5a, 0, 0, 0xca);       /* not asked where leaf 18h answers */
		assert_int_equal(1, claims_tlbs(&room, c, 40));
		assert_int_equal(24, c[0].entries);
		assert_int_equal(cases[i].pages, c[0].pages);
		assert_int_equal(cases[i].level, c[0].level);
		assert_int_equal(CLAIM_DATA, c[0].type);
	}
	leaves[1].words.edx = 0x29; /* no type that there is */
	assert_int_equal(1, claims_tlbs(&room, c, 40));
	assert_int_equal(512, c[0].entries); /* by leaf 2 */
}

TEST(as_many_of_leaf_18h_as_it_says)
{
	struct tlb_claim c[40];

	used = 0;
	add(0, 0, 0x18, INTEL);
	for (uint32_t sub = 0; sub < 35; sub++)
		add(0x18, sub, 50, sub << 16 | (sub == 20 ? 8 : 1), 1, 0x21);
	assert_int_equal(31, claims_tlbs(&room, c, 40)); /* 32, of which the first has no entries */
	assert_int_equal(2, claims_tlbs(&room, c, 2));
	assert_true(claims_tlb_entries(&room, 1, TLB_1G) == 20);
	assert_true(claims_tlb_entries(&room, 1, TLB_4K) == 1); /* the first */
	assert_true(claims_tlb_entries(&room, 2, TLB_4K) != claims_tlb_entries(&room, 2, TLB_4K));
}

/* Descriptors are in every byte but AL, unless bit 31 says that the register has none. */
TEST(bytes_of_leaf_2)
{
	static const uint32_t words[][5] = { { 0x5b, 0, 0, 0, 0 }, { 0x5b00, 0, 0, 0, 1 },
		{ 0x5b000000, 0, 0, 0, 1 }, { 0, 0x5b, 0, 0, 1 }, { 0, 0x5b5b, 0, 0, 2 },
		{ 0, 0, 0x5b0000, 0, 1 }, { 0, 0, 0, 0x5b000000, 1 }, { 0, 0, 0, 0x8000005b, 0 },
		{ 0x80005b00, 0x5b, 0, 0, 1 } };
	struct tlb_claim c[8];

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const uint32_t *w = words[i];

		used = 0;
		add(0, 0, 2, INTEL);
		add(2, 0, w[0], w[1], w[2], w[3]);
		if (claims_tlbs(&room, c, 8) != w[4])
			fail_msg("case %zu: expected %u", i, w[4]);
		leaves[0].words.eax = 1; /* there is no leaf 2 */
		assert_int_equal(0, claims_tlbs(&room, c, 8));
	}
}

TEST(amd_has_three_leaves_of_translation)
{
	static const struct {
		uint32_t last;
		unsigned claims;
	} cases[] = { { 0x80000004, 0 }, { 0x80000005, 2 }, { 0x80000006, 4 }, { 0x80000018, 4 },
		{ 0x80000019, 6 } };
	struct tlb_claim c[8];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		used = 0;
		add(0, 0, 1, AMD);
		add(0x80000000, 0, cases[i].last, 0, 0, 0);
		add(0x80000005, 0, 0x200000, 0x400000, 0, 0);
		add(0x80000006, 0, 0x200000, 0x400000, 0, 0);
		add(0x80000019, 0, 0x200000, 0x400000, 0, 0);
		assert_int_equal(cases[i].claims, claims_tlbs(&room, c, 8));
	}
}
