/* SPDX-License-Identifier: MIT */
/*
 * Writes of every width, ordinary and non-temporal: (buffer, bytes, passes, pattern) -> bytes
 * written in all. Every aligned 64-bit word becomes the pattern (every 32-bit word its low half for
 * width 32); at the edges, the bytes of such a word. Non-temporal loops end their timed part with
 * an sfence: the stores have left the processor's write-combining buffers, not just its core.
 */
#include "probes/loops/stream.inc"

.macro WRITE_32 r, i
	mov	%ebp, \i * 4(%r9)
.endm

.macro WRITE_64 r, i
	mov	%rbp, \i * 8(%r9)
.endm

.macro WRITE_128 r, i
	movdqa	%xmm0, \i * 16(%r9)
.endm

.macro WRITE_256 r, i
	vmovdqa	%ymm0, \i * 32(%r9)
.endm

.macro WRITE_512 r, i
	vmovdqa64 %zmm0, \i * 64(%r9)
.endm

.macro PASS_32 r, i
	movnti	%ebp, \i * 4(%r9)
.endm

.macro PASS_64 r, i
	movnti	%rbp, \i * 8(%r9)
.endm

.macro PASS_128 r, i
	movntdq	%xmm0, \i * 16(%r9)
.endm

.macro PASS_256 r, i
	vmovntdq %ymm0, \i * 32(%r9)
.endm

.macro PASS_512 r, i
	vmovntdq %zmm0, \i * 64(%r9)
.endm

.macro WRITE_BYTES mask, count
	mov	\count, %rdx
	test	%rdx, %rdx
	jz	8f
7:
	mov	%r9d, %ecx
	and	$\mask, %ecx
	shl	$3, %ecx
	mov	%rbp, %rax
	shr	%cl, %rax
	mov	%al, (%r9)
	inc	%r9
	dec	%rdx
	jnz	7b
8:
.endm

.macro WRITE_EDGE_32 count
	WRITE_BYTES 3, \count
.endm

.macro WRITE_EDGE count
	WRITE_BYTES 7, \count
.endm

.macro FENCE_NONE
.endm

.macro FENCE_STORES
	sfence
.endm

.macro WRITE name, shift, unit, edge, spread, fence, clean
BEGIN_LOOP \name
	STREAM_ENTER
	mov	%rdx, %r8
	mov	%rcx, %rbp
	STREAM_SPLIT %rsi, \shift
	xor	%ebx, %ebx
	\spread
	STAMP_FIRST
	STREAM_PASSES \shift, \unit, \edge, CURSOR_BEGIN, CURSOR_ADVANCE, CURSOR_COUNT
	\fence
	STAMP_LAST
	\clean
	mov	%rbx, %rax
	STREAM_LEAVE
END_LOOP \name
.endm

WRITE write_32, 2, WRITE_32, WRITE_EDGE_32, SPREAD_NONE, FENCE_NONE, CLEAN_NONE
WRITE write_64, 3, WRITE_64, WRITE_EDGE, SPREAD_NONE, FENCE_NONE, CLEAN_NONE
WRITE write_128, 4, WRITE_128, WRITE_EDGE, SPREAD_128, FENCE_NONE, CLEAN_NONE
WRITE write_256, 5, WRITE_256, WRITE_EDGE, SPREAD_256, FENCE_NONE, CLEAN_VECTOR
WRITE write_512, 6, WRITE_512, WRITE_EDGE, SPREAD_512, FENCE_NONE, CLEAN_VECTOR
WRITE write_nt_32, 2, PASS_32, WRITE_EDGE_32, SPREAD_NONE, FENCE_STORES, CLEAN_NONE
WRITE write_nt_64, 3, PASS_64, WRITE_EDGE, SPREAD_NONE, FENCE_STORES, CLEAN_NONE
WRITE write_nt_128, 4, PASS_128, WRITE_EDGE, SPREAD_128, FENCE_STORES, CLEAN_NONE
WRITE write_nt_256, 5, PASS_256, WRITE_EDGE, SPREAD_256, FENCE_STORES, CLEAN_VECTOR
WRITE write_nt_512, 6, PASS_512, WRITE_EDGE, SPREAD_512, FENCE_STORES, CLEAN_VECTOR

/* (buffer, bytes, passes, byte) -> bytes written in all, by one rep stosb a pass. */
BEGIN_LOOP rep_stosb
	mov	%rdx, %r8
	mov	%rcx, %r9
	mov	%rdi, %r10
	push	%rbx
	xor	%ebx, %ebx
	STAMP_FIRST
	test	%r8, %r8
	jz	2f
	mov	%r9d, %eax
1:
	mov	%r10, %rdi
	mov	%rsi, %rcx
	rep stosb
	sub	%r10, %rdi
	add	%rdi, %rbx
	dec	%r8
	jnz	1b
2:
	STAMP_LAST
	mov	%rbx, %rax
	pop	%rbx
	ret
END_LOOP rep_stosb
