/* SPDX-License-Identifier: MIT */
/*
 * Stores, and loads of what they stored. (n, to, from, value) -> the value loaded last: n turns of
 * eight times a store at `to` and a load at `from`, which gives the next store its data. Both
 * addresses are known from the start, so that only the data make a chain. The load has an index
 * register, which is 0: processors that take a load for the store before it by their registers, or
 * because it was so the last time, do not where there is one (seen on Golden Cove).
 */
#include "probes/loops/timing.inc"

/* `from` in r9 and the index in rax, because the stamps use rdx and rax; the value is in rcx. */
.macro CHAIN store, load
	mov	%rdx, %r9
	TURNS 8, "\store; \load", "xor %eax, %eax"
.endm

.macro GENERAL name, store, load
BEGIN_LOOP \name
	CHAIN "\store", "\load"
	mov	%rcx, %rax
	ret
END_LOOP \name
.endm

GENERAL store_load_8_8, "mov %rcx, (%rsi)", "mov (%r9, %rax), %rcx"
GENERAL store_load_8_4, "mov %rcx, (%rsi)", "mov (%r9, %rax), %ecx"
GENERAL store_load_8_2, "mov %rcx, (%rsi)", "movzwl (%r9, %rax), %ecx"
GENERAL store_load_8_1, "mov %rcx, (%rsi)", "movzbl (%r9, %rax), %ecx"
GENERAL store_load_4_4, "mov %ecx, (%rsi)", "mov (%r9, %rax), %ecx"
GENERAL store_load_2_2, "mov %cx, (%rsi)", "movzwl (%r9, %rax), %ecx"
GENERAL store_load_1_1, "mov %cl, (%rsi)", "movzbl (%r9, %rax), %ecx"
GENERAL store_load_4_8, "mov %ecx, (%rsi)", "mov (%r9, %rax), %rcx"
/* Two stores side by side, and a load of both. */
GENERAL two_stores_load, "mov %ecx, (%rsi); mov %ecx, 4(%rsi)", "mov (%r9, %rax), %rcx"
/* Without an index: by the store's own register, where `from` is not used, and by another one. */
GENERAL store_load_same, "mov %rcx, (%rsi)", "mov (%rsi), %rcx"
GENERAL store_load_other, "mov %rcx, (%rsi)", "mov (%r9), %rcx"

/* The value is in each part of a vector register; its lowest part is returned. */
.macro VECTOR name, fill, store, load, end
BEGIN_LOOP \name
	movq	%rcx, %xmm0
	\fill
	CHAIN "\store", "\load"
	movq	%xmm0, %rax
	\end
	ret
END_LOOP \name
.endm

VECTOR store_load_16_16, "punpcklqdq %xmm0, %xmm0", "movdqu %xmm0, (%rsi)", \
	"movdqu (%r9, %rax), %xmm0"
VECTOR store_load_16_8, "punpcklqdq %xmm0, %xmm0", "movdqu %xmm0, (%rsi)", \
	"movq (%r9, %rax), %xmm0"
VECTOR store_load_8_16, , "movq %xmm0, (%rsi)", "movdqu (%r9, %rax), %xmm0"
VECTOR store_load_32_32, "vpbroadcastq %xmm0, %ymm0", "vmovdqu %ymm0, (%rsi)", \
	"vmovdqu (%r9, %rax), %ymm0", vzeroupper
VECTOR store_load_32_16, "vpbroadcastq %xmm0, %ymm0", "vmovdqu %ymm0, (%rsi)", \
	"vmovdqu (%r9, %rax), %xmm0", vzeroupper
VECTOR store_load_64_64, "vpbroadcastq %xmm0, %zmm0", "vmovdqu64 %zmm0, (%rsi)", \
	"vmovdqu64 (%r9, %rax), %zmm0", vzeroupper
VECTOR store_load_64_32, "vpbroadcastq %xmm0, %zmm0", "vmovdqu64 %zmm0, (%rsi)", \
	"vmovdqu (%r9, %rax), %ymm0", vzeroupper

/*
 * (n, distance, p, value) -> p: eight times a store so far from where p points, and p = *p. The
 * address of both is known when the load before has its data: of a store whose address is known
 * long before the load is done Golden Cove compares all of it.
 */
BEGIN_LOOP store_chase
	mov	%rdx, %r9
	TURNS 8, "mov %rcx, (%r9, %rsi); mov (%r9), %r9"
	mov	%r9, %rax
	ret
END_LOOP store_chase

/*
 * (n, to, value) -> n: eight stores to the same place a turn, none of which waits. The mfence waits
 * until all are in L1: a store buffer of 100 would hide 2 % of a row.
 */
BEGIN_LOOP stores
	mov	%rdx, %rcx
	mov	%rdi, %r8
	STAMP_FIRST
	test	%r8, %r8
	jz	2f
	.balign	32
1:
	.rept	8
	mov	%rcx, (%rsi)
	.endr
	dec	%r8
	jnz	1b
2:
	mfence
	STAMP_LAST
	mov	%rdi, %rax
	ret
END_LOOP stores
