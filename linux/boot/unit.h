/* SPDX-License-Identifier: MIT */
/*
 * A unit of systemd that starts this program once after a restart. Functions that return int return
 * 0, or -1 with the reason in err[REASON_BYTES].
 */
#ifndef LINUX_BOOT_UNIT_H
#define LINUX_BOOT_UNIT_H

#include <limits.h>
#include <stdbool.h>

/* The folder holds what is known over restarts, and results by default. */
#define STATE_FOLDER "/var/lib/anechoic"
/* The boot (random/boot_id) that `anechoic bare` left; `anechoic fetch` removes it. */
#define BARE_STATE STATE_FOLDER "/bare"

bool systemd_runs(void);
/* Check that nobody but root can change a file, nor a folder that leads to it. */
int path_of_root(const char *path, char *err);
/* Find this program as a unit would start it, or the reason why there can be no unit. */
int unit_program(char program[PATH_MAX], char *err);

struct unit {
	const char *name;        /* "anechoic-ladder.service" */
	const char *description; /* of one line */
	const char *words;       /* the program's arguments */
	const char *path;        /* one more, quoted; NULL: none */
	bool waits;              /* until everything else has been started and has settled */
	bool once;               /* it removes itself */
};

int unit_write(const struct unit *, const char *program, char *err);
void unit_remove(const char *name);

#endif
