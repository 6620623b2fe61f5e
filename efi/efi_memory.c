/* SPDX-License-Identifier: MIT */
/* The memory map, and memory that the kernel chooses from it. */
#include <string.h>

#include "efi/firmware.h"
#include "lib/boot_option.h"

#define KIB  (1ULL << 10)
#define PAGE (4 * KIB)

#define MAP_SLACK (256 * KIB) /* for what the map may grow by until the exit */
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

static UINTN map_bytes; /* of the buffer for the map */

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

EFI_STATUS memory_take(struct machine *m)
{
	UINT32 version;
	UINTN key, entry_bytes, bytes = 0;

	m->low = take_low();
	fw.boot->GetMemoryMap(&bytes, NULL, &key, &entry_bytes, &version); /* how large it is */
	map_bytes = bytes + MAP_SLACK;
	m->map.entries = memory_pages(map_bytes);
	if (!m->map.entries)
		return EFI_OUT_OF_RESOURCES;
	m->memory_claim = claim;
	return read_map(&m->map, &key);
}

/*
 * The map may change between reading it and the exit (a timer's handler allocates): then both are
 * done again. After the first failure nothing else may be called.
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

void exit_open(struct machine *m)
{
	m->exit_boot_services = exit_boot_services;
}

/*
 * Whether a volume can be written, found out without a write. A device that refuses one may be lost
 * by that: EDK2's driver for USB disks repeats a refused write five times, then resets the port
 * (UsbMassWriteBlocks). Under OVMF 2022.11 the device does not answer from then on, and to connect
 * drivers to it takes more than nine minutes. That driver does not mark a CD as read-only either
 * (UsbBootDetectMedia), and a CD is what many servers' virtual media are.
 */

bool write_protected(EFI_HANDLE handle)
{
	static EFI_GUID block_io = EFI_BLOCK_IO_PROTOCOL_GUID;
	EFI_BLOCK_IO *device = protocol_of(handle, &block_io);
	EFI_DEVICE_PATH *path = path_of(handle);

	return (device && device->Media->ReadOnly) || (path && device_path_is_cd(path, PATH_MOST));
}
