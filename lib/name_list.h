/* SPDX-License-Identifier: MIT */
/* Lists of names as text, separated by commas. */
#ifndef LIB_NAME_LIST_H
#define LIB_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the list has the name. */
bool listed(const char *list, const char *name);
/* Bytes of the list's first name. */
size_t first_listed(const char *list);

#endif
