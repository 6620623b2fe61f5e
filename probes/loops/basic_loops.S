/* SPDX-License-Identifier: MIT */
/* The empty loop and the core clock's yardstick. */
#include "probes/loops/timing.inc"

BEGIN_LOOP empty
	STAMP_FIRST
	STAMP_LAST
	xor	%eax, %eax
	ret
END_LOOP empty

/*
 * Dependent adds, 64 or 128 in each of n turns. The chain must be a true one, a cycle an add: adds
 * of a constant are folded away at rename by recent cores (Golden Cove), which would show a
 * clock faster than the real one, so a register is added, which takes one cycle on every x86-64
 * core. One turn of the longer chain less one of the shorter is 64 adds and nothing else: what the
 * count and the jump cost, on cores that do not hide it, is in both.
 */
.macro OP_CHAIN name, op, ops, start, operand
BEGIN_LOOP \name
	mov	$\start, %r8d
	mov	$\operand, %r9d
	STAMP_FIRST
	test	%rdi, %rdi
	jz	2f
	.balign	32
1:
	.rept	\ops
	\op	%r9, %r8
	.endr
	dec	%rdi
	jnz	1b
2:
	STAMP_LAST
	mov	%r8, %rax
	ret
END_LOOP \name
.endm

OP_CHAIN add_chain, add, 64, 0, 1
OP_CHAIN add_chain_double, add, 128, 0, 1
/* No core clock explains both this chain and a chase that are too quick: engine/doubts.c. */
OP_CHAIN multiply_chain, imul, 64, 1, 3
