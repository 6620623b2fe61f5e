/* SPDX-License-Identifier: MIT */
/*
 * Many results of many machines: which machine lies outside of its group. A group is one room on
 * one model of machine (fleet_keys.inc); of each result only the summary values are kept. The
 * machine is the unit: several results of one machine in one group are one value, their median.
 * docs/fleet.md, "How a fleet is judged", gives the rules and reasons.
 */
#ifndef REPORT_FLEET_FLEET_H
#define REPORT_FLEET_FLEET_H

#include <stdio.h>

#include "linux/report/reading/results.h"

#define FLEET_MACHINES_LEAST  8    /* of a group that is judged: its deviation is known too badly */
#define FLEET_FALSE_MOST      0.01 /* chance of any false name in a fleet of machines all alike */
#define FLEET_DEVIATION_LEAST 0.0018 /* of the median: clocks are no more exact (RUN_LEAST) */
#define FLEET_NOISE_LEAST     0.5  /* the same of counts of noise, as a logarithm: a factor 1.65 */
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
	FLEET_NOISE,   /* what is stolen: judged by log(1 + value), as it differs by factors */
};

/* A summary value, in pages of one size: with others it is another value. */
struct fleet_value {
	char *name, *unit;
	double page_bytes; /* 0: does not matter */
	enum fleet_scale scale;
};

struct fleet_machine {
	char *name;   /* as its first file says */
	char *host;   /* by which it is known: "uuid ..."; "": by that name */
	double worst; /* largest z of its outliers, without sign; 0: it has none */
};

struct fleet_group {
	char *key[FLEET_KEYS]; /* "" unknown */
	size_t machines, runs;
	bool emulated, judged;
};

/* What a machine says of a value; after fleet_judge one for each group, value and machine. */
struct fleet_number {
	size_t group, value, machine, runs;
	double number, step; /* step: width of the bracket of what is counted; else 0 */
};

/* One value in one judged group. */
struct fleet_column {
	size_t group, value;
	size_t from, machines;    /* its place in `numbers` */
	double median, deviation; /* the deviation, and the median of FLEET_NOISE, on the scale */
	double limit;             /* deviations from the median that chance does not reach */
	double reach;             /* how far from it, on the scale, no machine is named */
};

struct fleet_outlier {
	size_t column, number;
	double z; /* deviations from the median */
};

/* Two groups of one model that differ in a revision: columns of the larger and the other. */
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
	json_t *at; /* what is where: "group KEYS", "machine NAME", ... -> index */
	json_t *builds;
	size_t files, runs; /* read */
	size_t no_values;   /* runs without a resolved summary value */
	double margin;      /* of fleet_judge */
	size_t found;       /* machines with an outlier */
	size_t tests;       /* values of machines that were judged */
	size_t alone;       /* that were not, in a judged group: too few have them, or 0 */
};

void fleet_open(struct fleet *);
/*
 * Adds the runs of a file, of which nothing is kept but the summary values; `name`: what the file
 * says of the machine (machine_of_file); rooms: listed ones only, "": all.
 */
void fleet_add(struct fleet *, const struct results *, const char *name, const char *rooms);
/* Finds outliers and differences, of more than the margin: a part of the median. */
void fleet_judge(struct fleet *, double margin);
void fleet_free(struct fleet *);

/*
 * What machine the file's name tells of, to be freed: its path without ending, time and room.
 * "a/n7-bare.ndjson" and "a/n7-20260101T120000Z-hosted.ndjson" are of "a/n7". A file as `run`
 * names it, "anechoic-20260101T120000Z-n7.ndjson", is of "n7", whatever its folder. Where nothing
 * is left, as of "a/n7/20260101T120000Z-bare.ndjson", it is of its folder "a/n7" if that is
 * `below` the one that was asked for, else a machine of its own.
 */
char *machine_of_file(const char *path, bool below);

/* What is wrong with a file. */
struct fleet_fault {
	char *file; /* "FILE" or "FILE:LINE" */
	char *reason;
};

struct fleet_faults {
	struct fleet_fault *fault;
	size_t n;
	size_t others; /* of folders, what is no file *.ndjson: not read */
};

/* The answer first, at most 40 lines; all: then every group and value, too. */
void fleet_print(const struct fleet *, const struct fleet_faults *, bool all, FILE *out);
void fleet_print_json(const struct fleet *, const struct fleet_faults *, FILE *out);

/* A number on the scale on which its value is judged, back to the value's own. */
double fleet_unscaled(const struct fleet_value *, double scaled);

#endif
