/* SPDX-License-Identifier: MIT */
/*
 * The calls of struct machine (which says what each does), made from the kernel's state: each
 * switches to the firmware's state, calls, and switches back. After ExitBootServices the runtime
 * services are called under a guard. A uint64_t is 0 or an EFI status
 * (kernel/firmware/efi_status.h).
 */
#ifndef KERNEL_FIRMWARE_FIRMWARE_CALLS_H
#define KERNEL_FIRMWARE_FIRMWARE_CALLS_H

#include <stdint.h>

#include "kernel/machine.h"
#include "kernel/firmware/efi_status.h"
#include "page/picture/raster.h"
#include "kernel/cpu/fault.h"

/* say: prints a line of at most 79 columns. */
void firmware_use(struct machine *, void (*say)(const char *line));

/* Returns true before ExitBootServices. */
bool boot_services_active(void);

/*
 * The place for results and notes, as in struct machine: variables at any time, files before
 * ExitBootServices. It is the firmware's, or a test's.
 */
struct storage {
	uint64_t (*get)(const char *name, void *data, size_t *n);
	uint64_t (*set)(const char *name, const void *data, size_t n); /* n 0 deletes */
	uint64_t (*file_create)(const char *name);
	uint64_t (*file_append)(const void *data, size_t n);
	uint64_t (*file_close)(void);
	uint64_t (*file_compare)(const char *name, const void *data, size_t n, enum file_match *);
	uint64_t (*file_read)(const char *name, void *data, size_t *n);
	uint64_t (*file_delete)(const char *name);
	bool (*file_next_place)(void);
	bool (*file_look_again)(void);
	bool (*file_exists)(const char *name);
	bool (*file_before)(const char *name, const char *part, char *out, size_t bytes);
	uint64_t (*state_read)(void *data, size_t *n);
	uint64_t (*state_write)(const void *data, size_t n);
	/* Ask again for the sizes of the store; set BootNext; ask for the setup. */
	void (*query)(struct variable_store *);
	uint64_t (*boot_next)(void);
	uint64_t (*setup_next)(void);
	bool (*boot_services)(void); /* they are active */
};
extern const struct storage firmware_storage;

/* Only before ExitBootServices. */
bool firmware_has_console(void);
void firmware_print(const char *text, size_t n); /* only if it has a console */
bool firmware_display_take(void);
void firmware_display_give_back(void);
void firmware_display_show(const struct area *);
bool firmware_has_keys(void);
unsigned firmware_key(void);
bool firmware_stall(unsigned microseconds); /* false: the firmware has no delay */
uint64_t firmware_watchdog(unsigned seconds);
unsigned firmware_cpus(void);
uint64_t firmware_cpu_start(unsigned cpu, void (*fn)(void *), void *arg);
bool firmware_cpu_done(unsigned cpu);
uint64_t firmware_exit_boot_services(void);

/* Read and write no variable after the exit from now on: EFI_STATUS_NOT_CALLED. */
void firmware_forbid_variables(void);

/* At any time. */
void firmware_reset(enum reset_kind);
/* Write to a register in memory that the firmware's tables name. */
void firmware_write8(uint64_t address, uint8_t value);

/*
 * For fault_open: map the page that a runtime service touched unasked. Returns false if it must not
 * be mapped.
 */
bool runtime_mend(const struct frame *);

#endif
