/* SPDX-License-Identifier: MIT */
/*
 * Streams that read and write in a fixed proportion: (to, from, lines, passes, pattern) -> passes
 * times the sum of the first access of each line read. For each line written (its words become the
 * pattern) 1, 2 or 3 lines of the other stream are read. Both buffers are aligned to 64 bytes.
 *
 * One access in a line is added to a sum, the others are loads into registers that nothing reads,
 * as in read_loops.S. The loop costs 3 slots beside the accesses: nothing where memory is the
 * limit.
 */
#include "probes/loops/stream.inc"

.macro SUM_128 at
	paddq	\at(%rcx), %xmm4
.endm

.macro SUM_256 at
	vpaddq	\at(%rcx), %ymm4, %ymm4
.endm

.macro SUM_512 at
	vpaddq	\at(%rcx), %zmm4, %zmm4
.endm

.macro LOAD_128 at
	movdqa	\at(%rcx), %xmm1
.endm

.macro LOAD_256 at
	vmovdqa	\at(%rcx), %ymm1
.endm

.macro STORE_128 at
	movdqa	%xmm0, \at(%r8)
.endm

.macro STORE_256 at
	vmovdqa	%ymm0, \at(%r8)
.endm

.macro STORE_512 at
	vmovdqa64 %zmm0, \at(%r8)
.endm

.macro FOLD_128
.endm

.macro FOLD_256
	vextracti128 $1, %ymm4, %xmm1
	vpaddq	%xmm1, %xmm4, %xmm4
	vzeroupper
.endm

.macro FOLD_512
	vextracti64x4 $1, %zmm4, %ymm1
	vpaddq	%ymm1, %ymm4, %ymm4
	FOLD_256
.endm

/* One line read, at `line` lines from the cursor. */
.macro MIX_READ bits, line
	SUM_\bits (64 * \line)
	.set	place, \bits / 8
	.rept	512 / \bits - 1
	LOAD_\bits (64 * \line + place)
	.set	place, place + \bits / 8
	.endr
.endm

.macro MIX_WRITE bits
	.set	place, 0
	.rept	512 / \bits
	STORE_\bits place
	.set	place, place + \bits / 8
	.endr
.endm

.macro MIX reads, bits
BEGIN_LOOP mix_\reads\()_1_\bits
	push	%rbp
	mov	%r8, %rbp
	mov	%rdx, %r9
	mov	%rcx, %r10
	pxor	%xmm4, %xmm4
	SPREAD_\bits
	test	%r9, %r9
	cmovz	%r9, %r10
	STAMP_FIRST
	test	%r10, %r10
	jz	3f
1:
	mov	%rdi, %r8
	mov	%rsi, %rcx
	mov	%r9, %rdx
	.balign	64
2:
	.set	line, 0
	.rept	\reads
	MIX_READ \bits, line
	.set	line, line + 1
	.endr
	MIX_WRITE \bits
	add	$(64 * \reads), %rcx
	add	$64, %r8
	dec	%rdx
	jnz	2b
	dec	%r10
	jnz	1b
3:
	STAMP_LAST
	FOLD_\bits
	movdqa	%xmm4, %xmm1
	psrldq	$8, %xmm1
	paddq	%xmm1, %xmm4
	movq	%xmm4, %rax
	pop	%rbp
	ret
END_LOOP mix_\reads\()_1_\bits
.endm

MIX 3, 128
MIX 3, 256
MIX 3, 512
MIX 2, 128
MIX 2, 256
MIX 2, 512
MIX 1, 128
MIX 1, 256
MIX 1, 512
