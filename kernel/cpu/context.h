/* SPDX-License-Identifier: MIT */
/*
 * Leaving the current stack: a saved point to return to after a fault, and a call on another stack.
 */
#ifndef KERNEL_CPU_CONTEXT_H
#define KERNEL_CPU_CONTEXT_H

#include <stdint.h>

/* What setjmp keeps: callee-saved registers, stack pointer and return address. */
struct context {
	uint64_t rip, rsp, rbx, rbp, r12, r13, r14, r15;
};

/*
 * Returns 0; and 1 when context_restore is called, which must be before the function that called
 * context_save returns.
 */
int context_save(struct context *) __attribute__((returns_twice));
void context_restore(const struct context *) __attribute__((noreturn));

/* Calls fn(arg) on another stack, of which `top` is the upper end. */
void on_stack(void *top, void (*fn)(void *), void *arg);

#endif
