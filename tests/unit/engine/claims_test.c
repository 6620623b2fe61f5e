/* SPDX-License-Identifier: MIT */
/* CPUID's claims decoded from the words of known processors. */
#include "engine/claims.c"
#include "engine/room.h"
#include "tests/unit/test.h"

#define INTEL 0x756e6547, 0x6c65746e, 0x49656e69 /* leaf 0: ebx, ecx, edx */
#define AMD   0x68747541, 0x444d4163, 0x69746e65
#define FULL  0x04000121 /* leaf 4, eax: data, level 1 */
#define GUEST (1u << 31) /* leaf 1, ecx */

static struct leaf {
	uint32_t leaf, sub;
	struct cpuid words;
} leaves[48];
static unsigned used;

static struct cpuid answer(struct room *room, uint32_t leaf, uint32_t sub)
{
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

/* A whole processor: its leaves, and then one of nothing. */
static void processor_of(const struct leaf *all)
{
	for (used = 0; all->leaf | all->words.eax | all->words.ebx; all++)
		leaves[used++] = *all;
}

/* Emerald Rapids guest: 48 KiB 12 ways, 2 MiB 16 ways, 260 MiB 20 ways. */
static const struct leaf intel[] = {
	{ 0, 0, { 0x20, INTEL } },
	{ 1, 0, { 0x000c06f2, 0, 0, 0 } },
	{ 0x80000000, 0, { 0x80000008, 0, 0, 0 } },
	{ 0x80000002, 0, { 0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e } },
	{ 0x80000003, 0, { 0x20202020, 0x7275507a, 0x65, 0 } },
	{ 4, 0, { 0x04004121, 0x02c0003f, 63, 0 } },
	{ 4, 1, { 0x04004122, 0x01c0003f, 63, 0 } },
	{ 4, 2, { 0x04004143, 0x03c0003f, 2047, 0 } },
	{ 4, 3, { 0x00ffc163, 0x04c0003f, 212991, 0 } },
	{ 0x18, 0, { 1, 0, 0, 0 } },
	{ 0x18, 1, { 0, 0x00060001, 16, 0x21 } },
	{ 2, 0, { 0x00feff01, 0xf0, 0, 0 } },
	{ 0 },
};

/* Leaf 18h with each type: instructions, loads, stores, loads of large pages, all together. */
static const struct leaf all_types[] = {
	{ 0, 0, { 0x20, INTEL } },
	{ 0x18, 0, { 5, 0, 0, 0 } },
	{ 0x18, 1, { 0, 0x00080001, 32, 0x22 } },
	{ 0x18, 2, { 0, 0x00060001, 16, 0x24 } },
	{ 0x18, 3, { 0, 0x00100001, 1, 0x25 } },
	{ 0x18, 4, { 0, 0x00080006, 4, 0x24 } },
	{ 0x18, 5, { 0, 0x00100003, 128, 0x43 } },
	{ 0 },
};

/* Zen 3: leaf 8000001Dh, translation by 80000005h, 6h and 19h. */
static const struct leaf amd[] = {
	{ 0, 0, { 0x10, AMD } },
	{ 1, 0, { 0x00a20f10, 0, 0, 0 } },
	{ 0x80000000, 0, { 0x80000023, 0, 0, 0 } },
	{ 0x80000001, 0, { 0, 0, 1u << 22, 0 } },
	{ 0x80000005, 0, { 0xff40ff40, 0xff40ff40, 0x20080140, 0x20080140 } },
	{ 0x80000006, 0, { 0x5c002200, 0x6c004200, 0x02006140, 0x01009140 } },
	{ 0x80000019, 0, { 0xf040f040, 0xf0400000, 0, 0 } },
	{ 0x8000001d, 0, { 0x00004121, 0x01c0003f, 63, 0 } },
	{ 0x8000001d, 1, { 0x00004122, 0x01c0003f, 63, 0 } },
	{ 0x8000001d, 2, { 0x00004143, 0x01c0003f, 1023, 0 } },
	{ 0x8000001d, 3, { 0x0003c163, 0x03c0003f, 32767, 0 } },
	{ 0 },
};

/* Ways are in bits 31:28, above the entries: every bit of them is set. */
static const struct leaf full_ways_amd[] = {
	{ 0, 0, { 0x10, AMD } },
	{ 0x80000000, 0, { 0x80000019, 0, 0, 0 } },
	{ 0x80000005, 0, { 0xff40ff40, 0xff40ff40, 0, 0 } },
	{ 0x80000006, 0, { 0xfc00f200, 0xfc00f200, 0, 0 } },
	{ 0x80000019, 0, { 0xf040f040, 0xf040f040, 0, 0 } },
	{ 0 },
};

/* K10: no 8000001Dh. 64 KiB 2 ways, 512 KiB 16 ways, 6 MiB 48 ways. */
static const struct leaf old_amd[] = {
	{ 0, 0, { 5, AMD } },
	{ 1, 0, { 0x00100f42, 0, 0, 0 } },
	{ 0x80000000, 0, { 0x8000001b, 0, 0, 0 } },
	{ 0x80000005, 0, { 0xff30ff10, 0xff30ff20, 0x40020140, 0x40020140 } },
	{ 0x80000006, 0, { 0x20800000, 0x42004200, 0x02008140, 0x0030b140 } },
	{ 0 },
};

/* Sandy Bridge and before: translation by the descriptors of leaf 2. */
static const struct leaf descriptor_leaves[] = {
	{ 0, 0, { 0x0d, INTEL } },
	{ 2, 0, { 0x76035a01, 0x00f0b0ff, 0x00000000, 0x00ca0000 } },
	{ 0 },
};

static void expect_cache(const struct cache_claim *c, unsigned level, enum claim_type type,
	uint64_t bytes, unsigned ways, unsigned shared_by)
{
	assert_int_equal(c->level, level);
	assert_int_equal(c->type, type);
	assert_int_equal(c->bytes, bytes);
	assert_int_equal(c->ways, ways);
	assert_int_equal(c->line_bytes, 64);
	assert_int_equal(c->shared_by, shared_by);
}

TEST(test_intel_caches)
{
	struct cache_claim c[8];

	processor_of(intel);
	assert_int_equal(claims_caches(&room, c, 8), 4);
	expect_cache(&c[0], 1, CLAIM_DATA, 48 * KIB, 12, 2);
	expect_cache(&c[1], 1, CLAIM_INSTRUCTION, 32 * KIB, 8, 2);
	expect_cache(&c[2], 2, CLAIM_UNIFIED, 2 * MIB, 16, 2);
	expect_cache(&c[3], 3, CLAIM_UNIFIED, 260 * MIB, 20, 1024);
	assert_int_equal(claims_caches(&room, c, 2), 2);
}

TEST(test_caches_of_an_old_amd)
{
	struct cache_claim c[8];

	processor_of(old_amd);
	assert_int_equal(claims_caches(&room, c, 8), 4);
	expect_cache(&c[0], 1, CLAIM_DATA, 64 * KIB, 2, 0);
	expect_cache(&c[1], 1, CLAIM_INSTRUCTION, 64 * KIB, 2, 0);
	expect_cache(&c[2], 2, CLAIM_UNIFIED, 512 * KIB, 16, 0);
	expect_cache(&c[3], 3, CLAIM_UNIFIED, 6 * MIB, 48, 0);
	assert_int_equal(claims_caches(&room, c, 2), 2);
}

TEST(test_names)
{
	struct cpu_claim cpu;

	processor_of(intel);
	claims_cpu(&room, &cpu);
	assert_string_equal(cpu.vendor, "GenuineIntel");
	assert_string_equal(cpu.brand, "Intel(R) Xeon(R) zPure");
	assert_int_equal(cpu.family, 6);
	assert_int_equal(cpu.model, 0xcf);
	assert_int_equal(cpu.stepping, 2);
	processor_of(amd);
	claims_cpu(&room, &cpu);
	assert_string_equal(cpu.vendor, "AuthenticAMD");
	assert_int_equal(cpu.family, 0x19);
	assert_int_equal(cpu.model, 0x21);
	processor_of(descriptor_leaves); /* no extended leaves */
	claims_cpu(&room, &cpu);
	assert_string_equal(cpu.brand, "");
}

static void expect_tlb(const struct tlb_claim *t, unsigned level, unsigned pages, unsigned entries)
{
	assert_int_equal(t->level, level);
	assert_int_equal(t->pages, pages);
	assert_int_equal(t->entries, entries);
}

TEST(test_tlbs)
{
	struct tlb_claim t[16];

	processor_of(intel);
	assert_int_equal(claims_tlbs(&room, t, 16), 1);
	expect_tlb(&t[0], 1, TLB_4K, 96);
	processor_of(amd);
	assert_int_equal(claims_tlbs(&room, t, 16), 6);
	expect_tlb(&t[0], 1, TLB_2M, 64);
	expect_tlb(&t[1], 1, TLB_4K, 64);
	expect_tlb(&t[2], 2, TLB_2M, 3072);
	expect_tlb(&t[3], 2, TLB_4K, 3072);
	expect_tlb(&t[4], 1, TLB_1G, 64);
	expect_tlb(&t[5], 2, TLB_1G, 64);
	processor_of(old_amd);
	assert_int_equal(claims_tlbs(&room, t, 16), 4);
	expect_tlb(&t[2], 2, TLB_2M, 128);
	expect_tlb(&t[3], 2, TLB_4K, 512);
	processor_of(full_ways_amd);
	assert_int_equal(claims_tlbs(&room, t, 16), 6);
	expect_tlb(&t[2], 2, TLB_2M, 3072);
	expect_tlb(&t[3], 2, TLB_4K, 3072);
	expect_tlb(&t[4], 1, TLB_1G, 64);
	expect_tlb(&t[5], 2, TLB_1G, 64);
	processor_of(descriptor_leaves);
	assert_int_equal(claims_tlbs(&room, t, 16), 3);
	expect_tlb(&t[0], 1, TLB_2M, 32);
	expect_tlb(&t[1], 1, TLB_4K, 64);
	expect_tlb(&t[2], 2, TLB_4K, 512);
}

static void expect_entries(unsigned level, unsigned pages, double entries)
{
	double came = claims_tlb_entries(&room, level, pages);

	if (came != entries)
		fail_msg("level %u, pages %u: expected %g entries, came %g", level, pages, entries,
			came);
}

TEST(test_tlbs_of_data_are_chosen)
{
	struct tlb_claim t[16];

	processor_of(all_types);
	assert_int_equal(claims_tlbs(&room, t, 16), 4);
	assert_int_equal(t[0].type, CLAIM_INSTRUCTION);
	assert_int_equal(t[1].type, CLAIM_DATA);
	assert_int_equal(t[2].type, CLAIM_DATA);
	assert_int_equal(t[3].type, CLAIM_UNIFIED);
	expect_entries(1, TLB_4K, 96);
	expect_entries(1, TLB_2M, 32);
	expect_entries(2, TLB_4K, 2048);
	expect_entries(2, TLB_2M, 2048);
	assert_true(isnan(claims_tlb_entries(&room, 1, TLB_1G)));
}

/* A machine that claims nothing gets no claims, and no fault. */
TEST(test_silence)
{
	struct cache_claim c[8];
	struct tlb_claim t[8];
	struct cpu_claim cpu;

	used = 0;
	assert_int_equal(claims_caches(&room, c, 8), 0);
	assert_int_equal(claims_tlbs(&room, t, 8), 0);
	claims_cpu(&room, &cpu);
	assert_string_equal(cpu.vendor, "");
}

TEST(test_how_many_caches)
{
	uint64_t largest;

	processor_of(intel);
	assert_int_equal(claims_data_caches(&room, &largest), 3); /* the instructions' is none */
	assert_int_equal(largest, 260ULL << 20);
	used = 0; /* nothing */
	assert_int_equal(claims_data_caches(&room, &largest), 0);
	assert_int_equal(largest, 0);
}

/* Every descriptor of CPUID's leaf 2 that names data or shared translation buffers. */

/* Intel SDM volume 2A, table 3-12: the code, then level, pages and entries. */
static const char table[] = "03: level 1, 4K, 64, data\n"
			    "04: level 1, 2M, 8, data\n"
			    "05: level 2, 2M, 32, data\n"
			    "56: level 1, 2M, 16, data\n"
			    "57: level 1, 4K, 16, data\n"
			    "59: level 1, 4K, 16, data\n"
			    "5a: level 1, 2M, 32, data\n"
			    "5b: level 1, 4K 2M, 64, data\n"
			    "5c: level 1, 4K 2M, 128, data\n"
			    "5d: level 1, 4K 2M, 256, data\n"
			    "63: level 1, 2M, 32, data; level 1, 1G, 4, data\n"
			    "64: level 2, 4K, 512, data\n"
			    "6a: level 1, 4K, 64, data\n"
			    "6b: level 2, 4K, 256, data\n"
			    "6c: level 2, 2M, 128, data\n"
			    "6d: level 2, 1G, 16, data\n"
			    "a0: level 1, 4K, 32, data\n"
			    "b3: level 1, 4K, 128, data\n"
			    "b4: level 2, 4K, 256, data\n"
			    "ba: level 2, 4K, 64, data\n"
			    "c0: level 1, 4K 2M, 8, data\n"
			    "c1: level 2, 4K 2M, 1024, shared\n"
			    "c2: level 1, 4K 2M, 16, data\n"
			    "c3: level 2, 4K 2M, 1536, shared; level 2, 1G, 16, shared\n"
			    "c4: level 1, 2M, 32, data\n"
			    "ca: level 2, 4K, 512, shared\n";

static uint32_t code; /* the one descriptor of the processor */

static struct cpuid one_descriptor(struct room *room, uint32_t leaf, uint32_t sub)
{
	if (leaf == 0)
		return (struct cpuid){ 2, 0x756e6547, 0x6c65746e, 0x49656e69 };
	return leaf == 2 ? (struct cpuid){ 1, 0, code << 8, 0 } : (struct cpuid){ 0 };
}

static void write_claim(char *text, const struct tlb_claim *c)
{
	char *at = text + strlen(text);

	at += sprintf(at, "level %u,", c->level);
	if (c->pages & TLB_4K)
		at += sprintf(at, " 4K");
	if (c->pages & TLB_2M)
		at += sprintf(at, " 2M");
	if (c->pages & TLB_1G)
		at += sprintf(at, " 1G");
	sprintf(at, ", %u, %s", c->entries, c->type == CLAIM_UNIFIED ? "shared" : "data");
}

TEST(descriptors_are_those_of_the_manual)
{
	struct room room = { .cpuid = one_descriptor };
	struct tlb_claim claims[8];
	char text[4096] = "";

	for (code = 0; code < 256; code++) {
		unsigned n = claims_tlbs(&room, claims, 8);

		if (n)
			sprintf(text + strlen(text), "%02x: ", code);
		for (unsigned i = 0; i < n; i++) {
			write_claim(text, &claims[i]);
			strcat(text, i + 1 < n ? "; " : "\n");
		}
	}
	assert_string_equal(text, table);
}

/* Fields one by one: each with its neighbours' bits set and its own not, and otherwise. */

/* AMD before 8000001Dh, by its words of the L1d, the L1i, the L2 and the L3. */
static unsigned by_old_leaves(uint32_t l1d, uint32_t l1i, uint32_t l2, uint32_t l3,
	struct cache_claim *c)
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
		{ 0xf0500, 5, 0, 0 }, { 0xf0600, 6, 0xf0, 0 }, { 0x307b1, 7, 0x3b, 1 },
		{ 0xfff0f6f0, 6, 15, 0 }, { 0xff00f00, 270, 0, 0 }, { 0xf0000f00, 15, 0, 0 },
		{ 0xfffffff0, 270, 255, 0 } };
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
		add(4, sub, FULL + (sub < 8), 63, 63, 0); /* of instructions, */
	assert_int_equal(16, claims_caches(&room, c, 20));
	assert_true(claims_data_cache(&room, 1, c)); /* and the ninth of data */
	assert_int_equal(CLAIM_DATA, c->type);
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
		assert_int_equal(code == 9 ? 0 : 2, by_old_leaves(0, 0, word, word, c));
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

		assert_int_equal(2, by_old_leaves(word, word, 0, 0, c));
		assert_int_equal(code == 255 ? 0 : code, c[0].ways);
		assert_int_equal(code == 255 ? 0 : code, c[1].ways);
		assert_int_equal(255 * KIB, c[0].bytes);
	}
	assert_int_equal(1, by_old_leaves(0x01028080, 0, 0x0000ffff, 0x0003ffff, c));
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

	by_old_leaves(0x40020140, 0, 0, 0, c);
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

