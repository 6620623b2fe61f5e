/* SPDX-License-Identifier: MIT */
/* ACPI's tables. */
#include <string.h>

#include "tests/kam/image/acpi_maker.h"
#include "tests/kam/image/fake_efi.h"
#include "tests/kam/image/hostile.h"

enum { SUM_AT = 9, NO_APIC = 0xff, SILENT = 6 };

/* A new MADT with the processor that is there and n more. */
static uint8_t *make_madt(struct full_system *w, unsigned n)
{
	uint8_t *madt = acpi_make(w, "APIC", MADT_ENTRIES + (1 + n) * MADT_ENTRY_BYTES);

	acpi_put(madt, 36, APIC_AT, 4);
	return madt;
}

/* Not enabled, without an APIC, and one that never answers; ours comes last. */
static void list_holes(struct full_system *w, uint64_t n)
{
	uint8_t *madt = make_madt(w, 3);

	acpi_put_cpu(madt, 0, 4, 0);
	acpi_put_cpu(madt, 1, NO_APIC, MADT_ENABLED);
	acpi_put_cpu(madt, 2, SILENT, MADT_ENABLED);
	acpi_put_cpu(madt, 3, 0, MADT_ENABLED);
	acpi_list_all(w);
}

static void list_online_capable(struct full_system *w, uint64_t n)
{
	uint8_t *madt = make_madt(w, 2);

	acpi_put_cpu(madt, 0, 0, MADT_ENABLED);
	acpi_put_cpu(madt, 1, 2, MADT_ONLINE_CAPABLE);
	acpi_put_cpu(madt, 2, 4, MADT_ONLINE_CAPABLE);
	acpi_list_all(w);
}

static void list_zeros(struct full_system *w, uint64_t n)
{
	uint64_t tables[] = { 0, acpi_address(w, acpi_table(w, "FACP")), 0, 0,
		acpi_address(w, acpi_table(w, "APIC")), acpi_address(w, acpi_table(w, "HPET")), 0 };

	acpi_list(w, tables, sizeof(tables) / sizeof(*tables));
}

static void spoil_sums(struct full_system *w, uint64_t n)
{
	static const char *const all[] = { "XSDT", "RSDT", "FACP", "APIC", "HPET" };
	unsigned i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		acpi_table(w, all[i])[SUM_AT] ^= 0x55;
}

/* ACPI 1.0: the root pointer ends behind the address of the RSDT. */
static void remove_xsdt(struct full_system *w, uint64_t n)
{
	uint8_t *root = ram_at(&w->ram, ACPI_AT, 36);

	memcpy(acpi_table(w, "XSDT"), "none", 4);
	root[15] = 0;
	acpi_sum_root(w);
	memset(root + 20, 0, 16);
}

const struct misbehaviour hostile_acpi[] = {
	{ "madt-holes", list_holes, 0 },
	{ "madt-online-capable", list_online_capable, 0 },
	{ "xsdt-zeros", list_zeros, 0 },
	{ "acpi-bad-sums", spoil_sums, 0 },
	{ "rsdt-only", remove_xsdt, 0 },
	{ 0 },
};
