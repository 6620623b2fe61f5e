/* SPDX-License-Identifier: MIT */
/* From the firmware's call to the kernel's: what we take from the one and tell the other. */
#include "efi/loader.h"

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, UINT64 entry_ticks);

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, UINT64 entry_ticks)
{
	static struct machine m;

	m.entry_ticks = entry_ticks;
	EFI_STATUS status = firmware_open(image, system, &m); /* our own image, the watchdog off */
	if (EFI_ERROR(status))
		return status;
	console_open(&m);         /* print, key, stall */
	clock_read(&m);           /* when this run started */
	files_open(&m);           /* \results\ on the volume we came from */
	config_read(&m);          /* \anechoic.cfg */
	options_read(&m);         /* load options */
	tables_find(&m);          /* ACPI */
	screen_find(&m);          /* framebuffer */
	variables_open(&m);       /* non-volatile store, BootNext, reset */
	cpus_open(&m);            /* the other processors, while the firmware lives */
	exit_open(&m);            /* how to end the firmware */
	status = memory_take(&m); /* last: it takes nearly all there is */
	if (EFI_ERROR(status))
		return status;
	kernel_main(&m);
	return EFI_SUCCESS;
}
