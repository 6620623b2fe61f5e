/* SPDX-License-Identifier: MIT */
/* SMBIOS (DMTF DSP0134): the firmware's claims about its machine, nothing measured. */
#ifndef LIB_SMBIOS_H
#define LIB_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_UUID    37 /* bytes of "4c4c4544-0042-..." with its NUL */
#define HOST_SERIAL  65
#define HOST_MAC     18 /* "52-54-00-12-34-56" */
#define HOST_NAME    64
#define MODULE_KINDS 8   /* further kinds are counted, not described */
#define MODULE_SLOTS 160 /* "A1 B1" */

/* Memory modules that are alike in all but their slots. 0, "": not stated, or impossible. */
struct module_kind {
	unsigned count;
	uint64_t bytes;      /* of each module */
	char type[12];       /* "DDR5"; "": its rate is no bandwidth (a virtual machine's) */
	unsigned mts;        /* configured, megatransfers a second; 0 also if it may be the clock */
	unsigned rated_mts;  /* of the module itself */
	unsigned width_bits; /* of its data */
	unsigned ranks;
	char maker[HOST_NAME], part[HOST_NAME];
	char slots[MODULE_SLOTS]; /* names of their slots, with spaces between; cut: " ..." */
};

/* Texts are printable ASCII; "": unknown. */
struct host {
	/* Identity of the machine. */
	char uuid[HOST_UUID];
	char serial[HOST_SERIAL];
	char mac[HOST_MAC]; /* of the network card that started it; under Linux of the first */
	/* Maker, product and firmware. */
	char firmware_vendor[HOST_NAME], firmware_version[HOST_NAME], firmware_date[HOST_NAME];
	char system[2 * HOST_NAME]; /* maker and product, as in the next member */
	char board[2 * HOST_NAME];
	struct module_kind modules[MODULE_KINDS];
	unsigned nkinds;
	unsigned slots;         /* for modules, filled or not; 0: not stated */
	unsigned others;        /* number of modules of further kinds */
	const char *no_modules; /* why no modules are known; NULL: SMBIOS was read */
};

/*
 * Read SMBIOS's structures, which may be anything: nothing is read beyond n. Types 0 (firmware), 1
 * (system), 2 (board), 16 and 17 (memory); DSP0134 3.7, 7.1 to 7.3, 7.17, 7.18. The first of
 * several structures of type 1 or 2 counts; modules of an array that is not system memory are left
 * out. A UUID of equal bytes is none. Members that the structures do not state stay as they are in
 * *out. version: of the entry point; 0: unknown, and so is the order of the UUID's bytes.
 */
void smbios_read(const void *structures, size_t n, unsigned version, struct host *out);

/*
 * The version by the entry point, which has n bytes: 204h is 2.4; 0: it is none. Versions that were
 * never published are those that Linux reads them as (dmi_scan.c).
 */
unsigned smbios_version(const void *entry, size_t n);

/*
 * The structures of an entry point in memory, at most 64 KiB of them, and its version (DSP0134,
 * 5.2). NULL: it is none, or NULL.
 */
const void *smbios_structures(const void *entry, size_t *n, unsigned *version);

/*
 * The first structure of a type; its length is its second byte. NULL: none, or a broken one comes
 * first.
 */
const uint8_t *smbios_structure(const void *structures, size_t n, unsigned type);

#define MODULES_TEXT 160

/*
 * Write the modules: "2 x 16 GiB DDR5-6000", "8 x 32 GiB DDR4-2933 + 8 x 16 GiB DDR4-2933"; with no
 * type and no possible rate "1 x 4 GiB at ? MT/s"; "": none. " + ..." at the end: there are more.
 */
void modules_text(const struct host *, char out[MODULES_TEXT]);

/*
 * Most that the modules can transfer together, GB/s: each as wide and as fast as configured, each
 * on a channel of its own. NOT_A_NUMBER: unknown, and *why says why, for example because the
 * firmware states something impossible. memory_bytes: of the machine by its memory map; 0: unknown.
 */
double modules_limit_gbs(const struct host *, uint64_t memory_bytes, const char **why);

#endif
