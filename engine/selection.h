/* SPDX-License-Identifier: MIT */
/* Which experiments were asked for: "probe" or "probe:variant", comma-separated; "" is all. */
#ifndef ENGINE_SELECTION_H
#define ENGINE_SELECTION_H

#include <stdbool.h>

/* Whether anything of a probe was asked for. */
bool probe_selected(const char *list, const char *probe);
/* Whether that variant of it was. */
bool variant_selected(const char *list, const char *probe, const char *variant);

#endif
