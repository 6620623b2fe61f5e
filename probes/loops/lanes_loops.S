/* SPDX-License-Identifier: MIT */
/*
 * Several pointer chases at once, for the number of misses in parallel.
 *
 * lanes_1 .. lanes_12: (starts, n): 8 n steps of every lane, each lane in a register of its own ->
 * the sum of the last pointers. The loop is one fused dec and jnz in 8 steps, and no pointer is
 * ever spilled: twelve lanes, the counter, the stamp and the stack pointer are all there is (rdx
 * and rax belong to the stamps).
 *
 * lanes_13: the same with a thirteenth lane in rax, which the stamps take: it comes from the stack
 * behind the first and goes there before the last. A compiler has that register, too.
 *
 * lanes_spilled: (pointers, n, more 1..116): n steps of 12 lanes in registers, as above, and of so
 * many more whose pointers lie in the array behind theirs, are loaded, followed and stored at each
 * step, and are left there -> the sum of the last pointers. A compiler that has more pointers than
 * registers makes the same of them: with one lane more, only that lane costs more.
 *
 * lanes_many: (pointers, n, lanes per group 1..128, groups): n steps of groups x lanes chases whose
 * pointers lie in an array of 8 bytes a lane (1 KiB a group: always in L1), and are left there ->
 * the sum of the last pointers. A lane is load pointer, load node, store pointer, 17 bytes; a group
 * is entered by a computed jump, so that every number of lanes runs straight-line code. The price
 * is three instructions a lane where registers need one: it shortens the out-of-order window to a
 * third as many lanes, 74 on a core with 224 entries, 170 on one with 512.
 */
#include "probes/loops/timing.inc"

.set lane0, %rbx
.set lane1, %rcx
.set lane2, %rsi
.set lane3, %rbp
.set lane4, %r8
.set lane5, %r9
.set lane6, %r10
.set lane7, %r12
.set lane8, %r13
.set lane9, %r14
.set lane10, %r15
.set lane11, %rdi

.macro LANES_ENTER
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
.endm

.macro LANES_LEAVE
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
.endm

/* The last lane's register is the argument: it is loaded last. */
.macro EACH_LANE count, what:vararg
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	.if	\i < \count
	\what	\i
	.endif
	.endr
.endm

.macro LANE_START i
	mov	\i * 8(%rdi), lane\i
.endm

.macro LANE_STEP i
	mov	(lane\i), lane\i
.endm

.macro LANE_SUM i
	add	lane\i, %rax
.endm

.macro LANES_REGISTERS count
BEGIN_LOOP lanes_\count
	LANES_ENTER
	push	%rsi
	EACH_LANE \count, LANE_START
	STAMP_FIRST
	mov	(%rsp), %rdx
	test	%rdx, %rdx
	jz	2f
	.balign	64
1:
	.rept	8
	EACH_LANE \count, LANE_STEP
	.endr
	JUMP_FITS 9
	dec	%rdx
	jnz	1b
2:
	STAMP_LAST
	xor	%eax, %eax
	EACH_LANE \count, LANE_SUM
	pop	%rsi
	LANES_LEAVE
END_LOOP lanes_\count
.endm

.irp	count, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
LANES_REGISTERS \count
.endr

BEGIN_LOOP lanes_13
	LANES_ENTER
	push	96(%rdi)
	push	%rsi
	EACH_LANE 12, LANE_START
	STAMP_FIRST
	mov	(%rsp), %rdx
	mov	8(%rsp), %rax
	test	%rdx, %rdx
	jz	2f
	.balign	64
1:
	.rept	8
	EACH_LANE 12, LANE_STEP
	mov	(%rax), %rax
	.endr
	JUMP_FITS 9
	dec	%rdx
	jnz	1b
2:
	mov	%rax, 8(%rsp)
	STAMP_LAST
	mov	8(%rsp), %rax
	EACH_LANE 12, LANE_SUM
	pop	%rsi
	pop	%rsi
	LANES_LEAVE
END_LOOP lanes_13

#define SPILLED_MOST 116
#define SPILLED_SIZE 17

.macro LANE_SPILLED at
	{disp32} mov \at(%r11), %rax
	mov	(%rax), %rax
	{disp32} mov %rax, \at(%r11)
.endm

/* On the stack, from its end: the first stamp, the entry into the lanes' code, the array, more. */
BEGIN_LOOP lanes_spilled
	LANES_ENTER
	push	%rdx
	lea	96(%rdi), %rax
	push	%rax
	imul	$-SPILLED_SIZE, %rdx, %rdx
	lea	9f(%rip), %r11
	add	%rdx, %r11
	push	%r11
	push	%rsi
	EACH_LANE 12, LANE_START
	STAMP_FIRST
	pop	%rdx
	push	%r11
	mov	16(%rsp), %r11
	test	%rdx, %rdx
	jz	2f
	.balign	64
