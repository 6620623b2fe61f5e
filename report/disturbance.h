/* SPDX-License-Identifier: MIT */
/* Who else was in the room: what disturbed the samples of a set. */
#ifndef REPORT_DISTURBANCE_H
#define REPORT_DISTURBANCE_H

#include "report/sets.h"

/* What the rooms can count, by its name in a row's `counts`, and in words. */
enum happening {
	HAPPENING_SWITCHES,
	HAPPENING_INTERRUPTS,
	HAPPENING_FAULTS,
	HAPPENING_SMIS,
	HAPPENING_NMIS,
	HAPPENINGS
};
extern const char *const happening_keys[HAPPENINGS];
extern const char *const happening_words[HAPPENINGS];

/* Lengths that the verdicts of `noise` are about, as its summaries name them. */
#define VERDICTS 5
extern const char *const verdict_us[VERDICTS];

/* NAN: not known. */
struct disturbance {
	double samples, disturbed;   /* of all rows */
	double happened[HAPPENINGS]; /* during the samples */
	double involuntary;          /* context switches forced on the thread in the whole runs */
	double steal_s;              /* taken by the hypervisor, seconds */
	double waited_s;             /* the thread was ready and others ran on its CPU, seconds */
	double seconds;              /* that all runs took together */
	double stolen_part;          /* of the time watched by `noise` `gaps`, 0..1 */
	double longest_ns;           /* longest gap seen */
	double above[VERDICTS];      /* gaps per second longer than each */
};

void disturbance_of(struct disturbance *, const struct set *);

/* Part of the samples that were disturbed, 0..1. */
double disturbed_part(const struct disturbance *);

/*
 * Whether others' work ran on the CPU, by what the run says of itself: more than 1 % of the time
 * watched was stolen (the timer tick of an untuned Linux and the like take 0.3 %), the thread had
 * to leave the CPU during more than 0.5 % of the samples, or it waited for more than 1 % of the run.
 */
bool was_disturbed(const struct disturbance *);

/* Whether b was so much more disturbed than a that its numbers may come from that. */
bool more_disturbed(const struct disturbance *a, const struct disturbance *b);

#endif
