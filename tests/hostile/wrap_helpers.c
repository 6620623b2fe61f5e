/* SPDX-License-Identifier: MIT */
/* Helpers of all wrap_*.c: memory, time, text and the protocols that the image asks for. */
#include <string.h>

#include "kernel/cpu/x86.h"
#include "tests/hostile/hostile_efi.h"

#define PROTOCOLS_MAX 8

static uint64_t ticks_per_ms;

static struct replaced {
	const EFI_GUID *guid;
	void *(*wrap)(void *);
} replaced[PROTOCOLS_MAX];
static unsigned nreplaced;

void *pages_of(EFI_MEMORY_TYPE type, UINTN pages)
{
	EFI_PHYSICAL_ADDRESS at;

	if (EFI_ERROR(real.boot->AllocatePages(AllocateAnyPages, type, pages, &at)))
		return NULL;
	return memset((void *)at, 0, pages * PAGE_BYTES);
}

void measure_tsc(void)
{
	uint64_t before = __builtin_ia32_rdtsc();

	real.boot->Stall(10000);
	ticks_per_ms = (__builtin_ia32_rdtsc() - before) / 10;
}

void pass_milliseconds(uint64_t ms)
{
	uint64_t from = __builtin_ia32_rdtsc();

	while (__builtin_ia32_rdtsc() - from < ms * ticks_per_ms)
		__builtin_ia32_pause();
}

enum { COM1 = 0x3f8, LINE_STATUS = 5, CAN_SEND = 0x20 };

static void tell(const char *text)
{
	for (; *text; text++) {
		while (!(in8(COM1 + LINE_STATUS) & CAN_SEND))
			;
		out8(COM1, (uint8_t)*text);
	}
}

void hang_in(const char *call)
{
	tell("\r\nhostile: hangs in ");
	tell(call);
	tell("\r\n");
	for (;;)
		__builtin_ia32_pause();
}

bool same_text(const CHAR16 *a, const CHAR16 *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static const struct replaced *find(const EFI_GUID *guid)
{
	for (unsigned i = 0; guid && i < nreplaced; i++)
		if (memcmp(replaced[i].guid, guid, sizeof *guid) == 0)
			return &replaced[i];
	return NULL;
}

/* Replace the firmware's interface with the one that the image gets. */
static EFI_STATUS exchange(const EFI_GUID *guid, EFI_STATUS status, void **interface)
{
	const struct replaced *r = find(guid);

	if (!r || EFI_ERROR(status))
		return status;
	void *other = r->wrap ? r->wrap(*interface) : NULL;
	*interface = other;
	return other ? EFI_SUCCESS : EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **interface)
{
	return exchange(guid, real.boot->HandleProtocol(handle, guid, interface), interface);
}

static EFI_STATUS EFIAPI open_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **interface,
	EFI_HANDLE agent, EFI_HANDLE controller, UINT32 attributes)
{
	EFI_STATUS status =
		real.boot->OpenProtocol(handle, guid, interface, agent, controller, attributes);

	return interface ? exchange(guid, status, interface) : status;
}

static EFI_STATUS EFIAPI locate_protocol(EFI_GUID *guid, void *registration, void **interface)
{
	return exchange(guid, real.boot->LocateProtocol(guid, registration, interface), interface);
}

static EFI_STATUS EFIAPI locate_handles(EFI_LOCATE_SEARCH_TYPE how, EFI_GUID *guid, void *key,
	UINTN *n, EFI_HANDLE **handles)
{
	const struct replaced *r = find(guid);

	if (r && !r->wrap)
		return EFI_NOT_FOUND;
	return real.boot->LocateHandleBuffer(how, guid, key, n, handles);
}

void protocol_replace(const EFI_GUID *guid, void *(*wrap)(void *))
{
	if (nreplaced == PROTOCOLS_MAX)
		return;
	replaced[nreplaced++] = (struct replaced){ guid, wrap };
	given.boot.HandleProtocol = handle_protocol;
	given.boot.OpenProtocol = open_protocol;
	given.boot.LocateProtocol = locate_protocol;
	given.boot.LocateHandleBuffer = locate_handles;
}
