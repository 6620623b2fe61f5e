/* SPDX-License-Identifier: MIT */
/* What the processor's registers say of how fast it may run. */
#ifndef ENGINE_SPEED_H
#define ENGINE_SPEED_H

#include "engine/room.h"

/*
 * Adds the object `speed` to the run line: the facts of speed_facts.inc that this processor has, by
 * room->read_msr. An MSR that faults stands in `absent`. Where none can be read, or where the room
 * answers for MSRs that no processor has, there is only the reason, `why`.
 */
void speed_describe(struct room *, struct jsonl *);

#endif
