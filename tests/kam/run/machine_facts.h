/* SPDX-License-Identifier: MIT */
/* The facts that a room would have of a simulated machine. */
#ifndef TESTS_KAM_RUN_MACHINE_FACTS_H
#define TESTS_KAM_RUN_MACHINE_FACTS_H

#include "engine/room.h"
#include "tests/kam/cpu/cpu.h"

/* The topology is one for all calls: the last machine's. */
void machine_facts(struct facts *, const struct cpu *);

#endif
