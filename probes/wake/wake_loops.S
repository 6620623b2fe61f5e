/* SPDX-License-Identifier: MIT */
/*
 * Another CPU is woken, and answers: time from just before the write that wakes it until the line
 * that it answers by is seen to be written. (address or register, what is written, line, patience)
 * -> the line's first word as it was read last: 0 if it was read `patience` times in vain.
 */
#include "probes/loops/timing.inc"

.macro AWAIT
1:
	mov	(%r9), %r10
	test	%r10, %r10
	jnz	2f
	dec	%r8
	jnz	1b
.endm

/* By a store of four bytes: to the line that it watches, or to its APIC's interrupt command. */
BEGIN_LOOP wake_store
	mov	%rdx, %r9
	mov	%rcx, %r8
	xor	%r10d, %r10d
	STAMP_FIRST
	test	%r8, %r8
	jz	2f
	mov	%esi, (%rdi)
	AWAIT
2:
	STAMP_LAST
	mov	%r10, %rax
	ret
END_LOOP wake_store

/*
 * By the interrupt command's model-specific register, whose write is no fence: what was stored
 * before is seen first (SDM vol. 3A, 11.12.3).
 */
BEGIN_LOOP wake_wrmsr
	mov	%rdx, %r9
	mov	%rcx, %r8
	xor	%r10d, %r10d
	mov	%edi, %ecx
	mfence
	STAMP_FIRST
	test	%r8, %r8
	jz	2f
	mov	%esi, %eax
	mov	%rsi, %rdx
	shr	$32, %rdx
	wrmsr
	AWAIT
2:
	STAMP_LAST
	mov	%r10, %rax
	ret
END_LOOP wake_wrmsr
