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

#include "kernel/step_state.h"

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

#endif
