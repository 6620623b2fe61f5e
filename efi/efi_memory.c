/* SPDX-License-Identifier: MIT */
/* Takes memory to measure and memory to work in; the rest stays the firmware's. */
#include "efi/loader.h"

#include <string.h>

#define KIB  (1ULL << 10)
#define MIB  (1ULL << 20)
#define GIB  (1ULL << 30)
#define PAGE (4 * KIB)

#define MAP_BYTES (256 * KIB)
#define LOW_PAGES 8
#define ARENA_MAX (4 * GIB)

void *memory_pages(UINTN bytes)
{
	EFI_PHYSICAL_ADDRESS at;
	UINTN pages = (bytes + PAGE - 1) / PAGE;

	if (EFI_ERROR(fw.boot->AllocatePages(AllocateAnyPages, EfiLoaderData, pages, &at)))
		return NULL;
	return memset((void *)at, 0, pages * PAGE);
}

static EFI_STATUS read_map(struct memory_map *map, UINTN *key)
{
	UINT32 version;
	UINTN bytes = MAP_BYTES, entry_bytes;

	EFI_STATUS status = fw.boot->GetMemoryMap(&bytes, (EFI_MEMORY_DESCRIPTOR *)map->entries,
		key, &entry_bytes, &version);
	map->bytes = EFI_ERROR(status) ? 0 : bytes;
	map->entry_bytes = entry_bytes;
	return status;
}

static const struct memory_entry *entry(const struct memory_map *map, size_t at)
{
	return (const struct memory_entry *)(map->entries + at);
}

/* Free memory that can be write-back, or whose attributes the firmware does not list. */
static bool is_free(const struct memory_entry *e)
{
	return e->type == EfiConventionalMemory &&
		(!e->attributes || (e->attributes & EFI_MEMORY_WB));
}

static uint64_t free_bytes(const struct memory_map *map)
{
	uint64_t sum = 0;

	for (size_t at = 0; at + sizeof(struct memory_entry) <= map->bytes; at += map->entry_bytes)
		if (is_free(entry(map, at)))
			sum += entry(map, at)->pages * PAGE;
	return sum;
}

static uint64_t clamp(uint64_t value, uint64_t min, uint64_t max)
{
	return value < min ? min : value > max ? max : value;
}

/* The largest free block aligned to `align`, a multiple of it and at most `max`; bytes 0: none. */
static struct span largest(const struct memory_map *map, uint64_t align, uint64_t max)
{
	struct span best = { 0, 0 };

	for (size_t at = 0; at + sizeof(struct memory_entry) <= map->bytes;
		at += map->entry_bytes) {
		const struct memory_entry *e = entry(map, at);
		uint64_t first = (e->base + align - 1) & -align;
		uint64_t end = (e->base + e->pages * PAGE) & -align;
		if (!is_free(e) || end <= first)
			continue;
		uint64_t bytes = clamp(end - first, 0, max & -align);
		/* >=: the highest of equals, away from the memory that devices are given */
		if (bytes && bytes >= best.bytes)
			best = (struct span){ end - bytes, bytes };
	}
	return best;
}

static bool take(struct span *s)
{
	EFI_PHYSICAL_ADDRESS at = s->base;

	return s->bytes &&
		!EFI_ERROR(fw.boot->AllocatePages(AllocateAddress, EfiLoaderData, s->bytes / PAGE,
			&at));
}

/*
 * The arena: whole gigabytes if one is free, else the largest block of 2 MiB pages, at most half as
 * large after each refusal. 1/16 and 32 MiB are left to the firmware.
 */
static struct span take_arena(const struct memory_map *map)
{
	uint64_t all = free_bytes(map), reserve = 32 * MIB + all / 16;
	uint64_t max = all > reserve ? clamp(all - reserve, 0, ARENA_MAX) : 0;
	struct span s = largest(map, GIB, max);

	if (take(&s))
		return s;
	for (; max >= 2 * MIB; max /= 2) {
		s = largest(map, 2 * MIB, max);
		if (take(&s))
			return s;
	}
	return (struct span){ 0, 0 };
}

static struct span take_low(void)
{
	EFI_PHYSICAL_ADDRESS at = 0x9ffff;

	/*
	 * Loader code, because other processors start in it, perhaps on the firmware's page tables.
	 */
	if (EFI_ERROR(fw.boot->AllocatePages(AllocateMaxAddress, EfiLoaderCode, LOW_PAGES, &at)))
		return (struct span){ 0, 0 };
	return (struct span){ at, LOW_PAGES * PAGE };
}

static struct span take_some(uint64_t bytes)
{
	void *at = memory_pages(bytes);

	return (struct span){ (UINTN)at, at ? bytes : 0 };
}

EFI_STATUS memory_take(struct machine *m)
{
	UINTN key;

	m->low = take_low();
	m->map.entries = memory_pages(MAP_BYTES);
	if (!m->map.entries)
		return EFI_OUT_OF_RESOURCES;
	EFI_STATUS status = read_map(&m->map, &key);
	if (EFI_ERROR(status))
		return status;
	uint64_t all = free_bytes(&m->map);
	m->work = take_some(clamp(all / 8, 24 * MIB, 64 * MIB));
	m->logs = take_some(clamp(all / 16, 8 * MIB, 32 * MIB));
	if (!m->work.bytes || !m->logs.bytes)
		return EFI_OUT_OF_RESOURCES;
	status = read_map(&m->map, &key);
	if (EFI_ERROR(status))
		return status;
	m->arena = take_arena(&m->map);
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
