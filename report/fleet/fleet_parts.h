/* SPDX-License-Identifier: MIT */
/* What the files of a fleet share. */
#ifndef REPORT_FLEET_FLEET_PARTS_H
#define REPORT_FLEET_FLEET_PARTS_H

#include "report/fleet/fleet.h"

/* Whether the groups differ in a revision only. */
bool fleet_one_model(const struct fleet_group *, const struct fleet_group *);
bool fleet_is_emulated(const struct fleet_group *);

/* The value's number on the scale on which it is judged, and back. */
double fleet_unscaled(const struct fleet_value *, double scaled);

/* How far from the median of the column, on the scale, no machine is named. */
double fleet_reach(const struct fleet *, const struct fleet_column *);

/* "bare, X 1, firmware 1.2"; of two groups of one model: what of it differs. To be freed. */
char *fleet_group_text(const struct fleet_group *);
char *fleet_revision_text(const struct fleet_group *, const struct fleet_group *other);

#endif