/* Zen 5's second level, whose sizes are multiples of 32 if 80000021h says so. */
static void zen_5_says(uint32_t signature, uint32_t raw, uint32_t features)
{
	used = 0;
	add(0, 0, 1, AMD);
	add(1, 0, signature, 0, GUEST, 0);
	add(0x80000000, 0, 0x80000021, 0, 0, 0);
	add(0x80000006, 0, raw << 16, raw << 16, 0, 0);
	add(0x80000019, 0, 0x400000, 0x200000, 0, 0);
	add(0x80000021, 0, features, 0, 0, 0);
}

TEST(sizes_of_the_second_level_have_a_unit)
{
	zen_5_says(0xb40f40, 128, 1u << 14);
	expect_entries(2, TLB_4K, 4096);
	expect_entries(2, TLB_2M, 4096);
	expect_entries(2, TLB_1G, 1024);
	expect_entries(1, TLB_1G, 64);
	zen_5_says(0xb40f40, 128, ~(1u << 14)); /* a hypervisor hides the bit: no claim */
	assert_true(isnan(claims_tlb_entries(&room, 2, TLB_4K)));
	assert_true(isnan(claims_tlb_entries(&room, 2, TLB_2M)));
	assert_true(isnan(claims_tlb_entries(&room, 2, TLB_1G)));
	expect_entries(1, TLB_1G, 64);
	zen_5_says(0xb40f40, 3072, 0);
	expect_entries(2, TLB_4K, 3072);
	zen_5_says(0xa60f12, 128, 0); /* Zen 4's family */
	expect_entries(2, TLB_4K, 128);
	zen_5_says(0xb40f40, 128, 1u << 14);
	leaves[2].words.eax = 0x80000020; /* there is no 80000021h */
	assert_true(isnan(claims_tlb_entries(&room, 2, TLB_4K)));
}

