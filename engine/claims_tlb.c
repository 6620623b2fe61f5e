/* SPDX-License-Identifier: MIT */
/*
 * Translation buffers by CPUID. Sources: Intel SDM volume 2A, CPUID leaf 18h and table 3-12 (leaf 2
 * descriptors); AMD APM volume 3, appendix E (80000005h-6h, 80000019h).
 */
#include "engine/claims.h"

#include <stdbool.h>

#include "lib/bits.h"
#include "engine/room_cpuid.h"
#include "lib/math.h"

struct list {
	struct tlb_claim *out;
	unsigned n, max;
};

static void add(struct list *l, unsigned level, enum claim_type type, unsigned pages,
	unsigned entries)
{
	if (entries && l->n < l->max)
		l->out[l->n++] = (struct tlb_claim){ level, type, pages, entries };
}

static void by_leaf_18h(struct room *room, struct list *l)
{
	uint32_t last = room->cpuid(room, 0x18, 0).eax;

	for (uint32_t sub = 0; sub <= last && sub < 32; sub++) {
		struct cpuid id = room->cpuid(room, 0x18, sub);
		uint32_t type = bits(id.edx, 4, 0);
		unsigned pages = bits(id.ebx, 0, 0) * TLB_4K | bits(id.ebx, 3, 3) * TLB_1G;

		if (bits(id.ebx, 2, 1))
			pages |= TLB_2M;
		if (type >= 1 && type <= 4) /* 4: loads only; 5: stores only, which no chase sees */
			add(l, bits(id.edx, 7, 5), type == 4 ? CLAIM_DATA : (enum claim_type)type,
				pages, bits(id.ebx, 31, 16) * id.ecx);
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
	{ 0x05, 1, TLB_2M, 32, CLAIM_DATA },
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

static void by_descriptor(struct list *l, unsigned code)
{
	for (unsigned i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
		if (descriptors[i].code == code)
			add(l, descriptors[i].level, descriptors[i].type, descriptors[i].pages,
				descriptors[i].entries);
}

static void by_leaf_2(struct room *room, struct list *l)
{
	struct cpuid id = room->cpuid(room, 2, 0);
	uint32_t words[4] = { id.eax & ~0xffu, id.ebx, id.ecx, id.edx }; /* AL is a count */

	for (unsigned w = 0; w < 4; w++)
		for (unsigned byte = 0; byte < 4 && !(words[w] >> 31); byte++)
			by_descriptor(l, bits(words[w], 8 * byte + 7, 8 * byte));
}

static void by_amd(struct room *room, struct list *l, uint32_t last)
{
	struct cpuid id;

	if (last >= 0x80000005) {
		id = room->cpuid(room, 0x80000005, 0);
		add(l, 1, CLAIM_DATA, TLB_2M, bits(id.eax, 23, 16));
		add(l, 1, CLAIM_DATA, TLB_4K, bits(id.ebx, 23, 16));
	}
	if (last >= 0x80000006) {
		id = room->cpuid(room, 0x80000006, 0);
		add(l, 2, CLAIM_DATA, TLB_2M, bits(id.eax, 27, 16));
		add(l, 2, CLAIM_DATA, TLB_4K, bits(id.ebx, 27, 16));
	}
	if (last >= 0x80000019) {
		id = room->cpuid(room, 0x80000019, 0);
		add(l, 1, CLAIM_DATA, TLB_1G, bits(id.eax, 27, 16));
		add(l, 2, CLAIM_DATA, TLB_1G, bits(id.ebx, 27, 16));
	}
}

unsigned claims_tlbs(struct room *room, struct tlb_claim *out, unsigned max)
{
	struct list l = { out, 0, max };
	struct cpuid id = room->cpuid(room, 0, 0);

	if (room_has_amd_leaves(room)) {
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
	unsigned n = claims_tlbs(room, claims, 24);

	for (unsigned i = 0; i < n; i++)
		if (claims[i].level == level && claims[i].type != CLAIM_INSTRUCTION &&
			(claims[i].pages & pages))
			return claims[i].entries;
	return NOT_A_NUMBER;
}
