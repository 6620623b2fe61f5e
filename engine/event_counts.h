/* SPDX-License-Identifier: MIT */
/* What can happen while a loop is timed, and is counted. */
#ifndef ENGINE_EVENT_COUNTS_H
#define ENGINE_EVENT_COUNTS_H

#include <stdint.h>

/* The counts of lib/event_counts.inc, and a bit for each: EVENT_SMIS ... */
enum event_index {
#define EVENT(NAME, name, kind, words) EVENT_INDEX_##NAME,
#include "lib/event_counts.inc"
#undef EVENT
	EVENT_KINDS
};
enum {
#define EVENT(NAME, name, kind, words) EVENT_##NAME = 1 << EVENT_INDEX_##NAME,
#include "lib/event_counts.inc"
#undef EVENT
};

/* What happened between timed_begin and timed_end; a count is valid if its bit is in `known`. */
struct event_counts {
	uint32_t known;
#define EVENT(NAME, name, kind, words) uint64_t name;
#include "lib/event_counts.inc"
#undef EVENT
	uint64_t priv[8]; /* the room's own: values at the start */
};

#endif
