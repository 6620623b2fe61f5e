/* SPDX-License-Identifier: MIT */
/* Two processors hand one line back and forth. */
#include "probes/loops/timing.inc"

/*
 * bounce(line, mine, rounds, patience): waits until the line's first word is 2 k + mine, writes one
 * more, for k = 0 .. rounds - 1. mine is 0 on one side and 1 on the other. A plain load waits and a
 * plain store hands over: the line moves twice a round. patience is how often the word may be read
 * in vain in one wait; when it is used up, the number waited for is returned instead.
 */
BEGIN_LOOP bounce
	mov	%rdx, %r8
	mov	%rcx, %r10
	STAMP_FIRST
	test	%r8, %r8
	jz	4f
1:
	mov	%r10, %rcx
2:
	cmp	%rsi, (%rdi)
	je	3f
	dec	%rcx
	jnz	2b
	jmp	4f
3:
	inc	%rsi
	mov	%rsi, (%rdi)
	inc	%rsi
	dec	%r8
	jnz	1b
4:
	STAMP_LAST
	mov	%rsi, %rax
	ret
END_LOOP bounce
