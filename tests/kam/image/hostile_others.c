/* SPDX-License-Identifier: MIT */
/*
 * The other processors, which this machine does not have: they are in its tables, the firmware's
 * services for them (UEFI PI 1.7, volume 2, 13.4) may be there, and they never answer.
 */
#include <string.h>

#include "tests/kam/image/acpi_maker.h"
#include "tests/kam/image/fake_efi.h"
#include "tests/kam/image/full_system_others.h"
#include "tests/kam/image/hostile.h"

#define OTHER 2 /* its APIC id */
enum { COUNT = 0, INFORMATION = 8, START_ONE = 24 };
enum { IS_BOOT = 1, IS_USABLE = 6 };

static uint8_t *make_madt(struct full_system *w, uint32_t bytes)
{
	uint8_t *madt = acpi_make(w, "APIC", MADT_ENTRIES + MADT_ENTRY_BYTES + bytes);

	acpi_put(madt, 36, APIC_AT, 4);
	acpi_put_cpu(madt, 0, 0, MADT_ENABLED);
	return madt;
}

static void list_two(struct full_system *w)
{
	acpi_put_cpu(make_madt(w, MADT_ENTRY_BYTES), 1, OTHER, MADT_ENABLED);
	acpi_list_all(w);
}

/* --- the services --- */

static uint64_t mp_count(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	*efi_number(w, a[1]) = *efi_number(w, a[2]) = 2;
	return EFI_SUCCESS;
}

static uint64_t mp_information(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	if (a[1] > 1)
		return EFI_NOT_FOUND;
	*efi_number(w, a[2]) = a[1] ? OTHER : 0;
	*efi_number(w, a[2] + 8) = IS_USABLE | (a[1] ? 0 : IS_BOOT) | a[1] << 32;
	return EFI_SUCCESS;
}

static uint64_t start_hangs(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	system_end(w, "hang in StartupThisAP");
	return EFI_SUCCESS;
}

static uint64_t refusal;

static uint64_t start_refused(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return refusal | 1ULL << 63;
}

static uint64_t start_nobody(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return EFI_SUCCESS;
}

static uint64_t locate(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	static const EFI_GUID mp = { 0x3fdda605, 0xa76e, 0x4f46,
		{ 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 } };

	if (memcmp(ram_at(&w->ram, a[0], sizeof(mp)), &mp, sizeof(mp)))
		return EFI_NOT_FOUND;
	*efi_number(w, a[2]) = efi_table_at(EFI_MP);
	return EFI_SUCCESS;
}

/* An event is a number that is never signalled. */
static uint64_t create_event(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	*efi_number(w, a[4]) = EFI_DEVICE_HANDLE + 8;
	return EFI_SUCCESS;
}

static uint64_t check_event(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return EFI_NOT_READY;
}

static void offer_services(struct full_system *w, efi_service_fn *start)
{
	list_two(w);
	efi_replace(w, EFI_BOOT, offsetof(EFI_BOOT_SERVICES, LocateProtocol), locate);
	efi_replace(w, EFI_BOOT, offsetof(EFI_BOOT_SERVICES, CreateEvent), create_event);
	efi_replace(w, EFI_BOOT, offsetof(EFI_BOOT_SERVICES, CheckEvent), check_event);
	efi_replace(w, EFI_BOOT, offsetof(EFI_BOOT_SERVICES, CloseEvent), start_nobody);
	efi_replace(w, EFI_MP, COUNT, mp_count);
	efi_replace(w, EFI_MP, INFORMATION, mp_information);
	efi_replace(w, EFI_MP, START_ONE, start);
}

static void never_return(struct full_system *w, uint64_t n)
{
	offer_services(w, start_hangs);
}

static void never_run(struct full_system *w, uint64_t n)
{
	offer_services(w, start_nobody);
}

static void refuse(struct full_system *w, uint64_t n)
{
	refusal = n;
	offer_services(w, start_refused);
}

static void no_services(struct full_system *w, uint64_t n)
{
	list_two(w);
}

/* ACPI 6.5, 5.2.12.12: a local x2APIC. */
static void list_high_id(struct full_system *w, uint64_t n)
{
	uint8_t *madt = make_madt(w, 16);
	uint32_t at = MADT_ENTRIES + MADT_ENTRY_BYTES;

	acpi_put(madt, at, 9 | 16 << 8, 4);
	acpi_put(madt, at + 4, n, 4);
	acpi_put(madt, at + 8, MADT_ENABLED, 4);
	acpi_list_all(w);
	others_set_id(w, 1, (uint32_t)n);
}

static void nmi_before_hlt(struct full_system *w, uint64_t n)
{
	others_nmi_before_hlt(w);
}

const struct misbehaviour hostile_others[] = {
	{ "mp-absent", no_services, 0 },
	{ "mp-never-returns", never_return, 0 },
	{ "mp-refuses", refuse, 3 },
	{ "ap-spins", never_run, 0 },
	{ "apic-id-over-255", list_high_id, 300 },
	{ "nmi-before-hlt", nmi_before_hlt, 0 },
	{ "nmi-stray", others_stray_nmis, 2 },
	{ 0 },
};
