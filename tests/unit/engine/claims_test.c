/* SPDX-License-Identifier: MIT */
/* CPUID's claims decoded from the words of known processors. */
#include "engine/claims.c"
#include "engine/room.h"
#include "tests/unit/test.h"

struct leaf {
	uint32_t leaf, sub;
	struct cpuid words;
};

static const struct leaf *leaves;

static struct cpuid answer(struct room *room, uint32_t leaf, uint32_t sub)
{
	(void)room;
	for (const struct leaf *l = leaves; l->leaf | l->words.eax | l->words.ebx; l++)
		if (l->leaf == leaf && l->sub == sub)
			return l->words;
	return (struct cpuid){ 0 };
}

static struct room room = { .cpuid = answer };

/* Emerald Rapids guest: 48 KiB 12 ways, 2 MiB 16 ways, 260 MiB 20 ways. */
static const struct leaf intel[] = {
	{ 0, 0, { 0x20, 0x756e6547, 0x6c65746e, 0x49656e69 } },
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
	{ 0, 0, { 0x20, 0x756e6547, 0x6c65746e, 0x49656e69 } },
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
	{ 0, 0, { 0x10, 0x68747541, 0x444d4163, 0x69746e65 } },
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
	{ 0, 0, { 0x10, 0x68747541, 0x444d4163, 0x69746e65 } },
	{ 0x80000000, 0, { 0x80000019, 0, 0, 0 } },
	{ 0x80000005, 0, { 0xff40ff40, 0xff40ff40, 0, 0 } },
	{ 0x80000006, 0, { 0xfc00f200, 0xfc00f200, 0, 0 } },
	{ 0x80000019, 0, { 0xf040f040, 0xf040f040, 0, 0 } },
	{ 0 },
};

/* K10: no 8000001Dh. 64 KiB 2 ways, 512 KiB 16 ways, 6 MiB 48 ways. */
static const struct leaf old_amd[] = {
	{ 0, 0, { 5, 0x68747541, 0x444d4163, 0x69746e65 } },
	{ 1, 0, { 0x00100f42, 0, 0, 0 } },
	{ 0x80000000, 0, { 0x8000001b, 0, 0, 0 } },
	{ 0x80000005, 0, { 0xff30ff10, 0xff30ff20, 0x40020140, 0x40020140 } },
	{ 0x80000006, 0, { 0x20800000, 0x42004200, 0x02008140, 0x0030b140 } },
	{ 0 },
};

static const struct leaf old_amd_no_l3[] = {
	{ 0, 0, { 5, 0x68747541, 0x444d4163, 0x69746e65 } },
	{ 1, 0, { 0x00100f42, 0, 0, 0 } },
	{ 0x80000000, 0, { 0x8000001b, 0, 0, 0 } },
	{ 0x80000005, 0, { 0xff30ff10, 0xff30ff20, 0x40020140, 0x40020140 } },
	{ 0x80000006, 0, { 0x20800000, 0x42004200, 0x02008140, 0 } },
	{ 0 },
};

/* A guest on Zen 5: 8000001Dh is empty, and 80000006h has the 508 MiB of the package, in code 9. */
static const struct leaf amd_without_1d[] = {
	{ 0, 0, { 0x10, 0x68747541, 0x444d4163, 0x69746e65 } },
	{ 0x80000000, 0, { 0x80000021, 0, 0, 0 } },
	{ 0x80000001, 0, { 0, 0, 1u << 22, 0 } },
	{ 0x80000005, 0, { 0xff60ff40, 0xff60ff40, 0x300c0140, 0x20080140 } },
	{ 0x80000006, 0, { 0x40802040, 0x60804040, 0x04006140, 0x0fe09140 } },
	{ 0 },
};

