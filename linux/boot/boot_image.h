/* SPDX-License-Identifier: MIT */
/* The boot image that belongs to this program. */
#ifndef LINUX_BOOT_BOOT_IMAGE_H
#define LINUX_BOOT_BOOT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

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
/* Whether that is an EFI application for x86-64; *is_signed: it carries a signature. */
bool boot_image_is_one(const void *data, size_t n, bool *is_signed);

#endif
