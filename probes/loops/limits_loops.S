/* SPDX-License-Identifier: MIT */
/*
 * What issues in a cycle: (n, words, pattern), n turns of 59 (short) or 119 (long) instructions of
 * a kind; of what may be as wide as the machine, 119 or 239. With the jump of the turn, which fuses
 * with its comparison, these are 60, 120 and 240: they fill groups of 2 to 6, 8, 10 and 12 without
 * a rest. Long less short is ten or five times twelve instructions, and nothing else.
 *
 * 239 are at most 1.2 KiB and 256 operations: the smallest op cache, of 1536, holds them. Nothing
 * is eliminated: no constant is added, no register copied or cleared, and no load is of what was
 * stored. Twelve registers are enough for three units of four cycles.
 *
 * `words` is where 128 bytes before and behind may be read and written, a multiple of 64. A load
 * lies in another line than the one before it, and in another bank of 8 or 16 bytes. Stores go up
 * through the lines, so that neighbours are in one: recent cores write two at a time only then.
 */
#include "probes/loops/chains.inc"

/* \rounds times twelve, and eleven: `\one i`, i = 0..11. */
.macro TWELVES rounds, one
	.rept	\rounds
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\one	\i
	.endr
	.endr
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	\one	\i
	.endr
.endm

.macro NOP i
	.byte	0x0f, 0x1f, 0x44, 0, 0
.endm

.macro NOPS name, rounds
BEGIN_LOOP \name
	TURNS	1, "TWELVES \rounds, NOP"
	ret
END_LOOP \name
.endm

NOPS limits_nop, 9
NOPS limits_nop_long, 19

/* Arithmetic in twelve chains: acc = acc op rcx. */
.macro CHAIN_ROUNDS rounds, op
	.rept	\rounds
	STEP	\op, 12
	.endr
	STEP	\op, 11
.endm

.macro SHIFT_ONE by, to
	shl	$1, \to
.endm

.macro SHIFT_BY by, to
	shlx	\by, \to, \to
.endm

.macro ADDRESS by, to
	lea	(\to, \by), \to
.endm

TWELVE limits_add, 1, 0, CHAIN_ROUNDS 9, add
TWELVE limits_add_long, 1, 0, CHAIN_ROUNDS 19, add
TWELVE limits_lea, 1, 0, CHAIN_ROUNDS 9, ADDRESS
TWELVE limits_lea_long, 1, 0, CHAIN_ROUNDS 19, ADDRESS
TWELVE limits_imul, 3, 4, CHAIN_ROUNDS 4, imul
TWELVE limits_imul_long, 3, 4, CHAIN_ROUNDS 9, imul
TWELVE limits_shl, 1, 0, CHAIN_ROUNDS 4, SHIFT_ONE
TWELVE limits_shl_long, 1, 0, CHAIN_ROUNDS 9, SHIFT_ONE
TWELVE limits_shlx, 1, 0, CHAIN_ROUNDS 4, SHIFT_BY
TWELVE limits_shlx_long, 1, 0, CHAIN_ROUNDS 9, SHIFT_BY

/* Where words are loaded to; rax and rdx are the stamp's when all is done. */
.set word0, %rax
.set word1, %rdx
.set word2, %rcx
.set word3, %r9
.set word4, %r10
.set word5, %rax
.set word6, %rdx
.set word7, %rcx
.set word8, %r9
.set word9, %r10
.set word10, %rax
.set word11, %rdx

.macro LOAD_64 i
	mov	-128 + \i % 4 * 64 + \i % 8 * 8(%rsi), word\i
.endm

.macro LOAD_128 i
	movdqa	-128 + \i % 4 * 80(%rsi), %xmm\i
.endm

.macro LOAD_256 i
	vmovdqa	-128 + \i % 4 * 64 + \i % 2 * 32(%rsi), %ymm\i
.endm

.macro LOAD_512 i
	vmovdqa64 -128 + \i % 4 * 64(%rsi), %zmm\i
.endm

.macro STORE_64 i
	mov	%rcx, -128 + \i * 8(%rsi)
.endm

.macro STORE_128 i
	movdqa	%xmm0, -128 + \i * 16(%rsi)
.endm

.macro STORE_256 i
	vmovdqa	%ymm0, -128 + \i % 8 * 32(%rsi)
.endm

.macro STORE_512 i
	vmovdqa64 %zmm0, -128 + \i % 4 * 64(%rsi)
.endm

/* Loads of the lower half of the words by turns with stores of rdi to the upper half. */
.macro LOAD_AND_STORE i
	.if	\i % 2
	mov	%rdi, \i / 2 * 8(%rsi)
	.else
	mov	-128 + \i / 2 % 2 * 64 + \i / 2 * 8(%rsi), word\i
	.endif
