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

/* Time for one file, and bytes more a second; a slower transfer is given up. */
#define SERVER_SECONDS 20
#define SERVER_PACE    50000

/*
 * Transfer of one file, by TFTP or HTTP. Returns 0, or as the server says EFI_NOT_FOUND,
 * EFI_ACCESS_DENIED, EFI_VOLUME_FULL and EFI_HTTP_ERROR, or EFI_BUFFER_TOO_SMALL; any other error
 * means that the server does not answer.
 */
struct server_transfer {
	const char *name; /* "TFTP" */
	/* *n: capacity in, bytes read out. */
	EFI_STATUS (*get)(const char *path, void *data, UINTN *n);
	EFI_STATUS (*put)(const char *path, const void *data, UINTN n);
};

/*
 * Returns NULL if the protocol can be used; "": this was not started so; else why it cannot be
 * used.
 */
const char *tftp_open(struct boot_server *, const struct server_transfer **);
const char *http_open(struct boot_server *, const struct server_transfer **);

/* --- efi/server.c --- */

/* The server's words about the last file that it refused, printable: "Disk full". "": none. */
extern char server_said[64];

/* The service that makes protocols for this network card; NULL: the firmware has none. */
EFI_SERVICE_BINDING *server_service(EFI_GUID *);

/*
 * Begin a file of this many bytes: create an instance of that protocol for it, and start the clock.
 * server_is_late: the clock has run out. Call server_end in any case: until then a call of the
 * firmware that does not return is reported on the console.
 */
EFI_STATUS server_begin(EFI_SERVICE_BINDING *, EFI_GUID *protocol, UINTN bytes, void **interface);
bool server_is_late(void);
void server_end(EFI_SERVICE_BINDING *);

/* --- efi/server.c: the file calls of struct machine, by the server --- */

#endif
