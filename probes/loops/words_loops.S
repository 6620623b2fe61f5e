/* SPDX-License-Identifier: MIT */
/*
 * Copying 64-bit words, or only the odd ones, each to its own place: (to, from, n) -> digest of the
 * n words at `to`. Four words a turn: a jump back for each word would be a second taken branch
 * beside the one over an even word, and these limit most x86-64 cores to two cycles. The loops
 * named singly_ have one word a turn all the same, and an index, as the source's have.
 */
#include "probes/loops/timing.inc"

/* index: "" or ", register, 8" */
.macro WORD_COPY at, index
	mov	\at * 8(%rsi\index), %rax
	mov	%rax, \at * 8(%rdi\index)
.endm

/* The branch is taken over an even word. */
.macro WORD_ODD at, index
	mov	\at * 8(%rsi\index), %rax
	test	$1, %al
	jz	7f
	mov	%rax, \at * 8(%rdi\index)
7:
.endm

/* d ^= -(v & 1) & (v ^ d) */
.macro WORD_ODD_FREE at, index
	mov	\at * 8(%rsi\index), %rax
	mov	\at * 8(%rdi\index), %rdx
	mov	%eax, %ecx
	and	$1, %ecx
	neg	%rcx
	xor	%rdx, %rax
	and	%rcx, %rax
	xor	%rdx, %rax
	mov	%rax, \at * 8(%rdi\index)
.endm

/* r8 the place of to[0], r9 n; r10 words left in fours, then singly. */
.macro WORDS name, step
BEGIN_LOOP \name
	mov	%rdi, %r8
	mov	%rdx, %r9
	mov	%rdx, %r10
	shr	$2, %r10
	STAMP_FIRST
	test	%r10, %r10
	jz	2f
	.balign	32
1:
	\step	0
	\step	1
	\step	2
	\step	3
	add	$32, %rsi
	add	$32, %rdi
	dec	%r10
	jnz	1b
2:
	mov	%r9, %r10
	and	$3, %r10d
	jz	4f
3:
	\step	0
	add	$8, %rsi
	add	$8, %rdi
	dec	%r10
	jnz	3b
4:
	STAMP_LAST
	mov	%r8, %rdi
	mov	%r9, %rcx
	DIGEST_WORDS
	ret
END_LOOP \name
.endm

WORDS words_copy, WORD_COPY
WORDS words_odd, WORD_ODD
WORDS words_odd_free, WORD_ODD_FREE

.macro SINGLY name, step
BEGIN_LOOP \name
	mov	%rdx, %r9
	xor	%r10d, %r10d
	STAMP_FIRST
	test	%r9, %r9
	jz	2f
	.balign	32
1:
	\step	0, ", %r10, 8"
	inc	%r10
	cmp	%r9, %r10
	jne	1b
2:
	STAMP_LAST
	mov	%r9, %rcx
	DIGEST_WORDS
	ret
END_LOOP \name
.endm

SINGLY singly_copy, WORD_COPY
SINGLY singly_odd, WORD_ODD
SINGLY singly_odd_free, WORD_ODD_FREE
