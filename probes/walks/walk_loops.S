/* SPDX-License-Identifier: MIT */
/*
 * (n, first, addresses, m[, page]): n rounds, of each of which two dependent loads alone are timed:
 * of the word at `first`, which is the address of the other. Before them the lines at m addresses
 * are flushed and translations thrown away, as the loop's name says -> the sum of what the second
 * loads found; the ticks are the sum of all rounds. Ring 0.
 *
 * Each round begins up to fifteen cycles later than the one before it would have it: where all took
 * the same time, their stamps might all fall alike between two steps of the TSC, and the mean be as
 * much of a step off.
 */
#include "probes/loops/timing.inc"

#define LATER 15 /* a mask */

.macro WALKS what
	push	%rbx
	mov	%rdx, %r10
	xor	%r9d, %r9d
	xor	%ebx, %ebx
	test	%rdi, %rdi
	jz	4f
	.balign	64
1:
	mov	%rcx, %rax
	test	%rax, %rax
	jz	3f
2:
	mov	-8(%r10, %rax, 8), %rdx
	clflush	(%rdx)
	dec	%rax
	jnz	2b
3:
	mov	%edi, %eax
	and	$LATER, %eax
5:
	dec	%eax
	jns	5b
	mfence
	\what
	STAMP_FIRST
	mov	(%rsi), %rax
	add	(%rax), %r9
	STAMP_LAST
	add	%rdx, %rbx
	dec	%rdi
	jnz	1b
4:
	mov	%r9, %rax
	mov	%rbx, %rdx
	pop	%rbx
	ret
.endm

BEGIN_LOOP walk_cr3
	mov	%cr3, %r8
	WALKS "mov %r8, %cr3"
END_LOOP walk_cr3

BEGIN_LOOP walk_invlpg
	WALKS "invlpg (%r8)"
END_LOOP walk_invlpg
