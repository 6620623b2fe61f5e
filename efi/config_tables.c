/* SPDX-License-Identifier: MIT */
/* The configuration tables, among them ACPI's root and SMBIOS. */
#include "efi/config_tables.h"

#include <string.h>

#define SMBIOS_MOST (64 * 1024) /* bytes that are looked through for the machine's name */

void *table_find(const EFI_GUID *guid)
{
	for (UINTN i = 0; i < fw.system->NumberOfTableEntries; i++) {
		EFI_CONFIGURATION_TABLE *table = &fw.system->ConfigurationTable[i];
		if (!memcmp(&table->VendorGuid, guid, sizeof(*guid)))
			return table->VendorTable;
	}
	return NULL;
}

/* SMBIOS's structures by its entry point (DMTF DSP0134, 5.2); *n: their bytes. */
static const void *find_structures(UINTN *n)
{
	static const EFI_GUID smbios3 = { 0xf2fd1544, 0x9794, 0x4a2c,
		{ 0x99, 0x2e, 0xe5, 0xbb, 0xcf, 0x20, 0xe3, 0x94 } };
	static const EFI_GUID smbios2 = { 0xeb9d2d31, 0x2d88, 0x11d3,
		{ 0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d } };
	const unsigned char *entry = table_find(&smbios3);
	UINT64 at = 0;
	UINT32 bytes = 0;

	if (entry && !memcmp(entry, "_SM3_", 5)) {
		memcpy(&bytes, entry + 12, 4);
		memcpy(&at, entry + 16, 8);
	} else if ((entry = table_find(&smbios2)) && !memcmp(entry, "_SM_", 4)) {
		memcpy(&bytes, entry + 22, 2);
		memcpy(&at, entry + 24, 4);
	}
	*n = bytes < SMBIOS_MOST ? bytes : SMBIOS_MOST;
	return (const void *)at;
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
	UINTN n;
	const void *structures = find_structures(&n);
	if (structures)
		host_identity_smbios(structures, n, &m->host);
}
