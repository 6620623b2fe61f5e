/* SPDX-License-Identifier: MIT */
/*
 * What a start must know of those before it: which step one did not come back from, how often room
 * bare was entered without a result that came home, how many runs in a row ended in a reset, and
 * which run of a series is under way.
 *
 * There are two places. The file \anechoic.state can be written while boot services are active; the
 * variable AnechoicJournal after that, too, but some firmware forgets variables with each reset. So
 * what is counted is written to both, and each start that finds a count in the file, but not the
 * variable that was set before it, knows that this firmware forgets.
 *
 * Steps may hang the machine: each is noted before it is done. A power cut leaves the same note as
 * a hang, so the step is tried again, which is said. Left open by two starts in a row it is left
 * out: a hang costs two starts. It is tried anew by another version of this program, with another
 * firmware, and after ten starts that left nothing open; once more left open, it costs that one
 * start of each ten. From step_enter("exit") on the file says that room bare was entered, and the
 * variable names the step; it is written before the exit, with "exit": the first SetVariable after
 * it is a part of that step. What the two say at the next start: the table in journal.c.
 *
 * A last note may be stale. A firmware that refuses every SetVariable from some call on, deletions
 * too, leaves behind just what one leaves behind that hangs in this call: nothing can be written
 * then that would tell them apart. So it is not said that such a step hung.
 *
 * The steps: "mp-services", "usb-BUS:DEVICE.FUNCTION", "exit", "cpus" (the start of the others in
 * room bare), "setvar" (the result is stored). All names fit STEP_NAME. A reset is the end of a
 * run: one that hangs looks like one that worked, and has lost nothing.
 */
#ifndef KERNEL_JOURNAL_H
#define KERNEL_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/config.h"
#include "kernel/firmware/firmware_calls.h"

#define STEP_NAME  20 /* bytes with the NUL; of a-z 0-9 : . - */
#define STEP_UTC   17 /* "20260101T000000Z" */
#define STEPS_HUNG 6  /* of more, the oldest is forgotten */
#define STEPS_GOOD 10 /* after so many good starts, what is left out is tried again */

struct step_mark {
	char name[STEP_NAME]; /* "": none */
	char utc[STEP_UTC];   /* when that start began; "": unknown */
	/* of what was left open: */
	bool once; /* and not twice in a row: it is tried again */
	bool last; /* it was the last note of that start, which may be stale */
};

/* Runs one after the other, each with starts of its own (kernel/series.h). */
#define SERIES_STEM 24
struct series {
	char stem[SERIES_STEM];  /* its files' names begin so */
	uint32_t of;             /* checksum of its configuration */
	uint32_t runs, run;      /* that are wanted; the one under way, from 1. runs 0: no series */
	uint32_t starts;         /* that measured for the run under way */
	uint32_t profile, rooms; /* as chosen at the prompt of its first start */
};

/* Counted in both places. */
struct journal_counts {
	uint32_t entries; /* of room bare since a result came home; in the file: to be stored */
	uint32_t resets;  /* resets and power-offs in a row at the end of a run */
	uint64_t ended;   /* the last of them, seconds since 1970; 0: unknown */
	struct series series;
};

/*
 * What each place has, as text of the same form: the file in one sector, which is overwritten in
 * place: a power cut leaves the old text or the new one, and changes nothing else of the file
 * system. The variable has of a step its name alone, and of machine, good and hung nothing.
 */
#define JOURNAL_BYTES 512
struct journal_state {
	uint32_t machine;    /* which one this is about, and which version of the program */
	struct step_mark at; /* "": this start is in none that is noted here */
	uint32_t good;       /* starts that left nothing open since a step is left out */
	unsigned nhung;
	struct step_mark hung[STEPS_HUNG];
	struct journal_counts counts;
};

enum state_choice { STATE_KEEP, STATE_CLEAR, STATE_OFF }; /* off: steps are not noted */

/*
 * Reads what earlier starts left, by the firmware's calls; says what is tried again or left out. In
 * the kernel's state, before ExitBootServices.
 */
void journal_open(const struct machine *, const struct config *);

/* Before a step that may hang. It ends the step before it. Does nothing before journal_open. */
void step_enter(const char *name);
/* After it. */
void step_left(void);
/*
 * NULL, or why it is to be left out, in at most 60 characters: earlier starts did not come back
 * from it, or noted nothing after it, or ("exit") one cannot tell how it ended.
 */
const char *step_hung(const char *name);
/* Whether a step that hangs will be known, and left out in the end. */
bool steps_noted(void);
/* The run came to its end: nothing hung. */
void steps_end(void);

/*
 * Entries of room bare since a result came home. They are what ends a loop of storing a result and
 * resetting: after ENTRIES_MAX the room is left out once.
 */
#define ENTRIES_MAX 3
/*
 * Counts one: in the variable, and then in the file, so that power that fails between the two does
 * not look like a firmware that forgets. In the file only what is to be stored and brought home by
 * a reset: without that nothing resets the machine. *why: NULL, or why no reset may bring the
 * result home. false: not even the variable has it, or it does not outlive a reset here.
 */
bool entries_add(bool to_be_stored, const char **why);
/* store = clear: what is counted, and this program's variables but those with a result. */
void journal_forget(void);
/*
 * A result came home, none was to be stored, or the room was left out. After the exit nothing is
 * forgotten where variables do not outlive a reset: the next start may find that they do.
 */
void entries_forget(void);
/* As the variable has them, which alone can be set in room bare. */
struct journal_counts *journal_counts(void);

/*
 * Resets and power-offs in a row before this run, which started at `started` (seconds, 0: unknown);
 * at most RESETS_MAX. Two are in a row if the second run started within RESET_GAP_SECONDS of the
 * end of the first, or if there is no clock.
 */
#define RESETS_MAX        3
#define RESET_GAP_SECONDS 600 /* a large server's firmware needs minutes to boot */
unsigned resets_before(uint64_t started);
/* There is no file, and no variable of an earlier start shows that they outlive a reset. */
bool resets_in_vain(void);
/*
 * Before room bare: notes in the file that the run may end in a reset, at about `ends` (seconds, 0:
 * unknown), because no file can be written then.
 */
void resets_expect(uint64_t started, uint64_t ends);
/* Records so many resets, the last at `ended` (seconds). NULL, or why they cannot be counted. */
const char *resets_record(unsigned count, uint64_t ended);

/*
 * Notes how far the series of journal_counts() is, after a change: in the variable, and then in the
 * file, while that can be written. NULL, or why a start after a reset might not know it.
 */
const char *series_note(void);

#endif
