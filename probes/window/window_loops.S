/* SPDX-License-Identifier: MIT */
/*
 * window: (start of one chase, start of another, n, code) -> the sum of the last pointers.
 *
 * The two chases are independent: as long as the out-of-order window holds both loads and all that
 * lies between, their misses overlap; beyond, the second waits until the first has retired. Calls
 * generated code once, for n turns (probes/window/window.c): it has the chases in rdi and rsi, n in
 * r14, 1 in r10, and may change rcx, r8, r9, r12, r13 and the vector registers.
 */
#include "probes/loops/timing.inc"

BEGIN_LOOP window
	push	%r12
	push	%r13
	push	%r14
	mov	%rdx, %r14
	mov	%rcx, %r9
	mov	$1, %r10d
	xor	%ecx, %ecx
	xor	%r12d, %r12d
	xor	%r13d, %r13d
	.irp	r, 0, 1, 2, 3, 8
	pxor	%xmm\r, %xmm\r
	.endr
	STAMP_FIRST
	test	%r14, %r14
	jz	2f
	call	*%r9
2:
	STAMP_LAST
	lea	(%rdi, %rsi), %rax
	pop	%r14
	pop	%r13
	pop	%r12
	ret
END_LOOP window
