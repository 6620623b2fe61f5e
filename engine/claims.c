/* SPDX-License-Identifier: MIT */
/*
 * Sources: Intel SDM volume 2A, CPUID (leaves 1, 2, 4, 18h); AMD APM volume 3, appendix E
 * (80000002h-6h, 80000019h, 8000001Dh).
 */
#include <stdbool.h>
#include <string.h>

#include "engine/claims.h"
#include "engine/room_cpuid.h"
#include "lib/math.h"
#include "lib/result_line.h"

struct tlb_claim {
	unsigned level;
	enum claim_type type; /* load-only buffers count as data */
	unsigned pages;       /* TLB_4K ... that one entry can hold */
	unsigned entries;
};

/* Fields of registers as manuals write them: word[high:low]. */
static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
	return (word >> low) & (uint32_t)((1ULL << (high - low + 1)) - 1);
}

/* Blanks at the ends and doubled ones are vendors' padding. */
static void squeeze(char *text)
{
	char *out = text;

	for (const char *in = text; *in; in++)
		if (*in != ' ' || (out != text && out[-1] != ' '))
			*out++ = *in >= ' ' && *in <= '~' ? *in : '?';
	if (out != text && out[-1] == ' ')
		out--;
	*out = 0;
}

void claims_cpu(struct room *room, struct cpu_claim *cpu)
{
	struct cpuid id = room->cpuid(room, 0, 0);
	uint32_t a;

	memset(cpu, 0, sizeof *cpu);
	memcpy(cpu->vendor, &id.ebx, 4);
	memcpy(cpu->vendor + 4, &id.edx, 4);
	memcpy(cpu->vendor + 8, &id.ecx, 4);
	squeeze(cpu->vendor);
	a = room->cpuid(room, 1, 0).eax;
	cpu->stepping = bits(a, 3, 0);
	cpu->model = bits(a, 7, 4);
	cpu->family = bits(a, 11, 8);
	if (cpu->family >= 6) /* 7: Zhaoxin; Linux's x86_model() does the same */
		cpu->model += bits(a, 19, 16) << 4;
	if (cpu->family == 15)
		cpu->family += bits(a, 27, 20);
	if (!room_has_leaf(room, 0x80000004))
		return;
	for (unsigned i = 0; i < 3; i++) {
		id = room->cpuid(room, 0x80000002 + i, 0);
		memcpy(cpu->brand + 16 * i, &id, 16);
	}
	squeeze(cpu->brand);
}

/* Leaves 4 and 8000001Dh have one layout. */
static unsigned by_subleaf(struct room *room, uint32_t leaf, struct cache_claim *out, unsigned max)
{
	unsigned n = 0;

	for (uint32_t sub = 0; sub < 16 && n < max; sub++) {
		struct cpuid id = room->cpuid(room, leaf, sub);
		uint32_t type = bits(id.eax, 4, 0), ways = bits(id.ebx, 31, 22) + 1;

		if (type < CLAIM_DATA || type > CLAIM_UNIFIED)
			break;
		out[n].level = bits(id.eax, 7, 5);
		out[n].type = type;
		out[n].line_bytes = bits(id.ebx, 11, 0) + 1;
		out[n].bytes = (uint64_t)ways * (bits(id.ebx, 21, 12) + 1) * out[n].line_bytes *
			((uint64_t)id.ecx + 1);
		out[n].ways = bits(id.eax, 9, 9) ? 0 : ways;
		out[n].shared_by = bits(id.eax, 25, 14) + 1;
		n++;
	}
	return n;
}

static unsigned add_cache(struct cache_claim *out, unsigned n, unsigned max, unsigned level,
	enum claim_type type, uint64_t bytes, unsigned ways, unsigned line)
{
	if (bytes && n < max)
		out[n++] = (struct cache_claim){ level, type, bytes, ways, line, 0 };
	return n;
}

#define SEE_8000001D 9 /* the code of ways with which no field of a cache counts */

/* The size of an L2 or L3 in a word of 80000006h; 0: it has none, or leaves it to 8000001Dh. */
static uint64_t old_amd_bytes(uint32_t word, unsigned lowest, uint64_t unit)
{
	return bits(word, 15, 12) == SEE_8000001D ? 0 : bits(word, 31, lowest) * unit;
}

