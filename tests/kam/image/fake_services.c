/* SPDX-License-Identifier: MIT */
/* The services that the image calls. UEFI 2.10, chapters 7, 8 and 12. */
#include <string.h>

#include "tests/kam/image/fake_efi.h"

#define BOOT(name, does)                                                                           \
	{                                                                                          \
		EFI_BOOT, offsetof(EFI_BOOT_SERVICES, name), does                                  \
	}
#define RUNTIME(name, does)                                                                        \
	{                                                                                          \
		EFI_RUNTIME, offsetof(EFI_RUNTIME_SERVICES, name), does                            \
	}
#define CON_IN(name, does)                                                                         \
	{                                                                                          \
		EFI_CON_IN, offsetof(SIMPLE_INPUT_INTERFACE, name), does                           \
	}
#define CON_OUT(name, does)                                                                        \
	{                                                                                          \
		EFI_CON_OUT, offsetof(SIMPLE_TEXT_OUTPUT_INTERFACE, name), does                    \
	}

/* --- boot services --- */

static uint64_t allocate_pages(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return memmap_take(&w->map, (unsigned)a[0], (uint32_t)a[1], a[2], efi_number(w, a[3]))
		? EFI_SUCCESS
		: a[0] == MEMMAP_AT ? EFI_NOT_FOUND
				    : EFI_OUT_OF_RESOURCES;
}

static uint64_t get_memory_map(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	uint64_t *bytes = efi_number(w, a[0]), needed = w->map.n * MEMMAP_ENTRY_BYTES;
	uint64_t room = *bytes;

	*bytes = needed;
	*efi_number(w, a[3]) = MEMMAP_ENTRY_BYTES;
	if (room < needed)
		return EFI_BUFFER_TOO_SMALL;
	memmap_write(&w->map, ram_at(&w->ram, a[1], needed));
	*efi_number(w, a[2]) = w->map.key;
	*(uint32_t *)ram_at(&w->ram, a[4], 4) = 1;
	return EFI_SUCCESS;
}

/*
 * Refuse the first call: the key is old, because a timer's handler seems to have allocated
 * something.
 */
static uint64_t exit_boot_services(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	if (a[0] != EFI_IMAGE_HANDLE || a[1] != w->map.key)
		return EFI_INVALID_PARAMETER;
	if (++w->exits > 1) {
		w->boot_watchdog = false; /* 7.4.6 */
		return EFI_SUCCESS;
	}
	w->map.key++;
	return EFI_INVALID_PARAMETER;
}

static bool is_guid(struct full_system *w, uint64_t address, EFI_GUID guid)
{
	return memcmp(ram_at(&w->ram, address, sizeof(guid)), &guid, sizeof(guid)) == 0;
}

static uint64_t handle_protocol(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	EFI_GUID loaded = EFI_LOADED_IMAGE_PROTOCOL_GUID;
	EFI_GUID volume = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;

	if (a[0] == EFI_IMAGE_HANDLE && is_guid(w, a[1], loaded))
		*efi_number(w, a[2]) = EFI_LOADED;
	else if (a[0] == EFI_DEVICE_HANDLE && is_guid(w, a[1], volume))
		*efi_number(w, a[2]) = efi_table_at(EFI_VOLUME);
	else
		return EFI_UNSUPPORTED;
	return EFI_SUCCESS;
}

static uint64_t stall(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	system_pass_time(w, a[0] * 1000);
	return EFI_SUCCESS;
}

static uint64_t set_watchdog_timer(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	w->boot_watchdog = false;
	return EFI_SUCCESS;
}

static uint64_t nothing(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return EFI_SUCCESS;
}

static uint64_t not_found(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return EFI_NOT_FOUND;
}

/* --- runtime services --- */

/* Always the same moment, a day later each start: results must not depend on the day. */
static uint64_t get_time(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	EFI_TIME *t = ram_at(&w->ram, a[0], sizeof(*t));

	*t = (EFI_TIME){ .Year = 2000, .Month = 1, .Day = (UINT8)(1 + w->kept.starts) };
	return EFI_SUCCESS;
}

static uint64_t reset_system(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	static const char *const how[] = { "reset by ResetSystem, cold",
		"reset by ResetSystem, warm", "switched off", "reset by ResetSystem, specific" };

	system_end(w, how[a[0] & 3]);
	return EFI_SUCCESS;
}

/* --- the console --- */

static uint64_t output_string(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	uint64_t at = a[1];
	uint16_t c;

	for (; (c = *(uint16_t *)ram_at(&w->ram, at, 2)) != 0; at += 2)
		fputc(c < 128 ? c : '?', w->said.to);
	system_progress(w);
	return EFI_SUCCESS;
}

static uint64_t no_key(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return EFI_NOT_READY;
}

const struct efi_service efi_services[] = {
	BOOT(AllocatePages, allocate_pages),
	BOOT(FreePages, nothing), /* its memory is never taken twice */
	BOOT(GetMemoryMap, get_memory_map),
	BOOT(ExitBootServices, exit_boot_services),
	BOOT(HandleProtocol, handle_protocol),
	BOOT(LocateProtocol, not_found),     /* one processor */
	BOOT(LocateHandleBuffer, not_found), /* no display */
	BOOT(SetWatchdogTimer, set_watchdog_timer),
	BOOT(Stall, stall),
	RUNTIME(GetTime, get_time),
	RUNTIME(ResetSystem, reset_system),
	CON_IN(ReadKeyStroke, no_key),
	CON_OUT(OutputString, output_string),
	CON_OUT(ClearScreen, nothing),
	{ 0 },
};
