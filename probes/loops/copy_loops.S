/* SPDX-License-Identifier: MIT */
/*
 * Copies of every width: (to, from, bytes, passes) -> bytes copied in all. Stores are aligned to
 * the width, loads are where `from` puts them. One load and one store an access: the store port is
 * the limit everywhere, and the loop costs 3 slots of 35.
 */
#include "probes/loops/stream.inc"

.macro COPY_32 r, i
	mov	\i * 4(%r10), %eax
	mov	%eax, \i * 4(%r9)
.endm

.macro COPY_64 r, i
	mov	\i * 8(%r10), %rax
	mov	%rax, \i * 8(%r9)
.endm

.macro COPY_128 r, i
	movdqu	\i * 16(%r10), %xmm\r
	movdqa	%xmm\r, \i * 16(%r9)
.endm

.macro COPY_256 r, i
	vmovdqu	\i * 32(%r10), %ymm\r
	vmovdqa	%ymm\r, \i * 32(%r9)
.endm

.macro COPY_512 r, i
	vmovdqu64 \i * 64(%r10), %zmm\r
	vmovdqa64 %zmm\r, \i * 64(%r9)
.endm

.macro COPY_EDGE count
	mov	\count, %rdx
	test	%rdx, %rdx
	jz	8f
7:
	movzbl	(%r10), %eax
	mov	%al, (%r9)
	inc	%r10
	inc	%r9
	dec	%rdx
	jnz	7b
8:
.endm

.macro COPY_BEGIN
	mov	%rdi, %r9
	mov	%rsi, %r10
.endm

.macro COPY_ADVANCE bytes
	add	$\bytes, %r9
	add	$\bytes, %r10
.endm

.macro COPY name, shift, unit, clean
BEGIN_LOOP \name
	STREAM_ENTER
	mov	%rcx, %r8
	STREAM_SPLIT %rdx, \shift
	xor	%ebx, %ebx
	STAMP_FIRST
	STREAM_PASSES \shift, \unit, COPY_EDGE, COPY_BEGIN, COPY_ADVANCE, CURSOR_COUNT
	STAMP_LAST
	\clean
	mov	%rbx, %rax
	STREAM_LEAVE
END_LOOP \name
.endm

COPY copy_32, 2, COPY_32, CLEAN_NONE
COPY copy_64, 3, COPY_64, CLEAN_NONE
COPY copy_128, 4, COPY_128, CLEAN_NONE
COPY copy_256, 5, COPY_256, CLEAN_VECTOR
COPY copy_512, 6, COPY_512, CLEAN_VECTOR

/* (to, from, bytes, passes) -> bytes copied in all, by one rep movsb a pass. */
BEGIN_LOOP rep_movsb
	push	%rbx
	xor	%ebx, %ebx
	mov	%rcx, %r8
	mov	%rdi, %r9
	mov	%rsi, %r10
	push	%rbp
	mov	%rdx, %rbp
	STAMP_FIRST
	test	%r8, %r8
	jz	2f
1:
	mov	%r9, %rdi
	mov	%r10, %rsi
	mov	%rbp, %rcx
	rep movsb
	sub	%r9, %rdi
	add	%rdi, %rbx
	dec	%r8
	jnz	1b
2:
	STAMP_LAST
	mov	%rbx, %rax
	pop	%rbp
	pop	%rbx
	ret
END_LOOP rep_movsb
