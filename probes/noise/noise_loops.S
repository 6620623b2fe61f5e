/* SPDX-License-Identifier: MIT */
/*
 * The gap scan: reads the TSC as fast as it can and nothing else. Whatever takes the core away
 * shows as a gap between two reads.
 */
#include "probes/loops/timing.inc"

/* struct gap_scan of probes/noise/noise.h */
#define SCAN_CAPACITY 0
#define SCAN_RECORDED 8
#define SCAN_COUNT    16
#define SCAN_TOTAL    24
#define SCAN_LONGEST  32
#define SCAN_SMALLEST 40
#define SCAN_READS    48
#define SCAN_BLIND    56
#define SCAN_OBSERVED 64
#define SCAN_STARTED  72
#define SCAN_MOST     80
#define SCAN_LOG2     88
#define SCAN_EVENTS   (88 + 64 * 8)

/* rax = TSC; destroys rdx */
.macro READ_TSC
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
.endm

/*
 * gaps(scan, duration, threshold): a difference above the threshold is a gap. It is written down
 * and the stamp taken anew, so that the writing is not seen as a gap of its own but counted as
 * blind. The gap after which it is to end is the last thing that it sees. r8 last stamp, r9 end,
 * r10 smallest, rcx reads, rbx first stamp, rsi threshold.
 */
BEGIN_LOOP gaps
	push	%rbx
	push	%rbp
	mov	%rsi, %r9
	mov	%rdx, %rsi
	mov	$-1, %r10
	xor	%ecx, %ecx
	xor	%ebp, %ebp
	STAMP_FIRST
	READ_TSC
	mov	%rax, %rbx
	mov	%rax, %r8
	add	%rax, %r9
	cmp	%r9, %r8
	jae	3f
	.balign	64
1:
	READ_TSC
	mov	%rax, %rdx
	sub	%r8, %rdx
	mov	%rax, %r8
	inc	%rcx
	cmp	%rsi, %rdx
	ja	4f
	cmp	%r10, %rdx
	cmovb	%rdx, %r10
2:
	cmp	%r9, %r8
	jb	1b
3:
	STAMP_LAST
	sub	%rbx, %r8
	mov	%r8, SCAN_OBSERVED(%rdi)
	mov	%rbx, SCAN_STARTED(%rdi)
	mov	%r10, SCAN_SMALLEST(%rdi)
	mov	%rcx, SCAN_READS(%rdi)
	mov	%rbp, SCAN_BLIND(%rdi)
	mov	SCAN_COUNT(%rdi), %rax
	pop	%rbp
	pop	%rbx
	ret
4:
	incq	SCAN_COUNT(%rdi)
	add	%rdx, SCAN_TOTAL(%rdi)
	cmp	%rdx, SCAN_LONGEST(%rdi)
	jae	5f
	mov	%rdx, SCAN_LONGEST(%rdi)
5:
	bsr	%rdx, %rax
	incq	SCAN_LOG2(%rdi, %rax, 8)
	mov	SCAN_RECORDED(%rdi), %rax
	cmp	SCAN_CAPACITY(%rdi), %rax
	jae	6f
	incq	SCAN_RECORDED(%rdi)
	shl	$4, %rax
	lea	SCAN_EVENTS(%rdi, %rax), %rax
	mov	%rdx, 8(%rax)
	mov	%r8, %rdx
	sub	%rbx, %rdx
	mov	%rdx, (%rax)
6:
	READ_TSC
	mov	%rax, %rdx
	sub	%r8, %rdx
	add	%rdx, %rbp
	mov	%rax, %r8
	mov	SCAN_COUNT(%rdi), %rax
	cmp	SCAN_MOST(%rdi), %rax
	jne	2b
	jmp	3b
END_LOOP gaps
