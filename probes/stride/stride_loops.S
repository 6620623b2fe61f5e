/* SPDX-License-Identifier: MIT */
/*
 * (to, from, stride, count, passes): copies the byte at every multiple of the stride, count of
 * them -> passes x count x stride. Two bytes a turn: so one instruction steps at most 1 KiB up to a
 * stride of 512, as far as the prefetcher of a Zen 5 follows; a last one is left to a loop of one.
 */
#include "probes/loops/timing.inc"

.macro COPY_BYTE
	movzbl	(%rsi, %r9), %eax
	mov	%al, (%rdi, %r9)
	add	%r10, %r9
.endm

BEGIN_LOOP stride_copy
	push	%rbx
	push	%r12
	push	%r13
	xor	%ebx, %ebx
	mov	%rdx, %r10
	mov	%rcx, %r12
	shr	$1, %r12
	mov	%rcx, %r13
	and	$1, %r13d
	STAMP_FIRST
	test	%r8, %r8
	jz	5f
1:
	xor	%r9d, %r9d
	mov	%r12, %rdx
	test	%rdx, %rdx
	jz	3f
	.balign	32
2:
	.rept	2
	COPY_BYTE
	.endr
	dec	%rdx
	jnz	2b
3:
	mov	%r13, %rdx
	test	%rdx, %rdx
	jz	6f
4:
	COPY_BYTE
	dec	%rdx
	jnz	4b
6:
	add	%r9, %rbx
	dec	%r8
	jnz	1b
5:
	STAMP_LAST
	mov	%rbx, %rax
	pop	%r13
	pop	%r12
	pop	%rbx
	ret
END_LOOP stride_copy
