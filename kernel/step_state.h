/* SPDX-License-Identifier: MIT */
/*
 * The contents of the state file: the step that a start is in, those that earlier starts did not
 * come back from, and how many good starts there were since. Text of one sector, which is always
 * overwritten in place: a power cut leaves the old text or the new one, and changes nothing else of
 * the file system.
 */
#ifndef KERNEL_STEP_STATE_H
#define KERNEL_STEP_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STEP_STATE_BYTES 512
#define STEP_NAME        20 /* bytes with the NUL; of a-z 0-9 : . - */
#define STEP_UTC         20 /* as in struct machine */
#define STEPS_HUNG       8  /* of more, the oldest is forgotten */
#define STEPS_GOOD       10 /* after so many good starts, what is left out is tried again */

struct step_mark {
	char name[STEP_NAME]; /* "": none */
	char utc[STEP_UTC];   /* when that start began, "" or "20260101T000000Z" */
	/* of what was left open: */
	bool once; /* and not twice in a row: it is tried again */
	bool last; /* it was the last note of that start, which may be stale */
};

struct step_state {
	uint32_t machine; /* which one this is about */
	struct step_mark at;
	uint32_t good; /* starts that left nothing open since a step is left out */
	unsigned nhung;
	struct step_mark hung[STEPS_HUNG];
};

/* Writes it to out[STEP_STATE_BYTES]. */
void step_state_write(const struct step_state *, char *out);
/* Reads n bytes. NULL, or why they are no such text; *s is all zeros then. */
const char *step_state_read(struct step_state *s, const char *text, size_t n);

#endif
