/* SPDX-License-Identifier: MIT */
/*
 * Knowledge of earlier starts that a start needs: a step that did not come back, how often room
 * bare was entered without a result that came home, how many runs in a row ended in a reset, and
 * the current run of a series.
 *
 * There are two places. The file \anechoic.state can be written while boot services are active; the
 * variable AnechoicJournal after that, too, but some firmware forgets variables with each reset. So
 * counts are written to both, and a start that finds a count in the file, but not the variable that
 * was set before it, knows that this firmware forgets.
 *
 * Steps may hang the machine: each is noted before it is done. A power cut leaves the same note as
 * a hang, so the step is tried again, and the console says so. A step that two starts in a row left
 * open is left out: a hang costs two starts. It is tried anew by another version of this program,
 * with another firmware, and after ten starts that left nothing open; if it is left open once more,
 * it costs that one start of each ten. From step_enter("exit") on the file says that room bare was
 * entered, and the variable names the step; the variable is written before the exit, with "exit":
 * the first SetVariable after it is a part of that step. The table in journal.c says what both mean
 * at the next start.
 *
 * A last note may be stale. Some firmware refuses every SetVariable from some call on, deletions
 * too; it leaves the same notes as firmware that hangs in this call, since nothing can be written
 * then that would tell them apart. So the console does not say that such a step hung.
 *
 * The steps: "mp-services", "usb-BUS:DEVICE.FUNCTION", "exit", "cpus" (the start of the others in
 * room bare), "setvar" (the result is stored). All names fit STEP_NAME. A reset is the end of a
 * run: a reset that hangs looks like one that worked, and has lost nothing.
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
#define STEPS_HUNG 6  /* with more, the oldest is forgotten */
#define STEPS_GOOD 10 /* after this many good starts, steps that are left out are tried again */

struct step_mark {
	char name[STEP_NAME]; /* "": none */
	char utc[STEP_UTC];   /* the time when that start began; "": unknown */
	/* These two describe a step that was left open: */
	bool once; /* in one start, not in two in a row: it is tried again */
	bool last; /* it was the last note of that start, which may be stale */
};

/* Runs one after the other, each with starts of its own (kernel/series.h). */
#define SERIES_STEM 24
struct run_series {
	char stem[SERIES_STEM];  /* the files' names begin so */
	uint32_t of;             /* checksum of the configuration */
	uint32_t runs, run;      /* wanted; the current one, from 1. runs 0: no series */
	uint32_t starts;         /* starts that measured for the current run */
	uint32_t profile, rooms; /* as chosen at the prompt of its first start */
};

/* Counts that are kept in both places. */
struct journal_counts {
	uint32_t entries; /* of room bare since a result came home; in the file: if stored */
	uint32_t resets;  /* resets and power-offs in a row at the end of a run */
	uint64_t ended;   /* the end of the last of them, seconds since 1970; 0: unknown */
	struct run_series series;
};

/*
 * Contents of either place, as text of the same form. The file is one sector, which is overwritten
 * in place: a power cut leaves the old text or the new one, and changes nothing else of the file
 * system. The variable has only the name of a step, and no machine, good and hung.
 */
#define JOURNAL_BYTES 512
struct journal_state {
	uint32_t machine;    /* identifies the machine and the program's version */
	struct step_mark at; /* the current step; "": none that is noted here */
	uint32_t good;       /* starts that left nothing open since a step was left out */
	unsigned nhung;
	struct step_mark hung[STEPS_HUNG];
	struct journal_counts counts;
};

enum state_choice { STATE_KEEP, STATE_CLEAR, STATE_OFF }; /* off: steps are not noted */

/*
 * Read the notes of earlier starts, by the firmware's calls; say what is tried again or left out.
 * Call it in the kernel's state, before ExitBootServices.
 */
void journal_open(const struct machine *, const struct config *);

/*
 * Note a step that may hang, before it; this ends the previous step. Does nothing before
 * journal_open.
 */
void step_enter(const char *name);
/* Note that the step came back. */
void step_left(void);
/*
 * Returns NULL, or why the step must be left out, in at most 60 characters: earlier starts did not
 * come back from it, or noted nothing after it, or ("exit") it is unknown how one ended.
 */
const char *step_hung(const char *name);
/* Returns true if a step that hangs will be known, and left out in the end. */
bool steps_noted(void);
/* Note that the run came to its end: nothing hung. */
void steps_end(void);

/*
 * Entries of room bare since a result came home. They end a loop of storing a result and resetting:
 * after ENTRIES_MAX the room is left out once.
 */
#define ENTRIES_MAX 3
/*
 * Count an entry: first in the variable, then in the file, so that a power cut between the two does
 * not look like a firmware that forgets. The file counts only entries whose result is to be stored
 * and brought home by a reset: without that nothing resets the machine. *why: NULL, or why no reset
 * may bring the result home. Returns false if the variable does not have it either, or does not
 * outlive a reset here.
 */
bool entries_add(bool to_be_stored, const char **why);
/* store = clear: forget the counts, and delete this program's variables but a stored result. */
void journal_forget(void);
/*
 * Forget the entries: a result came home, none was to be stored, or the room was left out. After
 * the exit nothing is forgotten if variables do not outlive a reset: the next start may find that
 * they do.
 */
void entries_forget(void);
/* The counts of the variable; in room bare only the variable can be set. */
struct journal_counts *journal_counts(void);

/*
 * Resets and power-offs in a row before this run, which started at `started` (seconds, 0: unknown);
 * at most RESETS_MAX. They are in a row if the next run started within RESET_GAP_SECONDS of the end
 * of the last, or if there is no clock.
 */
#define RESETS_MAX        3
#define RESET_GAP_SECONDS 600 /* a large server's firmware needs minutes to boot */
unsigned resets_before(uint64_t started);
/*
 * Returns true if there is no file, and no variable of an earlier start shows that they outlive a
 * reset.
 */
bool resets_in_vain(void);
/*
 * Before room bare: note in the file that the run may end in a reset, at about `ends` (seconds, 0:
 * unknown), because no file can be written then.
 */
void resets_expect(uint64_t started, uint64_t ends);
/*
 * Record this many resets, the last at `ended` (seconds). Returns NULL, or why they cannot be
 * counted.
 */
const char *resets_record(unsigned count, uint64_t ended);

/*
 * Note the state of the series in journal_counts(), after a change: in the variable, and then in
 * the file, while that can be written. Returns NULL, or why a start after a reset might not know
 * it.
 */
const char *series_note(void);

#endif
