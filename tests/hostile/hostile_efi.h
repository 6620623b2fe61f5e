/* SPDX-License-Identifier: MIT */
/*
 * A firmware that misbehaves on demand: build/hostile.efi stands on the disk where the image should
 * be. It hands the image its own copies of the firmware's tables, some of whose entries lead to the
 * functions here, and starts it. The names in \hostile.cfg, as in misbehaviours.def, say which.
 *
 * Functions of the runtime services run after ExitBootServices too, on the page tables of the
 * image; so this program runs as a runtime driver, and all its code and data stay mapped.
 */
#ifndef TESTS_HOSTILE_HOSTILE_EFI_H
#define TESTS_HOSTILE_HOSTILE_EFI_H

#include <stdbool.h>
#include <stdint.h>

#include <efi.h>

struct firmware_misbehaviour {
	const char *name;        /* as in misbehaviours.def; NULL ends a list */
	uint64_t usual;          /* n, where the name stands without one */
	void (*begin)(uint64_t); /* changes `given`; called before the image is started */
};

/* One list for each file wrap_*.c. */
extern const struct firmware_misbehaviour memory_misbehaviours[], screen_misbehaviours[],
	variable_misbehaviours[], space_misbehaviours[], reset_misbehaviours[], cpu_misbehaviours[],
	file_misbehaviours[];

/* The firmware as it is. */
struct real_firmware {
	EFI_SYSTEM_TABLE *system;
	EFI_BOOT_SERVICES *boot; /* not after the exit */
	EFI_RUNTIME_SERVICES *runtime;
};
extern struct real_firmware real;

/* The firmware as the image sees it. */
struct given_firmware {
	EFI_SYSTEM_TABLE system;
	EFI_BOOT_SERVICES boot;
	EFI_RUNTIME_SERVICES runtime;
	bool exited; /* ExitBootServices has succeeded */
};
extern struct given_firmware given;

/* --- helpers --- */

/* Notes that the exit has succeeded; before begin. */
void memory_watch_exit(void);

/*
 * From now on the image gets wrap(interface) for the protocol; NULL from wrap, or instead of it:
 * there is no such protocol.
 */
void protocol_replace(const EFI_GUID *, void *(*wrap)(void *interface));
/* Pages of zeros, of a type of memory; NULL if there are none. Only before the exit. */
void *pages_of(EFI_MEMORY_TYPE, UINTN pages);
/* Waits that long by the TSC, whose rate is measured before the exit; at any time. */
void pass_milliseconds(uint64_t);
/* Measures that rate: call it from begin. */
void measure_tsc(void);
bool same_text(const CHAR16 *, const CHAR16 *);
/* Prints to the firmware's console; only before the exit. */
void say(const char *text);
/* Says on COM1 that the call does not return, and does not; at any time. */
void hang_in(const char *call) __attribute__((noreturn));

#define PAGE_BYTES 4096

#endif
