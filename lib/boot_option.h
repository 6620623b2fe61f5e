/* SPDX-License-Identifier: MIT */
/*
 * Boot options, the data of variables Boot#### (UEFI 2.10, section 3.1.3), and the device paths in
 * them (section 10.3), as bytes. A variable may hold anything: nothing is read beyond `n`.
 */
#ifndef LIB_BOOT_OPTION_H
#define LIB_BOOT_OPTION_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a device path without the node that ends it; 0: it has no end within `most` bytes. */
size_t device_path_bytes(const void *path, size_t most);

/* Returns true if the path, of at most that many bytes, leads to the start of a CD (El Torito). */
bool device_path_is_cd(const void *path, size_t most);

/*
 * The first node of that type and subtype, with its head of 4 bytes, in a path that ends within
 * `most` bytes; *n: its bytes. NULL: there is none.
 */
const void *device_path_node(const void *path, size_t most, unsigned type, unsigned subtype,
	size_t *n);

/*
 * Returns true if an option starts from the device of that path, or from a device of which it is a
 * partition. Returns true also for an option that names only a class of USB devices, or an address
 * without a network card, since it may. Addresses that DHCP gave are in the device's path and not
 * in the option's: they are not compared.
 */
bool boot_option_starts(const void *option, size_t n, const void *device, size_t device_bytes);

/*
 * Write an active option: the file on the device, by the short form of the path if the device is a
 * partition, so that it works at any port. description: ASCII. Returns its bytes; 0: it does not
 * fit.
 */
size_t boot_option_make(void *out, size_t bytes, const char *description, const void *device,
	size_t device_bytes, const void *file, size_t file_bytes);

/*
 * The folder of the file that a path of MEDIA_FILEPATH nodes names: "\\EFI\\anechoic"; "" for a
 * file in the root. Returns false, and out is "", if it names no file, not in printable ASCII, or
 * if it does not fit.
 */
bool device_path_folder(const void *path, size_t most, char *out, size_t bytes);

/*
 * The optional data of an option, if the bytes are a whole option; *n: their number in, that of the
 * data out. Else returns the bytes as they are. Dell's firmware hands a program the whole option as
 * its load options (shim issues 649 and 698; Linux 4a568ce29d3f).
 */
const void *boot_option_data(const void *bytes, size_t *n);
/*
 * Write load options as ASCII to out[n]; they are UCS-2 by custom, and some loaders hand over
 * bytes. Returns NULL, with the characters in *used, or why they are not text.
 */
const char *load_options_text(const void *options, size_t n, unsigned char *out, size_t *used);

/* Returns true if the option has that description. */
bool boot_option_is_called(const void *option, size_t n, const char *description);

#endif
