/* SPDX-License-Identifier: MIT */
/* Which machine it is: as its firmware states it, and by its network card. */
#ifndef LIB_HOST_IDENTITY_H
#define LIB_HOST_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_UUID   37 /* bytes of "4c4c4544-0042-..." with its end */
#define HOST_SERIAL 65
#define HOST_MAC    18 /* "52-54-00-12-34-56" */

/* Printable ASCII; "": unknown. */
struct host_identity {
	char uuid[HOST_UUID];
	char serial[HOST_SERIAL];
	char mac[HOST_MAC]; /* of the card that it was started by; under Linux of the first */
};

/*
 * uuid and serial from SMBIOS's structures (DMTF DSP0134, 7.2: type 1), which may be anything:
 * nothing is read beyond n. A UUID of equal bytes is none.
 */
void host_identity_smbios(const void *structures, size_t n, struct host_identity *);

/*
 * The first structure of a type; its length is its second byte. NULL: none, or a broken one comes
 * first.
 */
const uint8_t *smbios_structure(const void *structures, size_t n, unsigned type);

#endif
