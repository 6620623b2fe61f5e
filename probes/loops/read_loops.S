/* SPDX-License-Identifier: MIT */
/*
 * Reads of every width: (buffer, bytes, passes) -> passes times the sum of every fourth access.
 *
 * Three accesses of four are plain loads into a register that nothing reads; the fourth is added
 * to a sum. Adding all of them would measure the adders: on Golden Cove 366 GB/s where plain loads
 * give 450 (512 bit), 212 for 307 (256 bit). So the proof is a sample of the accesses, at places
 * that differ between widths, and all of the bytes at the edges: a byte at address a counts as
 * itself times 256^(a mod 8), which over aligned 64-bit words is their sum (mod 4 and 32-bit words
 * for width 32). Access j of a pass, counted after the head bytes, is added when j mod 4 is 0, and
 * the last of an odd number is too.
 */
#include "probes/loops/stream.inc"

/* Scalar registers of the turns 0..7: sums at 0 and 4. */
.set word0, %rbx
.set word1, %rax
.set word2, %rcx
.set word3, %r10
.set word4, %rbp
.set word5, %rax
.set word6, %rcx
.set word7, %rsi
.set half0, %ebx
.set half1, %eax
.set half2, %ecx
.set half3, %r10d
.set half4, %ebp
.set half5, %eax
.set half6, %ecx
.set half7, %esi

.macro READ_32 r, i
	.if	\r % 4
	mov	\i * 4(%r9), half\r
	.else
	add	\i * 4(%r9), half\r
	.endif
.endm

.macro READ_64 r, i
	.if	\r % 4
	mov	\i * 8(%r9), word\r
	.else
	add	\i * 8(%r9), word\r
	.endif
.endm

.macro READ_128 r, i
	.if	\r % 4
	movdqa	\i * 16(%r9), %xmm\r
	.else
	paddq	\i * 16(%r9), %xmm\r
	.endif
.endm

.macro READ_256 r, i
	.if	\r % 4
	vmovdqa	\i * 32(%r9), %ymm\r
	.else
	vpaddq	\i * 32(%r9), %ymm\r, %ymm\r
	.endif
.endm

.macro READ_512 r, i
	.if	\r % 4
	vmovdqa64 \i * 64(%r9), %zmm\r
	.else
	vpaddq	\i * 64(%r9), %zmm\r, %zmm\r
	.endif
.endm

/* \count bytes one by one into rbx, each at its place in a word of \mask + 1 bytes. */
.macro READ_BYTES mask, count
	mov	\count, %rdx
	test	%rdx, %rdx
	jz	8f
7:
	mov	%r9d, %ecx
	and	$\mask, %ecx
	shl	$3, %ecx
	movzbl	(%r9), %eax
	shl	%cl, %rax
	add	%rax, %rbx
	inc	%r9
	dec	%rdx
	jnz	7b
8:
.endm

.macro READ_EDGE_32 count
	READ_BYTES 3, \count
.endm

.macro READ_EDGE count
	READ_BYTES 7, \count
.endm

.macro READ_NOTHING
.endm

.macro READ_OPEN shift
	STREAM_ENTER
	mov	%rdx, %r8
	STREAM_SPLIT %rsi, \shift
	xor	%ebx, %ebx
	xor	%ebp, %ebp
.endm

/* The vector sums are in the low 128 bits of xmm0 when this begins. */
.macro READ_CLOSE_VECTOR
	movdqa	%xmm0, %xmm1
	psrldq	$8, %xmm1
	paddq	%xmm1, %xmm0
	movq	%xmm0, %rax
	add	%rbx, %rax
	STREAM_LEAVE
.endm

BEGIN_LOOP read_32
	READ_OPEN 2
	STAMP_FIRST
	STREAM_PASSES 2, READ_32, READ_EDGE_32, CURSOR_BEGIN, CURSOR_ADVANCE, READ_NOTHING
	STAMP_LAST
	lea	(%rbx, %rbp), %eax
	STREAM_LEAVE
END_LOOP read_32

