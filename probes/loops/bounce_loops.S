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

/*
 * bounce_stamps(line, mine, rounds, patience, record): as bounce, and whoever hands the line over
 * writes its TSC beside the word, into the second one. record[0], which the caller sets, becomes
 * the least that the own TSC was beyond the other's, read before the word was there and after:
 * signed, and the own offset and the time of the way together. record[1]: the own TSC, read last.
 * The load of the word is done before the lfence ends, and the stores wait for the stamp.
 */
BEGIN_LOOP bounce_stamps
	mov	%rdx, %r9
	mov	%rcx, %r10
	STAMP_FIRST
	test	%r9, %r9
	jz	5f
1:
	mov	%r10, %rcx
2:
	cmp	%rsi, (%rdi)
	je	3f
	dec	%rcx
	jnz	2b
	jmp	5f
3:
	lfence
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, %rdx
	sub	8(%rdi), %rdx
	mov	%rax, 8(%rdi)
	inc	%rsi
	mov	%rsi, (%rdi)
	inc	%rsi
	mov	%rax, 8(%r8)
	cmp	(%r8), %rdx
	jge	4f
	mov	%rdx, (%r8)
4:
	dec	%r9
	jnz	1b
5:
	STAMP_LAST
	mov	%rsi, %rax
	ret
END_LOOP bounce_stamps
