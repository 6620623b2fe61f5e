/* SPDX-License-Identifier: MIT */
/*
 * Locked operations, and what stands beside them. (n, at, addend) -> the word at `at` afterwards: n
 * turns of four operations. Nothing but the word itself is in the way of the next one.
 */
#include "probes/loops/timing.inc"

/* The addend in r9, because the stamps use rdx; rax and rcx begin as the word. */
.macro ATOMIC name, what
BEGIN_LOOP atomic_\name
	mov	%rdx, %r9
	TURNS 4, "\what", "mov (%rsi), %rcx; mov %rcx, %rax"
	mov	(%rsi), %rax
	ret
END_LOOP atomic_\name
.endm

ATOMIC add, "add %r9, (%rsi)"
ATOMIC lock_add, "lock add %r9, (%rsi)"
ATOMIC lock_xadd, "mov %r9, %rcx; lock xadd %rcx, (%rsi)"
ATOMIC cas, "lea (%rax, %r9), %rcx; lock cmpxchg %rcx, (%rsi); mov %rcx, %rax"
/* The addend is compared with the word, which is another one. */
ATOMIC cas_fails, "mov %r9, %rax; lock cmpxchg %rcx, (%rsi)"
/*
 * The value exchanged goes in again, increased by the addend: each second exchange adds it to the
 * word.
 */
ATOMIC xchg, "xchg %rcx, (%rsi); add %r9, %rcx"
ATOMIC store_mfence, "add %r9, %rcx; mov %rcx, (%rsi); mfence"

/*
 * (n, at, addend) -> how often another CPU was first: n times a load, and as often as it takes a
 * CAS of what was loaded, or came back from the one that failed, and more by the addend.
 */
BEGIN_LOOP atomic_retry
	mov	%rdx, %r9
	mov	%rdi, %r8
	xor	%r10d, %r10d
	STAMP_FIRST
	test	%r8, %r8
	jz	4f
1:
	mov	(%rsi), %rax
2:
	lea	(%rax, %r9), %rcx
	lock cmpxchg %rcx, (%rsi)
	jne	3f
	dec	%r8
	jnz	1b
	jmp	4f
3:
	inc	%r10
	jmp	2b
4:
	STAMP_LAST
	mov	%r10, %rax
	ret
END_LOOP atomic_retry
