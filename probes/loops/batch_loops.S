/* SPDX-License-Identifier: MIT */
/*
 * Groot Koerkamp's chases side by side with work on each node ("CPU performance", part 1): the
 * pointers lie in an array, and the work is a loop, not unrolled, of eight instructions a step:
 *
 *     x = y = z = (p - base) / 8;   work times:  x += x >> 1;  y = high half of x * y;  z += y
 *
 * (pointers, n, lanes, base, work) -> the sum of z over all nodes, plus that of the last pointers.
 */
#include "probes/loops/timing.inc"

.set x, %rbp
.set y, %rdx
.set z, %r10
.set sum, %rbx
.set lane, %r9
.set left, %r13

.macro BATCH name, prefetch
BEGIN_LOOP \name
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	mov	%rdx, %r12
	xor	%ebx, %ebx
	STAMP_FIRST
	test	%rsi, %rsi
	jz	5f
	.balign	32
1:
	xor	%r9d, %r9d
2:
	mov	(%rdi, lane, 8), %rax
	mov	(%rax), %rax
	mov	%rax, (%rdi, lane, 8)
	.if	\prefetch
	prefetcht0 (%rax)
	.endif
	sub	%rcx, %rax
	sar	$3, %rax
	mov	%rax, x
	mov	%rax, y
	mov	%rax, z
	mov	%r8, left
	test	left, left
	jz	4f
	.balign	32
3:
	mov	x, %rax
	shr	$1, %rax
	add	%rax, x
	mov	y, %rax
	mul	x
	add	y, z
	dec	left
	jnz	3b
4:
	add	z, sum
	inc	lane
	cmp	%r12, lane
	jne	2b
	dec	%rsi
	jnz	1b
5:
	STAMP_LAST
	mov	sum, %rax
	xor	%r9d, %r9d
6:
	cmp	%r12, lane
	je	7f
	add	(%rdi, lane, 8), %rax
	inc	lane
	jmp	6b
7:
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
END_LOOP \name
.endm

BATCH batch_work, 0
BATCH batch_prefetch, 1
