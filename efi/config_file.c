/* SPDX-License-Identifier: MIT */
/* The configuration as raw bytes: the file \anechoic.cfg and the load options. */
#include "efi/loader.h"

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
