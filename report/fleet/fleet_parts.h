/* SPDX-License-Identifier: MIT */
/* What the files of a fleet share. */
#ifndef REPORT_FLEET_FLEET_PARTS_H
#define REPORT_FLEET_FLEET_PARTS_H

#include "report/fleet/fleet.h"

/* Fills the keys of a run's group, and *host with what tells the machine: "uuid ...", or "". */
void fleet_keys(const json_t *head, char *key[FLEET_KEYS], char **host);

/* Whether the groups differ in a revision only. */
bool fleet_one_model(const struct fleet_group *, const struct fleet_group *);
bool fleet_is_emulated(const struct fleet_group *);

/* Differences of the groups of one model, which fleet_judge adds. */
void fleet_compare_groups(struct fleet *);

/* The value's number on the scale on which it is judged, and back. */
double fleet_scaled(const struct fleet_value *, double number);
double fleet_unscaled(const struct fleet_value *, double scaled);

/* How far from the median of the column, on the scale, no machine is named. */
double fleet_reach(const struct fleet *, const struct fleet_column *);

/* "bare, X 1, firmware 1.2"; of two groups of one model: what of it differs. To be freed. */
char *fleet_group_text(const struct fleet_group *);
char *fleet_revision_text(const struct fleet_group *, const struct fleet_group *other);

#define FLEET_NUMBER 32
/* "109.8 ns", "3.600 GHz", "32K" */
void fleet_number_text(const struct fleet_value *, double number, char out[FLEET_NUMBER]);
/* "+4.1 %"; "x 3.2" where it is more than twice as much; "-" unknown */
void fleet_part_text(double part, char out[FLEET_NUMBER]);

/* How much of each part is shown: lines, groups, lines, files. */
struct fleet_screen {
	size_t outliers, groups, differences, faults;
	bool all;
};

/* One group; then all judged ones; then how those of one model differ. */
void fleet_print_group(const struct fleet *, size_t group, FILE *out);
void fleet_print_groups(const struct fleet *, const struct fleet_screen *, FILE *out);
void fleet_print_differences(const struct fleet *, const struct fleet_screen *, FILE *out);

#endif
