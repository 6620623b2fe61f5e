/* SPDX-License-Identifier: MIT */
/* The processors that ACPI's MADT lists. */
#ifndef KERNEL_FIRMWARE_MADT_H
#define KERNEL_FIRMWARE_MADT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether an entry (kernel/firmware/acpi.h, acpi_entry) is an enabled processor, and its APIC id:
 * ACPI 6.5, 5.2.12.2 and .12. One that may only come later (online capable) is none, nor is one
 * with the id of all processors, by which firmware marks those that are missing.
 */
bool madt_processor(const uint8_t *entry, uint32_t *id);

#endif
