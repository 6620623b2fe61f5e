/* SPDX-License-Identifier: MIT */
/*
 * The user's own code on the command line: bytes, as in anechoic.cfg, or assembly in Intel's syntax
 * without prefixes, for which the program `as` is needed.
 */
#ifndef LINUX_CODE_TEXT_H
#define LINUX_CODE_TEXT_H

#include "engine/options.h"

/*
 * Set `code` or `code_init`, as `key` names it, to the text. Returns 0, or -1 with the reason in
 * err: there is no `as`, it refuses the text (its first error), the text refers to something
 * outside of it, or it has too many bytes or none.
 */
int code_take(struct options *, const char *key, const char *text, char *err, size_t err_bytes);
/* Like code_take, for `code` with the text of a file. */
int code_take_file(struct options *, const char *name, char *err, size_t err_bytes);

#endif