/* Who executes us and what CPUID says of the TSC's rate. */

/* A processor with all leaves up to 16h; its signature is leaf 1's eax. */
static void processor(uint32_t ebx, uint32_t ecx, uint32_t edx, uint32_t signature, uint32_t guest)
{
	used = 0;
	add(0, 0, 0x16, ebx, ecx, edx);
	add(1, 0, signature, 0, guest, 0);
}

static void expect_hypervisor(const char *name, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
	char out[13];

	processor(INTEL, 0x306c3, GUEST);
	add(0x40000000, 0, 0x40000010, ebx, ecx, edx);
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
	add(0x40000000, 0, 0x40000010, 0x4b4d564b, 0x564b4d56, 0x4d);
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
		{ 0x50654, 100e6 }, { 0x30678, 0 }, { 0x406c4, 0 }, { 0x6f6, 0 }, { 0x10676, 0 },
		{ 0x106d1, 0 }, { 0x106c2, 0 }, { 0x30661, 0 }, { 0x6d8, 0 }, { 0xf64, 0 },
		{ 0x1100f20, 100e6 } /* family 32, which there is not yet */ };

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
	add(0x80000000, 0, 0x80000008, 0, 0, 0);
	add(0x80000007, 0, 0, 0, 0, 1u << 8);
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
	add(0x15, 0, 2, 200, crystal, 0);
	return identity_tsc_15h(&room);
}

