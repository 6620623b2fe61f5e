/* SPDX-License-Identifier: MIT */
/*
 * What `anechoic boot` puts on the EFI system partition: \EFI\anechoic\ with the configuration and
 * the image, to which the image adds its results and its notes (efi/files.c). Nothing else
 * is touched, and what the user has put there is refused, not overwritten. Functions that return
 * int: 0, or -1 with the reason in err[REASON_BYTES].
 */
#ifndef LINUX_BOOT_BOOT_FILES_H
#define LINUX_BOOT_BOOT_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/config.h"

#define BOOT_FOLDER  "EFI/anechoic"
#define BOOT_IMAGE   "BOOTX64.EFI"
#define BOOT_CONFIG  "anechoic.cfg"
#define BOOT_RESULTS "results"

struct boot_files {
	const char *root; /* of the partition */
	const void *image;
	size_t image_bytes;
	const char *config;
};

/* Whether they may be written and there is room for them and for the results. Writes nothing. */
int boot_files_check(const struct boot_files *, char *err);
/*
 * Writes what is not there already: first the configuration, which says whose folder it is, then
 * the image. Each is written under another name and renamed: it is whole or as before.
 */
int boot_files_write(const struct boot_files *, char *err);
/* Whether a name in the folder of results is a result's; with one the image tries the medium. */
bool boot_result_name(const char *name);
/* How many there are in a folder. */
size_t boot_results_count(const char *folder);
/*
 * Removes them, the image first, and the image's notes; the folder if nothing is left in it. Not
 * the results: *results says how many stay.
 */
int boot_files_remove(const char *root, size_t *results, char *err);

/*
 * The anechoic.cfg of `anechoic boot`, from the key=value words of its command line: checks them as
 * the image will (kernel/config.h) and returns the file's text, to be freed;
 * NULL with the first reason in err[REASON_BYTES].
 */
char *boot_config_text(char *const *words, size_t n, char *err);
struct boot_course {
	unsigned rooms;
	double room_seconds; /* of each */
	unsigned countdowns; /* seconds of all together, at most, if nobody presses a key */
	enum finish finish;
};

/* What a text that boot_config_text made leads to. */
struct boot_course boot_config_course(const char *text);

/* The boot image that belongs to this program. */

struct boot_image {
	char *data; /* to be freed */
	size_t n;
	bool is_signed; /* by whomever: only the firmware knows whom it trusts */
};

/*
 * Reads `given`, or BOOTX64.EFI beside this program or in ../lib/anechoic/. With a key and a
 * certificate in PEM it is signed by sbsign. -1 with the reason in err[REASON_BYTES].
 */
int boot_image_read(struct boot_image *, const char *given, const char *key, const char *cert,
	char *err);

#endif
