/* SPDX-License-Identifier: MIT */
/* The firmware itself: its tables, its name, its text. */
#include "efi/loader.h"

struct firmware fw;

void text_widen(CHAR16 *out, UINTN n, const char *text)
{
	UINTN i = 0;

	for (; i + 1 < n && text[i]; i++)
		out[i] = (unsigned char)text[i];
	out[i] = 0;
}

void text_narrow(char *out, UINTN n, const CHAR16 *text)
{
	UINTN i = 0;

	for (; text && i + 1 < n && text[i]; i++)
		out[i] = text[i] >= ' ' && text[i] <= '~' ? (char)text[i] : '?';
	out[i] = 0;
}

void *protocol_of(EFI_HANDLE handle, EFI_GUID *guid)
{
	void *interface;

	return EFI_ERROR(fw.boot->HandleProtocol(handle, guid, &interface)) ? NULL : interface;
}

EFI_DEVICE_PATH *path_of(EFI_HANDLE device)
{
	static EFI_GUID guid = EFI_DEVICE_PATH_PROTOCOL_GUID;

	return protocol_of(device, &guid);
}

EFI_STATUS firmware_open(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct machine *m)
{
	static EFI_GUID loaded_image = EFI_LOADED_IMAGE_PROTOCOL_GUID;

	fw.image = image;
	fw.system = system;
	fw.boot = system->BootServices;
	fw.runtime = system->RuntimeServices;
	/* The firmware resets a machine whose program runs for five minutes: not this one. */
	fw.boot->SetWatchdogTimer(0, 0, 0, NULL);

	EFI_STATUS status = fw.boot->HandleProtocol(image, &loaded_image, (void **)&fw.loaded);
	if (EFI_ERROR(status))
		return status;
	m->image = (struct span){ (UINTN)fw.loaded->ImageBase, fw.loaded->ImageSize };
	text_narrow(m->firmware_vendor, sizeof(m->firmware_vendor), system->FirmwareVendor);
	m->firmware_revision = system->FirmwareRevision;
	m->uefi_revision = system->Hdr.Revision;
	return EFI_SUCCESS;
}