TEST(the_crystal_is_told_or_known)
{
	static const struct {
		uint32_t signature;
		double mhz;
	} models[] = { { 0x406e3, 24 }, { 0x506e3, 24 }, { 0x806e9, 24 }, { 0x906e9, 24 },
		{ 0x50654, 0 }, { 0x506f1, 25 }, { 0x506c9, 19.2 }, { 0x306c3, 0 },
		{ 0x406e3 & ~0xf00u, 0 } /* not of family 6 */ };

	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		assert_true(by_15h(INTEL, models[i].signature, 0) == models[i].mhz * 100e6);
		assert_true(by_15h(INTEL, models[i].signature, 38400000) == 3840e6);
	}
	assert_true(by_15h(AMD, 0x406e3, 0) == 0);
	/* Leaf 16h confirms the model's crystal, or takes its place. */
	by_15h(INTEL, 0x406e3, 0);
	add(0x16, 0, 2390, 0, 0, 0);
	assert_true(identity_tsc_15h(&room) == 2400e6);
	leaves[used - 1].words.eax = 2370;
	assert_true(identity_tsc_15h(&room) == 2370e6);
	by_15h(INTEL, 0x50654, 0);
	add(0x16, 0, 2300, 0, 0, 0);
	assert_true(identity_tsc_15h(&room) == 2300e6);
	processor(INTEL, 0x406e3, 0);
	add(0x15, 0, 0, 200, 24000000, 0);
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
	add(0x16, 0, 0xffff0000 | 2400, 0, 0, 0);
	add(0x40000000, 0, 0x40000010, 0x61774d56, 0x4d566572, 0x65726177);
	add(0x40000010, 0, 2394230, 66000, 0, 0);
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
