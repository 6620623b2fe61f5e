/* SPDX-License-Identifier: MIT */
/*
 * Keys that a person presses. Before ExitBootServices they come from the firmware's console input,
 * with all keyboards that it supports. Afterwards only devices that need no driver are left: a PS/2
 * keyboard by its controller (or the firmware's emulation of one) and the serial line; a USB
 * keyboard is dead.
 */
#ifndef KERNEL_CONSOLE_KEYS_H
#define KERNEL_CONSOLE_KEYS_H

#include <stdbool.h>
#include <stdint.h>

enum { KEY_NONE = 0, KEY_ENTER = 13, KEY_ESC = 27, KEY_OTHER = 255 };

/* The last key since the previous call: ASCII, or a constant above. Never waits. */
unsigned keys_read(void);
/* Read keys without the firmware from now on: forget earlier keys, look for a PS/2 controller. */
void keys_take_over(void);
/* Names the keys that work now: "any key" or "a key of ..."; NULL: none. */
const char *keys_work(void);

#endif
