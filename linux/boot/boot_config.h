/* SPDX-License-Identifier: MIT */
/* The anechoic.cfg of `anechoic boot`, from the key=value words of its command line. */
#ifndef LINUX_BOOT_BOOT_CONFIG_H
#define LINUX_BOOT_BOOT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/config.h"

/*
 * Checks the words as the image will (kernel/config.h) and returns the file's text, to be freed;
 * NULL with the first reason in err[REASON_BYTES].
 */
char *boot_config_text(char *const *words, size_t n, char *err);
/* Whether a file of that content was made by boot_config_text; `n` bytes of its beginning do. */
bool boot_config_is_ours(const char *text, size_t n);
struct boot_course {
	unsigned rooms;
	double room_seconds; /* of each */
	unsigned countdowns; /* seconds of all together, at most, if nobody presses a key */
	enum finish finish;
};

/* What a text that boot_config_text made leads to. */
struct boot_course boot_config_course(const char *text);

#endif
