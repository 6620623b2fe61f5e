/* SPDX-License-Identifier: MIT */
/*
 * backend: (start of one chase, start of another, n, code, words) -> the sum of the last pointers.
 * Calls generated code once, for n turns (probes/backend/backend.c): it has the chases in rdi and
 * rsi, n in r14, `words` in r10, 0 in rbx, and may change rcx, rdx and the vector registers but
 * xmm7.
 */
#include "probes/loops/timing.inc"

BEGIN_LOOP backend
	push	%rbx
	push	%r14
	mov	%rdx, %r14
	mov	%rcx, %r9
	mov	%r8, %r10
	xor	%ebx, %ebx
	.irp	r, 0, 1, 2, 3, 6, 7
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
	pop	%rbx
	ret
END_LOOP backend
