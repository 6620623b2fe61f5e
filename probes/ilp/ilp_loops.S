/* SPDX-License-Identifier: MIT */
/* Dependent against independent arithmetic. */
#include "probes/loops/chains.inc"

/* Successive differences: out[i] = in[i] - previous; every subtraction stands alone. */
.macro DIFFERENCE at
	movsd	\at * 8(%rsi, %r9, 8), %xmm1
	movapd	%xmm1, %xmm2
	subsd	%xmm0, %xmm2
	movsd	%xmm2, \at * 8(%rdi, %r9, 8)
	movapd	%xmm1, %xmm0
.endm

/* Prefix sum: out[i] = sum += in[i]; every addition waits for the one before. */
.macro PREFIX at
	addsd	\at * 8(%rsi, %r9, 8), %xmm0
	movsd	%xmm0, \at * 8(%rdi, %r9, 8)
.endm

/* xmm0 is carried from lap to lap: laps of a chain must not overlap. r10 = n rounded down to 4. */
.macro LAPS name, step
BEGIN_LOOP \name
	mov	%rdx, %r8
	mov	%rdx, %r10
	and	$-4, %r10
	pxor	%xmm0, %xmm0
	STAMP_FIRST
	test	%rcx, %rcx
	jz	5f
	.balign	32
1:
	xor	%r9d, %r9d
	jmp	3f
	.balign	32
2:
	\step	0
	\step	1
	\step	2
	\step	3
	add	$4, %r9
3:
	cmp	%r10, %r9
	jne	2b
	jmp	4f
6:
	\step	0
	inc	%r9
4:
	cmp	%r8, %r9
	jne	6b
	dec	%rcx
	jnz	1b
	mov	%r8, %rcx
5:
	STAMP_LAST
	DIGEST_WORDS
	ret
END_LOOP \name
.endm

LAPS ilp_differences, DIFFERENCE
LAPS ilp_prefix_sum, PREFIX

/*
 * Integers in place, one element a turn as a compiler writes it without unrolling. The difference
 * keeps the value that was there in a register; the sum is stored, and loaded for the next one.
 */
.macro INT_DIFFERENCE
	mov	(%rdi), %rax
	mov	%rax, %rdx
	sub	%rcx, %rdx
	mov	%rdx, (%rdi)
	mov	%rax, %rcx
.endm

.macro INT_SUM
	mov	-8(%rdi), %rax
	add	(%rdi), %rax
	mov	%rax, (%rdi)
.endm

.macro LAP_OVERLAPS
	mov	%rsi, %rdi
.endm

/* The first address waits for the last sum: laps of a chain must not overlap. */
.macro LAP_WAITS
	and	$0, %eax
	lea	(%rsi, %rax), %rdi
.endm

/* (array, n, laps): element 0 stays as it is. r8 end, r9 n, r10 laps. */
.macro IN_PLACE name, lap, step
BEGIN_LOOP \name
	mov	%rsi, %r9
	mov	%rdi, %rsi
	lea	(%rdi, %r9, 8), %r8
	mov	%rdx, %r10
	STAMP_FIRST
	xor	%eax, %eax
	cmp	$2, %r9
	jb	4f
	test	%r10, %r10
	jz	4f
	.balign	32
1:
	\lap
	mov	(%rdi), %rcx
	add	$8, %rdi
	.balign	32
2:
	\step
	add	$8, %rdi
	cmp	%r8, %rdi
	jne	2b
	dec	%r10
	jnz	1b
4:
	STAMP_LAST
	mov	%rsi, %rdi
	mov	%r9, %rcx
	DIGEST_WORDS
	ret
END_LOOP \name
.endm

IN_PLACE int_differences, LAP_OVERLAPS, INT_DIFFERENCE
IN_PLACE int_prefix_sum, LAP_WAITS, INT_SUM

/* (array, n, laps): the same sums as the source has them, by an index; a lap waits for no other. */
BEGIN_LOOP int_prefix_sum_indexed
	mov	%rsi, %r9
	mov	%rdx, %r10
	STAMP_FIRST
	cmp	$2, %r9
	jb	4f
	test	%r10, %r10
	jz	4f
1:
	mov	$1, %ecx
	.balign	32
2:
	mov	(%rdi, %rcx, 8), %rax
	add	-8(%rdi, %rcx, 8), %rax
	mov	%rax, (%rdi, %rcx, 8)
	inc	%rcx
	cmp	%r9, %rcx
	jne	2b
	dec	%r10
	jnz	1b
4:
	STAMP_LAST
	mov	%r9, %rcx
	DIGEST_WORDS
	ret
END_LOOP int_prefix_sum_indexed

/*
 * 48 n operations in `lanes` independent chains. Three units of three cycles need nine chains:
 * there are up to twelve. Register-register, as in add_chain: adds of a constant vanish on recent
 * cores.
 */
.macro CHAINS name, op, operand, lanes
TWELVE_BEGIN \name\lanes, mov $\operand, %ecx
	.balign	64
1:
	.rept	48 / \lanes
	STEP	\op, \lanes
	.endr
	dec	%rdi
	jnz	1b
TWELVE_END \name\lanes
.endm

CHAINS ilp_add, add, 1, 1
CHAINS ilp_add, add, 1, 2
CHAINS ilp_add, add, 1, 4
CHAINS ilp_add, add, 1, 8
CHAINS ilp_add, add, 1, 12
CHAINS ilp_multiply, imul, 3, 1
CHAINS ilp_multiply, imul, 3, 2
CHAINS ilp_multiply, imul, 3, 4
CHAINS ilp_multiply, imul, 3, 8
CHAINS ilp_multiply, imul, 3, 12
