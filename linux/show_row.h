/* SPDX-License-Identifier: MIT */
/* Lines of a file in the form that the tables and the card of the measuring engine need. */
#ifndef LINUX_SHOW_ROW_H
#define LINUX_SHOW_ROW_H

#include "engine/bench.h"
#include "engine/table.h"
#include "engine/infer/card.h"
#include "linux/report/reading/results.h"

struct show_row {
	struct unit unit;
	struct row row;
	struct result result;
};

/* Fill it from the row data. It refers to them, so they must stay, and so must the show_row. */
void show_row_init(struct show_row *, const struct row_data *);

/* The probe of that name; without a description if this program does not know it. */
const struct probe *show_probe(const char *name);

/* The card of a run, from its run line and its summary lines. */
void show_row_card(struct card *, const struct run_data *);

#endif
