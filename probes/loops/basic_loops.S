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
 * 64 n dependent adds. Register-register: recent cores fold an add of a small constant away at
 * rename, which would show a clock faster than the real one; an add of a register takes one cycle
 * on every x86-64 core.
 */
BEGIN_LOOP add_chain
	xor	%r8d, %r8d
	mov	$1, %r9d
	STAMP_FIRST
	test	%rdi, %rdi
	jz	2f
	.balign	32
1:
	.rept	64
	add	%r9, %r8
	.endr
	dec	%rdi
	jnz	1b
2:
	STAMP_LAST
	mov	%r8, %rax
	ret
END_LOOP add_chain
