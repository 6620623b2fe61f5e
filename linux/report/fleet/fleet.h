/* SPDX-License-Identifier: MIT */
/*
 * Many results of many machines: finding machines that lie outside of their group. A group is one
 * room on one model of machine (fleet_keys.inc); only the summary values of each result are kept.
 * The machine is the unit: several results of one machine in one group are one value, their median.
 * docs/fleet.md, "How a fleet is judged", gives the rules and reasons.
 */
#ifndef REPORT_FLEET_FLEET_H
#define REPORT_FLEET_FLEET_H

#include <stdio.h>

#include "linux/report/reading/results.h"

#define FLEET_MACHINES_LEAST  8      /* of a judged group: with fewer the deviation is uncertain */
#define FLEET_FALSE_MOST      0.01   /* chance of any false name in a fleet of equal machines */
#define FLEET_DEVIATION_LEAST 0.0018 /* of the median: clocks are no more exact (RUN_LEAST) */
#define FLEET_NOISE_LEAST     0.5  /* the same for counts of noise, as a logarithm: a factor 1.65 */
#define FLEET_MAD_DF          0.42 /* degrees of freedom a machine: simulated, docs/fleet.md */
#define FLEET_MAD_BIAS        0.8  /* n / (n - this): the MAD of few is too small */

enum {
#define FLEET_KEY(name, words, kind) FLEET_KEY_##name,
#include "linux/report/fleet/fleet_keys.inc"
#undef FLEET_KEY
	FLEET_KEYS
};

enum fleet_scale {
	FLEET_SMOOTH,  /* a time, a rate, a ratio */
	FLEET_COUNTED, /* sizes and counts, which have steps */
	FLEET_NOISE,   /* stolen time: judged by log(1 + value), as it differs by factors */
};

/* A summary value, with pages of one size: with other pages it is another value. */
struct fleet_value {
	char *name, *unit;
	double page_bytes; /* 0: page size does not matter */
	enum fleet_scale scale;
};

struct fleet_machine {
	char *name;   /* as in its first file */
	char *host;   /* its identity: "uuid ..."; "": its name is */
	double worst; /* largest z of its outliers, without sign; 0: there are none */
};

struct fleet_group {
	char *key[FLEET_KEYS]; /* "" unknown */
	size_t machines, runs;
	bool emulated, judged;
};

/* A machine's number for a value; after fleet_judge one for each group, value and machine. */
struct fleet_number {
	size_t group, value, machine, runs;
	double number, step; /* step: width of the bracket of a counted value; else 0 */
};

/* One value in one judged group. */
struct fleet_column {
	size_t group, value;
	size_t from, machines;    /* its place in `numbers` */
	double median, deviation; /* the deviation, and the median of FLEET_NOISE, on the scale */
	double limit;             /* deviations from the median that chance does not reach */
	double reach;             /* distance on the scale within which no machine is named */
};

struct fleet_outlier {
	size_t column, number;
	double z; /* deviations from the median */
};

/* Two groups of one model that differ in a revision: columns of the larger and the other group. */
struct fleet_difference {
	size_t column[2];
	double part; /* 0.06: the other's median is 6 % larger; NAN: the first is 0 */
	double z;    /* standard errors */
};

struct fleet {
	struct fleet_machine *machines;
	struct fleet_group *groups;
	struct fleet_value *values;
	struct fleet_number *numbers;
	struct fleet_column *columns;
	struct fleet_outlier *outliers;       /* by machine, the furthest first; then by z */
	struct fleet_difference *differences; /* by group, then the largest first */
	size_t nmachines, ngroups, nvalues, nnumbers, ncolumns, noutliers, ndifferences;
	json_t *at; /* index of each name: "group KEYS", "machine NAME", ... -> index */
	json_t *builds;
	size_t files, runs; /* number read */
	size_t no_values;   /* runs without a resolved summary value */
	double margin;      /* of fleet_judge */
	size_t found;       /* machines with an outlier */
	size_t tests;       /* values of machines that were judged */
	size_t alone;       /* values in a judged group that were not: too few have them, or 0 */
};

void fleet_open(struct fleet *);
/*
 * Add the runs of a file; only their summary values are kept. `name`: the machine by the file's
 * name (machine_of_file); rooms: listed ones only, "": all.
 */
void fleet_add(struct fleet *, const struct results *, const char *name, const char *rooms);
/* Find outliers and differences larger than the margin: a part of the median. */
void fleet_judge(struct fleet *, double margin);
void fleet_free(struct fleet *);

/*
 * The machine by the file's name, which the caller frees: its path without ending, time and room.
 * "a/n7-bare.ndjson" and "a/n7-20260101T120000Z-hosted.ndjson" are of "a/n7". A file as `run` names
 * it, "anechoic-20260101T120000Z-n7.ndjson", is of "n7", in any folder. If nothing is left, as for
 * "a/n7/20260101T120000Z-bare.ndjson", it is of its folder "a/n7" if that is `below` the requested
 * folder, else a machine of its own.
 */
char *machine_of_file(const char *path, bool below);

/* An error in a file. */
struct fleet_fault {
	char *file; /* "FILE" or "FILE:LINE" */
	char *reason;
};

struct fleet_faults {
	struct fleet_fault *fault;
	size_t n;
	size_t others; /* in folders, files that are not *.ndjson: not read */
};

/* Print the answer first, at most 40 lines; all: then every group and value, too. */
void fleet_print(const struct fleet *, const struct fleet_faults *, bool all, FILE *out);
void fleet_print_json(const struct fleet *, const struct fleet_faults *, FILE *out);

/* Convert a number on the scale on which its value is judged back to the value's own. */
double fleet_unscaled(const struct fleet_value *, double scaled);

#endif
