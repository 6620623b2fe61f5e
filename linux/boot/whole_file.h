/* SPDX-License-Identifier: MIT */
/* Files that exist as a whole or not at all, and error texts of `anechoic boot`. */
#ifndef LINUX_BOOT_WHOLE_FILE_H
#define LINUX_BOOT_WHOLE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Write a file under another name, path + ".new", flush it and rename it: the file at that path is
 * whole, even if the program is killed. Returns 0, or -1 with the reason in err[REASON_BYTES].
 */
int file_replace(const char *path, const void *data, size_t n, char *err);
/* Write "FOLDER/NAME", cut to the longest possible path; returns path. */
const char *path_of(char path[PATH_MAX], const char *folder, const char *name);
/*
 * Find the first of the folders, relative to this program's own, that has a file of that name;
 * absolute. Returns false if none has; then folder is the program's own.
 */
bool program_folder(char folder[PATH_MAX], const char *const *folders, size_t n, const char *name);
/* Read a file and add a NUL; the caller frees it. NULL with errno. */
char *file_bytes(const char *path, size_t *n);
/* Returns true if the file has exactly these bytes. */
bool file_is(const char *path, const void *data, size_t n);

#define REASON_BYTES 1024

/* Write the reason, in words for the user, to err[REASON_BYTES]; returns -1. */
int give_reason(char *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
