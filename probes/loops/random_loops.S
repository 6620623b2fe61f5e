/* SPDX-License-Identifier: MIT */
/*
 * Independent accesses at places given by an index: (buffer, index, n, passes[, pattern]). The
 * index holds n numbers of words, 32 bits with sign as [P]'s int, so that words wider than 64 bits
 * take a shift; the buffer is aligned to the width.
 *
 * random_read_W -> passes times the sum of what lay there, in 64-bit words (32-bit for width 32);
 * random_write_W -> passes times n, and the pattern is in every word. Nothing is added at an
 * access: an addition of the number, which would prove it, makes writes of 256 bits out of L1 1.4
 * times as quick (seen on a Zen 5).
 *
 * An access is a load of the number and the access itself, both independent of all others; the
 * loop's 3 instructions come once in 32. Here every access is summed: two loads an access keep the
 * adders from being the limit.
 */
#include "probes/loops/stream.inc"

.set word0, %rbx
.set word1, %rbp
.set word2, %r10
.set word3, %r13
.set half0, %ebx
.set half1, %ebp
.set half2, %r10d
.set half3, %r13d

.macro FROM_32 r
	add	(%rdi, %rax, 4), half\r
.endm

.macro FROM_64 r
	add	(%rdi, %rax, 8), word\r
.endm

.macro FROM_128 r
	shl	$4, %rax
	paddq	(%rdi, %rax), %xmm\r
.endm

.macro FROM_256 r
	shl	$5, %rax
	vpaddq	(%rdi, %rax), %ymm\r, %ymm\r
.endm

.macro FROM_512 r
	shl	$6, %rax
	vpaddq	(%rdi, %rax), %zmm\r, %zmm\r
.endm

.macro TO_32 r
	mov	%ebp, (%rdi, %rax, 4)
.endm

.macro TO_64 r
	mov	%rbp, (%rdi, %rax, 8)
.endm

.macro TO_128 r
	shl	$4, %rax
	movdqa	%xmm0, (%rdi, %rax)
.endm

.macro TO_256 r
	shl	$5, %rax
	vmovdqa	%ymm0, (%rdi, %rax)
.endm

.macro TO_512 r
	shl	$6, %rax
	vmovdqa64 %zmm0, (%rdi, %rax)
.endm

/* r8 passes, r14 groups of 32, r15 the rest. */
.macro RANDOM_OPEN
	STREAM_ENTER
	mov	%r8, %rbp
	mov	%rcx, %r8
	mov	%rdx, %r14
	shr	$5, %r14
	mov	%rdx, %r15
	and	$31, %r15d
	xor	%ebx, %ebx
.endm

.macro RANDOM_PASSES access, gone
	test	%r8, %r8
	jz	5f
1:
	mov	%rsi, %r9
	mov	%r14, %rdx
	test	%rdx, %rdx
	jz	3f
	.balign	64
2:
	.set	place, 0
	.rept	8
	.irp	r, 0, 1, 2, 3
	movslq	place * 4(%r9), %rax
	\access	\r
	.set	place, place + 1
	.endr
	.endr
	add	$128, %r9
	dec	%rdx
	jnz	2b
3:
	mov	%r15, %rdx
	test	%rdx, %rdx
	jz	6f
4:
	movslq	(%r9), %rax
	\access	0
	add	$4, %r9
	dec	%rdx
	jnz	4b
6:
	\gone
	dec	%r8
	jnz	1b
5:
.endm

/* Bytes of the index that a pass has gone through. */
.macro COUNT_INDEX
	sub	%rsi, %r9
	add	%r9, %rbx
.endm

.macro CLEAR_WORDS
	xor	%ebp, %ebp
	xor	%r10d, %r10d
	xor	%r13d, %r13d
.endm

.macro CLEAR_128
	.irp	r, 0, 1, 2, 3
	pxor	%xmm\r, %xmm\r
	.endr
.endm

.macro CLEAR_256
	.irp	r, 0, 1, 2, 3
	vpxor	%xmm\r, %xmm\r, %xmm\r
	.endr
.endm

.macro SUM_32
	lea	(%rbx, %rbp), %eax
	add	%r10d, %eax
	add	%r13d, %eax
.endm

.macro SUM_64
	lea	(%rbx, %rbp), %rax
	add	%r10, %rax
	add	%r13, %rax
.endm

.macro SUM_XMM0
	movdqa	%xmm0, %xmm1
	psrldq	$8, %xmm1
	paddq	%xmm1, %xmm0
	movq	%xmm0, %rax
.endm

.macro SUM_128
	.irp	r, 1, 2, 3
	paddq	%xmm\r, %xmm0
	.endr
	SUM_XMM0
.endm

.macro SUM_YMM0
	vextracti128 $1, %ymm0, %xmm1
	vpaddq	%xmm1, %xmm0, %xmm0
	vzeroupper
	SUM_XMM0
.endm

.macro SUM_256
	.irp	r, 1, 2, 3
	vpaddq	%ymm\r, %ymm0, %ymm0
	.endr
	SUM_YMM0
.endm

.macro SUM_512
	.irp	r, 1, 2, 3
	vpaddq	%zmm\r, %zmm0, %zmm0
	.endr
	vextracti64x4 $1, %zmm0, %ymm1
	vpaddq	%ymm1, %ymm0, %ymm0
	SUM_YMM0
.endm

.macro RANDOM_READ name, access, clear, sum
BEGIN_LOOP \name
	RANDOM_OPEN
	\clear
	STAMP_FIRST
	RANDOM_PASSES \access
	STAMP_LAST
	\sum
	STREAM_LEAVE
END_LOOP \name
.endm

RANDOM_READ random_read_32, FROM_32, CLEAR_WORDS, SUM_32
RANDOM_READ random_read_64, FROM_64, CLEAR_WORDS, SUM_64
RANDOM_READ random_read_128, FROM_128, CLEAR_128, SUM_128
RANDOM_READ random_read_256, FROM_256, CLEAR_256, SUM_256
RANDOM_READ random_read_512, FROM_512, CLEAR_256, SUM_512

.macro RANDOM_WRITE name, access, spread, clean
BEGIN_LOOP \name
	RANDOM_OPEN
	\spread
	STAMP_FIRST
	RANDOM_PASSES \access, COUNT_INDEX
	STAMP_LAST
	\clean
	mov	%rbx, %rax
	shr	$2, %rax
	STREAM_LEAVE
END_LOOP \name
.endm

RANDOM_WRITE random_write_32, TO_32, SPREAD_NONE, CLEAN_NONE
RANDOM_WRITE random_write_64, TO_64, SPREAD_NONE, CLEAN_NONE
RANDOM_WRITE random_write_128, TO_128, SPREAD_128, CLEAN_NONE
RANDOM_WRITE random_write_256, TO_256, SPREAD_256, CLEAN_VECTOR
RANDOM_WRITE random_write_512, TO_512, SPREAD_512, CLEAN_VECTOR
