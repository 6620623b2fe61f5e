/* SPDX-License-Identifier: MIT */
#include "report/reading/hosted_page.h"

#include <string.h>

const char *method_section(const char *probe)
{
	static const struct {
		const char *probe, *section;
	} sections[] = {
#define METHOD_SECTION(probe, section) { probe, section },
#include "method_sections.inc"
#undef METHOD_SECTION
	};

	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		if (!strcmp(sections[i].probe, probe))
			return sections[i].section;
	return NULL;
}
