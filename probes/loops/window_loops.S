/* SPDX-License-Identifier: MIT */
/*
 * window: (start of one chase, start of another, n, bytes): n times { load of the first chase, a
 * jump, the last so many bytes of fillers, load of the second, the same again } -> the sum of the
 * last pointers.
 *
 * The two chases are independent: as long as the out-of-order window holds both loads and all that
 * lies between, their misses overlap; beyond, the second waits until the first has retired. The jump
 * goes into 128 groups of 8 fillers, of 32 bytes each; `bytes` must be the begin of one of them:
 * 32 g + 0, 4, 9, 14, 17, 19, 24 or 29 for 8 g + 0 to 7 fillers.
 *
 * The fillers must cost a place in the window, and nothing else may run out before it does: not
 * no-operations (some cores drop them at rename), not immediate adds (folded at rename by Golden
 * Cove). A group writes 3 general and 4 vector registers and has one branch that is never taken
 * (it writes none): so 512 entries need 192 and 256 registers, where a core with 512 entries has
 * about 280 and 330 less the architectural ones. 32 bytes a group, no branch on a 32-byte boundary
 * (the erratum of Skylake's jumps). Each register has a chain of its own: 7 chains, none of which
 * depends on a load.
 */
#include "probes/loops/timing.inc"

.macro FILLERS
	.balign	32
5:
	.rept	128
	add	%r10, %rcx
	paddd	%xmm8, %xmm0
	paddd	%xmm8, %xmm1
	.byte	0x70, 0 /* jo to the next instruction, in its short form */
	add	%r10, %r12
	paddd	%xmm8, %xmm2
	paddd	%xmm8, %xmm3
	lea	(%r10, %r13), %r13
	.endr
7:
	.if	7b - 5b - 128 * 32
	.error	"a group of fillers is not 32 bytes long"
	.endif
.endm

BEGIN_LOOP window
	push	%r12
	push	%r13
	push	%r14
	neg	%rcx
	lea	3f(%rip), %r8
	add	%rcx, %r8
	lea	4f(%rip), %r9
	add	%rcx, %r9
	mov	%rdx, %r14
	mov	$1, %r10d
	xor	%ecx, %ecx
	xor	%r12d, %r12d
	xor	%r13d, %r13d
	.irp	r, 0, 1, 2, 3, 8
	pxor	%xmm\r, %xmm\r
	.endr
	STAMP_FIRST
	test	%r14, %r14
	jz	2f
	.balign	32 /* both jumps behind a load lie within 32 bytes */
1:
	mov	(%rdi), %rdi
	jmp	*%r8
	FILLERS
3:
	mov	(%rsi), %rsi
	jmp	*%r9
	FILLERS
4:
	dec	%r14
	jnz	1b
2:
	STAMP_LAST
	lea	(%rdi, %rsi), %rax
	pop	%r14
	pop	%r13
	pop	%r12
	ret
END_LOOP window
