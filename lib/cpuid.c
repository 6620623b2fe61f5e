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