BEGIN_LOOP read_64
	READ_OPEN 3
	STAMP_FIRST
	STREAM_PASSES 3, READ_64, READ_EDGE, CURSOR_BEGIN, CURSOR_ADVANCE, READ_NOTHING
	STAMP_LAST
	lea	(%rbx, %rbp), %rax
	STREAM_LEAVE
END_LOOP read_64

BEGIN_LOOP read_128
	READ_OPEN 4
	pxor	%xmm0, %xmm0
	pxor	%xmm4, %xmm4
	STAMP_FIRST
	STREAM_PASSES 4, READ_128, READ_EDGE, CURSOR_BEGIN, CURSOR_ADVANCE, READ_NOTHING
	STAMP_LAST
	paddq	%xmm4, %xmm0
	READ_CLOSE_VECTOR
END_LOOP read_128

BEGIN_LOOP read_256
	READ_OPEN 5
	vpxor	%xmm0, %xmm0, %xmm0
	vpxor	%xmm4, %xmm4, %xmm4
	STAMP_FIRST
	STREAM_PASSES 5, READ_256, READ_EDGE, CURSOR_BEGIN, CURSOR_ADVANCE, READ_NOTHING
	STAMP_LAST
	vpaddq	%ymm4, %ymm0, %ymm0
	vextracti128 $1, %ymm0, %xmm1
	vpaddq	%xmm1, %xmm0, %xmm0
	vzeroupper
	READ_CLOSE_VECTOR
END_LOOP read_256

BEGIN_LOOP read_512
	READ_OPEN 6
	vpxorq	%zmm0, %zmm0, %zmm0
	vpxorq	%zmm4, %zmm4, %zmm4
	STAMP_FIRST
	STREAM_PASSES 6, READ_512, READ_EDGE, CURSOR_BEGIN, CURSOR_ADVANCE, READ_NOTHING
	STAMP_LAST
	vpaddq	%zmm4, %zmm0, %zmm0
	vextracti64x4 $1, %zmm0, %ymm1
	vpaddq	%ymm1, %ymm0, %ymm0
	vextracti128 $1, %ymm0, %xmm1
	vpaddq	%xmm1, %xmm0, %xmm0
	vzeroupper
	READ_CLOSE_VECTOR
END_LOOP read_512

.set line_sum0, %rbx
.set line_sum1, %rbp
.set line_sum2, %r10
.set line_sum3, %rcx

/*
 * One byte of every 64: (buffer, lines, passes) -> passes times the sum of the first bytes of the
 * lines. 16 loads and 16 adds to 3 instructions of loop; 0..15 lines are left to a loop of one.
 */
BEGIN_LOOP read_byte_per_line
	STREAM_ENTER
	mov	%rdx, %r8
	mov	%rsi, %r13
	shr	$4, %r13
	mov	%rsi, %r14
	and	$15, %r14d
	xor	%ebx, %ebx
	xor	%ebp, %ebp
	xor	%r10d, %r10d
	xor	%ecx, %ecx
	STAMP_FIRST
	test	%r8, %r8
	jz	5f
1:
	mov	%rdi, %r9
	mov	%r13, %rdx
	test	%rdx, %rdx
	jz	3f
	.balign	64
2:
	.set	place, 0
	.rept	4
	.irp	r, 0, 1, 2, 3
	movzbl	place * 64(%r9), %eax
	add	%rax, line_sum\r
	.set	place, place + 1
	.endr
	.endr
	add	$(16 * 64), %r9
	dec	%rdx
	jnz	2b
3:
	mov	%r14, %rdx
	test	%rdx, %rdx
	jz	6f
4:
	movzbl	(%r9), %eax
	add	%rax, %rbx
	add	$64, %r9
	dec	%rdx
	jnz	4b
6:
	dec	%r8
	jnz	1b
5:
	STAMP_LAST
	lea	(%rbx, %rbp), %rax
	add	%r10, %rax
	add	%rcx, %rax
	STREAM_LEAVE
END_LOOP read_byte_per_line
