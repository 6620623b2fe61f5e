/* SPDX-License-Identifier: MIT */
/* Which experiments were asked for: "probe" or "probe:variant", comma-separated; "" is all. */
#ifndef PROBES_CHOICE_H
#define PROBES_CHOICE_H

#include <stdbool.h>

/* Whether anything of a probe was asked for. */
bool choice_probe(const char *list, const char *probe);
/* Whether that variant of it was. */
bool choice_row(const char *list, const char *probe, const char *variant);

#endif