/* Sandy Bridge and before: translation by the descriptors of leaf 2. */
static const struct leaf descriptor_leaves[] = {
	{ 0, 0, { 0x0d, 0x756e6547, 0x6c65746e, 0x49656e69 } },
	{ 2, 0, { 0x76035a01, 0x00f0b0ff, 0x00000000, 0x00ca0000 } },
	{ 0 },
};

/* Nine caches: eight of instructions before the one of data. */
static const struct leaf many_caches[] = {
	{ 0, 0, { 4, 0x756e6547, 0x6c65746e, 0x49656e69 } },
	{ 4, 0, { 0x22, 0x01c0003f, 63, 0 } },
	{ 4, 1, { 0x22, 0x01c0003f, 63, 0 } },
	{ 4, 2, { 0x22, 0x01c0003f, 63, 0 } },
	{ 4, 3, { 0x22, 0x01c0003f, 63, 0 } },
	{ 4, 4, { 0x22, 0x01c0003f, 63, 0 } },
	{ 4, 5, { 0x22, 0x01c0003f, 63, 0 } },
	{ 4, 6, { 0x22, 0x01c0003f, 63, 0 } },
	{ 4, 7, { 0x22, 0x01c0003f, 63, 0 } },
	{ 4, 8, { 0x21, 0x02c0003f, 63, 0 } },
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

	leaves = intel;
	assert_int_equal(claims_caches(&room, c, 8), 4);
	expect_cache(&c[0], 1, CLAIM_DATA, 48 * KIB, 12, 2);
	expect_cache(&c[1], 1, CLAIM_INSTRUCTION, 32 * KIB, 8, 2);
	expect_cache(&c[2], 2, CLAIM_UNIFIED, 2 * MIB, 16, 2);
	expect_cache(&c[3], 3, CLAIM_UNIFIED, 260 * MIB, 20, 1024);
	assert_int_equal(claims_caches(&room, c, 2), 2);
}

TEST(test_amd_caches)
{
	struct cache_claim c[8];

	leaves = amd;
	assert_int_equal(claims_caches(&room, c, 8), 4);
	expect_cache(&c[0], 1, CLAIM_DATA, 32 * KIB, 8, 2);
	expect_cache(&c[2], 2, CLAIM_UNIFIED, 512 * KIB, 8, 2);
	expect_cache(&c[3], 3, CLAIM_UNIFIED, 32 * MIB, 16, 16);
}

TEST(test_caches_of_an_old_amd)
{
	struct cache_claim c[8];

	leaves = old_amd;
	assert_int_equal(claims_caches(&room, c, 8), 4);
	expect_cache(&c[0], 1, CLAIM_DATA, 64 * KIB, 2, 0);
	expect_cache(&c[1], 1, CLAIM_INSTRUCTION, 64 * KIB, 2, 0);
	expect_cache(&c[2], 2, CLAIM_UNIFIED, 512 * KIB, 16, 0);
	expect_cache(&c[3], 3, CLAIM_UNIFIED, 6 * MIB, 48, 0);
	assert_int_equal(claims_caches(&room, c, 2), 2);
	leaves = old_amd_no_l3;
	assert_int_equal(claims_caches(&room, c, 8), 3);
}

TEST(test_what_another_leaf_should_say_is_no_claim)
{
	struct cache_claim c[8];

	leaves = amd_without_1d;
	assert_int_equal(claims_caches(&room, c, 8), 3);
	expect_cache(&c[0], 1, CLAIM_DATA, 48 * KIB, 12, 0);
	expect_cache(&c[2], 2, CLAIM_UNIFIED, MIB, 8, 0);
}

