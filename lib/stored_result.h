/* SPDX-License-Identifier: MIT */
/*
 * Layout of a result that waits in UEFI variables: the image stores it at the end of room bare, and
 * the image's next start or the Linux program reads it back.
 *
 * Variable "AnechoicResult" is the header; "AnechoicResult00", "AnechoicResult01", ... hold the
 * packed text (lib/pack.h), cut into chunks. The chunks are valid only if there is a header. Little
 * endian.
 */
#ifndef LIB_STORED_RESULT_H
#define LIB_STORED_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The vendor GUID of all our variables. The macro G gets its parts and joins them in the form
 * needed: STORED_RESULT_GUID(GUID_TEXT) is "52b20cc6-8b4e-4a3f-9d1e-6f0c5b7a21e4".
 */
#define STORED_RESULT_GUID(G) G(52b20cc6, 8b4e, 4a3f, 9d, 1e, 6f, 0c, 5b, 7a, 21, e4)

/* G for a string literal. */
#define GUID_TEXT(a, b, c, d0, d1, d2, d3, d4, d5, d6, d7)                                         \
#a "-" #b "-" #c "-" #d0 #d1 "-" #d2 #d3 #d4 #d5 #d6 #d7

/* G for the initialiser of an EFI_GUID. */
#define GUID_FIELDS(a, b, c, d0, d1, d2, d3, d4, d5, d6, d7)                                       \
	{                                                                                          \
		0x##a, 0x##b, 0x##c,                                                               \
		{                                                                                  \
			0x##d0, 0x##d1, 0x##d2, 0x##d3, 0x##d4, 0x##d5, 0x##d6, 0x##d7             \
		}                                                                                  \
	}

#define STORED_RESULT_NAME "AnechoicResult"

#define STORED_RESULT_CHUNK      4096 /* bytes of each chunk but the last */
#define STORED_RESULT_CHUNKS     16   /* most chunks */
#define STORED_RESULT_FILE       48   /* bytes for the name of any result file, with its NUL */
#define STORED_RESULT_NAME_BYTES 24   /* bytes for the name of any of the variables */

struct stored_result {
	uint32_t magic, version; /* these two come first in every version */
	uint32_t chunks;
	uint32_t payload_bytes;        /* of all chunks together: the packed text */
	uint32_t payload_crc;          /* CRC-32 of the chunks */
	char file[STORED_RESULT_FILE]; /* name of the file to be made, NUL-terminated */
	uint32_t header_crc;           /* CRC-32 of the members above */
};

/* The header for n bytes of packed text that will become that file. */
struct stored_result stored_result_header(const char *file, const void *packed, size_t n);
/* Read the header in a variable's n bytes. Returns NULL, or the error. */
const char *stored_result_check(const void *variable, size_t n, struct stored_result *);
/*
 * Returns true if its name is allowed for a file in \results\: letters, digits, '.' and '-', not
 * empty and not beginning with '.'. Any program may have written the variable.
 */
bool stored_result_names_file(const struct stored_result *);
#define STORED_RESULT_OWN_NAME "recovered-bare.ndjson" /* for a result without an allowed name */
/* Returns true if this is a header of another version of the layout, and so not damaged. */
bool stored_result_other_version(const void *variable, size_t n);

/* Name of the variable that holds chunk i. */
void stored_result_chunk_name(char out[STORED_RESULT_NAME_BYTES], unsigned i);
/* Bytes of chunk i; all: bytes of all chunks. */
size_t stored_result_chunk_bytes(size_t all, unsigned i);
/*
 * Read the chunks that a checked header names; packed has its payload_bytes. get reads at most *n
 * bytes of a variable, *n becomes its size; it returns NULL, or the error, as this does.
 */
typedef const char *stored_result_get(void *from, const char *name, void *data, size_t *n);
const char *stored_result_read(const struct stored_result *, void *packed, stored_result_get *get,
	void *from);

#endif
