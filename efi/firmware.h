/* SPDX-License-Identifier: MIT */
/* What the files of efi/ share: the firmware's tables and the steps of efi_main.c. */
#ifndef EFI_FIRMWARE_H
#define EFI_FIRMWARE_H

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

/* Each fills its part of struct machine; only memory_take can fail. */
void console_open(struct machine *);
void files_open(struct machine *);
void server_open(struct machine *);
void places_find(struct machine *);
void display_open(struct machine *);
void variables_open(struct machine *);
/* EFI_SUCCESS, or the error where the memory map cannot be read. */
EFI_STATUS memory_take(struct machine *);
/* Frees all that was taken: a system may start next. Only before ExitBootServices. */
void memory_give_back(void);

/* --- helpers --- */

/* The interface of a protocol that a handle has; NULL: it has none. */
void *protocol_of(EFI_HANDLE, EFI_GUID *);
/* The path of a device, of at most PATH_MOST bytes; NULL: it has none. */
EFI_DEVICE_PATH *path_of(EFI_HANDLE device);
#define PATH_MOST 4096

/* Prints on the firmware's console, or on the part of it that display_take left to it. */
void print_wide(CHAR16 *text);

/*
 * Opens a path from this program's home on the boot volume; the mode is EFI_FILE_MODE_... Once the
 * volume has refused a write it is not touched any more: the same error each time.
 */
EFI_STATUS file_open(const char *path, UINT64 mode, EFI_FILE_HANDLE *out);
/*
 * Files go to the server of a network start from now on: NULL; else why not. "": there was no such
 * start.
 */
const char *server_results(struct machine *);
/* Reads its configuration, at most so many bytes. false: there is no such server. */
bool server_config(struct machine *, UINTN most);
/* The configuration table of that GUID, or NULL. */
void *table_find(const EFI_GUID *);
/* Pages of loader data, zeroed; NULL if there are none. */
void *memory_pages(UINTN bytes);
/* Copies ASCII to UCS-2 of at most n - 1 characters and ends it with NUL. */
void text_widen(CHAR16 *out, UINTN n, const char *text);

#endif
