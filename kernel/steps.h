/* SPDX-License-Identifier: MIT */
/*
 * Steps that may hang the machine: each is noted before it is done, so that the next start knows
 * what this one did not come back from. A power cut leaves the same note as a hang, so the step is
 * tried again, which is said. Left open by two starts in a row it is left out: a hang costs two
 * starts. It is tried anew by another version of this program, with another firmware, and after
 * ten starts that left nothing open; once more left open, it costs that one start of each ten.
 *
 * While boot services are active the note is the file \anechoic.state on the boot volume. From
 * step_enter("exit") on no file can be written. Then the file says that room bare was entered, and
 * a variable names the step. The variable is made before the exit, with the text "exit": the first
 * SetVariable after it is a part of that step.
 *
 *	file     variable   at the next start
 *	-        -          nothing hung
 *	a step   -          it was left open
 *	any      left       the file could not be written any more: nothing is known
 *	bare     a step     its last note; it is taken for left open
 *	bare     exit       the same of "runtime", which answers for "setvar" as well: where it is
 *	                    left out, nothing is stored, and no variable is written after the exit
 *	bare     measuring  switched off, or hung while measuring; said, nothing is left out
 *	bare     end        nothing hung
 *	bare     none       the firmware forgets variables, or refused one: not known; said,
 *	                    nothing is left out
 *	exit     -          no variable was to be written: not known, as above. Where that was
 *	                    because of "runtime", room bare is left out once: the exit may hang
 *
 * A last note may be stale. A firmware that refuses every SetVariable from some call on, deletions
 * too, leaves behind just what one leaves behind that hangs in this call: nothing can be written
 * then that would tell them apart. So it is not said that such a step hung.
 *
 * The steps: "mp-services", "usb-BUS:DEVICE.FUNCTION", "exit", "cpus" (the start of the others in
 * room bare), "setvar" (the result is stored). All names fit STEP_NAME. "reset" is the end of a
 * run: one that hangs looks like one that worked, and has lost nothing.
 */
#ifndef KERNEL_STEPS_H
#define KERNEL_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/config.h"
#include "kernel/machine.h"

/*
 * The contents of the state file: the step that a start is in, those that earlier starts did not
 * come back from, and how many good starts there were since. Text of one sector, which is always
 * overwritten in place: a power cut leaves the old text or the new one, and changes nothing else of
 * the file system.
 */
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

/* Where the notes are kept: the firmware's file and variables, or a test's. */
struct step_storage {
	/* 0 or an EFI status; *n: capacity in, size out. */
	uint64_t (*file_read)(void *data, size_t *n);
	uint64_t (*file_write)(const void *data, size_t n);
	uint64_t (*get)(const char *name, void *data, size_t *n);
	uint64_t (*set)(const char *name, const void *data, size_t n);
	bool (*boot_services)(void);   /* they are active */
	void (*say)(const char *line); /* a line of the console, without its end */
};

enum state_choice { STATE_KEEP, STATE_CLEAR, STATE_OFF };

struct steps_setup {
	const struct step_storage *storage;
	enum state_choice choice;
	uint32_t machine; /* and version of the program: the notes of another are not used */
	const char *utc;  /* when this start began, as in struct machine */
	bool variables;   /* they can be set before the exit, */
	bool runtime;     /* and after it, and they are to be used */
};

/* Reads what the last start left; says what is tried again or left out. Before ExitBootServices. */
void steps_open(const struct steps_setup *);
/* Before a step that may hang. It ends the step before it. Does nothing before steps_open. */
void step_enter(const char *name);
/* After it. */
void step_left(void);
/*
 * NULL, or why it is to be left out, in at most 60 characters: earlier starts did not come back
 * from it, or noted nothing after it, or ("exit") one cannot tell how it ended.
 */
const char *step_hung(const char *name);
/* The run came to its end: nothing hung. */
void steps_end(void);

/* The same by the firmware's calls: in the kernel's state. */
void steps_open_machine(const struct machine *, const struct config *);

/* Tells machines apart that one stick is carried between: the processor's model, the firmware. */
uint32_t machine_id(const struct machine *);

#endif
