/* SPDX-License-Identifier: MIT */
/*
 * Dependent loads. Each load's address is the previous load's value, so nothing can overlap; the
 * loop's own two instructions, once in 16 loads, run beside the chain and cost it nothing.
 */
#include "probes/loops/timing.inc"

/* The loop of every chase: \count groups of 16 times \step. */
.macro CHASE_LOOP count, step:vararg
	STAMP_FIRST
	test	\count, \count
	jz	2f
	.balign	32
1:
	.rept	16
	\step
	.endr
	dec	\count
	jnz	1b
2:
	STAMP_LAST
.endm

.macro STEP_POINTER
	mov	(%rdi), %rdi
.endm

BEGIN_LOOP chase
	CHASE_LOOP %rsi, STEP_POINTER
	mov	%rdi, %rax
	ret
END_LOOP chase

/* rdx is a stamp's register: the count of the untimed groups moves to rcx. */
BEGIN_LOOP chase_warm
	mov	%rdx, %rcx
	test	%rcx, %rcx
	jz	4f
	.balign	32
3:
	.rept	16
	STEP_POINTER
	.endr
	dec	%rcx
	jnz	3b
4:
	CHASE_LOOP %rsi, STEP_POINTER
	mov	%rdi, %rax
	ret
END_LOOP chase_warm

.macro STEP_INDEX
	mov	(%rdi, %rsi, 8), %rsi
.endm

/* rdx is a stamp's register: the count moves to r8. */
BEGIN_LOOP chase_index
	mov	%rdx, %r8
	CHASE_LOOP %r8, STEP_INDEX
	mov	%rsi, %rax
	ret
END_LOOP chase_index

.macro STEP_CHECKED
	cmp	%rcx, %rsi
	jae	3f
	mov	(%rdi, %rsi, 8), %rsi
.endm

/* An index out of range ends the chase with ~0, as a checked language would end the program. */
BEGIN_LOOP chase_index_checked
	mov	%rdx, %r8
	CHASE_LOOP %r8, STEP_CHECKED
	mov	%rsi, %rax
	ret
3:
	STAMP_LAST
	mov	$-1, %rax
	ret
END_LOOP chase_index_checked

.macro STEP_PADDED
	shl	$6, %rsi
	mov	(%rdi, %rsi), %rsi
.endm

BEGIN_LOOP chase_index_padded
	mov	%rdx, %r8
	CHASE_LOOP %r8, STEP_PADDED
	mov	%rsi, %rax
	ret
END_LOOP chase_index_padded

/*
 * The length of a list of nodes { data, next } of 16 bytes, whose last next is 0: as many steps as
 * there are nodes, each counted. That a list ends after n steps proves that n nodes were visited.
 */
BEGIN_LOOP list_one
	xor	%ecx, %ecx
	STAMP_FIRST
	test	%rdi, %rdi
	jz	2f
	.balign	32
1:
	inc	%rcx
	mov	8(%rdi), %rdi
	test	%rdi, %rdi
	jnz	1b
2:
	STAMP_LAST
	mov	%rcx, %rax
	ret
END_LOOP list_one

/* Two of them at once, until one ends; if the other one does not, its pointer is in the value. */
BEGIN_LOOP list_two
	xor	%ecx, %ecx
	STAMP_FIRST
	test	%rdi, %rdi
	jz	2f
	.balign	32
1:
	inc	%rcx
	mov	8(%rdi), %rdi
	mov	8(%rsi), %rsi
	test	%rdi, %rdi
	jz	2f
	test	%rsi, %rsi
	jnz	1b
2:
	STAMP_LAST
	lea	(%rdi, %rsi), %rax
	add	%rcx, %rax
	ret
END_LOOP list_two
