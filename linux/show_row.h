/* SPDX-License-Identifier: MIT */
/* A row of a file as the tables of the measuring engine take it. */
#ifndef LINUX_SHOW_ROW_H
#define LINUX_SHOW_ROW_H

#include "engine/bench.h"
#include "engine/table.h"
#include "report/reading/results.h"

struct show_row {
	struct unit unit;
	struct row row;
	struct result result;
};

/* Refers to the row data, which must stay, as the show_row must stay where it is. */
void show_row_init(struct show_row *, const struct row_data *);

/* The probe of that name; one without a description if this program does not know it. */
const struct probe *show_probe(const char *name);

#endif