TEST(test_names)
{
	struct cpu_claim cpu;

	leaves = intel;
	claims_cpu(&room, &cpu);
	assert_string_equal(cpu.vendor, "GenuineIntel");
	assert_string_equal(cpu.brand, "Intel(R) Xeon(R) zPure");
	assert_int_equal(cpu.family, 6);
	assert_int_equal(cpu.model, 0xcf);
	assert_int_equal(cpu.stepping, 2);
	leaves = amd;
	claims_cpu(&room, &cpu);
	assert_string_equal(cpu.vendor, "AuthenticAMD");
	assert_int_equal(cpu.family, 0x19);
	assert_int_equal(cpu.model, 0x21);
	leaves = descriptor_leaves; /* no extended leaves */
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

	leaves = intel;
	assert_int_equal(claims_tlbs(&room, t, 16), 1);
	expect_tlb(&t[0], 1, TLB_4K, 96);
	leaves = amd;
	assert_int_equal(claims_tlbs(&room, t, 16), 6);
	expect_tlb(&t[0], 1, TLB_2M, 64);
	expect_tlb(&t[1], 1, TLB_4K, 64);
	expect_tlb(&t[2], 2, TLB_2M, 3072);
	expect_tlb(&t[3], 2, TLB_4K, 3072);
	expect_tlb(&t[4], 1, TLB_1G, 64);
	expect_tlb(&t[5], 2, TLB_1G, 64);
	leaves = old_amd;
	assert_int_equal(claims_tlbs(&room, t, 16), 4);
	expect_tlb(&t[2], 2, TLB_2M, 128);
	expect_tlb(&t[3], 2, TLB_4K, 512);
	leaves = full_ways_amd;
	assert_int_equal(claims_tlbs(&room, t, 16), 6);
	expect_tlb(&t[2], 2, TLB_2M, 3072);
	expect_tlb(&t[3], 2, TLB_4K, 3072);
	expect_tlb(&t[4], 1, TLB_1G, 64);
	expect_tlb(&t[5], 2, TLB_1G, 64);
	leaves = descriptor_leaves;
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

	leaves = all_types;
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
	static const struct leaf none[] = { { 0 } };
	struct cache_claim c[8];
	struct tlb_claim t[8];
	struct cpu_claim cpu;

	leaves = none;
	assert_int_equal(claims_caches(&room, c, 8), 0);
	assert_int_equal(claims_tlbs(&room, t, 8), 0);
	claims_cpu(&room, &cpu);
	assert_string_equal(cpu.vendor, "");
}

TEST(test_how_many_caches)
{
	uint64_t largest;

	leaves = intel;
	assert_int_equal(claims_data_caches(&room, &largest), 3); /* the instructions' is none */
	assert_int_equal(largest, 260ULL << 20);
	leaves = &intel[sizeof intel / sizeof *intel - 1]; /* nothing */
	assert_int_equal(claims_data_caches(&room, &largest), 0);
	assert_int_equal(largest, 0);
}

TEST(test_the_ninth_cache_is_found)
{
	struct cache_claim c;
	uint64_t largest;

	leaves = many_caches;
	assert_true(claims_data_cache(&room, 1, &c));
	expect_cache(&c, 1, CLAIM_DATA, 48 * KIB, 12, 1);
	assert_false(claims_data_cache(&room, 2, &c));
	assert_int_equal(claims_data_caches(&room, &largest), 1);
	assert_int_equal(largest, 48 * KIB);
}

/* Every descriptor of CPUID's leaf 2 that names data or shared translation buffers. */

/* Intel SDM volume 2A, table 3-12: the code, then level, pages and entries. */
static const char table[] = "03: level 1, 4K, 64, data\n"
			    "04: level 1, 2M, 8, data\n"
			    "05: level 1, 2M, 32, data\n"
			    "56: level 1, 2M, 16, data\n"
			    "57: level 1, 4K, 16, data\n"
			    "59: level 1, 4K, 16, data\n"
			    "5a: level 1, 2M, 32, data\n"
			    "5b: level 1, 4K 2M, 64, data\n"
			    "5c: level 1, 4K 2M, 128, data\n"
			    "5d: level 1, 4K 2M, 256, data\n"
			    "63: level 1, 2M, 32, data; level 1, 1G, 4, data\n"
			    "64: level 2, 4K, 512, data\n"
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
	(void)room;
	(void)sub;
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