/*
 * AMD before 8000001Dh, and VIA before leaf 4. The ways of L2 and L3 are a code. A hypervisor may
 * offer a processor of today without 8000001Dh: the size that stands here then is all L3 caches of
 * the package together.
 */
static unsigned by_old_amd(struct room *room, struct cache_claim *out, unsigned max)
{
	static const unsigned char ways[16] = { 0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128,
		0 };
	struct cpuid l1, l2 = { 0 };
	unsigned n = 0;

	if (!room_has_leaf(room, 0x80000005))
		return 0;
	l1 = room->cpuid(room, 0x80000005, 0);
	if (room_has_leaf(room, 0x80000006))
		l2 = room->cpuid(room, 0x80000006, 0);
	n = add_cache(out, n, max, 1, CLAIM_DATA, bits(l1.ecx, 31, 24) * KIB,
		bits(l1.ecx, 23, 16) == 255 ? 0 : bits(l1.ecx, 23, 16), bits(l1.ecx, 7, 0));
	n = add_cache(out, n, max, 1, CLAIM_INSTRUCTION, bits(l1.edx, 31, 24) * KIB,
		bits(l1.edx, 23, 16) == 255 ? 0 : bits(l1.edx, 23, 16), bits(l1.edx, 7, 0));
	n = add_cache(out, n, max, 2, CLAIM_UNIFIED, old_amd_bytes(l2.ecx, 16, KIB),
		ways[bits(l2.ecx, 15, 12)], bits(l2.ecx, 7, 0));
	return add_cache(out, n, max, 3, CLAIM_UNIFIED, old_amd_bytes(l2.edx, 18, 512 * KIB),
		ways[bits(l2.edx, 15, 12)], bits(l2.edx, 7, 0));
}

/* Returns true if 80000005h and 80000006h state caches and translation buffers as AMD's do. */
static bool has_old_amd_leaves(struct room *room)
{
	return room_has_amd_leaves(room) || room_cpu_vendor(room) == VENDOR_ZHAOXIN;
}

unsigned claims_caches(struct room *room, struct cache_claim *out, unsigned max)
{
	bool amd = room_has_amd_leaves(room);
	unsigned n = 0;

	if (!amd && room_has_leaf(room, 4))
		n = by_subleaf(room, 4, out, max);
	if (amd && room_has_leaf(room, 0x8000001d) &&
		bits(room->cpuid(room, 0x80000001, 0).ecx, 22, 22))
		n = by_subleaf(room, 0x8000001d, out, max);
	return n || !has_old_amd_leaves(room) ? n : by_old_amd(room, out, max);
}

bool claims_data_cache(struct room *room, unsigned level, struct cache_claim *out)
{
	struct cache_claim claims[16];
	unsigned n = claims_caches(room, claims, 16);

	for (unsigned i = 0; i < n; i++) {
		*out = claims[i];
		if (out->level == level && out->type != CLAIM_INSTRUCTION)
			return true;
	}
	return false;
}

unsigned claims_data_caches(struct room *room, uint64_t *largest)
{
	struct cache_claim claims[16], claim;
	unsigned n = 0, all = claims_caches(room, claims, 16);

	*largest = 0;
	for (unsigned i = 0; i < all; i++)
		if (claims[i].type != CLAIM_INSTRUCTION && claims[i].bytes > *largest)
			*largest = claims[i].bytes;
	while (claims_data_cache(room, n + 1, &claim))
		n++;
	return n;
}

/*
 * Translation buffers by CPUID. Sources: Intel SDM volume 2A, CPUID leaf 18h and table 3-12 (leaf 2
 * descriptors); AMD APM volume 3, appendix E (80000005h-6h, 80000019h).
 */

struct claim_list {
	struct tlb_claim *out;
	unsigned n, max;
};

static void add_claim(struct claim_list *l, unsigned level, enum claim_type type, unsigned pages,
	unsigned entries)
{
	if (entries && l->n < l->max)
		l->out[l->n++] = (struct tlb_claim){ level, type, pages, entries };
}

