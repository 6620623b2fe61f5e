/* SPDX-License-Identifier: MIT */
/*
 * NUMA nodes ("proximity domains") by ACPI's SRAT and SLIT: ACPI 6.5, 5.2.16 and 5.2.17. Each
 * function takes the table that acpi_find gives, or NULL: nothing is known then.
 */
#ifndef KERNEL_FIRMWARE_SRAT_H
#define KERNEL_FIRMWARE_SRAT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/firmware/acpi.h"

/* The node of the processor with that APIC id; UINT32_MAX: unknown. */
uint32_t srat_cpu_node(const struct acpi_table *srat, uint32_t apic_id);

/* Memory of a node that is there and stays: neither hot-pluggable nor non-volatile. */
struct node_range {
	uint32_t node;
	uint64_t base, bytes; /* bytes > 0, and base + bytes does not overflow */
};

/* Steps through them: *at is 0 first. false at the end. */
bool srat_memory(const struct acpi_table *srat, uint32_t *at, struct node_range *out);

/* How far it is from one node to another: 10 is a node to itself. UINT32_MAX: unknown. */
uint32_t slit_distance(const struct acpi_table *slit, uint32_t from, uint32_t to);

#endif
