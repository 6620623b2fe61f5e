/* SPDX-License-Identifier: MIT */
/*
 * Sends this machine into the image at its next start, once, and takes that back. Each step is done
 * whole or not at all, and the last one counts: files, boot entry, BootNext; taking back goes in
 * the other order. If the program is killed at any point, the machine starts as before or into a
 * whole image. Functions that return int return 0, or -1 with the reason in err[REASON_BYTES].
 */
#ifndef LINUX_BOOT_SEND_H
#define LINUX_BOOT_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernel/config.h"
#include "linux/boot/esp.h"

/*
 * Files on the EFI system partition: \EFI\anechoic\ with the configuration and the image, to which
 * the image adds its results and its notes (efi/files.c). Nothing else is touched; files that the
 * user has put there are an error, and are not overwritten.
 */
#define BOOT_FOLDER  "EFI/anechoic"
#define MENU_FOLDER  "EFI/anechoic-menu" /* of the boot menus' entries: tools/package/menu */
#define BOOT_IMAGE   "BOOTX64.EFI"
#define BOOT_CONFIG  "anechoic.cfg"
#define BOOT_RESULTS "results"

struct boot_files {
	const char *root; /* of the partition */
	const void *image;
	size_t image_bytes;
	const char *config;
};

/* The firmware's boot entries and BootNext (UEFI 2.10, 3.3), by libefivar and libefiboot. */
#define BOOT_ENTRY  "anechoic boot" /* its description */
#define BOOT_LOADER "\\EFI\\anechoic\\BOOTX64.EFI"

/* Check that this machine was started by a 64-bit UEFI and that its variables can be reached. */
int firmware_boot_usable(char *err);
/* Returns true if the firmware starts signed programs only. */
bool firmware_boot_is_secure(void);

struct boot_entry {
	uint8_t data[1024]; /* of the variable Boot#### */
	size_t n;
	bool there;      /* an entry of ours exists */
	uint16_t number; /* number of our entry, or of the one to be made */
	unsigned place;  /* place in the boot order, from 1; 0: in none */
};

/* Things that firmware_boot_remove removed. */
struct boot_removed {
	bool next, entry;
	unsigned notes; /* variables in which the image counts its starts */
	bool result;    /* a result is pending in variables, and stays */
};

struct send {
	const struct esp *esp;
	struct boot_files files;
	struct boot_entry entry;
};

/* Check everything that can fail before anything is written. `files` is filled but for its root. */
int send_plan(struct send *, const struct esp *, char *err);
/* Print the plan, in five lines of at most 80 columns. */
void send_say(const struct send *, FILE *out);
int send_do(const struct send *, char *err);

struct send_undone {
	struct boot_removed removed;
	size_t results; /* results that are not fetched yet, and stay */
};

int send_undo(const struct esp *, struct send_undone *, char *err);

/* Watching the image on a machine without a display. */

/*
 * Print which serial port the image will use, by the bytes of ACPI's SPCR table (n 0: there is
 * none), and which one Linux uses, by its command line; lines of at most 80 columns.
 */
void serial_watch_text(FILE *out, const unsigned char *spcr, size_t n, const char *command_line);

/*
 * Returns true for the name of a result in the folder of results; the image writes one other file
 * there, to test the medium.
 */
bool boot_result_name(const char *name);
/* The number of results in a folder. */
size_t boot_results_count(const char *folder);

/*
 * Make the anechoic.cfg of `anechoic boot` from the key=value words of its command line: check them
 * as the image will (kernel/config.h) and return the file's text, which the caller frees; NULL with
 * the first reason in err[REASON_BYTES].
 */
char *boot_config_text(char *const *words, size_t n, char *err);
struct boot_course {
	unsigned rooms;      /* rooms of all runs */
	double room_seconds; /* of each */
	unsigned countdowns; /* seconds of all together, at most, if nobody presses a key */
	enum finish finish;
};

/* The course of a boot with a text from boot_config_text. */
struct boot_course boot_config_course(const char *text);

#endif
