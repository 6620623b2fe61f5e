/* SPDX-License-Identifier: MIT */
/*
 * How the machine comes back to this medium: BootNext names the boot option that started it. Where
 * that option is of another device (a boot loader there started this image, or the firmware numbers
 * its options anew), it names one of our own, which is in no boot order and is deleted at the next
 * start.
 */
#include "efi/config_file.h"

#include <string.h>

#include "lib/boot_option.h"
#include "lib/stored_result.h"
#include "lib/text.h"

#define NON_VOLATILE                                                                               \
	(EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS)
#define DESCRIPTION  "anechoic: a result waits"
#define OPTION_BYTES 4096 /* more is optional data of other programs */
#define OPTIONS_MOST 256  /* numbers that are tried for our own */

static EFI_GUID anechoic = STORED_RESULT_GUID(GUID_FIELDS);
static EFI_GUID global = EFI_GLOBAL_VARIABLE;
static CHAR16 own_number[] = L"AnechoicEntry"; /* the number of our own, before it is made */

static unsigned char option[OPTION_BYTES]; /* one that was read */
static unsigned char own[1024];
static UINTN own_bytes; /* 0: none is needed */
static UINT16 number;   /* what BootNext is set to */

static EFI_STATUS get(CHAR16 *name, EFI_GUID *vendor, void *data, UINTN *n)
{
	UINT32 attributes;

	return fw.runtime->GetVariable(name, vendor, &attributes, n, data);
}

static EFI_STATUS set(CHAR16 *name, EFI_GUID *vendor, void *data, UINTN n)
{
	return fw.runtime->SetVariable(name, vendor, NON_VOLATILE, n, data);
}

/* "Boot001F" */
static void option_name(CHAR16 out[9], UINT16 which)
{
	char name[9];

	text_format(name, sizeof(name), "Boot%04X", which);
	text_widen(out, 9, name);
}

/* Reads Boot#### into `option`. Its bytes; 0: there is none. */
static UINTN read_option(UINT16 which)
{
	UINTN n = OPTION_BYTES;
	CHAR16 name[9];

	option_name(name, which);
	EFI_STATUS status = get(name, &global, option, &n);
	if (status == EFI_BUFFER_TOO_SMALL) {
		memset(option, 0, sizeof(option));
		return OPTION_BYTES; /* not read, but there */
	}
	return EFI_ERROR(status) ? 0 : n;
}

static bool find_number(UINT16 *out)
{
	for (UINT16 i = 0; i < OPTIONS_MOST; i++)
		if (!read_option(i)) {
			*out = i;
			return true;
		}
	return false;
}

static enum way_home find_way(void)
{
	EFI_DEVICE_PATH *device = path_of(fw.loaded->DeviceHandle), *file = fw.loaded->FilePath;
	size_t device_bytes = device ? device_path_bytes(device, PATH_MOST) : 0;
	size_t file_bytes = file ? device_path_bytes(file, PATH_MOST) : 0;
	UINTN n = sizeof(number);
	bool known = !EFI_ERROR(get(L"BootCurrent", &global, &number, &n));

	if (known &&
		(!device_bytes ||
			boot_option_starts(option, read_option(number), device, device_bytes)))
		return HOME_BOOT_CURRENT;
	if (!device_bytes || !file_bytes || !find_number(&number))
		return HOME_UNKNOWN;
	own_bytes = boot_option_make(own, sizeof(own), DESCRIPTION, device, device_bytes, file,
		file_bytes);
	return own_bytes ? HOME_OWN_OPTION : HOME_UNKNOWN;
}

/* The note first: what it names is deleted only if it is ours. */
static uint64_t boot_next(void)
{
	EFI_STATUS status = EFI_SUCCESS;
	CHAR16 name[9];

	if (own_bytes) {
		option_name(name, number);
		status = set(own_number, &anechoic, &number, sizeof(number));
		if (!EFI_ERROR(status))
			status = set(name, &global, own, own_bytes);
	}
	return EFI_ERROR(status) ? status : set(L"BootNext", &global, &number, sizeof(number));
}

/* An option of our own from an earlier start has done its duty. */
static void forget_own(void)
{
	UINTN n = sizeof(number);
	CHAR16 name[9];

	if (EFI_ERROR(get(own_number, &anechoic, &number, &n)))
		return;
	option_name(name, number);
	if (boot_option_is_called(option, read_option(number), DESCRIPTION))
		set(name, &global, NULL, 0);
	set(own_number, &anechoic, NULL, 0);
}

void boot_next_find(struct machine *m)
{
	forget_own();
	m->boot_next = boot_next;
	m->home = find_way();
}
