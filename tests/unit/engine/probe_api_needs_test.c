/* SPDX-License-Identifier: MIT */
/* What a row needs of the processor is read from its own bits of CPUID and XCR0, and no others. */
#include "engine/probe_api.h"
#include "tests/unit/test.h"

enum { EAX, EBX, ECX, EDX };

/* Intel SDM volume 2, CPUID, and volume 1, 13.3; AMD APM volume 3, appendix E. */
static const struct bits {
	const char *name;
	enum need need;
	uint32_t leaf, mask;
	unsigned reg;
	uint64_t xcr0;
} all_bits[] = {
	{ "AVX", NEED_AVX, 1, 1U << 28, ECX, 0x6 },
	{ "AVX2", NEED_AVX2, 7, 1U << 5, EBX, 0x6 },
	{ "AVX-512", NEED_AVX512, 7, 1U << 16 | 1U << 30, EBX, 0xe6 },
	{ "ERMS", NEED_ERMS, 7, 1U << 9, EBX, 0 },
	{ "RDTSCP", NEED_RDTSCP, 0x80000001, 1U << 27, EDX, 0 },
	{ "CLFLUSH", NEED_CLFLUSH, 1, 1U << 19, EDX, 0 },
};

/* What CPUID says in one register of one leaf, and in all other ones. */
static const struct bits *asked;
static uint32_t there, elsewhere;

static struct cpuid cpuid_of(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	uint32_t r[4] = { elsewhere, elsewhere, elsewhere, elsewhere };

	(void)room;
	(void)subleaf;
	if ((leaf & 0x7fffffff) == 0)
		r[EAX] = 0xffffffff; /* the highest leaf */
	else if (leaf == asked->leaf)
		r[asked->reg] = there;
	return (struct cpuid){ r[EAX], r[EBX], r[ECX], r[EDX] };
}

static void expect(bool has, uint64_t xcr0, const char *when)
{
	struct room room = { .cpuid = cpuid_of, .facts.xcr0 = xcr0 };
	struct bench b = { .room = &room };
	const char *why = NULL;

	if (machine_has(&b, asked->need, &why) != has)
		fail_msg("%s with %s: expected %d, came %d", asked->name, when, has, !has);
	if (!has && !why)
		fail_msg("%s: no reason", asked->name);
}

TEST(each_by_its_own_bits)
{
	for (unsigned i = 0; i < sizeof all_bits / sizeof *all_bits; i++) {
		asked = &all_bits[i];
		there = asked->mask;
		elsewhere = 0;
		expect(true, asked->xcr0, "its bits only");
		elsewhere = 0xffffffff;
		for (unsigned bit = 0; bit < 32; bit++) {
			there = ~(asked->mask & 1U << bit);
			expect(!(asked->mask >> bit & 1), ~0ULL, "all bits but one");
		}
	}
}

TEST(the_system_must_keep_its_registers)
{
	for (unsigned i = 0; i < sizeof all_bits / sizeof *all_bits; i++) {
		asked = &all_bits[i];
		there = elsewhere = 0xffffffff;
		for (unsigned bit = 0; bit < 64; bit++)
			expect(!(asked->xcr0 >> bit & 1), ~(1ULL << bit),
				"all of XCR0 but one bit");
	}
}

static int no_pages(struct room *room, size_t bytes, size_t page_bytes, struct arena *out)
{
	(void)room;
	(void)bytes;
	(void)page_bytes;
	(void)out;
	return -1;
}

TEST(faults_need_pages_that_nobody_touched)
{
	struct room room = { .untouched = no_pages };
	struct bench b = { .room = &room };
	const char *why = NULL;

	assert_true(machine_has(&b, NEED_FAULTS, &why));
	room.untouched = NULL;
	assert_false(machine_has(&b, NEED_FAULTS, &why));
	assert_non_null(why);
}
