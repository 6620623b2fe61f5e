/* SPDX-License-Identifier: MIT */
/* The anechoic.cfg of `anechoic boot`, from the key=value words of its command line. */
#ifndef LINUX_BOOT_BOOT_CONFIG_H
#define LINUX_BOOT_BOOT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Checks the words as the image will (kernel/config.h) and returns the file's text, to be freed;
 * NULL with the first reason in err[REASON_BYTES].
 */
char *boot_config_text(char *const *words, size_t n, char *err);
/* Whether a file of that content was made by boot_config_text; `n` bytes of its beginning do. */
bool boot_config_is_ours(const char *text, size_t n);
/* Seconds that a room takes, of a text that boot_config_text made, and how many rooms. */
double boot_config_seconds(const char *text, unsigned *rooms);

#endif
