/* SPDX-License-Identifier: MIT */
/* Which experiments were asked for: "probe" or "probe:variant", comma-separated; "" is all. */
#ifndef ENGINE_SELECTION_H
#define ENGINE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the list's name that begins here: up to a comma or the end. */
size_t selection_name(const char *at);
/* Whether anything of a probe was asked for. */
bool probe_selected(const char *list, const char *probe);
/* Whether that variant of it was. */
bool variant_selected(const char *list, const char *probe, const char *variant);

/*
 * Whether each name of the list is a probe's, with or without a variant. 0; or -1 with the first
 * that is not, and all that there are, in err.
 */
int selection_check(const char *list, char *err, size_t err_bytes);

#endif
