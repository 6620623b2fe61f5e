/* SPDX-License-Identifier: MIT */
/*
 * Sources: Intel SDM volume 2A, CPUID (leaves 1, 2, 4, 18h); AMD APM volume 3, appendix E
 * (80000002h-6h, 80000019h, 8000001Dh).
 */
#include "engine/claims.h"

#include <stdbool.h>
#include <string.h>

#include "lib/bits.h"
#include "engine/room_cpuid.h"

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
	if (cpu->family == 6 || cpu->family == 15)
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

/* AMD before 8000001Dh. The L2 and L3 ways are a code; 9 sends to 8000001Dh. */
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
	n = add_cache(out, n, max, 2, CLAIM_UNIFIED, bits(l2.ecx, 31, 16) * KIB,
		ways[bits(l2.ecx, 15, 12)], bits(l2.ecx, 7, 0));
	return add_cache(out, n, max, 3, CLAIM_UNIFIED, bits(l2.edx, 31, 18) * 512 * KIB,
		ways[bits(l2.edx, 15, 12)], bits(l2.edx, 7, 0));
}

unsigned claims_caches(struct room *room, struct cache_claim *out, unsigned max)
{
	unsigned n = 0;

	if (!room_has_amd_leaves(room))
		return room_has_leaf(room, 4) ? by_subleaf(room, 4, out, max) : 0;
	if (room_has_leaf(room, 0x8000001d) && bits(room->cpuid(room, 0x80000001, 0).ecx, 22, 22))
		n = by_subleaf(room, 0x8000001d, out, max);
	return n ? n : by_old_amd(room, out, max);
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
