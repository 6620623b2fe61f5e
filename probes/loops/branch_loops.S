/* SPDX-License-Identifier: MIT */
/*
 * Branches. Assembly, so that no compiler turns a branch into a cmov or a cmov into a branch. In
 * every loop that compares random with constant data both ways of the branch take the same
 * number of micro-operations and one taken jump: the predictor is all that differs.
 */
#include "probes/loops/timing.inc"

/*
 * After the last stamp: leaves in rax a digest of the r8 bytes at rdi, which starts from r8 itself.
 * Destroys rcx and r8; keeps the ticks in rdx.
 */
.macro DIGEST
	mov	%r8, %rax
	add	%rdi, %r8
	jmp	2f
1:
	movzbl	(%rdi), %ecx
	inc	%rdi
	rol	$5, %rax
	xor	%rcx, %rax
2:
	cmp	%r8, %rdi
	jne	1b
.endm

/* Copies every byte, one at a time. */
BEGIN_LOOP branch_copy
	lea	(%rsi, %rdx), %r9
	mov	%rdi, %r8
	STAMP_FIRST
	cmp	%r9, %rsi
	je	2f
	.balign	32
1:
	movzbl	(%rsi), %eax
	inc	%rsi
	mov	%al, (%r8)
	inc	%r8
	cmp	%r9, %rsi
	jne	1b
2:
	STAMP_LAST
	sub	%rdi, %r8
	DIGEST
	ret
END_LOOP branch_copy

/* Copies the odd bytes, by a branch that is taken for the even ones. */
BEGIN_LOOP branch_copy_odd
	lea	(%rsi, %rdx), %r9
	mov	%rdi, %r8
	STAMP_FIRST
	cmp	%r9, %rsi
	je	3f
	.balign	32
1:
	movzbl	(%rsi), %eax
	inc	%rsi
	test	$1, %al
	jz	2f
	mov	%al, (%r8)
	inc	%r8
2:
	cmp	%r9, %rsi
	jne	1b
3:
	STAMP_LAST
	sub	%rdi, %r8
	DIGEST
	ret
END_LOOP branch_copy_odd

/* The same result without the branch: stores every byte, steps on only after an odd one. */
BEGIN_LOOP branch_copy_odd_free
	lea	(%rsi, %rdx), %r9
	mov	%rdi, %r8
	STAMP_FIRST
	cmp	%r9, %rsi
	je	2f
	.balign	32
1:
	movzbl	(%rsi), %eax
	inc	%rsi
	mov	%al, (%r8)
	and	$1, %eax
	add	%rax, %r8
	cmp	%r9, %rsi
	jne	1b
2:
	STAMP_LAST
	sub	%rdi, %r8
	DIGEST
	ret
END_LOOP branch_copy_odd_free

/*
 * One branch per bit, the highest first, from a word that lies in a register; the next word is
 * loaded 64 branches ahead. A block has 16 bytes, so that no branch crosses or ends a 32-byte
 * line (Intel's JCC erratum). Adds 1 for a 1 and subtracts 1 for a 0.
 */
BEGIN_LOOP branch_bits
	xor	%r8d, %r8d
	mov	$1, %r9d
	xor	%r10d, %r10d
	STAMP_FIRST
	test	%rsi, %rsi
	jz	4f
	mov	-8(%rdi, %rsi, 8), %rcx
	.balign	64
1:
	mov	%rcx, %rax
	mov	%rsi, %rdx
	dec	%rdx
	cmovz	%rsi, %rdx
	mov	-8(%rdi, %rdx, 8), %rcx
	.balign	64
	.rept	64
	add	%rax, %rax
	jc	2f
	sub	%r9, %r8
	jmp	3f
2:
	add	%r9, %r8
	nopl	(%rax)
3:
	.endr
	dec	%rsi
	jnz	1b
4:
	STAMP_LAST
	mov	%r8, %rax
	ret
END_LOOP branch_bits

/*
 * One branch per byte, all at one address, over the same data again and again; each pass stamps
 * anew, so that the ticks are those of the last. Adds 1 for a byte that is not 0, subtracts 1 for
 * 0.
 */
BEGIN_LOOP branch_walk
	mov	%rdx, %rcx
	add	%rdi, %rsi
	mov	$1, %r9d
1:
	xor	%r8d, %r8d
	mov	%rdi, %r10
	STAMP_FIRST
	cmp	%rsi, %r10
	je	5f
	.balign	32
2:
	inc	%r10
	cmpb	$0, -1(%r10)
	jne	3f
	sub	%r9, %r8
	jmp	4f
3:
	add	%r9, %r8
	nopl	(%rax)
4:
	cmp	%rsi, %r10
	jne	2b
5:
	dec	%rcx
	jg	1b
	STAMP_LAST
	mov	%r8, %rax
	ret
END_LOOP branch_walk
