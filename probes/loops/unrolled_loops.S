/* SPDX-License-Identifier: MIT */
/*
 * Pikus's reads and writes in order [P, 01c and 01d], 32 of them a turn, and his 32 reads of one
 * int.
 *
 * words_read_W: (buffer, turns, passes) -> passes times the sum of every fourth word, in 64-bit
 * words (32-bit for width 32); words_write_W: (buffer, turns, passes, pattern) -> passes times the
 * turns, and the pattern is in every word; a turn is 32 words. Three reads of four go into a
 * register that nothing reads: see read_loops.S. The buffer is aligned to the width.
 */
#include "probes/loops/stream.inc"

.macro WORDS_PASSES shift, access
	test	%r8, %r8
	jz	5f
	test	%rsi, %rsi
	jz	5f
1:
	mov	%rdi, %r9
	mov	%rsi, %rdx
	.balign	64
2:
	.set	place, 0
	.rept	8
	.irp	r, 0, 1, 2, 3
	\access	\r, (place << \shift)
	.set	place, place + 1
	.endr
	.endr
	add	$(32 << \shift), %r9
	dec	%rdx
	jnz	2b
	dec	%r8
	jnz	1b
5:
.endm

.macro WORD_READ_32 r, at
	.if	\r
	mov	\at(%r9), %eax
	.else
	add	\at(%r9), %ebx
	.endif
.endm

.macro WORD_READ_64 r, at
	.if	\r
	mov	\at(%r9), %rax
	.else
	add	\at(%r9), %rbx
	.endif
.endm

.macro WORD_READ_128 r, at
	.if	\r
	movdqa	\at(%r9), %xmm\r
	.else
	paddq	\at(%r9), %xmm0
	.endif
.endm

.macro WORD_READ_256 r, at
	.if	\r
	vmovdqa	\at(%r9), %ymm\r
	.else
	vpaddq	\at(%r9), %ymm0, %ymm0
	.endif
.endm

.macro WORD_WRITE_32 r, at
	mov	%ebp, \at(%r9)
.endm

.macro WORD_WRITE_64 r, at
	mov	%rbp, \at(%r9)
.endm

.macro WORD_WRITE_128 r, at
	movdqa	%xmm0, \at(%r9)
.endm

.macro WORD_WRITE_256 r, at
	vmovdqa	%ymm0, \at(%r9)
.endm

.macro CLEAR_SUM
	pxor	%xmm0, %xmm0
.endm

.macro CLEAR_WIDE_SUM
	vpxor	%xmm0, %xmm0, %xmm0
.endm

.macro SUM_OF_WORDS
	mov	%rbx, %rax
.endm

.macro SUM_OF_128
	movdqa	%xmm0, %xmm1
	psrldq	$8, %xmm1
	paddq	%xmm1, %xmm0
	movq	%xmm0, %rax
.endm

.macro SUM_OF_256
	vextracti128 $1, %ymm0, %xmm1
	vpaddq	%xmm1, %xmm0, %xmm0
	vzeroupper
	SUM_OF_128
.endm

.macro WORDS_READ width, shift, clear, sum
BEGIN_LOOP words_read_\width
	STREAM_ENTER
	mov	%rdx, %r8
	xor	%ebx, %ebx
	\clear
	STAMP_FIRST
	WORDS_PASSES \shift, WORD_READ_\width
	STAMP_LAST
	\sum
	STREAM_LEAVE
END_LOOP words_read_\width
.endm

WORDS_READ 32, 2, SPREAD_NONE, SUM_OF_WORDS
WORDS_READ 64, 3, SPREAD_NONE, SUM_OF_WORDS
WORDS_READ 128, 4, CLEAR_SUM, SUM_OF_128
WORDS_READ 256, 5, CLEAR_WIDE_SUM, SUM_OF_256

.macro WORDS_WRITE width, shift, spread, clean
BEGIN_LOOP words_write_\width
	STREAM_ENTER
	mov	%rcx, %rbp
	mov	%rsi, %rbx
	imul	%rdx, %rbx
	mov	%rdx, %r8
	\spread
	STAMP_FIRST
	WORDS_PASSES \shift, WORD_WRITE_\width
	STAMP_LAST
	\clean
	mov	%rbx, %rax
	STREAM_LEAVE
END_LOOP words_write_\width
.endm

WORDS_WRITE 32, 2, SPREAD_NONE, CLEAN_NONE
WORDS_WRITE 64, 3, SPREAD_NONE, CLEAN_NONE
WORDS_WRITE 128, 4, SPREAD_128, CLEAN_NONE
WORDS_WRITE 256, 5, SPREAD_256, CLEAN_VECTOR

/* (int, turns) -> 8 turns times it: 32 reads of one int a turn, of which every fourth is added. */
BEGIN_LOOP one_int
	STREAM_ENTER
	xor	%ebx, %ebx
	mov	%rdi, %r9
	STAMP_FIRST
	mov	%rsi, %rdx
	test	%rdx, %rdx
	jz	2f
	.balign	64
1:
	.rept	8
	.irp	r, 0, 1, 2, 3
	WORD_READ_32 \r, 0
	.endr
	.endr
	dec	%rdx
	jnz	1b
2:
	STAMP_LAST
	mov	%rbx, %rax
	STREAM_LEAVE
END_LOOP one_int
