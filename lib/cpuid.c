/* SPDX-License-Identifier: MIT */
#include "lib/cpuid.h"

#include <string.h>

enum cpu_vendor cpuid_vendor(struct cpuid leaf_0)
{
	static const struct {
		char name[13];
		enum cpu_vendor vendor;
	} vendors[] = {
		{ "GenuineIntel", VENDOR_INTEL },
		{ "AuthenticAMD", VENDOR_AMD },
		{ "HygonGenuine", VENDOR_HYGON },
		{ "CentaurHauls", VENDOR_ZHAOXIN },
		{ "  Shanghai  ", VENDOR_ZHAOXIN },
	};
	const uint32_t name[3] = { leaf_0.ebx, leaf_0.edx, leaf_0.ecx };

	for (unsigned i = 0; i < sizeof vendors / sizeof *vendors; i++)
		if (memcmp(vendors[i].name, name, sizeof name) == 0)
			return vendors[i].vendor;
	return VENDOR_OTHER;
}

#define AMD_TOPOLOGY      0x80000026
#define AMD_HETEROGENEOUS (1U << 30) /* its EAX, at the level of cores */

/* Intel: leaf 1Ah. AMD (APM vol. 3, E.4.22): 80000026h EBX[31:28], plus 1. */
uint32_t cpuid_core_type(struct cpuid (*cpuid)(uint32_t leaf, uint32_t subleaf))
{
	struct cpuid first = cpuid(0, 0);

	if (cpuid_includes(first, 0x1a))
		return cpuid(0x1a, 0).eax >> 24;
	if (cpuid_vendor(first) != VENDOR_AMD ||
		!cpuid_includes(cpuid(cpuid_range(AMD_TOPOLOGY), 0), AMD_TOPOLOGY))
		return 0;
	struct cpuid cores = cpuid(AMD_TOPOLOGY, 0);

	return cores.eax & AMD_HETEROGENEOUS ? 1 + (cores.ebx >> 28) : 0;
}
