/* SPDX-License-Identifier: MIT */
/* CPUID of the measuring CPU. */
#ifndef ENGINE_ROOM_CPUID_H
#define ENGINE_ROOM_CPUID_H

#include "engine/room.h"

static inline enum cpu_vendor room_cpu_vendor(struct room *room)
{
	return cpuid_vendor(room->cpuid(room, 0, 0));
}

static inline bool room_has_leaf(struct room *room, uint32_t leaf)
{
	return cpuid_includes(room->cpuid(room, cpuid_range(leaf), 0), leaf);
}

/* Returns true if CPUID describes caches and TLBs as AMD defined it. */
static inline bool room_has_amd_leaves(struct room *room)
{
	return cpuid_is_amd_design(room_cpu_vendor(room));
}

#endif
