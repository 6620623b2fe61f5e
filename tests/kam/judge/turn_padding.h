/* SPDX-License-Identifier: MIT */
/*
 * Instructions that do nothing in a turn of a timed loop: the assembler fills up with them so that
 * the jump at the turn's end does not cross 32 bytes. They enter the window like all others, and a
 * stream may settle in another order with one of them than without.
 */
#ifndef TESTS_KAM_JUDGE_TURN_PADDING_H
#define TESTS_KAM_JUDGE_TURN_PADDING_H

#include <stddef.h>

#include "probes/loops/loops.h"

/* Returns how many there are in the innermost repeated part of this loop. */
unsigned turn_padding(loop_fn *loop);
/* Returns the bytes of a loop: up to the next one, or to the padding before it. */
size_t loop_bytes(loop_fn *loop);

#endif
