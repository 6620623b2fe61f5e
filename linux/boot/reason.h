/* SPDX-License-Identifier: MIT */
/* Why something of `anechoic boot` cannot be done, in words for the person who asked. */
#ifndef LINUX_BOOT_REASON_H
#define LINUX_BOOT_REASON_H

#define REASON_BYTES 1024

/* Writes the reason to err[REASON_BYTES]; -1. */
int give_reason(char *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
