/* SPDX-License-Identifier: MIT */
/*
 * The calls of struct machine, made from our world: each goes over to the firmware's, calls and
 * comes back. After the exit the runtime ones are made on our own tables, which map what they need.
 * Nobody else calls the firmware. All return 0 or an EFI status.
 */
#ifndef KERNEL_FIRMWARE_FIRMWARE_CALLS_H
#define KERNEL_FIRMWARE_FIRMWARE_CALLS_H

#include "kernel/machine.h"

void firmware_use(struct machine *);

/* While it lives. */
void firmware_print(const char *text, size_t n);
bool firmware_key(void);
void firmware_stall(unsigned microseconds);
uint64_t firmware_file_create(const char *name);
uint64_t firmware_file_append(const void *data, size_t n);
uint64_t firmware_file_close(void);
uint64_t firmware_file_compare(const char *name, const void *data, size_t n, bool *same);
bool firmware_file_exists(const char *name);
/* Another processor: struct machine says how. */
uint64_t firmware_cpu_start(unsigned cpu, void (*fn)(void *), void *arg);
bool firmware_cpu_done(unsigned cpu);
/* Ends it. From then on firmware_lives() is false. */
uint64_t firmware_exit(void);
bool firmware_lives(void);

/* At any time. */
uint64_t firmware_variable_get(const char *name, void *data, size_t *n);
uint64_t firmware_variable_set(const char *name, const void *data, size_t n);
uint64_t firmware_boot_next(uint16_t option);
void firmware_reset(enum reset_kind);

#endif