static void by_leaf_18h(struct room *room, struct claim_list *l)
{
	uint32_t last = room->cpuid(room, 0x18, 0).eax;

	for (uint32_t sub = 0; sub <= last && sub < 32; sub++) {
		struct cpuid id = room->cpuid(room, 0x18, sub);
		uint32_t type = bits(id.edx, 4, 0);
		unsigned pages = bits(id.ebx, 0, 0) * TLB_4K | bits(id.ebx, 3, 3) * TLB_1G;

		if (bits(id.ebx, 2, 1))
			pages |= TLB_2M;
		if (type >= 1 && type <= 4) /* 4: loads only; 5: stores only, which no chase sees */
			add_claim(l, bits(id.edx, 7, 5),
				type == 4 ? CLAIM_DATA : (enum claim_type)type, pages,
				bits(id.ebx, 31, 16) * id.ecx);
	}
}

/* Data and shared descriptors of leaf 2; nothing measures instruction buffers. */
static const struct {
	unsigned char code, level, pages;
	unsigned short entries;
	enum claim_type type;
} descriptors[] = {
	{ 0x03, 1, TLB_4K, 64, CLAIM_DATA },
	{ 0x04, 1, TLB_2M, 8, CLAIM_DATA },
	{ 0x05, 2, TLB_2M, 32, CLAIM_DATA }, /* "TLB1" beside the 56h "TLB0", as B4h beside 57h */
	{ 0x56, 1, TLB_2M, 16, CLAIM_DATA },
	{ 0x57, 1, TLB_4K, 16, CLAIM_DATA },
	{ 0x59, 1, TLB_4K, 16, CLAIM_DATA },
	{ 0x5a, 1, TLB_2M, 32, CLAIM_DATA },
	{ 0x5b, 1, TLB_4K | TLB_2M, 64, CLAIM_DATA },
	{ 0x5c, 1, TLB_4K | TLB_2M, 128, CLAIM_DATA },
	{ 0x5d, 1, TLB_4K | TLB_2M, 256, CLAIM_DATA },
	{ 0x63, 1, TLB_2M, 32, CLAIM_DATA },
	{ 0x63, 1, TLB_1G, 4, CLAIM_DATA },
	{ 0x64, 2, TLB_4K, 512, CLAIM_DATA },
	{ 0x6a, 1, TLB_4K, 64, CLAIM_DATA },
	{ 0x6b, 2, TLB_4K, 256, CLAIM_DATA },
	{ 0x6c, 2, TLB_2M, 128, CLAIM_DATA },
	{ 0x6d, 2, TLB_1G, 16, CLAIM_DATA },
	{ 0xa0, 1, TLB_4K, 32, CLAIM_DATA },
	{ 0xb3, 1, TLB_4K, 128, CLAIM_DATA },
	{ 0xb4, 2, TLB_4K, 256, CLAIM_DATA },
	{ 0xba, 2, TLB_4K, 64, CLAIM_DATA },
	{ 0xc0, 1, TLB_4K | TLB_2M, 8, CLAIM_DATA },
	{ 0xc1, 2, TLB_4K | TLB_2M, 1024, CLAIM_UNIFIED },
	{ 0xc2, 1, TLB_4K | TLB_2M, 16, CLAIM_DATA },
	{ 0xc3, 2, TLB_4K | TLB_2M, 1536, CLAIM_UNIFIED },
	{ 0xc3, 2, TLB_1G, 16, CLAIM_UNIFIED },
	{ 0xc4, 1, TLB_2M, 32, CLAIM_DATA },
	{ 0xca, 2, TLB_4K, 512, CLAIM_UNIFIED },
};

