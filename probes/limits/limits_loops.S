/* SPDX-License-Identifier: MIT */
/*
 * Loops for the instructions issued in a cycle: (n, words, code, first, each) -> what twelve
 * registers add up to. Both call generated code once, for n turns of instructions of a kind
 * (probes/limits/limits.c).
 */
#include "probes/loops/chains.inc"

/*
 * For arithmetic between twelve registers, which start from 1, 2, 3 ...; the code has `first` in
 * rcx and n in rdi.
 */
TWELVE_BEGIN limits_chains, push %rdx
	call	*(%rsp)
TWELVE_END limits_chains, pop %rcx

/*
 * For all else: the code has n in rdi and r8, `words` in rsi, `first` in rcx and xmm0, `each` in
 * xmm12, and 0 in what else is added: r9, r10, rbx, rbp, r12, r13 and xmm1 to xmm11.
 */
BEGIN_LOOP limits_turns
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	mov	%rdx, %r14
	.irp	i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	pxor	%xmm\i, %xmm\i
	.endr
	movq	%rcx, %xmm0
	movq	%r8, %xmm12
	xor	%r9d, %r9d
	xor	%r10d, %r10d
	xor	%ebx, %ebx
	xor	%ebp, %ebp
	xor	%r12d, %r12d
	xor	%r13d, %r13d
	mov	%rdi, %r8
	STAMP_FIRST
	test	%r8, %r8
	jz	2f
	call	*%r14
2:
	STAMP_LAST
	.irp	i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	paddq	%xmm\i, %xmm0
	.endr
	movq	%xmm0, %rax
	add	%rdi, %rax
	.irp	sum, %rcx, %r9, %r10, %rbx, %rbp, %r12, %r13
	add	\sum, %rax
	.endr
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
END_LOOP limits_turns
