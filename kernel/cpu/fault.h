/* SPDX-License-Identifier: MIT */
/*
 * Exceptions and panics. A fault while a room runs is kept, and the room is left through its saved
 * context; the text is then printed on the ordinary stack. A fault with no such context, or during
 * that printing, is printed on the spot and ends in a reset or a halt: never a silent triple fault.
 */
#ifndef KERNEL_CPU_FAULT_H
#define KERNEL_CPU_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/machine.h"

/* What kernel/cpu/isr.S leaves on the stack. */
struct frame {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax;
	uint64_t vector, error;
	uint64_t rip, cs, flags, rsp, ss; /* pushed by the processor */
};

struct context {
	uint64_t rip, rsp, rbx, rbp, r12, r13, r14, r15;
};
int context_save(struct context *) __attribute__((returns_twice));
void context_restore(const struct context *) __attribute__((noreturn));

/* Calls fn(arg) on another stack, of which `top` is the upper end. */
void on_stack(void *top, void (*fn)(void *), void *arg);

/* Taken by our own descriptor tables since the start. */
struct fault_counts {
	volatile uint64_t interrupts, nmis, exceptions;
};
extern struct fault_counts fault_counts;

/* Addresses in the dump are told relative to this image. last(): what to do when all is lost. */
void fault_open(const struct span *image, void (*last)(void) __attribute__((noreturn)));
/* Where to go on after a fault; NULL: nowhere. */
void fault_recover_to(const struct context *);
/* The fault that led to the recovery, as readable lines, each at most 79 columns. */
size_t fault_text(char *out, size_t bytes);
/* The same in a few words: "page fault at .text+0x12a4". */
const char *fault_short(void);

/* An end by ourselves, with values. */
void panic(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
