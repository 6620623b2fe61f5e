/* SPDX-License-Identifier: MIT */
/*
 * Layer B, full system: the shipped image on a fake firmware. Two Unicorns share one memory: one
 * runs the plain C, without a model; whenever that enters section .loops, the other, with the model
 * attached, runs from there until it returns. Time passes in the model alone.
 */
#ifndef TESTS_KAM_IMAGE_FULL_SYSTEM_H
#define TESTS_KAM_IMAGE_FULL_SYSTEM_H

#include <stdio.h>

#include "tests/kam/run/emulator.h"
#include "tests/kam/run/loops_only.h"
#include "tests/kam/image/image.h"
#include "tests/kam/image/memmap.h"
#include "tests/kam/image/ram.h"

/* Where the fake firmware has its things; all below is RAM up to LOW_BYTES, but for the hole. */
#define LOW_BYTES 0x10000000ull
#define HOLE_AT   0x0a0000ull
#define TRAPS_AT  0x100000ull /* a `ret` for each service */
#define START_AT  0x102000ull /* what enters the image, and where that returns to */
#define TABLES_AT 0x104000ull
#define ROOT_AT   0x110000ull /* page tables */
#define STACK_AT  0x120000ull
#define STACK_END 0x140000ull
#define IMAGE_AT  0x400000ull

/* Text that grows. */
struct text_buffer {
	FILE *to;
	char *text;
	size_t bytes;
};

/* The 8254's channel 2 and the two ports that text leaves by. */
struct ports {
	uint8_t line, scratch; /* of COM1 */
	uint64_t started;      /* TSC when channel 2 was loaded */
	uint16_t latched;
	bool high; /* the next byte read is the latch's high one */
};

#define MSRS 32

#define EFI_PATH       64
#define EFI_FILES_MOST 8

/* A file of the boot volume. */
struct efi_file {
	char path[EFI_PATH]; /* empty: unused */
	uint8_t *data;
	size_t bytes, position;
	bool open;
};

struct full_system {
	const struct request *request;
	const struct cpu *cpu;
	struct model model;
	struct emulator timed;
	uc_engine *uc; /* plain C */
	struct ram ram;
	struct memmap map;
	struct section text, loops;
	uint64_t image_bytes, entry;
	uint64_t root;       /* CR3 at the last call of a loop */
	bool tables_changed; /* since then */
	uint64_t pending_ns; /* passed, but not yet in the model */
	struct msr {
		uint32_t number;
		uint64_t value;
		bool constant;
	} msrs[MSRS];
	unsigned nmsrs;
	struct ports ports;
	struct text_buffer said, results;
	struct efi_file file[EFI_FILES_MOST];
	unsigned exits; /* calls of ExitBootServices with the right key */
	bool reset;
};

/* Runs the image and writes its result; 0, 1 when a proof failed. Anything else ends the program.
 */
int full_system_run(const struct request *, const struct cpu *, FILE *out);

/* --- between its parts --- */
void unicorn_check(uc_err, const char *what);
uint64_t register_of(uc_engine *, int id);
void system_hook(struct full_system *, int type, void *callback, uint64_t from, uint64_t to);
/* Time that plain C, a service or a port takes. */
void system_pass_time(struct full_system *, uint64_t ns);
/* The time stamp counter now. */
uint64_t system_tsc(struct full_system *);

/* The processor: control and model-specific registers, CPUID, TSC; page tables to start with. */
void system_cpu_init(struct full_system *);
/* Whether EFER allows pages without execution. */
bool system_no_execute(const struct full_system *);
/* Ports. */
void system_ports_init(struct full_system *);
/* Calls from plain C into section .loops, which the other Unicorn runs. */
void system_loops_init(struct full_system *);
/* The firmware's tables and services. */
void efi_open(struct full_system *);
void efi_files_close(struct full_system *);

#endif
