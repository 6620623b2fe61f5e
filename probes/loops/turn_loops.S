/* SPDX-License-Identifier: MIT */
/*
 * Streams with few accesses a turn, in one, two or four streams side by side:
 * (walk, passes) -> value; the walk is a struct turn_walk (probes/streams.h).
 *
 * A turn has four cursors of two accesses each, or two of one. Cursor k begins at
 * `to` + (k & 1) near + (k >> 1) far, and all go on by `step`: with near = 2 accesses, far = 4 and
 * step = 8 they walk one stream, with near = a quarter of the buffer, far = half and step = 2
 * accesses four. So one loop is all of these forms. A copy reads at its cursors + (from - to).
 *
 * Loads go to registers that nothing adds up: the last one of a pass is added to a sum, and after
 * the last stamp the others of the last turn are. Writes and copies return what their first cursor
 * walked, and leave the rest of the proof to the memory.
 *
 * Registers in the timed part: rdi, rcx, rdx, rax cursors, r15 turns left, rsi passes left, rbx
 * bytes; r8 to, r9 from - to, r10 near, r12 far, r13 step, r14 turns, r11 the stamp.
 */
#include "probes/loops/stream.inc"

.set cursor0, %rdi
.set cursor1, %rcx
.set cursor2, %rdx
.set cursor3, %rax

.set AHEAD, 2048
.set AHEAD_NEXT, AHEAD + 64

.macro LOAD_128 r, at:vararg
	movdqa	\at, %xmm\r
.endm

.macro LOAD_256 r, at:vararg
	vmovdqa	\at, %ymm\r
.endm

.macro LOAD_512 r, at:vararg
	vmovdqa64 \at, %zmm\r
.endm

.macro STORE_128 r, at:vararg
	movdqa	%xmm\r, \at
.endm

.macro STORE_256 r, at:vararg
	vmovdqa	%ymm\r, \at
.endm

.macro STORE_512 r, at:vararg
	vmovdqa64 %zmm\r, \at
.endm

.macro PASS_128 r, at:vararg
	movntdq	%xmm\r, \at
.endm

.macro PASS_256 r, at:vararg
	vmovntdq %ymm\r, \at
.endm

.macro PASS_512 r, at:vararg
	vmovntdq %zmm\r, \at
.endm

.macro SUM_128 r
	paddq	%xmm\r, %xmm8
.endm

.macro SUM_256 r
	vpaddq	%ymm\r, %ymm8, %ymm8
.endm

.macro SUM_512 r
	vpaddq	%zmm\r, %zmm8, %zmm8
.endm

.macro CLEAR_128 r
	pxor	%xmm\r, %xmm\r
.endm

.macro CLEAR_256 r
	vpxor	%xmm\r, %xmm\r, %xmm\r
.endm

.macro CLEAR_512 r
	vpxor	%xmm\r, %xmm\r, %xmm\r
.endm

/* The sum of all words of register 8 in rax. */
.macro FOLD_128
	movdqa	%xmm8, %xmm1
	psrldq	$8, %xmm1
	paddq	%xmm8, %xmm1
	movq	%xmm1, %rax
.endm

.macro FOLD_256
	vextracti128 $1, %ymm8, %xmm1
	vpaddq	%xmm1, %xmm8, %xmm8
	vzeroupper
	FOLD_128
.endm

.macro FOLD_512
	vextracti64x4 $1, %zmm8, %ymm1
	vpaddq	%ymm1, %ymm8, %ymm8
	FOLD_256
.endm

.macro CLEAN_128
.endm

.macro CLEAN_256
	vzeroupper
.endm

.macro CLEAN_512
	vzeroupper
.endm

.macro READ_EACH k, place, r, bits
	LOAD_\bits \r, \place(cursor\k)
.endm

.macro WRITE_EACH k, place, r, bits
	STORE_\bits 0, \place(cursor\k)
.endm

.macro WRITE_NT_EACH k, place, r, bits
	PASS_\bits 0, \place(cursor\k)
.endm

.macro COPY_EACH k, place, r, bits
	LOAD_\bits \r, \place(cursor\k, %r9)
	STORE_\bits \r, \place(cursor\k)
.endm

.macro COPY_NT_EACH k, place, r, bits
	LOAD_\bits \r, \place(cursor\k, %r9)
	PASS_\bits \r, \place(cursor\k)
.endm

.macro AHEAD_NONE k, place
.endm

.macro AHEAD_READ k, place
	prefetcht0 \place(cursor\k)
.endm

.macro AHEAD_COPY k, place
	prefetcht0 \place(cursor\k, %r9)
.endm

