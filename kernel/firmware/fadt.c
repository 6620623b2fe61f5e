/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/firmware/acpi.h"
#include "kernel/firmware/fadt.h"

enum { FADT_FLAGS = 112, FADT_RESET_REGISTER = 116, FADT_RESET_VALUE = 128 };

#define RESET_REG_SUP (1 << 10)
#define HW_REDUCED    (1 << 20)
#define PCI_CONFIG    (1ULL << 31)

/* From bus 0, device 47:32, function 31:16, offset 15:0 to the word for port cf8h. */
static uint64_t pci_address(uint64_t acpi)
{
	return PCI_CONFIG | (acpi >> 32 & 31) << 11 | (acpi >> 16 & 7) << 8 | (acpi & 0xff);
}

/*
 * The register's width and offset are not looked at: Windows ignores them, so firmware may have
 * anything there (drivers/acpi/reboot.c in Linux).
 */
static void read_register(const uint8_t *table, struct fadt_reset *r)
{
	uint8_t space = table[FADT_RESET_REGISTER];
	uint64_t address;

	memcpy(&address, table + FADT_RESET_REGISTER + 4, sizeof address);
	r->register_present =
		address && space <= RESET_PCI && (space != RESET_PORT || address <= UINT16_MAX);
	r->space = (enum reset_space)space;
	r->address = space == RESET_PCI ? pci_address(address) : address;
	r->value = table[FADT_RESET_VALUE];
}

struct fadt_reset fadt_reset(uint64_t rsdp)
{
	const struct acpi_table *t = acpi_find(rsdp, "FACP");
	struct fadt_reset r = { 0 };
	uint32_t flags;

	if (!t || t->length < FADT_FLAGS + sizeof flags)
		return r;
	memcpy(&flags, (const uint8_t *)t + FADT_FLAGS, sizeof flags);
	r.hardware_reduced = flags & HW_REDUCED;
	if ((flags & RESET_REG_SUP) && t->length > FADT_RESET_VALUE) /* not in ACPI 1.0's */
		read_register((const uint8_t *)t, &r);
	return r;
}
