/* SPDX-License-Identifier: MIT */
/* The tables /proc/interrupts and /proc/softirqs: "CPU0 CPU1", then "NAME: 1 2 words". */
#ifndef LINUX_COUNTER_TABLE_H
#define LINUX_COUNTER_TABLE_H

#include <stdio.h>

#include "engine/room.h"

struct counter_line {
	char name[16];     /* "LOC", "24", "TIMER" */
	char words[40];    /* what the table says that it is; of a numbered line the devices */
	uint64_t *figures; /* [cpus] */
};

struct counter_table {
	struct counter_line *lines;
	size_t n;
};

/*
 * Reads an open table for these CPUs, by `id`. Lines that have no figure for each CPU (ERR) are
 * left out. 0; -1 if a CPU is not in the heading, or without memory: the table is then empty.
 */
int counter_table_read(struct counter_table *, FILE *, const struct cpu_location *cpus, unsigned n);
void counter_table_free(struct counter_table *);

/*
 * What grew on cpus[cpu] between two tables of the same CPUs, as counts of this kind, behind the n
 * that out[most] has. Returns how many it has then.
 */
unsigned counter_table_grown(const struct counter_table *before, const struct counter_table *after,
	unsigned cpu, const char *kind, struct system_count *out, unsigned n, unsigned most);

/* The most frequent first. */
void system_counts_rank(struct system_count *, unsigned n);

#endif
