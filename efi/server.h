/* SPDX-License-Identifier: MIT */
/*
 * The server that a network start came from: it gives the configuration and takes the results, by
 * the firmware's own network.
 */
#ifndef EFI_SERVER_H
#define EFI_SERVER_H

#include "efi/firmware.h"
#include "lib/boot_server.h"

#define EFI_HTTP_ERROR EFIERR(35) /* UEFI 2.10, appendix D; the GNU-EFI headers lack it */

/* For one file, and how many bytes more a second; what takes longer is given up. */
#define SERVER_SECONDS 20
#define SERVER_PACE    50000

/*
 * One file, by TFTP or HTTP. 0, or EFI_NOT_FOUND, EFI_ACCESS_DENIED, EFI_VOLUME_FULL and
 * EFI_HTTP_ERROR as the server says, EFI_BUFFER_TOO_SMALL; with any other the server does not
 * answer.
 */
struct transfer {
	const char *name; /* "TFTP" */
	/* *n: capacity in, bytes read out. */
	EFI_STATUS (*get)(const char *path, void *data, UINTN *n);
	EFI_STATUS (*put)(const char *path, const void *data, UINTN n);
};

/* NULL: it can be used; "": this was not started so; else why it cannot be used. */
const char *tftp_open(struct boot_server *, const struct transfer **);
const char *http_open(struct boot_server *, const struct transfer **);

/* --- efi/server.c --- */

/* What the server said of the last file that it refused, printable: "Disk full". "": nothing. */
extern char server_said[64];

/* What makes a protocol for this network card; NULL: the firmware has none. */
EFI_SERVICE_BINDING *server_service(EFI_GUID *);

/*
 * Begins a file of so many bytes: an instance of that protocol for it, and the clock; whether that
 * has run out. server_end in any case: until then a call of the firmware that does not return is
 * said on the console.
 */
EFI_STATUS server_begin(EFI_SERVICE_BINDING *, EFI_GUID *protocol, UINTN bytes, void **interface);
bool server_is_late(void);
void server_end(EFI_SERVICE_BINDING *);

/* --- efi/server.c: the file calls of struct machine, by the server --- */

#endif
