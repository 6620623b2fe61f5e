/* SPDX-License-Identifier: MIT */
/* The configuration as raw bytes: the file \anechoic.cfg and the load options. */
#include <string.h>

#include "efi/firmware.h"

#define CONFIG_BYTES (64 * 1024)

static void bad(struct text *t, const char *why)
{
	*t = (struct text){ .absent = why, .bad = true };
}

/* Reads up to n bytes; *n becomes what came. */
static EFI_STATUS read_all(EFI_FILE_HANDLE file, unsigned char *data, UINTN *n)
{
	UINTN used = 0;

	while (used < *n) {
		UINTN part = *n - used;
		EFI_STATUS status = file->Read(file, &part, data + used);
		if (EFI_ERROR(status))
			return status;
		if (!part)
			break;
		used += part;
	}
	*n = used;
	return EFI_SUCCESS;
}

void config_read(struct machine *m)
{
	EFI_FILE_HANDLE file;
	UINTN n = CONFIG_BYTES + 1;

	EFI_STATUS status = file_open("\\anechoic.cfg", EFI_FILE_MODE_READ, &file);
	if ((status == EFI_NOT_FOUND || status == EFI_UNSUPPORTED) && server_config(m, n))
		return;
	if (status == EFI_NOT_FOUND) {
		m->config.absent = "no file \\anechoic.cfg";
		return;
	}
	if (status == EFI_UNSUPPORTED) {
		m->config.absent = "no file system";
		return;
	}
	if (EFI_ERROR(status)) {
		bad(&m->config, "\\anechoic.cfg cannot be opened");
		return;
	}
	unsigned char *data = memory_pages(n);
	status = data ? read_all(file, data, &n) : EFI_OUT_OF_RESOURCES;
	file->Close(file);
	if (EFI_ERROR(status))
		bad(&m->config, "\\anechoic.cfg cannot be read");
	else if (n > CONFIG_BYTES)
		bad(&m->config, "\\anechoic.cfg is larger than 64 KiB");
	else
		m->config = (struct text){ .data = data, .bytes = n };
}

/*
 * Load options are UCS-2 by custom only: a boot entry may carry any bytes. Text is taken as text if
 * all of it is printable; anything else is refused as a whole.
 */
void options_read(struct machine *m)
{
	const CHAR16 *wide = fw.loaded->LoadOptions;
	UINTN n = wide ? fw.loaded->LoadOptionsSize / 2 : 0;

	m->options.absent = "none";
	if (!n && !(wide && fw.loaded->LoadOptionsSize))
		return;
	if (fw.loaded->LoadOptionsSize % 2) {
		bad(&m->options, "load options are not text (odd size)");
		return;
	}
	while (n && !wide[n - 1])
		n--;
	if (!n)
		return;
	if (n > CONFIG_BYTES) {
		bad(&m->options, "load options are larger than 64 KiB");
		return;
	}
	unsigned char *data = memory_pages(n);
	if (!data) {
		bad(&m->options, "no memory for the load options");
		return;
	}
	for (UINTN i = 0; i < n; i++) {
		bool space = wide[i] == '\t' || wide[i] == '\r' || wide[i] == '\n';
		if (!space && (wide[i] < ' ' || wide[i] > '~')) {
			bad(&m->options, "load options are not text");
			return;
		}
		data[i] = (unsigned char)wide[i];
	}
	m->options = (struct text){ .data = data, .bytes = n };
}

/* The configuration tables, among them ACPI's root and SMBIOS. */

#define SMBIOS_MOST (64 * 1024) /* bytes of its structures that are looked through */

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
	if (structures) {
		m->smbios = (struct span){ (UINTN)structures, n };
		smbios_read(structures, n, &m->host);
	}
}