.endm

/* -> n + what was loaded last into rcx, r9 and r10 + \more */
.macro WORDS name, rounds, one, lead, more:vararg
BEGIN_LOOP \name
	xor	%ecx, %ecx
	xor	%r9d, %r9d
	xor	%r10d, %r10d
	TURNS	1, "TWELVES \rounds, \one", lead=\lead
	add	%rcx, %rax
	add	%r9, %rax
	add	%r10, %rax
	\more
	ret
END_LOOP \name
.endm

WORDS limits_load_64, 4, LOAD_64, 4
WORDS limits_load_64_long, 9, LOAD_64, 4

/* The first and the last place that is stored to. */
.macro ADD_STORED
	add	(%rsi), %rax
	add	40(%rsi), %rax
.endm

WORDS limits_load_store, 4, LOAD_AND_STORE, 0, ADD_STORED
WORDS limits_load_store_long, 9, LOAD_AND_STORE, 0, ADD_STORED

/* Sums the first words of twelve vector registers, and adds them to rax. */
.macro SUM_TWELVE vector, add, move
	.irp	i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\add	\vector\i
	.endr
	\move	%xmm0, %rcx
	add	%rcx, %rax
.endm

.macro ADD_SSE from
	paddq	\from, %xmm0
.endm

.macro ADD_AVX from
	vpaddq	\from, %xmm0, %xmm0
.endm

.macro ZERO_SSE
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	pxor	%xmm\i, %xmm\i
	.endr
.endm

.macro ZERO_AVX
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	vpxor	%xmm\i, %xmm\i, %xmm\i
	.endr
.endm

/* -> n + the first words of what was loaded last into each of twelve registers */
.macro LOADS name, rounds, one, kind, move, lead=0
BEGIN_LOOP \name
	ZERO_\kind
	TURNS	1, "TWELVES \rounds, \one", lead=\lead
	SUM_TWELVE %xmm, ADD_\kind, \move
	.ifc	\kind, AVX
	vzeroupper
	.endif
	ret
END_LOOP \name
.endm

LOADS limits_load_128, 4, LOAD_128, SSE, movq, 6
LOADS limits_load_128_long, 9, LOAD_128, SSE, movq, 6
LOADS limits_load_256, 4, LOAD_256, AVX, vmovq, 11
LOADS limits_load_256_long, 9, LOAD_256, AVX, vmovq, 11
LOADS limits_load_512, 4, LOAD_512, AVX, vmovq
LOADS limits_load_512_long, 9, LOAD_512, AVX, vmovq

/* -> n + the first word of the first and of the last place that is stored to */
.macro STORES name, rounds, one, last, lead, leave, fill:vararg
BEGIN_LOOP \name
	\fill
	TURNS	1, "TWELVES \rounds, \one", lead=\lead
	add	-128(%rsi), %rax
	add	-128 + \last(%rsi), %rax
	\leave
	ret
END_LOOP \name
.endm

.macro FILL_64
	mov	%rdx, %rcx
.endm

.macro FILL_128
	movq	%rdx, %xmm0
	punpcklqdq %xmm0, %xmm0
.endm

.macro FILL_256
	vmovq	%rdx, %xmm0
	vpbroadcastq %xmm0, %ymm0
.endm

.macro FILL_512
	vpbroadcastq %rdx, %zmm0
.endm

STORES limits_store_64, 4, STORE_64, 88, 4,, FILL_64
STORES limits_store_64_long, 9, STORE_64, 88, 4,, FILL_64
STORES limits_store_128, 4, STORE_128, 176, 0,, FILL_128
STORES limits_store_128_long, 9, STORE_128, 176, 0,, FILL_128
STORES limits_store_256, 4, STORE_256, 224, 0, vzeroupper, FILL_256
STORES limits_store_256_long, 9, STORE_256, 224, 0, vzeroupper, FILL_256
STORES limits_store_512, 4, STORE_512, 192, 0, vzeroupper, FILL_512
STORES limits_store_512_long, 9, STORE_512, 192, 0, vzeroupper, FILL_512

/* Vector arithmetic in twelve chains: acc = acc + 1, or acc + 1 * 1, of each element. */
.macro ONES_SSE
	mov	$1, %eax
	movq	%rax, %xmm12
	punpcklqdq %xmm12, %xmm12
.endm

.macro ONES_AVX
	mov	$1, %eax
	vmovq	%rax, %xmm12
	vpbroadcastq %xmm12, %ymm12
.endm

.macro ONES_AVX512
	mov	$1, %eax
	vpbroadcastq %rax, %zmm12
.endm

.macro ADD_128 i
	paddq	%xmm12, %xmm\i
.endm

