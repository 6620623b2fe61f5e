/* SPDX-License-Identifier: MIT */
/*
 * Common to all of efi/: the firmware's tables and protocols, its text, and its memory: the map,
 * and the allocations.
 */
#include <string.h>

#include "efi/firmware.h"

struct firmware fw;

void text_widen(CHAR16 *out, UINTN n, const char *text)
{
	UINTN i = 0;

	for (; i + 1 < n && text[i]; i++)
		out[i] = (unsigned char)text[i];
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

void *table_find(const EFI_GUID *guid)
{
	for (UINTN i = 0; i < fw.system->NumberOfTableEntries; i++) {
		EFI_CONFIGURATION_TABLE *table = &fw.system->ConfigurationTable[i];
		if (!memcmp(&table->VendorGuid, guid, sizeof(*guid)))
			return table->VendorTable;
	}
	return NULL;
}

/* --- memory --- */

#define KIB  (1ULL << 10)
#define PAGE (4 * KIB)

#define MAP_SLACK (256 * KIB) /* for the growth of the map until the exit */
#define LOW_PAGES 8

#define TAKEN 64 /* allocations that are remembered; there are about 40 */

static struct span taken[TAKEN];
static unsigned ntaken;

static EFI_STATUS allocate(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages,
	EFI_PHYSICAL_ADDRESS *at)
{
	EFI_STATUS status = fw.boot->AllocatePages(how, type, pages, at);

	if (!EFI_ERROR(status) && ntaken < TAKEN)
		taken[ntaken++] = (struct span){ *at, pages * PAGE };
	return status;
}

void memory_give_back(void)
{
	while (ntaken--)
		fw.boot->FreePages(taken[ntaken].base, taken[ntaken].bytes / PAGE);
	ntaken = 0;
}

void *memory_pages(UINTN bytes)
{
	EFI_PHYSICAL_ADDRESS at;
	UINTN pages = (bytes + PAGE - 1) / PAGE;

	if (EFI_ERROR(allocate(AllocateAnyPages, EfiLoaderData, pages, &at)))
		return NULL;
	return memset((void *)at, 0, pages * PAGE);
}

static UINTN map_bytes; /* size of the buffer for the map */

static EFI_STATUS read_map(struct memory_map *map, UINTN *key)
{
	UINT32 version;
	UINTN bytes = map_bytes, entry_bytes;

	EFI_STATUS status = fw.boot->GetMemoryMap(&bytes, (EFI_MEMORY_DESCRIPTOR *)map->entries,
		key, &entry_bytes, &version);
	map->bytes = EFI_ERROR(status) ? 0 : bytes;
	map->entry_bytes = entry_bytes;
	return status;
}

static bool claim(struct machine *m, struct span *s)
{
	EFI_PHYSICAL_ADDRESS at = s->base;
	EFI_ALLOCATE_TYPE how = at ? AllocateAddress : AllocateAnyPages;
	UINTN key;

	if (EFI_ERROR(allocate(how, EfiLoaderData, s->bytes / PAGE, &at)))
		return false;
	s->base = at;
	return !EFI_ERROR(read_map(&m->map, &key));
}

static struct span take_low(void)
{
	EFI_PHYSICAL_ADDRESS at = 0x9ffff;

	/*
	 * Loader code, because other processors start in it, perhaps on the firmware's page tables.
	 */
	if (EFI_ERROR(allocate(AllocateMaxAddress, EfiLoaderCode, LOW_PAGES, &at)))
		return (struct span){ 0, 0 };
	return (struct span){ at, LOW_PAGES * PAGE };
}

/*
 * Read the map and exit. The map may change in between (a timer's handler allocates): then do both
 * again. After the first failure no other call is allowed.
 */
static uint64_t exit_boot_services(struct machine *m)
{
	EFI_STATUS status = EFI_SUCCESS;
	UINTN key;

	for (int tries = 0; tries < 8; tries++) {
		status = read_map(&m->map, &key);
		if (EFI_ERROR(status))
			return status;
		status = fw.boot->ExitBootServices(fw.image, key);
		if (!EFI_ERROR(status)) {
			__asm__ volatile("cli" ::: "memory");
			fw.boot = NULL;
			return EFI_SUCCESS;
		}
	}
	return status;
}

EFI_STATUS memory_take(struct machine *m)
{
	UINT32 version;
	UINTN key, entry_bytes, bytes = 0;

	m->low = take_low();
	fw.boot->GetMemoryMap(&bytes, NULL, &key, &entry_bytes, &version); /* gets its size */
	map_bytes = bytes + MAP_SLACK;
	m->map.entries = memory_pages(map_bytes);
	if (!m->map.entries)
		return EFI_OUT_OF_RESOURCES;
	m->memory_claim = claim;
	m->exit_boot_services = exit_boot_services;
	return read_map(&m->map, &key);
}