static void by_descriptor(struct claim_list *l, unsigned code)
{
	for (unsigned i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
		if (descriptors[i].code == code)
			add_claim(l, descriptors[i].level, descriptors[i].type,
				descriptors[i].pages, descriptors[i].entries);
}

static void by_leaf_2(struct room *room, struct claim_list *l)
{
	struct cpuid id = room->cpuid(room, 2, 0);
	uint32_t words[4] = { id.eax & ~0xffu, id.ebx, id.ecx, id.edx }; /* AL is a count */

	for (unsigned w = 0; w < 4; w++)
		for (unsigned byte = 0; byte < 4 && !(words[w] >> 31); byte++)
			by_descriptor(l, bits(words[w], 8 * byte + 7, 8 * byte));
}

#define L2_TLB_SIZE_X32 (1u << 14) /* 80000021h EAX */
#define ZEN_5_FAMILY    0x1a
#define ZEN_5_RAW       128 /* 4096 / 32 */

/*
 * The unit of the sizes of the second level: 32 where 80000021h says so, as Zen 5 does. A
 * hypervisor may hide that bit and leave the sizes: 0, no claim. No processor of that family has a
 * second level as small as the first.
 */
static unsigned second_level_unit(struct room *room, uint32_t last)
{
	struct cpu_claim cpu;

	if (last >= 0x80000021 && room->cpuid(room, 0x80000021, 0).eax & L2_TLB_SIZE_X32)
		return 32;
	claims_cpu(room, &cpu);
	return cpu.family >= ZEN_5_FAMILY &&
			bits(room->cpuid(room, 0x80000006, 0).ebx, 27, 16) <= ZEN_5_RAW
		? 0
		: 1;
}

static void by_amd(struct room *room, struct claim_list *l, uint32_t last)
{
	unsigned unit = second_level_unit(room, last);
	struct cpuid id;

	if (last >= 0x80000005) {
		id = room->cpuid(room, 0x80000005, 0);
		add_claim(l, 1, CLAIM_DATA, TLB_2M, bits(id.eax, 23, 16));
		add_claim(l, 1, CLAIM_DATA, TLB_4K, bits(id.ebx, 23, 16));
	}
	if (last >= 0x80000006) {
		id = room->cpuid(room, 0x80000006, 0);
		add_claim(l, 2, CLAIM_DATA, TLB_2M, unit * bits(id.eax, 27, 16));
		add_claim(l, 2, CLAIM_DATA, TLB_4K, unit * bits(id.ebx, 27, 16));
	}
	if (last >= 0x80000019) {
		id = room->cpuid(room, 0x80000019, 0);
		add_claim(l, 1, CLAIM_DATA, TLB_1G, bits(id.eax, 27, 16));
		add_claim(l, 2, CLAIM_DATA, TLB_1G, unit * bits(id.ebx, 27, 16));
	}
}

/*
 * The translation buffers of leaf 18h, else leaf 2 (Intel), or 80000005h-6h and 80000019h (AMD, and
 * the first two Zhaoxin); store-only ones are left out. Returns how many were written to out[max].
 */
static unsigned claims_tlbs(struct room *room, struct tlb_claim *out, unsigned max)
{
	struct claim_list l = { out, 0, max };
	struct cpuid id = room->cpuid(room, 0, 0);

	if (has_old_amd_leaves(room)) {
		by_amd(room, &l, room->cpuid(room, 0x80000000, 0).eax);
		return l.n;
	}
	if (id.eax >= 0x18)
		by_leaf_18h(room, &l);
	if (!l.n && id.eax >= 2)
		by_leaf_2(room, &l);
	return l.n;
}

double claims_tlb_entries(struct room *room, unsigned level, unsigned pages)
{
	struct tlb_claim claims[24];
	unsigned n = claims_tlbs(room, claims, 24), unified = 0, data = 0;

	for (unsigned i = 0; i < n; i++) {
		if (claims[i].level != level || !(claims[i].pages & pages))
			continue;
		if (claims[i].type == CLAIM_UNIFIED)
			unified += claims[i].entries;
		else if (claims[i].type != CLAIM_INSTRUCTION && !data)
			data = claims[i].entries;
	}
	return unified ? unified : data ? data : NOT_A_NUMBER;
}

static bool same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

void identity_hypervisor(struct room *room, char out[13])
{
	out[0] = '\0';
	if (!(room->cpuid(room, 1, 0).ecx >> 31))
		return;
	struct cpuid c = room->cpuid(room, 0x40000000, 0);
	const uint32_t words[3] = { c.ebx, c.ecx, c.edx };
	for (unsigned i = 0; i < 12; i++) {
		char byte = (char)(words[i / 4] >> (8 * (i % 4)));
		out[i] = byte == 0 || (byte >= ' ' && byte <= '~') ? byte : '?';
	}
	out[12] = '\0';
	if (!out[0])
		__builtin_memcpy(out, "unnamed", 8);
}

bool identity_emulated(const char *hypervisor)
{
	return same(hypervisor, "TCGTCGTCGTCG") || same(hypervisor, "BOCHSBOCHSBO") ||
		same(hypervisor, HYPERVISOR_SIMULATED);
}

bool identity_tsc_invariant(struct room *room)
{
	return room_has_leaf(room, 0x80000007) && (room->cpuid(room, 0x80000007, 0).edx >> 8 & 1);
}

double identity_tsc_16h(struct room *room)
{
	return room_has_leaf(room, 0x16) ? (double)(room->cpuid(room, 0x16, 0).eax & 0xffff) * 1e6
					 : 0;
}

#define CRYSTAL_OFF 0.01 /* of the rate by 16h: then the crystal is another one */

/*
 * The rate by 15h where the leaf leaves the crystal out: by the crystal that such models have
 * (Linux had them in native_calibrate_tsc), if leaf 16h, where it is, does not contradict; else 16h
 * itself, as in Linux. Skylake-X has 24 MHz where Skylake-SP has 25, and one model number: it is
 * not listed. Kaby Lake-X has not what Kaby Lake has.
 */
static double rate_by_model(struct room *room, double ratio)
{
	double crystal = 0, base = identity_tsc_16h(room);
	struct cpu_claim cpu;

	claims_cpu(room, &cpu);
	if (cpu.family != 6 || room_cpu_vendor(room) != VENDOR_INTEL)
		return 0;
	switch (cpu.model) {
	case 0x4e:
	case 0x5e: /* Skylake client */
	case 0x8e:
	case 0x9e: /* Kaby Lake */
		crystal = 24e6;
		break;
	case 0x5f: /* Denverton */
		crystal = 25e6;
		break;
	case 0x5c: /* Goldmont */
		crystal = 19.2e6;
		break;
	}
	if (!base || (crystal && math_abs(crystal * ratio / base - 1) < CRYSTAL_OFF))
		return crystal * ratio;
	return base;
}

double identity_tsc_15h(struct room *room)
{
	if (!room_has_leaf(room, 0x15))
		return 0;
	struct cpuid c = room->cpuid(room, 0x15, 0);
	if (!c.eax || !c.ebx)
		return 0;
	double ratio = (double)c.ebx / (double)c.eax;
	return c.ecx ? (double)c.ecx * ratio : rate_by_model(room, ratio);
}

#define NETBURST 15 /* the family; its ratios multiply a front side bus */

double identity_bus_hz(struct room *room)
{
	static const unsigned char nehalem[] = { 0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f };
	/* Penryn, Bonnell and Saltwell have front side buses; Silvermont and Airmont MSR CDh. */
	static const unsigned char others[] = { 0x1c, 0x1d, 0x26, 0x27, 0x35, 0x36, 0x37, 0x4a,
		0x4c, 0x4d, 0x5a, 0x5d, 0x75 };
	struct cpu_claim cpu;

	claims_cpu(room, &cpu);
	if (room_cpu_vendor(room) != VENDOR_INTEL || cpu.family < 6 || cpu.family == NETBURST)
		return 0;
	if (cpu.family > 6)
		return 100e6;
	for (unsigned i = 0; i < sizeof nehalem; i++)
		if (cpu.model == nehalem[i])
			return 400e6 / 3;
	for (unsigned i = 0; i < sizeof others; i++)
		if (cpu.model == others[i])
			return 0;
	return cpu.model < nehalem[0] ? 0 : 100e6;
}

double identity_tsc_40000010h(struct room *room)
{
	if (!(room->cpuid(room, 1, 0).ecx >> 31) || !room_has_leaf(room, 0x40000010))
		return 0;
	return (double)room->cpuid(room, 0x40000010, 0).eax * 1e3;
}
