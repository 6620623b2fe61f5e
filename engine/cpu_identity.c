/* SPDX-License-Identifier: MIT */
#include "engine/cpu_identity.h"

#include "engine/room_cpuid.h"

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
		same(hypervisor, "known-answer"); /* tests/kam */
}

bool identity_tsc_invariant(struct room *room)
{
	return room_has_leaf(room, 0x80000007) && (room->cpuid(room, 0x80000007, 0).edx >> 8 & 1);
}

/*
 * Models whose leaf 15h leaves the crystal out (Linux arch/x86/kernel/tsc.c, native_calibrate_tsc).
 */
static double crystal_by_model(struct room *room)
{
	uint32_t eax = room->cpuid(room, 1, 0).eax;
	if ((eax >> 8 & 0xf) != 6 || room_cpu_vendor(room) != VENDOR_INTEL)
		return 0;
	switch ((eax >> 12 & 0xf0) | (eax >> 4 & 0xf)) {
	case 0x4e:
	case 0x5e: /* Skylake client */
	case 0x8e:
	case 0x9e: /* Kaby Lake */
		return 24e6;
	case 0x55: /* Skylake-SP, Cascade Lake */
	case 0x5f: /* Denverton */
		return 25e6;
	case 0x5c: /* Goldmont */
		return 19.2e6;
	}
	return 0;
}

double identity_tsc_15h(struct room *room)
{
	if (!room_has_leaf(room, 0x15))
		return 0;
	struct cpuid c = room->cpuid(room, 0x15, 0);
	if (!c.eax || !c.ebx)
		return 0;
	double crystal = c.ecx ? (double)c.ecx : crystal_by_model(room);
	return crystal * (double)c.ebx / (double)c.eax;
}

double identity_tsc_16h(struct room *room)
{
	return room_has_leaf(room, 0x16) ? (double)(room->cpuid(room, 0x16, 0).eax & 0xffff) * 1e6
					 : 0;
}

double identity_tsc_40000010h(struct room *room)
{
	if (!(room->cpuid(room, 1, 0).ecx >> 31) || !room_has_leaf(room, 0x40000010))
		return 0;
	return (double)room->cpuid(room, 0x40000010, 0).eax * 1e3;
}
