/* SPDX-License-Identifier: MIT */
/* Rows that layer A leaves out, unless all are asked for. */
#ifndef TESTS_KAM_RUN_UNWANTED_ROWS_H
#define TESTS_KAM_RUN_UNWANTED_ROWS_H

#include "engine/room.h"

/* room->unwanted: rows of the default probes that no checked parameter depends on. */
bool row_unwanted(struct room *, const struct row *);

#endif
