/* SPDX-License-Identifier: MIT */
/*
 * (addresses, n): flushes the lines at n addresses out of every cache -> the sum of the addresses.
 * Nothing is loaded but the list itself, in order, so that no prefetcher brings a line back. The
 * mfence waits for the flushes (Intel SDM, CLFLUSH: ordered by MFENCE).
 */
#include "probes/loops/timing.inc"

BEGIN_LOOP flush
	xor	%r8d, %r8d
	STAMP_FIRST
	test	%rsi, %rsi
	jz	2f
	.balign	32
1:
	mov	(%rdi), %rax
	clflush	(%rax)
	add	%rax, %r8
	add	$8, %rdi
	dec	%rsi
	jnz	1b
2:
	mfence
	STAMP_LAST
	mov	%r8, %rax
	ret
END_LOOP flush
