/* SPDX-License-Identifier: MIT */
/*
 * (addresses, n): flushes the lines at n addresses out of every cache, or writes them back -> the
 * sum of the addresses. Nothing is loaded but the list itself, in order, so that no prefetcher
 * brings a line back. The mfence waits for the flushes (Intel SDM, CLFLUSH, CLFLUSHOPT, CLWB:
 * ordered by MFENCE).
 */
#include "probes/loops/timing.inc"

.macro FLUSHES instruction
	xor	%r8d, %r8d
	STAMP_FIRST
	test	%rsi, %rsi
	jz	2f
	.balign	32
1:
	mov	(%rdi), %rax
	\instruction (%rax)
	add	%rax, %r8
	add	$8, %rdi
	dec	%rsi
	jnz	1b
2:
	mfence
	STAMP_LAST
	mov	%r8, %rax
	ret
.endm

BEGIN_LOOP flush
	FLUSHES clflush
END_LOOP flush

BEGIN_LOOP flushopt
	FLUSHES clflushopt
END_LOOP flushopt

BEGIN_LOOP write_back
	FLUSHES clwb
END_LOOP write_back
