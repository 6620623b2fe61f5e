/* SPDX-License-Identifier: MIT */
/* The bare room's result in EFI variables, over the reset; store.c tells the order of the steps. */
#ifndef KERNEL_RESULT_STORE_H
#define KERNEL_RESULT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/machine.h"

#define STORE_BYTES_MOST (32 * 1024) /* of the machine's non-volatile memory, in all */
#define STORE_CHUNK      4096
#define STORE_CHUNKS     16 /* looked for when orphans are deleted */
#define STORE_NAME       48

/* What a store is made of; the firmware's calls, or a test's. All return 0 or an EFI status. */
#define STORE_NOT_FOUND 0x800000000000000eULL

struct store_calls {
	uint64_t (*get)(const char *name, void *data, size_t *n);
	uint64_t (*set)(const char *name, const void *data, size_t n); /* n 0 deletes */
	uint64_t (*file_create)(const char *name);
	uint64_t (*file_append)(const void *data, size_t n);
	uint64_t (*file_close)(void);
	uint64_t (*file_compare)(const char *name, const void *data, size_t n, bool *same);
	bool (*file_exists)(const char *name);
};
extern const struct store_calls store_firmware_calls;

/* The variable "AnechoicResult", which makes the chunks before it valid. Little endian. */
struct store_header {
	uint32_t magic, version;
	uint32_t chunks, bytes; /* bytes: of all chunks */
	uint32_t crc;           /* CRC-32 of all chunks */
	char file[STORE_NAME];  /* name of the file that it becomes, NUL-terminated */
	uint32_t own_crc;       /* CRC-32 of the members above */
};

/* Bytes that a result may take of this store; 0 with *why: none. */
size_t store_limit(const struct variable_store *, const char **why);

enum pending { PENDING_NONE, PENDING_WHOLE, PENDING_DAMAGED, PENDING_UNREADABLE };

/* Whether a result is pending; header is filled where PENDING_WHOLE. */
enum pending store_look(const struct store_calls *, struct store_header *header);
/* Reads the pending chunks into out (header->bytes). false: one is missing or the CRC is wrong. */
bool store_read(const struct store_calls *, const struct store_header *header, void *out);
/* Writes a result. 0, or the error of the call that failed; then nothing is pending. */
uint64_t store_write(const struct store_calls *, const char *file, const void *data, size_t n);
/* Deletes the header, then the chunks; also chunks without a header. */
void store_clear(const struct store_calls *);

/*
 * The number of times that room bare was entered since a result was last brought home. It is what
 * ends a reset loop.
 */
#define STARTS_MOST 3
unsigned store_starts(const struct store_calls *);
/* False: the count does not read back, so nothing would end a loop. */
bool store_count_start(const struct store_calls *);
void store_reset_starts(const struct store_calls *);

#endif
