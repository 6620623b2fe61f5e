/* SPDX-License-Identifier: MIT */
/* The end of a run: its last screen, and what the key `finish` of the configuration says. */
#ifndef KERNEL_FINISH_H
#define KERNEL_FINISH_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/config.h"
#include "kernel/firmware/acpi.h"
#include "kernel/machine.h"

/* First of all: the machine whose resets are counted, and how long a person may look. */
void finish_open(const struct machine *, const struct config *);
/*
 * Before room bare, where its result will not be stored: notes that the run may end in a reset
 * there, where no file can be written.
 */
void finish_before_exit(void);
/*
 * After a room in which a fault happened: resets or halts if the key `fault` says so, or returns.
 */
void finish_after_fault(void);
/* A result that was to be stored is only on the screen, and why: halts, so that it can be read. */
void finish_undelivered(const char *why) __attribute__((noreturn));
/* The same where the result is stored and stays there: why no start makes a file of it. */
void finish_kept(const char *why) __attribute__((noreturn));
/*
 * At the end: does what `finish` says, unless reset_guard forbids it. Returns only to go
 * back to the firmware.
 */
void finish_run(void);
/*
 * After room bare's result was stored: says what will happen, counts down, which a key holds, and
 * resets the machine.
 */
void finish_stored(void) __attribute__((noreturn));
/* The same between two runs of a series, where no result waits: the next start is the next run. */
void finish_between(void) __attribute__((noreturn));
/* BootNext, so that a reset brings this machine back to this medium; says so if it may not. */
void finish_way_home(void);
/*
 * The file in \results\ that has what this start brought home: the last screen names it, unless the
 * start measures something itself.
 */
void finish_names(const char *file);
/* After a fault that there is no return from: halts, so that the screen can be read. */
void stop_after_fatal_fault(void) __attribute__((noreturn));

/*
 * Guards against a reset loop. A machine that resets, or whose power-off is a reset (U-Boot's),
 * boots the same medium again and would measure for ever. So each reset or power-off at the end of
 * a run is counted in a variable first; after RESETS_MAX of them in a row, or where nothing can be
 * counted, the run stops instead and says why. Below, "reset" stands for both.
 *
 *	finish           resets counted  boot services  then
 *	firmware         -               active         back to the firmware
 *	firmware         -               ended          halt
 *	halt             -               -              halt
 *	poweroff, reset  fewer than 3    -              poweroff, reset
 *	poweroff, reset  3 or more       -              halt; counting begins again
 *	poweroff, reset  not possible    active         back to the firmware
 *	poweroff, reset  not possible    ended          halt
 *	reset            perhaps in vain -              halt
 *	setup            as reset; where no start can be made to enter it, as firmware
 *
 * Some firmware forgets its variables with every reset, so the count is noted in a file too. That
 * is done while boot services are active, so before room bare where the run may end in it
 * (finish_before_exit). The reset after a result was stored is bounded by the count of entries of
 * room bare (both: kernel/journal.h), those between the runs of a series by their number
 * (kernel/series.h); they only carry the count of those before them on, however long a run takes.
 *
 * Nothing that a start can see tells a person who has started the machine from a power-off that
 * acts as a reset: the time since then may be the same, and memory may be kept or lost with both.
 * So a person says it: Enter at the opening prompt begins the count anew, and the start after
 * RESETS_MAX asks for it (kernel/prompt.h).
 *
 * Where there is no place for that file, the variable alone counts, and it may be one that a reset
 * clears: the count is perhaps in vain. That it is not is known once a start finds the variable
 * that an earlier one wrote. Until then a reset is not done; a power-off is, because only where it
 * acts as a reset can it loop. A reset into the setup is counted as any other: a firmware may take
 * OsIndications and not follow it.
 */
struct reset_request {
	enum finish wanted;      /* as configured */
	bool boot_services;      /* active */
	const char *not_counted; /* why resets cannot be counted; NULL: they can */
	unsigned before;         /* resets in a row before this one */
	bool in_vain;            /* a reset may clear the count: it is not known to outlive one */
	const char *no_setup;    /* why no start can be made to enter it; NULL: one can */
};

/*
 * Resetting the machine and switching it off. No single way works everywhere, so one after the
 * other is tried, each announced on the console and given RESET_SECONDS (before the TSC's rate is
 * known, a second is taken for 5e9 ticks):
 *
 *   the ACPI reset register     where the FADT has one: what Windows and Linux use
 *   port cf9h                   where there is PCI: 2 (a full reset), then 6 (now); Intel, AMD
 *   the firmware, cold, warm    ResetSystem; faults on some machines, returns on others
 *   the keyboard controller     command feh at port 64h
 *   a triple fault              the processor shuts down, and chipsets reset then
 *
 * On a hardware-reduced machine (FADT) the firmware comes first, as in Linux: such machines need
 * not have the others. Caches are not written back before: what must survive is in flash or on the
 * stick by then. After ExitBootServices the firmware is called under a guard
 * (kernel/firmware/firmware_calls.h).
 */
enum reset_step {
	RESET_BY_REGISTER,
	RESET_BY_CF9,
	RESET_BY_FIRMWARE_COLD,
	RESET_BY_FIRMWARE_WARM,
	RESET_BY_KEYBOARD,
	RESET_BY_TRIPLE_FAULT,
	RESET_STEPS
};

#define RESET_SECONDS 1

#endif
