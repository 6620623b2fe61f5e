/* SPDX-License-Identifier: MIT */
/* The entry: fills struct machine by the firmware's services and calls the kernel. */
#include "efi/firmware.h"

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, UINT64 entry_ticks);

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, UINT64 entry_ticks)
{
	static struct machine m;

	m.entry_ticks = entry_ticks;
	EFI_STATUS status = firmware_open(image, system, &m); /* the loaded image; watchdog off */
	if (EFI_ERROR(status))
		return status;
	console_open(&m);         /* print, key, stall */
	clock_read(&m);           /* when this run started */
	files_open(&m);           /* files in \results\, */
	server_open(&m);          /* or on the server of a network start */
	boot_volume_open(&m);     /* what it has is read before anything is written: */
	config_read(&m);          /* \anechoic.cfg */
	options_read(&m);         /* load options */
	places_find(&m);          /* on which volume \results\ is */
	tables_find(&m);          /* ACPI, SMBIOS */
	screen_find(&m);          /* framebuffer */
	display_open(&m);         /* and who else writes to it */
	variables_open(&m);       /* non-volatile store, reset */
	boot_next_find(&m);       /* BootNext */
	cpus_open(&m);            /* the other processors, before ExitBootServices */
	exit_open(&m);            /* ExitBootServices */
	status = memory_take(&m); /* the memory map */
	if (EFI_ERROR(status))
		return status;
	kernel_main(&m);
	memory_give_back(); /* what starts next may need it */
	/*
	 * After EFI_SUCCESS a boot manager may show its menu and wait for ever; after an error it
	 * takes the next entry, the machine's own system (UEFI 2.10, 3.1.1).
	 */
	return EFI_ABORTED;
}