/* Cursor \k: two accesses, and a prefetch of each line that they may begin. */
.macro CURSOR_OF_8 k, first, second, each, ahead, bits
	.set	beside, \bits / 8
	\ahead	\k, AHEAD
	.if	\bits == 512
	\ahead	\k, AHEAD_NEXT
	.endif
	\each	\k, 0, \first, \bits
	\each	\k, beside, \second, \bits
.endm

.macro TURN_8 each, ahead, bits
	CURSOR_OF_8 0, 0, 1, \each, \ahead, \bits
	CURSOR_OF_8 1, 2, 3, \each, \ahead, \bits
	CURSOR_OF_8 2, 4, 5, \each, \ahead, \bits
	CURSOR_OF_8 3, 6, 7, \each, \ahead, \bits
	.irp	k, 0, 1, 2, 3
	add	%r13, cursor\k
	.endr
.endm

.macro TURN_2 each, ahead, bits
	\each	0, 0, 0, \bits
	\each	1, 0, 1, \bits
	add	%r13, cursor0
	add	%r13, cursor1
.endm

/* Loads the walk; nothing is walked without passes. */
.macro TURN_OPEN
	STREAM_ENTER
	mov	(%rdi), %r8
	mov	8(%rdi), %r9
	sub	%r8, %r9
	mov	16(%rdi), %r10
	mov	24(%rdi), %r12
	mov	32(%rdi), %r13
	mov	40(%rdi), %r14
	mov	48(%rdi), %rbp
	xor	%ebx, %ebx
.endm

.macro TURN_PASSES turn, each, ahead, bits
	test	%rsi, %rsi
	jz	5f
1:
	mov	%r8, cursor0
	lea	(%r8, %r10), cursor1
	lea	(%r8, %r12), cursor2
	lea	(cursor2, %r10), cursor3
	mov	%r14, %r15
	.balign	64
2:
	\turn	\each, \ahead, \bits
	dec	%r15
	jnz	2b
.endm

.macro TURN_NEXT
	dec	%rsi
	jnz	1b
5:
.endm

/* \last: the number of the last access of a turn, of which there are \last + 1. */
.macro TURN_READ name, turn, last, ahead, bits
BEGIN_LOOP \name\()_\bits
	TURN_OPEN
	.irp	r, 0, 1, 2, 3, 4, 5, 6, 7, 8
	CLEAR_\bits \r
	.endr
	STAMP_FIRST
	TURN_PASSES \turn, READ_EACH, \ahead, \bits
	SUM_\bits \last
	TURN_NEXT
	STAMP_LAST
	.irp	r, 0, 1, 2, 3, 4, 5, 6
	.if	\r < \last
	SUM_\bits \r
	.endif
	.endr
	FOLD_\bits
	STREAM_LEAVE
END_LOOP \name\()_\bits
.endm

.macro TURN_WRITE name, turn, each, ahead, fence, bits
BEGIN_LOOP \name\()_\bits
	TURN_OPEN
	SPREAD_\bits
	STAMP_FIRST
	TURN_PASSES \turn, \each, \ahead, \bits
	add	cursor0, %rbx
	sub	%r8, %rbx
	TURN_NEXT
	\fence
	STAMP_LAST
	CLEAN_\bits
	mov	%rbx, %rax
	STREAM_LEAVE
END_LOOP \name\()_\bits
.endm

.macro FENCE_NONE
.endm

.macro FENCE_STORES
	sfence
.endm

.irp	bits, 128, 256, 512
TURN_READ turn8_read, TURN_8, 7, AHEAD_NONE, \bits
TURN_READ turn8_read_ahead, TURN_8, 7, AHEAD_READ, \bits
TURN_READ turn2_read, TURN_2, 1, AHEAD_NONE, \bits
TURN_WRITE turn8_write, TURN_8, WRITE_EACH, AHEAD_NONE, FENCE_NONE, \bits
TURN_WRITE turn2_write, TURN_2, WRITE_EACH, AHEAD_NONE, FENCE_NONE, \bits
TURN_WRITE turn8_write_nt, TURN_8, WRITE_NT_EACH, AHEAD_NONE, FENCE_STORES, \bits
TURN_WRITE turn8_copy, TURN_8, COPY_EACH, AHEAD_NONE, FENCE_NONE, \bits
TURN_WRITE turn8_copy_ahead, TURN_8, COPY_EACH, AHEAD_COPY, FENCE_NONE, \bits
TURN_WRITE turn2_copy, TURN_2, COPY_EACH, AHEAD_NONE, FENCE_NONE, \bits
TURN_WRITE turn8_copy_nt, TURN_8, COPY_NT_EACH, AHEAD_NONE, FENCE_STORES, \bits
TURN_WRITE turn8_copy_nt_ahead, TURN_8, COPY_NT_EACH, AHEAD_COPY, FENCE_STORES, \bits
.endr
