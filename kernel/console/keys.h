/* SPDX-License-Identifier: MIT */
/*
 * Keys that a person presses. Before ExitBootServices they come from the firmware's console input,
 * whatever keyboards that has. After it only what needs no driver is left: a PS/2 keyboard by its
 * controller (or the firmware's emulation of one) and the serial line; a USB keyboard is dead.
 */
#ifndef KERNEL_CONSOLE_KEYS_H
#define KERNEL_CONSOLE_KEYS_H

#include <stdbool.h>
#include <stdint.h>

enum { KEY_NONE = 0, KEY_ENTER = 13, KEY_ESC = 27, KEY_OTHER = 255 };

/* The last key since the previous call: ASCII, or one of the above. Never waits. */
unsigned keys_read(void);
/* From now on: forgets what was pressed, and looks whether there is a PS/2 controller. */
void keys_take_over(void);
/* Which keys work now, "any key" or "a key of ..."; NULL: none. */
const char *keys_work(void);

#endif
