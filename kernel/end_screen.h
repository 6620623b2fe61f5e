/* SPDX-License-Identifier: MIT */
/* The last screen of a room: the card, its pictures, and the card as a QR code. */
#ifndef KERNEL_END_SCREEN_H
#define KERNEL_END_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

/* Shows it, and says what the code is for. false: there is no display, or no result. */
bool end_screen(void);
/*
 * The machine halts. Where the code on the end screen is small, it and the code alone, which is
 * larger then, are shown in turn for ever; ticks_per_second 0: not known, so they are not.
 */
void end_screen_halt(uint64_t ticks_per_second) __attribute__((noreturn));

#endif
