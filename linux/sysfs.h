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

/*
 * What Linux keeps of a run after its end, such as a clock or a session's priority, is given back
 * even if the run is killed: by a process that begins with the first change and outlives it.
 */

/*
 * Before a small file of /proc or /sys is written: what it has, a line without its newline. Where
 * there can be no such process, nothing is noted.
 */
void keeper_note(const char *path, const char *before);
/* All has its old value again: the process ends. */
void keeper_done(void);

#endif
