/* SPDX-License-Identifier: MIT */
/* The configuration: \anechoic.cfg, then the load options, by one table of settings. */
#ifndef KERNEL_CONFIG_H
#define KERNEL_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/machine.h"
#include "engine/options.h"

enum rooms { ROOMS_BOTH, ROOMS_FIRMWARE, ROOMS_BARE };
enum finish {
	FINISH_FIRMWARE,
	FINISH_POWEROFF,
	FINISH_RESET,
	FINISH_SETUP,
	FINISH_HALT,
	FINISH_AUTO
};
enum screen_choice { SCREEN_ON, SCREEN_OFF };
enum html_choice { HTML_ON, HTML_OFF };
enum store_choice { STORE_ON, STORE_OFF, STORE_CLEAR };
enum after_fault { FAULT_NEXT, FAULT_RESET, FAULT_HALT };
enum idle_choice { IDLE_DEEP, IDLE_MWAIT, IDLE_PAUSE, IDLE_IO };
enum siblings_choice { SIBLINGS_IDLE, SIBLINGS_INIT };
enum usb_choice { USB_HANDOFF_ON, USB_HANDOFF_OFF };
enum mp_choice { MP_SERVICES_ON, MP_SERVICES_OFF };

#define WATCHDOG_AUTO 0
#define WATCHDOG_OFF  UINT64_MAX

#define CONFIG_ERRORS 8
#define CONFIG_LINE   384
#define USB_SKIP      79 /* characters of a text */
#define WAIT_SECONDS  60 /* before the program goes back to the firmware, with finish = firmware */

struct config {
	struct options options; /* first: option_settings has offsets from here */
	uint64_t rooms, finish, fault, serial, screen, html, store, usb_handoff;
	uint64_t prompt, countdown, screen_seconds; /* all in seconds */
	uint64_t mp_services, state; /* enum mp_choice, enum state_choice (kernel/journal.h) */
	uint64_t cpus;               /* number of CPUs to use; 0: all */
	char usb_skip[USB_SKIP + 1]; /* PCI addresses, separated by commas */
	uint64_t idle, siblings;     /* enum idle_choice, siblings_choice */
	uint64_t smi_ask;            /* value for ACPI's SMI_CMD; 0: no SMI is asked for */
	uint64_t watchdog;           /* seconds, or WATCHDOG_AUTO, WATCHDOG_OFF */
	unsigned errors;             /* their number; text of the first CONFIG_ERRORS below */
	char error[CONFIG_ERRORS][CONFIG_LINE];
};

#define CONFIG_SETTINGS 64

/* Write all keys that are understood to out[CONFIG_SETTINGS]. Returns how many there are. */
size_t config_settings(struct setting *out);

/*
 * Set the defaults, then the file's values, then the load options'. say(line) prints notes and
 * errors.
 */
void config_parse(struct config *, const struct text *file, const struct text *words,
	void (*say)(const char *line));

/*
 * Fit it to the machine: resolve FINISH_AUTO, and under Secure Boot drop what would let an unsigned
 * file decide what runs in ring 0.
 */
void config_fit(struct config *, const struct machine *, void (*say)(const char *line));

/* The number of rooms that a run has. */
unsigned config_rooms(const struct config *);

#endif
