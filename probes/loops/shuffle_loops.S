/* SPDX-License-Identifier: MIT */
/*
 * (array of 64-bit elements, n, seed): Fisher-Yates: for i = n .. 2, element i - 1 is exchanged
 * with one of 0 .. i - 1 -> the sum of the places chosen.
 *
 * The place is the high half of x * i (Lemire 2019, without the correction of a bias below
 * i / 2^64), x a 64-bit congruential generator (multiplier of Knuth's MMIX): its multiply and add
 * are the loop's only chain, 4 to 5 cycles; the other 11 instructions and the loop's two run
 * beside it.
 */
#include "probes/loops/timing.inc"

BEGIN_LOOP shuffle
	push	%rbx
	push	%rbp
	mov	%rdx, %r8
	xor	%ebx, %ebx
	movabs	$6364136223846793005, %r9
	movabs	$1442695040888963407, %r10
	STAMP_FIRST
	cmp	$2, %rsi
	jb	2f
	.balign	32
1:
	imul	%r9, %r8
	add	%r10, %r8
	mov	%r8, %rax
	mul	%rsi
	mov	(%rdi, %rdx, 8), %rcx
	mov	-8(%rdi, %rsi, 8), %rbp
	mov	%rcx, -8(%rdi, %rsi, 8)
	mov	%rbp, (%rdi, %rdx, 8)
	add	%rdx, %rbx
	dec	%rsi
	cmp	$1, %rsi
	ja	1b
2:
	STAMP_LAST
	mov	%rbx, %rax
	pop	%rbp
	pop	%rbx
	ret
END_LOOP shuffle
