/* SPDX-License-Identifier: MIT */
/* The firmware itself: its tables, its name, its text and its clock. */
#include "efi/firmware.h"
#include "lib/math.h"

struct firmware fw;

void text_widen(CHAR16 *out, UINTN n, const char *text)
{
	UINTN i = 0;

	for (; i + 1 < n && text[i]; i++)
		out[i] = (unsigned char)text[i];
	out[i] = 0;
}

/* Copies UCS-2 to ASCII of at most n - 1 characters; what is not printable becomes '?'. */
static void text_narrow(char *out, UINTN n, const CHAR16 *text)
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

/* Codes up to ffffh are the firmware's own (UEFI 2.10, 7.5). */
static uint64_t watchdog(unsigned seconds)
{
	return fw.boot->SetWatchdogTimer(seconds, 0x10000, 0, NULL);
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
	m->watchdog = watchdog;

	EFI_STATUS status = fw.boot->HandleProtocol(image, &loaded_image, (void **)&fw.loaded);
	if (EFI_ERROR(status))
		return status;
	m->image = (struct span){ (UINTN)fw.loaded->ImageBase, fw.loaded->ImageSize };
	text_narrow(m->firmware_vendor, sizeof(m->firmware_vendor), system->FirmwareVendor);
	m->firmware_revision = system->FirmwareRevision;
	m->uefi_revision = system->Hdr.Revision;
	return EFI_SUCCESS;
}

/* The time of day, in UTC. */

/* Moves a local time to UTC: local = UTC - zone, in minutes (UEFI 2.10, 8.3). */
static void to_utc(EFI_TIME *t)
{
	INT64 minutes = date_to_days(t->Year, t->Month, t->Day) * 1440 + t->Hour * 60 + t->Minute +
		t->TimeZone;
	INT64 days = minutes / 1440, year = t->Year + 1;
	int month = 12;

	while (date_to_days(year, 1, 1) > days)
		year--;
	while (date_to_days(year, month, 1) > days)
		month--;
	t->Year = (UINT16)year;
	t->Month = (UINT8)month;
	t->Day = (UINT8)(days - date_to_days(year, month, 1) + 1);
	t->Hour = (UINT8)(minutes % 1440 / 60);
	t->Minute = (UINT8)(minutes % 60);
}

static void put_digits(char **out, unsigned value, unsigned digits)
{
	for (unsigned i = digits; i-- > 0; value /= 10)
		(*out)[i] = (char)('0' + value % 10);
	*out += digits;
}

void clock_read(struct machine *m)
{
	EFI_TIME t;
	char *out = m->started_utc;

	if (EFI_ERROR(fw.runtime->GetTime(&t, NULL)) || t.Year < 1971 || t.Year > 9999 ||
		t.Month < 1 || t.Month > 12)
		return;
	if (t.TimeZone >= -1440 && t.TimeZone <= 1440) /* else the zone is not known */
		to_utc(&t);
	put_digits(&out, t.Year, 4);
	put_digits(&out, t.Month, 2);
	put_digits(&out, t.Day, 2);
	*out++ = 'T';
	put_digits(&out, t.Hour, 2);
	put_digits(&out, t.Minute, 2);
	put_digits(&out, t.Second, 2);
	*out++ = 'Z';
}
