/* SPDX-License-Identifier: MIT */
/* The configuration tables, among them ACPI's root. */
#include "efi/config_tables.h"

#include <string.h>

void *table_find(const EFI_GUID *guid)
{
	for (UINTN i = 0; i < fw.system->NumberOfTableEntries; i++) {
		EFI_CONFIGURATION_TABLE *table = &fw.system->ConfigurationTable[i];
		if (!memcmp(&table->VendorGuid, guid, sizeof(*guid)))
			return table->VendorTable;
	}
	return NULL;
}

void tables_find(struct machine *m)
{
	static const EFI_GUID acpi2 = { 0x8868e871, 0xe4f1, 0x11d3,
		{ 0xbc, 0x22, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81 } };
	static const EFI_GUID acpi1 = { 0xeb9d2d30, 0x2d88, 0x11d3,
		{ 0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d } };

	void *root = table_find(&acpi2);
	if (!root)
		root = table_find(&acpi1);
	m->rsdp = (UINTN)root;
}