.macro ADD_256 i
	vpaddq	%ymm12, %ymm\i, %ymm\i
.endm

.macro ADD_512 i
	vpaddq	%zmm12, %zmm\i, %zmm\i
.endm

/* -> n + the first elements of twelve sums */
.macro SUMS name, rounds, one, kind, move, ones:vararg
BEGIN_LOOP \name
	ZERO_\kind
	\ones
	TURNS	1, "TWELVES \rounds, \one"
	SUM_TWELVE %xmm, ADD_\kind, \move
	.ifc	\kind, AVX
	vzeroupper
	.endif
	ret
END_LOOP \name
.endm

SUMS limits_vector_128, 4, ADD_128, SSE, movq, ONES_SSE
SUMS limits_vector_128_long, 9, ADD_128, SSE, movq, ONES_SSE
SUMS limits_vector_256, 4, ADD_256, AVX, vmovq, ONES_AVX
SUMS limits_vector_256_long, 9, ADD_256, AVX, vmovq, ONES_AVX
SUMS limits_vector_512, 4, ADD_512, AVX, vmovq, ONES_AVX512
SUMS limits_vector_512_long, 9, ADD_512, AVX, vmovq, ONES_AVX512

/* Of doubles: the sum of the first elements is that of their bits. */
.macro DOUBLES_256
	movabs	$0x3ff0000000000000, %rax
	vmovq	%rax, %xmm12
	vpbroadcastq %xmm12, %ymm12
.endm

.macro DOUBLES_512
	movabs	$0x3ff0000000000000, %rax
	vpbroadcastq %rax, %zmm12
.endm

.macro FMA_256 i
	vfmadd231pd %ymm12, %ymm12, %ymm\i
.endm

.macro FMA_512 i
	vfmadd231pd %zmm12, %zmm12, %zmm\i
.endm

SUMS limits_fma_256, 4, FMA_256, AVX, vmovq, DOUBLES_256
SUMS limits_fma_256_long, 9, FMA_256, AVX, vmovq, DOUBLES_256
SUMS limits_fma_512, 4, FMA_512, AVX, vmovq, DOUBLES_512
SUMS limits_fma_512_long, 9, FMA_512, AVX, vmovq, DOUBLES_512

/*
 * Branches that are never taken, five of six bytes in 32, because the op cache of Intel's cores
 * holds six in 32 at most; the last four and what fills up to 32. Nothing sets the flag.
 */
.macro NOT_TAKEN fives
	.rept	\fives
	.rept	5
	{disp32} jo 2f
	.endr
	.balign	32
	.endr
	.rept	4
	{disp32} jo 2f
	.endr
	.balign	32
.endm

.macro NEVER name, fives
BEGIN_LOOP \name
	TURNS	1, "NOT_TAKEN \fives"
	ret
END_LOOP \name
.endm

NEVER limits_not_taken, 11
NEVER limits_not_taken_long, 23

/* Jumps to the next line: with that of the turn 8 and 16, so that the smallest table holds them. */
.macro TAKEN jumps
	.rept	\jumps
	jmp	3f
	.balign	64
3:
	.endr
.endm

.macro JUMPS name, jumps
BEGIN_LOOP \name
	TURNS	1, "TAKEN \jumps"
	ret
END_LOOP \name
.endm

JUMPS limits_taken, 7
JUMPS limits_taken_long, 15

/*
 * Of twelve: six sums that wait for nothing, four loads of two lines, and two stores of rdi to one.
 * Adds in chains are no good here: on Golden Cove the ports that they get made 4.5 to 6 of them.
 */
.set sum0, %r9
.set sum2, %r10
.set sum4, %rbx
.set sum6, %rbp
.set sum8, %r12
.set sum10, %r13

.macro MIXED i
	.if	\i % 2 == 0
	lea	(%rdi, %rsi), sum\i
	.elseif	\i % 6 == 3
	mov	%rdi, 64 + \i / 9 * 8(%rsi)
	.else
	mov	-128 + \i % 6 / 3 * 64 + \i % 8 * 8(%rsi), word\i
	.endif
.endm

/* -> n + six times n and the address + what rcx was loaded with last + the two words stored to */
.macro MIX name, rounds
BEGIN_LOOP \name
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	.irp	i, 0, 2, 4, 6, 8, 10
	mov	$0, sum\i
	.endr
	mov	$0, %ecx
	TURNS	1, "TWELVES \rounds, MIXED", lead=4
	.irp	i, 0, 2, 4, 6, 8, 10
	add	sum\i, %rax
	.endr
	add	%rcx, %rax
	add	64(%rsi), %rax
	add	72(%rsi), %rax
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
END_LOOP \name
.endm

MIX limits_mix, 9
MIX limits_mix_long, 19
