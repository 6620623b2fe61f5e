/* SPDX-License-Identifier: MIT */
/*
 * The instructions that may fault, and a table that says where each continues after a fault. The
 * exception handler puts the vector into rax and continues there.
 */
.macro SAFE name
	.text
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
.endm

/* After a fault at 8: continue at 7:. */
.macro FIXUP
	.section .rodata.fixup, "a"
	.long	8b - fixup_table, 7b - fixup_table
.endm

	.section .rodata.fixup, "a"
	.balign	8
	.globl	fixup_table, fixup_table_end
	.hidden	fixup_table, fixup_table_end
fixup_table:

/* int safe_rdmsr(uint32_t msr, uint64_t *value) */
SAFE safe_rdmsr
	mov	%edi, %ecx
8:	rdmsr
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, (%rsi)
	xor	%eax, %eax
7:	ret
	FIXUP

/* int safe_wrmsr(uint32_t msr, uint64_t value) */
SAFE safe_wrmsr
	mov	%edi, %ecx
	mov	%esi, %eax
	mov	%rsi, %rdx
	shr	$32, %rdx
8:	wrmsr
	xor	%eax, %eax
7:	ret
	FIXUP

/* int safe_xsetbv(uint32_t index, uint64_t value) */
SAFE safe_xsetbv
	mov	%edi, %ecx
	mov	%esi, %eax
	mov	%rsi, %rdx
	shr	$32, %rdx
8:	xsetbv
	xor	%eax, %eax
7:	ret
	FIXUP

/* int safe_read32(const void *address, uint32_t *value) */
SAFE safe_read32
8:	mov	(%rdi), %ecx
	mov	%ecx, (%rsi)
	xor	%eax, %eax
7:	ret
	FIXUP

fixup_table_end:
	.section .note.GNU-stack, "", @progbits