1:
	EACH_LANE 12, LANE_STEP
	mov	8(%rsp), %rax
	jmp	*%rax
7:
	.set	place, SPILLED_MOST - 1
	.rept	SPILLED_MOST
	LANE_SPILLED (place * 8)
	.set	place, place - 1
	.endr
9:
	.if	9b - 7b - SPILLED_MOST * SPILLED_SIZE
	.error	"a lane is not as long as its size says"
	.endif
	JUMP_FITS 9
	dec	%rdx
	jnz	1b
2:
	pop	%r11
	STAMP_LAST
	xor	%eax, %eax
	EACH_LANE 12, LANE_SUM
	pop	%rcx
	pop	%rsi
	pop	%rcx
	.balign	16
3:
	dec	%rcx
	js	4f
	add	(%rsi, %rcx, 8), %rax
	jmp	3b
4:
	LANES_LEAVE
END_LOOP lanes_spilled

/*
 * The array of pointers at r8, in groups: rdi array, r9 entry into the group's code, r10 bytes of
 * a group, rcx groups, rsi steps left; \most lanes of \size bytes of code each.
 */
.macro LANES_ENTRY most, size
	mov	%rdx, %r10
	imul	$-\size, %rdx, %rdx
	lea	9f(%rip), %r9
	add	%rdx, %r9
	shl	$3, %r10
.endm

.macro LANES_LOOP most, size, lane
	test	%rsi, %rsi
	jz	3f
1:
	mov	%rdi, %r8
	mov	%rcx, %rdx
2:
	jmp	*%r9
	.balign	64
7:
	.set	place, \most - 1
	.rept	\most
	\lane	(place * 8)
	.set	place, place - 1
	.endr
9:
	.if	9b - 7b - \most * \size
	.error	"a lane is not as long as its size says"
	.endif
	add	%r10, %r8
	dec	%rdx
	jnz	2b
	dec	%rsi
	jnz	1b
3:
.endm

/* Adds all the pointers of the array to rax. */
.macro LANES_SUM
	imul	%rcx, %r10
	.balign	16
4:
	sub	$8, %r10
	js	5f
	add	(%rdi, %r10), %rax
	jmp	4b
5:
.endm

.macro LANE_IN_ARRAY at
	{disp32} mov \at(%r8), %rax
	mov	(%rax), %rax
	{disp32} mov %rax, \at(%r8)
.endm

BEGIN_LOOP lanes_many
	LANES_ENTRY 128, 17
	STAMP_FIRST
	LANES_LOOP 128, 17, LANE_IN_ARRAY
	STAMP_LAST
	xor	%eax, %eax
	LANES_SUM
	ret
END_LOOP lanes_many

/*
 * The same with \steps dependent multiplications a node, off the chase's path: (pointers, n, lanes
 * 1..32, groups, multiplier) -> the sum over all nodes of pointer x multiplier^steps, plus the sum
 * of the last pointers. Without prefetch the out-of-order window must span all the work between
 * a lane's loads to keep them overlapped; with it each node is asked for one round before it is
 * used, by an instruction that does not wait in the window.
 */
.macro LANE_WORK at, steps, prefetch
	{disp32} mov \at(%r8), %rax
	mov	(%rax), %rax
	{disp32} mov %rax, \at(%r8)
	.if	\prefetch
	prefetcht0 (%rax)
	.endif
	.rept	\steps
	imul	%r13, %rax
	.endr
	add	%rax, %rbx
.endm

.irp	steps, 3, 6, 12
.irp	prefetch, 0, 1
.macro	LANE_WORK_\steps\()_\prefetch at
	LANE_WORK \at, \steps, \prefetch
.endm
.endr
.endr

.macro LANES_WORK name, steps, prefetch
BEGIN_LOOP \name
	push	%rbx
	push	%r13
	mov	%r8, %r13
	xor	%ebx, %ebx
	LANES_ENTRY 32, (20 + 4 * \steps + 3 * \prefetch)
	STAMP_FIRST
	LANES_LOOP 32, (20 + 4 * \steps + 3 * \prefetch), LANE_WORK_\steps\()_\prefetch
	STAMP_LAST
	mov	%rbx, %rax
	LANES_SUM
	pop	%r13
	pop	%rbx
	ret
END_LOOP \name
.endm

LANES_WORK lanes_work_3, 3, 0
LANES_WORK lanes_work_6, 6, 0
LANES_WORK lanes_work_12, 12, 0
LANES_WORK lanes_prefetch_3, 3, 1
LANES_WORK lanes_prefetch_6, 6, 1
LANES_WORK lanes_prefetch_12, 12, 1
