/* SPDX-License-Identifier: MIT */
/* Loops for the cost of time stamps, and for three divisions timed by each kind of stamp. */
#include "probes/loops/timing.inc"

.macro FENCED
	lfence
	rdtsc
	lfence
.endm

.macro SERIALISED
	xor	%eax, %eax
	cpuid
	rdtsc
.endm

/* What Godbolt's ScopedTimer does around nothing: the time between two stamps, added to a sum. */
.macro SCOPED_TIMER
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, %rcx
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	sub	%rcx, %rax
	add	%rax, (%rsp)
.endm

BEGIN_LOOP rdtsc
	TURNS 8, rdtsc
	ret
END_LOOP rdtsc

BEGIN_LOOP rdtscp
	TURNS 8, rdtscp
	ret
END_LOOP rdtscp

BEGIN_LOOP lfence_rdtsc
	TURNS 8, FENCED
	ret
END_LOOP lfence_rdtsc

BEGIN_LOOP cpuid_rdtsc
	push	%rbx
	TURNS 1, SERIALISED
	pop	%rbx
	ret
END_LOOP cpuid_rdtsc

BEGIN_LOOP scoped_timer
	push	$0
	TURNS 8, SCOPED_TIMER
	pop	%rcx
	ret
END_LOOP scoped_timer

/* Back-to-back pairs; the smallest difference above zero is the counter's grain or its cost. */
BEGIN_LOOP tsc_step
	mov	%rdi, %r8
	mov	$-1, %r9
	STAMP_FIRST
	test	%r8, %r8
	jz	2f
1:
	rdtsc
	shl	$32, %rdx
	lea	(%rdx, %rax), %r10
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	sub	%r10, %rax
	jz	3f
	cmp	%r9, %rax
	cmovb	%rax, %r9
3:
	dec	%r8
	jnz	1b
2:
	STAMP_LAST
	mov	%r9, %rax
	ret
END_LOOP tsc_step

/* rdi / rsi / rsi / rsi into r8 when r9 (the third argument) is not 0. Uses rax and rdx. */
.macro THREE_DIVISIONS
	mov	%rdi, %rax
	test	%r9, %r9
	jz	2f
	.rept	3
	xor	%edx, %edx
	div	%rsi
	.endr
2:
	mov	%rax, %r8
.endm

.macro KEEP_STAMP
	shl	$32, %rdx
	lea	(%rdx, %rax), %r11
.endm

.macro SINCE_STAMP
	shl	$32, %rdx
	or	%rax, %rdx
	sub	%r11, %rdx
	mov	%r8, %rax
.endm

/*
 * Three remainders as a compiler computes x % y % z % w of four int. The first dividend is edi, the
 * divisors esi, r9d and r10d; no count: the stamps are part of the number. The result is in r8.
 */
.macro THREE_REMAINDERS
	mov	%edi, %eax
	cltd
	idivl	%esi
	mov	%edx, %eax
	cltd
	idivl	%r9d
	mov	%edx, %eax
	cltd
	idivl	%r10d
	mov	%edx, %r8d
.endm

.macro REMAINDERS name, open:req, close:req
BEGIN_LOOP \name
	mov	%edx, %r9d
	mov	%ecx, %r10d
	\open
	KEEP_STAMP
	THREE_REMAINDERS
	\close
	SINCE_STAMP
	ret
END_LOOP \name
.endm

.macro FENCE_RDTSC
	lfence
	rdtsc
.endm

.macro RDTSCP_FENCE
	rdtscp
	lfence
.endm

REMAINDERS rem3_rdtsc, rdtsc, rdtsc
REMAINDERS rem3_rdtscp, rdtscp, rdtscp
REMAINDERS rem3_fenced, FENCE_RDTSC, RDTSCP_FENCE

/* No fence at all: the second stamp may be taken before the divisions are done. */
BEGIN_LOOP div_bare
	mov	%rdx, %r9
	rdtsc
	KEEP_STAMP
	THREE_DIVISIONS
	rdtsc
	SINCE_STAMP
	ret
END_LOOP div_bare

/* rdtscp waits for what came before it, but does not hold back what follows. */
BEGIN_LOOP div_rdtscp
	mov	%rdx, %r9
	rdtsc
	KEEP_STAMP
	THREE_DIVISIONS
	rdtscp
	SINCE_STAMP
	ret
END_LOOP div_rdtscp

BEGIN_LOOP div_lfence
	mov	%rdx, %r9
	STAMP_FIRST
	THREE_DIVISIONS
	STAMP_LAST
	mov	%r8, %rax
	ret
END_LOOP div_lfence

BEGIN_LOOP div_cpuid
	push	%rbx
	mov	%rdx, %r9
	xor	%eax, %eax
	cpuid
	rdtsc
	KEEP_STAMP
	THREE_DIVISIONS
	xor	%eax, %eax
	cpuid
	rdtsc
	SINCE_STAMP
	pop	%rbx
	ret
END_LOOP div_cpuid
