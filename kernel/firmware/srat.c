/* SPDX-License-Identifier: MIT */
#include "kernel/firmware/srat.h"

#include <string.h>

enum { LOCAL_APIC = 0, MEMORY = 1, LOCAL_X2APIC = 2 };
enum { ENABLED = 1, HOT_PLUGGABLE = 2, NON_VOLATILE = 4 };

#define SLIT_COUNT  36  /* 64 bits: so many rows and columns */
#define SLIT_MATRIX 44  /* bytes */
#define SLIT_NONE   255 /* no way from one to the other */

static uint32_t read32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof v);
	return v;
}

static uint64_t read64(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof v);
	return v;
}

/* Revision 1 has nodes of 8 bits; what follows them is not said to be 0 (Linux: srat.c). */
static uint32_t node_number(const struct acpi_table *srat, uint32_t node)
{
	return srat->revision < 2 ? node & 0xff : node;
}

uint32_t srat_cpu_node(const struct acpi_table *srat, uint32_t id)
{
	const uint8_t *e;

	for (uint32_t at = 0; srat && (e = acpi_entry(srat, &at));) {
		if (e[0] == LOCAL_APIC && e[1] >= 16 && e[3] == id && (read32(e + 4) & ENABLED))
			return node_number(srat,
				e[2] | (uint32_t)e[9] << 8 | (uint32_t)e[10] << 16 |
					(uint32_t)e[11] << 24);
		if (e[0] == LOCAL_X2APIC && e[1] >= 24 && read32(e + 8) == id &&
			(read32(e + 12) & ENABLED))
			return read32(e + 4);
	}
	return UINT32_MAX;
}

bool srat_memory(const struct acpi_table *srat, uint32_t *at, struct node_range *out)
{
	const uint8_t *e;

	while (srat && (e = acpi_entry(srat, at))) {
		if (e[0] != MEMORY || e[1] < 40)
			continue;
		uint32_t flags = read32(e + 28);

		*out = (struct node_range){ node_number(srat, read32(e + 2)), read64(e + 8),
			read64(e + 16) };
		if ((flags & (ENABLED | HOT_PLUGGABLE | NON_VOLATILE)) == ENABLED && out->bytes &&
			out->bytes <= UINT64_MAX - out->base)
			return true;
	}
	return false;
}

uint32_t slit_distance(const struct acpi_table *slit, uint32_t from, uint32_t to)
{
	const uint8_t *table = (const uint8_t *)slit;
	uint64_t n;

	if (!slit || slit->length < SLIT_MATRIX)
		return UINT32_MAX;
	n = read64(table + SLIT_COUNT);
	if (from >= n || to >= n || n > slit->length || n * n > slit->length - SLIT_MATRIX)
		return UINT32_MAX;
	uint8_t distance = table[SLIT_MATRIX + from * n + to];

	return distance == SLIT_NONE ? UINT32_MAX : distance;
}
