/* SPDX-License-Identifier: MIT */
/*
 * The guard around a runtime service that is called after ExitBootServices, where nobody else
 * catches what it does wrong. It runs on page tables of its own (kernel/memory/layout.h). A page
 * that it touches although it is not mapped there is mapped, counted, and the access tried again;
 * as in Linux (efi_crash_gracefully_on_page_fault() in arch/x86/platform/efi/quirks.c) any other
 * fault ends the call, and then no other service is called but the reset: nobody knows in which
 * state the firmware is. A call that never returns cannot be ended: interrupts are off, and much
 * firmware stores variables in system management mode, which masks NMIs, too.
 */
#ifndef KERNEL_FIRMWARE_RUNTIME_CALL_H
#define KERNEL_FIRMWARE_RUNTIME_CALL_H

#include "kernel/cpu/context.h"
#include "kernel/cpu/fault.h"
#include "kernel/firmware/efi_status.h"
#include "kernel/machine.h"

/* Pages that are mapped for one call; more are a sign that it runs wild. */
#define RUNTIME_PAGES_MAX 256

/* First of all. say: prints a line of at most 79 columns. */
void runtime_open(const struct machine *, void (*say)(const char *line));
/* With the final memory map. */
void runtime_begin(void);
/* false: no service may be called any more but the reset, because one faulted, or by the next. */
bool runtime_usable(void);
void runtime_forbid(void);

/*
 * RUNTIME_CALL("SetVariable", expression): the expression's value, an EFI status, or
 * EFI_STATUS_FAULTED.
 */
#define RUNTIME_CALL(name, expression)                                                             \
	({                                                                                         \
		volatile uint64_t status_ = EFI_STATUS_FAULTED;                                    \
		runtime_enter(name);                                                               \
		if (!context_save(&runtime_context))                                               \
			status_ = (expression);                                                    \
		runtime_leave(status_ == EFI_STATUS_FAULTED);                                      \
		status_;                                                                           \
	})

/* --- for RUNTIME_CALL --- */
extern struct context runtime_context;
/* Enters the state in which a service runs. */
void runtime_enter(const char *name);
/* Enters the kernel's state again, and says what was out of order. */
void runtime_leave(bool faulted);

/* For fault_open. */
bool runtime_mend(const struct frame *);

#endif
