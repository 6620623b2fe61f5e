/* SPDX-License-Identifier: MIT */
/*
 * Groot Koerkamp's loops, instruction for instruction as his compiler wrote them ("CPU
 * performance", part 1): the checked index, one load a turn; the others eight loads a turn. Where
 * he pads elements he shows no assembly: the index is multiplied by 64, and the loop is that of the
 * unpadded one.
 *
 * The count is of loads, in the eightfold loops a multiple of 8.
 */
#include "probes/loops/timing.inc"

/* rdx is a stamp's register: the count is in r8. */
.macro METHOD_LOOP times, step:vararg
	STAMP_FIRST
	test	%r8, %r8
	jz	2f
	.balign	64
1:
	.rept	\times
	\step
	.endr
	.if	\times == 1
	dec	%r8
	.else
	add	$-\times, %r8
	.endif
	jnz	1b
2:
	STAMP_LAST
.endm

.macro METHOD_CHECKED
	cmp	%rcx, %rsi
	jae	3f
	mov	(%rdi, %rsi, 8), %rsi
.endm

/* An index out of range ends the chase with ~0, as his program would end. */
BEGIN_LOOP method_checked
	mov	%rdx, %r8
	METHOD_LOOP 1, METHOD_CHECKED
	mov	%rsi, %rax
	ret
3:
	STAMP_LAST
	mov	$-1, %rax
	ret
END_LOOP method_checked

.macro METHOD_UNCHECKED
	mov	(%rdi, %rsi, 8), %rsi
.endm

BEGIN_LOOP method_unchecked
	mov	%rdx, %r8
	METHOD_LOOP 8, METHOD_UNCHECKED
	mov	%rsi, %rax
	ret
END_LOOP method_unchecked

.macro METHOD_PADDED
	shl	$6, %rsi
	mov	(%rdi, %rsi), %rsi
.endm

BEGIN_LOOP method_padded
	mov	%rdx, %r8
	METHOD_LOOP 8, METHOD_PADDED
	mov	%rsi, %rax
	ret
END_LOOP method_padded

.macro METHOD_RAW
	mov	(%rdi), %rdi
.endm

BEGIN_LOOP method_raw
	mov	%rsi, %r8
	METHOD_LOOP 8, METHOD_RAW
	mov	%rdi, %rax
	ret
END_LOOP method_raw
