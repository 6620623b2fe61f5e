/* SPDX-License-Identifier: MIT */
/* What the files of efi/ share: the firmware's tables and the steps of efi_main.c. */
#ifndef EFI_LOADER_H
#define EFI_LOADER_H

#include <efi.h>

#include "kernel/machine.h"

/* The firmware's tables; boot services are NULL once they have ended. */
struct firmware {
	EFI_HANDLE image;
	EFI_SYSTEM_TABLE *system;
	EFI_BOOT_SERVICES *boot;
	EFI_RUNTIME_SERVICES *runtime;
	EFI_LOADED_IMAGE *loaded;
};
extern struct firmware fw;

/* Each fills its part of struct machine. None fails but the two that return a status. */
EFI_STATUS firmware_open(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct machine *);
void console_open(struct machine *);
void clock_read(struct machine *);
void files_open(struct machine *);
void places_find(struct machine *);
void state_file_open(struct machine *);
void config_read(struct machine *);
void options_read(struct machine *);
void tables_find(struct machine *);
void screen_find(struct machine *);
void display_open(struct machine *);
void variables_open(struct machine *);
void way_home_find(struct machine *);
void cpus_open(struct machine *);
void exit_open(struct machine *);
/* EFI_SUCCESS, or the error where the memory map cannot be read. */
EFI_STATUS memory_take(struct machine *);

/* --- helpers --- */

/* Prints on the firmware's console, or on the part of it that display_take left to it. */
void print_wide(CHAR16 *text);

/* Opens a path from the root of the boot volume; the mode is EFI_FILE_MODE_... */
EFI_STATUS file_open(const char *path, UINT64 mode, EFI_FILE_HANDLE *out);
/* The same of any volume; EFI_UNSUPPORTED where it is NULL. */
EFI_STATUS file_open_on(EFI_FILE_HANDLE volume, const char *path, UINT64 mode, UINT64 attributes,
	EFI_FILE_HANDLE *out);
/* Result files go to \results\ of that volume from now on, if a file can be written there. */
EFI_STATUS files_try(EFI_FILE_HANDLE volume);
/* Pages of loader data, zeroed; NULL if there are none. Nothing is ever freed. */
void *memory_pages(UINTN bytes);
/* Copies ASCII to UCS-2 of at most n - 1 characters and ends it with NUL. */
void text_widen(CHAR16 *out, UINTN n, const char *text);
/* Copies UCS-2 to ASCII of at most n - 1 characters; what is not printable becomes '?'. */
void text_narrow(char *out, UINTN n, const CHAR16 *text);

#endif
