/* SPDX-License-Identifier: MIT */
/* Small files of /proc and /sys. */
#ifndef LINUX_SYSFS_H
#define LINUX_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_DIR "/sys/devices/system/cpu/"

/*
 * Read the first line of a file, however long it is, without its newline. The caller frees it.
 * NULL with errno.
 */
char *file_line(const char *path);

/*
 * The same for a line that is short. Returns false if it is not readable or does not fit: it is
 * never cut. out is "" then.
 */
bool read_line(const char *path, char *out, size_t bytes);

/* Read the rest of the first line that begins with "key". The caller frees it. NULL: none does. */
char *keyed_line(const char *path, const char *key);

/* Read the decimal number at the beginning of a file; false for one below 0: "no limit". */
bool read_number(const char *path, uint64_t *out);

/* Read the number after "key" at the start of a line, e.g. "MemAvailable:". */
bool read_keyed(const char *path, const char *key, uint64_t *out);

/* The bracketed word of a choice such as "always [madvise] never", cut out; the line if none is. */
char *chosen_word(char *line);

/* Write the whole text of an existing file. Returns 0, or -1 with errno. */
int write_line(const char *path, const char *text);

/* Returns true if CPU n is in a list such as "0-3,7,9-11". */
bool list_has(const char *list, unsigned n);

/*
 * Find out if CPU n is in the list of a file. Returns false, with errno, if the file is not
 * readable or empty (ENODATA).
 */
bool read_list_has(const char *path, unsigned n, bool *has);

/*
 * Settings that would outlast the run, such as a clock or a session's priority, are restored even
 * if the run is killed: by a process that begins with the first change and outlives the run.
 */

/*
 * Call this before a small file of /proc or /sys is written, with its old contents, a line without
 * its newline. If there can be no such process, nothing is noted.
 */
void keeper_note(const char *path, const char *before);
/* All files have their old values again: end the process. */
void keeper_done(void);

#endif
