/* SPDX-License-Identifier: MIT */
/*
 * Leaving the current stack: a saved point to return to after a fault, and a call on another stack.
 */
#ifndef KERNEL_CPU_CONTEXT_H
#define KERNEL_CPU_CONTEXT_H

#include <stdint.h>

/* The registers that setjmp would keep: callee-saved registers, stack pointer, return address. */
struct context {
	uint64_t rip, rsp, rbx, rbp, r12, r13, r14, r15;
};

/*
 * Returns 0 when called, and 1 when context_restore comes back to it. The function that called
 * context_save must not have returned before that.
 */
int context_save(struct context *) __attribute__((returns_twice));
void context_restore(const struct context *) __attribute__((noreturn));

/* Call fn(arg) on another stack, with `top` as its upper end. */
void on_stack(void *top, void (*fn)(void *), void *arg);

#endif
