/* SPDX-License-Identifier: MIT */
/*
 * (array of 32-bit elements, n, seed): Fisher-Yates: for i = n .. 2, element i - 1 is exchanged
 * with one of 0 .. i - 1 -> the sum of the places chosen.
 *
 * The generator is Lemire's: the seed grows by the golden ratio (Weyl's sequence, as SplitMix64
 * has it), and the place is the high half of seed * i. Its only chain is one add, so that elements
 * overlap: an element costs its 11 instructions, or what its two stores and two loads miss.
 */
#include "probes/loops/timing.inc"

BEGIN_LOOP shuffle
	push	%rbx
	push	%rbp
	mov	%rdx, %r8
	xor	%ebx, %ebx
	movabs	$0x9e3779b97f4a7c15, %r9
	STAMP_FIRST
	cmp	$2, %rsi
	jb	2f
	.balign	32
1:
	add	%r9, %r8
	mov	%r8, %rax
	mul	%rsi
	mov	(%rdi, %rdx, 4), %ecx
	mov	-4(%rdi, %rsi, 4), %ebp
	mov	%ecx, -4(%rdi, %rsi, 4)
	mov	%ebp, (%rdi, %rdx, 4)
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
