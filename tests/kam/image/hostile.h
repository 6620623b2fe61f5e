/* SPDX-License-Identifier: MIT */
/*
 * Firmware and machines that misbehave, each in the way that --hostile names: the names and what
 * they are known from stand in tests/hostile/misbehaviours.def. A misbehaviour changes what the
 * machine is made of before the image is entered: a service, a table, a register, a port.
 */
#ifndef TESTS_KAM_IMAGE_HOSTILE_H
#define TESTS_KAM_IMAGE_HOSTILE_H

#include "tests/kam/image/full_system.h"

struct misbehaviour {
	const char *name; /* NULL: the end of the list */
	void (*prepare)(struct full_system *, uint64_t n);
	uint64_t usual; /* n, where the name stands without one */
};

extern const struct misbehaviour hostile_services[], hostile_memory[], hostile_processor[],
	hostile_devices[], hostile_acpi[], hostile_others[], hostile_usb[], hostile_variables[],
	hostile_files[];

/* NAME[=N],...; "none" is a machine that behaves. An unknown name ends the program. */
void hostile_prepare(struct full_system *, const char *names);
/*
 * For misbehaviours that would replace each other's function: ends the program where another one
 * has been prepared for this start, as *last says.
 */
void hostile_alone(const struct full_system *, unsigned *last, const char *what);
/* Prints the names. */
void hostile_list(void);

#endif
