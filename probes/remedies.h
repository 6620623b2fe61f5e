/* SPDX-License-Identifier: MIT */
/* What the two files of probe `remedies` share: a trial of every remedy on one subject. */
#ifndef PROBES_REMEDIES_H
#define PROBES_REMEDIES_H

#include "engine/chain.h"
#include "engine/probe_api.h"

/* What is measured with each remedy. */
enum subject { SUBJECT_STATES, SUBJECT_CHASE, SUBJECTS };

enum {
	TRIAL_PLAIN,
	TRIAL_PINNED,
	TRIAL_NICE,
	TRIAL_FIFO,
	TRIAL_NO_TURBO,
	TRIAL_HUGE,
	TRIAL_ALL,
	TRIALS
};

#define TRIAL_ELEMENTS 4096      /* of the state machine */
#define TRIAL_BYTES    (8 * MIB) /* of the chase: beyond L2, and more pages than a TLB holds */

/* All samples of a subject, by remedy, in the order taken. */
struct trial {
	enum subject subject;
	struct {
		char why[96]; /* why it could not be had; "": it could */
		bool huge;    /* measured in large pages */
		unsigned n;
		struct sample sample[SAMPLES_LIMIT];
		struct event_counts counted[SAMPLES_LIMIT];
	} of[TRIALS];
	double ops; /* of a sample */
	/* While it is measured: */
	uint32_t all; /* the remedies that can be had */
	loop_fn *loop;
	uint64_t args[LOOP_ARGS], expect;
	double overhead; /* ticks of a call */
	unsigned calls;  /* in a sample */
	struct chain chain;
};

/*
 * Takes SAMPLES_LIMIT samples with each remedy that can be had, in turns, fewer if the run is
 * stopped. 0; -1 after job_skip or job_disproved.
 */
int trial_measure(struct bench *, struct job *, struct trial *);

#endif
