/* SPDX-License-Identifier: MIT */
#include "kernel/firmware/madt.h"

#include <string.h>

enum { MADT_LOCAL_APIC = 0, MADT_LOCAL_X2APIC = 9, MADT_ENABLED = 1 };

static uint32_t read32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof v);
	return v;
}

bool madt_processor(const uint8_t *e, uint32_t *id)
{
	if (e[0] == MADT_LOCAL_APIC && e[1] >= 8) {
		*id = e[3];
		return e[3] != 0xff && (read32(e + 4) & MADT_ENABLED);
	}
	if (e[0] == MADT_LOCAL_X2APIC && e[1] >= 16) {
		*id = read32(e + 4);
		return *id != UINT32_MAX && (read32(e + 8) & MADT_ENABLED);
	}
	return false;
}
