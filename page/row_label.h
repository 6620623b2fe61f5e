/* SPDX-License-Identifier: MIT */
/* What a row is called by people. */
#ifndef PAGE_ROW_LABEL_H
#define PAGE_ROW_LABEL_H

#include "page/shown_run.h"

#define ROW_LABEL 512 /* a longer one is cut off */

/* "pointer-padded 16K 2M-pages": the variant and the parameters. */
void row_label(const struct shown_row *, char out[ROW_LABEL]);
/* The parameters alone. */
void row_label_parameters(const struct shown_row *, char out[ROW_LABEL]);

/* " 16K", " 2M-pages", " lanes=4": a parameter as it stands in a label. */
void label_parameter(const char *name, double value, char *out, size_t bytes);

#endif
