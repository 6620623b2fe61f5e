/* SPDX-License-Identifier: MIT */
/* A system that runs on the machine changes these parameters ([system] of a .ini). */
#ifndef TESTS_KAM_CPU_UNDER_SYSTEM_H
#define TESTS_KAM_CPU_UNDER_SYSTEM_H

#include "tests/kam/cpu/cpu.h"

/*
 * Changes the parameters to those of the machine under its system: spikes take the time that it
 * steals, and the core runs at a part of its clock, so that what has a time of its own (L3, L4,
 * memory) takes fewer core cycles. Without a system nothing changes.
 */
void system_start(struct cpu *);

#endif
