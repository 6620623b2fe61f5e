/* SPDX-License-Identifier: MIT */
/* Shared by the files of efi/: the firmware's tables and the steps of efi_main.c. */
#ifndef EFI_FIRMWARE_H
#define EFI_FIRMWARE_H

#include <efi.h>

#include "kernel/machine.h"

/* Tables of the firmware; boot services are NULL once they have ended. */
struct firmware {
	EFI_HANDLE image;
	EFI_SYSTEM_TABLE *system;
	EFI_BOOT_SERVICES *boot;
	EFI_RUNTIME_SERVICES *runtime;
	EFI_LOADED_IMAGE *loaded;
	const void *options; /* load options, without the boot option that may be around them */
	UINTN options_bytes;
};
extern struct firmware fw;

/* Each fills its part of struct machine; only memory_take can fail. */
void console_open(struct machine *);
void files_open(struct machine *);
void server_open(struct machine *);
void places_find(struct machine *);
void display_open(struct machine *);
void variables_open(struct machine *);
/* Returns EFI_SUCCESS, or the error if the memory map cannot be read. */
EFI_STATUS memory_take(struct machine *);
/* Free all allocations: a system may start next. Only before ExitBootServices. */
void memory_give_back(void);

/* --- helpers --- */

/* The interface of a protocol of a handle; NULL: it has none. */
void *protocol_of(EFI_HANDLE, EFI_GUID *);
/* The path of a device, of at most PATH_MOST bytes; NULL: it has none. */
EFI_DEVICE_PATH *path_of(EFI_HANDLE device);
#define PATH_MOST 4096

/* Print on the firmware's console, or on the part of it that display_take left to it. */
void print_wide(CHAR16 *text);

/*
 * Open a path from this program's home on the boot volume; the mode is EFI_FILE_MODE_... Once the
 * volume has refused a write it is not touched any more: the same error each time.
 */
EFI_STATUS file_open(const char *path, UINT64 mode, EFI_FILE_HANDLE *out);
/*
 * Send files to the server of a network start from now on. Returns NULL; else why not. "": this was
 * no network start.
 */
const char *server_results(struct machine *);
/*
 * Read the server's configuration, at most this many bytes. Returns false if there is no such
 * server.
 */
bool server_config(struct machine *, UINTN most);
/* The configuration table of that GUID, or NULL. */
void *table_find(const EFI_GUID *);
/* Pages of loader data, zeroed; NULL if there are none. */
void *memory_pages(UINTN bytes);
/* Copy ASCII to UCS-2 of at most n - 1 characters and end it with NUL. */
void text_widen(CHAR16 *out, UINTN n, const char *text);

#endif
