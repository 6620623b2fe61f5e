/* SPDX-License-Identifier: MIT */
/* The memory map. */
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/fake_efi.h"
#include "tests/kam/image/hostile.h"

#define PAGE    4096ull
#define SPACING 0x10000ull /* between the pages in use of map-2000 */
#define HALF    (LOW_BYTES / 2)
#define ODD_AT  0xc0000000ull /* no memory is there */
#define HUGE_AT (4ull << 30)
#define HUGE    ((1ull << 40) - HUGE_AT) /* Unicorn has addresses of 40 bits */

static uint64_t growth;
static efi_service_fn *map_before, *allocate_before;

static uint64_t map_grows(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	uint64_t i, at;

	for (i = 0; i < growth; i++)
		memmap_take(&w->map, MEMMAP_ANY, MEMMAP_FIRMWARE_DATA, 1, &at);
	return map_before(w, a);
}

static void grow(struct full_system *w, uint64_t n)
{
	growth = n;
	map_before = efi_replace(w, EFI_BOOT, offsetof(EFI_BOOT_SERVICES, GetMemoryMap), map_grows);
}

static void fragment(struct full_system *w, uint64_t n)
{
	uint64_t i, at = HALF;

	for (i = 0; i < n / 2; i++, at += SPACING)
		if (!memmap_take(&w->map, MEMMAP_AT, MEMMAP_FIRMWARE_DATA, 1, &at))
			fatal("no memory for %lu entries", n);
}

/* UEFI 2.10, table 7.6: 10 to 14, what OEMs and systems may use, and none of them. */
static void add_odd_types(struct full_system *w, uint64_t n)
{
	static const uint32_t types[] = { 10, 11, 12, 13, 14, 16, 0x6fffffff, 0x70000001,
		0x80000001, 0xffffffff };
	uint64_t at = ODD_AT;
	unsigned i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++, at -= 2 * SPACING) { /* descending */
		memmap_add(&w->map, at, SPACING, types[i]);
		memmap_add(&w->map, at, 0, types[i]);
	}
	at = HALF; /* and among free memory */
	memmap_take(&w->map, MEMMAP_AT, 0x70000001, 16, &at);
}

/* The upper half becomes a range of its own. */
static struct memmap_range *upper_half(struct full_system *w, uint32_t type)
{
	uint64_t at = HALF;
	unsigned i;

	if (!memmap_take(&w->map, MEMMAP_AT, type, HALF / PAGE, &at))
		fatal("the upper half of the memory is in use");
	for (i = 0; w->map.range[i].base != HALF; i++)
		continue;
	return &w->map.range[i];
}

static uint64_t allocate_special(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	if (a[0] == MEMMAP_AT && *efi_number(w, a[3]) >= HALF)
		system_wrong(w, "memory for special purposes is taken");
	return allocate_before(w, a);
}

static void make_special(struct full_system *w, uint64_t n)
{
	upper_half(w, MEMMAP_FREE)->special = true;
	allocate_before = efi_replace(w, EFI_BOOT, offsetof(EFI_BOOT_SERVICES, AllocatePages),
		allocate_special);
}

static void on_unaccepted(uc_engine *uc, uc_mem_type type, uint64_t address, int bytes,
	int64_t value, void *priv)
{
	system_wrong(priv, "memory that is not accepted is accessed");
}

static void accept_none(struct full_system *w, uint64_t n)
{
	upper_half(w, MEMMAP_UNACCEPTED);
	system_hook(w, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, (void *)on_unaccepted, HALF,
		LOW_BYTES - 1);
}

static void add_huge(struct full_system *w, uint64_t n)
{
	if (w->ram.span[1].bytes)
		fatal("the machine has memory above 4 GiB already");
	ram_open_high(&w->ram, HUGE);
	memmap_add(&w->map, HUGE_AT, HUGE, MEMMAP_FREE);
	system_share_high(w);
}

const struct misbehaviour hostile_memory[] = {
	{ "map-grows", grow, 16 },
	{ "map-2000", fragment, 2000 },
	{ "map-odd-types", add_odd_types, 0 },
	{ "map-special-purpose", make_special, 0 },
	{ "map-unaccepted", accept_none, 0 },
	{ "map-1tib", add_huge, 0 },
	{ 0 },
};
