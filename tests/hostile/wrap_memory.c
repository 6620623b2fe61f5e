/* SPDX-License-Identifier: MIT */
/* The memory map and the exit. */
#include <string.h>

#include "kernel/cpu/x86.h"
#include "tests/hostile/hostile_efi.h"

#define APIC_BASE     0x1b /* of MSRs; in bits 51:12 an address */
#define APIC_SPURIOUS 0xf0
#define APIC_LISTENS  0x100u

static uint64_t refusals; /* that are still to come */
static uint64_t growth;   /* entries, at every reading of the map */
static bool deaf;         /* the local APIC is off after the exit (SDM vol. 3A, 11.4.7.2) */

static EFI_STATUS EFIAPI exit_boot_services(EFI_HANDLE image, UINTN key)
{
	if (refusals) {
		refusals--;
		return EFI_INVALID_PARAMETER;
	}
	EFI_STATUS status = real.boot->ExitBootServices(image, key);
	given.exited = !EFI_ERROR(status);
	if (given.exited && deaf)
		*(volatile uint32_t *)((rdmsr(APIC_BASE) & 0xfffffffff000) + APIC_SPURIOUS) &=
			~APIC_LISTENS;
	return status;
}

static void begin_deaf(uint64_t n)
{
	deaf = true;
}

static void begin_refused(uint64_t n)
{
	refusals = n;
}

/* Every other page of a block is free again: so many entries more, half of them of free memory. */
static void split(uint64_t entries)
{
	char *block = pages_of(EfiBootServicesData, entries + 1);

	for (uint64_t i = 1; block && i < entries + 1; i += 2)
		real.boot->FreePages((EFI_PHYSICAL_ADDRESS)(block + i * PAGE_BYTES), 1);
}

static EFI_STATUS EFIAPI growing_map(UINTN *bytes, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
	UINTN *entry_bytes, UINT32 *version)
{
	split(growth);
	return real.boot->GetMemoryMap(bytes, map, key, entry_bytes, version);
}

static void begin_growing(uint64_t n)
{
	growth = n;
	given.boot.GetMemoryMap = growing_map;
}

/* Persistent, unaccepted and unknown; OEM's and system's (types as in UEFI 2.10, table 7.4). */
static const EFI_MEMORY_DESCRIPTOR odd[] = {
	{ .Type = 14, .PhysicalStart = 0x7000000000, .NumberOfPages = 256, .Attribute = 0x800f },
	{ .Type = 15, .PhysicalStart = 0x7100000000, .NumberOfPages = 256, .Attribute = 0xf },
	{ .Type = 16, .PhysicalStart = 0x7200000000, .NumberOfPages = 256, .Attribute = 0xf },
	{ .Type = 0x6fffffff, .PhysicalStart = 0x7300000000, .NumberOfPages = 256 },
	{ .Type = EfiConventionalMemory, .PhysicalStart = 0x7400000000, .NumberOfPages = 0 },
};

static EFI_STATUS EFIAPI odd_map(UINTN *bytes, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
	UINTN *entry_bytes, UINT32 *version)
{
	const UINTN n = sizeof odd / sizeof *odd;
	UINTN space = *bytes;
	EFI_STATUS status = real.boot->GetMemoryMap(bytes, map, key, entry_bytes, version);
	UINTN used = *bytes, more = n * *entry_bytes;

	if (status == EFI_BUFFER_TOO_SMALL || !EFI_ERROR(status))
		*bytes += more;
	if (EFI_ERROR(status))
		return status;
	if (*bytes > space)
		return EFI_BUFFER_TOO_SMALL;
	for (UINTN i = 0; i < n; i++)
		memcpy((char *)map + used + i * *entry_bytes, &odd[i], sizeof odd[i]);
	return EFI_SUCCESS;
}

static void begin_odd(uint64_t n)
{
	pages_of((EFI_MEMORY_TYPE)0x70000001, n);
	pages_of((EFI_MEMORY_TYPE)0x80000001, n);
	given.boot.GetMemoryMap = odd_map;
}

const struct firmware_misbehaviour memory_misbehaviours[] = {
	{ "exit-refused", 3, begin_refused },
	{ "map-grows", 16, begin_growing },
	{ "map-2000", 2000, split },
	{ "map-odd-types", 16, begin_odd },
	{ "apic-off", 1, begin_deaf },
	{ 0 },
};

void memory_watch_exit(void)
{
	given.boot.ExitBootServices = exit_boot_services;
}
