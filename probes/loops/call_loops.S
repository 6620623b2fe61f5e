/* SPDX-License-Identifier: MIT */
/* The trampoline that times what is not written in assembly. */
#include "probes/loops/timing.inc"

/*
 * Calls fn(a, b, c) `laps` times. The first argument of a call depends on what the call before
 * returned (plus 0 times it), so that calls do not overlap. rax is 1 at each call: code that
 * touches no register adds 1 to the sum.
 */
BEGIN_LOOP timed_call
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	sub	$8, %rsp
	mov	%rdi, %rbx
	mov	%rsi, %rbp
	mov	%rdx, %r12
	mov	%rcx, %r13
	mov	%r8, %r14
	xor	%r15d, %r15d
	STAMP_FIRST
	mov	%r11, (%rsp)
	xor	%eax, %eax
	test	%rbp, %rbp
	jz	2f
	.balign	32
1:
	and	$0, %eax
	lea	(%r12, %rax), %rdi
	mov	%r13, %rsi
	mov	%r14, %rdx
	mov	$1, %eax
	call	*%rbx
	add	%rax, %r15
	dec	%rbp
	jnz	1b
2:
	mov	(%rsp), %r11
	STAMP_LAST
	mov	%r15, %rax
	add	$8, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
END_LOOP timed_call
