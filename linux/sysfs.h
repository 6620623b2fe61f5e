/* SPDX-License-Identifier: MIT */
/* Small files of /proc and /sys. */
#ifndef LINUX_SYSFS_H
#define LINUX_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_DIR "/sys/devices/system/cpu/"

/* The first line of a file without its newline. false: not readable, and out is "". */
bool read_line(const char *path, char *out, size_t bytes);

/* The decimal number that a file begins with. */
bool read_number(const char *path, uint64_t *out);

/* The number after "key" at the start of a line, e.g. "MemAvailable:". */
bool read_keyed(const char *path, const char *key, uint64_t *out);

/* The bracketed word of a choice such as "always [madvise] never"; the whole line if none is. */
bool read_choice(const char *path, char *out, size_t bytes);

/* The whole text of a file that is there. 0, or -1 with errno. */
int write_line(const char *path, const char *text);

/* Whether CPU n is in a list such as "0-3,7,9-11". */
bool list_has(const char *list, unsigned n);

#endif
