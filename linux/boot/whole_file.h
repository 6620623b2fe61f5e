/* SPDX-License-Identifier: MIT */
/* Files that are there as a whole or not at all, and reasons of `anechoic boot`. */
#ifndef LINUX_BOOT_WHOLE_FILE_H
#define LINUX_BOOT_WHOLE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Writes a file under another name, path + ".new", flushes it and renames it: what is at that path
 * is whole, whenever the program is killed. 0, or -1 with the reason in err[REASON_BYTES].
 */
int file_replace(const char *path, const void *data, size_t n, char *err);
/* "FOLDER/NAME", cut where it is longer than a path can be; path. */
const char *path_of(char path[PATH_MAX], const char *folder, const char *name);
/*
 * The first of the folders, named from this program's own, that has a file of that name; absolute.
 * false: none has, and folder is the program's own.
 */
bool program_folder(char folder[PATH_MAX], const char *const *folders, size_t n, const char *name);
/* A file's bytes, to be freed, NUL behind them; NULL with errno. */
char *file_bytes(const char *path, size_t *n);
/* Whether the file has these bytes. */
bool file_is(const char *path, const void *data, size_t n);

#define REASON_BYTES 1024

/* Writes the reason, in words for the person who asked, to err[REASON_BYTES]; -1. */
int give_reason(char *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
