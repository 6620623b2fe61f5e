/* SPDX-License-Identifier: MIT */
/*
 * A run line says which machine its result is of. All that pairs results by machine uses this: the
 * end screen, check, show --since, report, compare --fleet.
 */
#ifndef LIB_MACHINE_ID_H
#define LIB_MACHINE_ID_H

#include "lib/result_line.h"

#define MACHINE_ID 128 /* bytes of the text with its NUL */

/*
 * Write the machine's identity: "uuid 4c4c4544-... serial 5XK9", "serial ..." or "mac ..."; "": it
 * has none. A number that makers leave as it is, and QEMU's MAC, are no identity.
 */
void machine_id(struct line run, char out[MACHINE_ID]);

/*
 * Returns true if two run lines are of one machine: by the first of UUID, serial number and MAC
 * that both have; with the same UUID two serial numbers are two machines. If they have none in
 * common: by processor and board, which are the same in machines of one model, and the TSC's rate.
 */
bool machine_same(struct line a, struct line b);
/* The same, and its processor was not changed for another model. */
bool machine_same_cpu(struct line a, struct line b);

#endif
