/* SPDX-License-Identifier: MIT */
/*
 * Interrupt service routines: an entry for each exception, 16 bytes apart so that its address is
 * isr_entries + 16 * vector, and one more for all interrupts, which are only counted.
 */
	.text
	.balign	16
	.globl	isr_entries
	.hidden	isr_entries
isr_entries:
	.set	vector, 0
	.rept	33
	.balign	16
	/* The vectors excluded here push an error code themselves: SDM vol. 3A, table 6-1. */
	.if	vector != 8 && (vector < 10 || vector > 14) && vector != 17 && vector != 21
	push	$0
	.endif
	push	$vector
	jmp	isr_common
	.set	vector, vector + 1
	.endr

/* Build struct frame (kernel/cpu/fault.h) and call fault_entry(frame). */
	.balign	16
isr_common:
	push	%rax
	push	%rcx
	push	%rdx
	push	%rbx
	push	%rbp
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	cld
	mov	%rsp, %rdi
	mov	%rsp, %rbx
	sub	$512, %rsp
	and	$~15, %rsp
	smsw	%eax		/* TS, which the user's own code may have set, */
	test	$8, %al		/* would make this an exception: kernel/guarded_call.h */
	jz	1f
	clts
1:
	fxsave64 (%rsp)
	call	fault_entry
	fxrstor64 (%rsp)
	mov	%rbx, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rbp
	pop	%rbx
	pop	%rdx
	pop	%rcx
	pop	%rax
	add	$16, %rsp
	iretq
	.section .note.GNU-stack, "", @progbits
