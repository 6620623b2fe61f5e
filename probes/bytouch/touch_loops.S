/* SPDX-License-Identifier: MIT */
/* One store per page. */
#include "probes/loops/timing.inc"

/*
 * rdi base, rsi n, rdx stride. The stores are independent, but the first to a page that is not
 * there faults, and faults are taken one after the other. After the second stamp the bytes are
 * read back and summed: n, if each was stored.
 */
BEGIN_LOOP touch
	mov	%rdx, %r8
	mov	%rdi, %r9
	mov	%rsi, %r10
	STAMP_FIRST
	test	%rsi, %rsi
	jz	2f
	.balign	32
1:
	movb	$1, (%rdi)
	add	%r8, %rdi
	dec	%rsi
	jnz	1b
2:
	STAMP_LAST
	xor	%eax, %eax
	test	%r10, %r10
	jz	4f
3:
	movzbl	(%r9), %ecx
	add	%rcx, %rax
	add	%r8, %r9
	dec	%r10
	jnz	3b
4:
	ret
END_LOOP touch
