/* SPDX-License-Identifier: MIT */
/* Capstone's registers as the model's masks and as Unicorn's numbers. */
#ifndef TESTS_KAM_RUN_REGISTER_MAP_H
#define TESTS_KAM_RUN_REGISTER_MAP_H

#include <stdint.h>

/* 0 for X86_REG_INVALID and RIP; ends the program for what the model does not have. */
uint64_t register_mask(unsigned capstone);
/* A 64-bit general register; 0 for X86_REG_INVALID. */
int register_unicorn(unsigned capstone);

#endif
