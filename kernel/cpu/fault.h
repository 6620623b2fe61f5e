/* SPDX-License-Identifier: MIT */
/*
 * Exceptions and panics on the boot processor. A fault while a room runs is recorded, and the room
 * is left through its saved context; the report is then printed on the ordinary stack. A fault
 * without such a context, or during that printing, is printed at once and stops the machine. There
 * is never a silent triple fault.
 */
#ifndef KERNEL_CPU_FAULT_H
#define KERNEL_CPU_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/room.h"
#include "kernel/cpu/context.h"
#include "kernel/machine.h"

/* The frame that kernel/cpu/isr.S builds on the stack. */
struct frame {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax;
	uint64_t vector, error;
	uint64_t rip, cs, flags, rsp, ss; /* pushed by the processor */
};

/* Counted on all processors, while the kernel's descriptor tables are loaded. */
struct fault_counts {
	volatile uint64_t interrupts, nmis, exceptions;
};
extern struct fault_counts fault_counts;

/* Functions of higher layers that fault handling calls. */
struct fault_handlers {
	/* Returns true if the fault was on another processor, which is halted then. */
	bool (*other_processor)(const struct frame *);
	/* Returns true if it removed the cause of this page fault: the access is tried again. */
	bool (*mend)(const struct frame *);
	/* Returns true if this interrupt ends the attempt (fault_try). */
	bool (*late)(void);
	/* Returns true if the NMI was sent to end this processor's sleep: it is not counted. */
	bool (*nmi)(struct frame *);
	/* Print without the firmware, by any device that works. */
	void (*print)(const char *text, size_t n);
	/* Called after a fault that cannot be recovered from. */
	void (*stop)(void) __attribute__((noreturn));
};

/*
 * Call this before the kernel's descriptor tables are loaded. Addresses are reported relative to
 * the image.
 */
void fault_open(const struct span *image, const struct fault_handlers *);
/* Set where to continue after a fault; NULL: nowhere. Returns the previous setting. */
const struct context *fault_recover_to(const struct context *);
/*
 * Describe the step that runs from now on, in a few words, for a person who reads a fault report.
 * The text must stay where it is. NULL: nothing of note.
 */
void fault_during(const char *what);
/*
 * Call a loop whose instructions the machine may refuse, on the processor that measures. Returns
 * NULL; or how it ended instead, valid until the next fault: then CR3 and CR4 are as before,
 * interrupts off. A later fault elsewhere is handled as before the call.
 */
const struct escape *fault_try(loop_fn *, const uint64_t args[LOOP_ARGS], struct timed *);
/* The last fault as readable lines, each of at most 79 columns. Returns the length. */
size_t fault_text(char *out, size_t bytes);
/* The last fault in a few words: "page fault at .text+0x12a4, write to 8". */
const char *fault_summary(void);

/* End the room like a fault, with a message. A processor that does not measure halts instead. */
void panic(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
