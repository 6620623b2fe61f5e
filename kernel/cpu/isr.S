/* SPDX-License-Identifier: MIT */
/*
 * Entries for the exceptions, 16 bytes apart so that their address is isr_entries + 16 * vector, one
 * more for all interrupts, which are only counted, and the saved contexts that a fault goes back to.
 */
	.text
	.balign	16
	.globl	isr_entries
	.hidden	isr_entries
isr_entries:
	.set	vector, 0
	.rept	33
	.balign	16
	/* these push an error code themselves: SDM vol. 3A, table 6-1 */
	.if	vector != 8 && (vector < 10 || vector > 14) && vector != 17 && vector != 21
	push	$0
	.endif
	push	$vector
	jmp	isr_common
	.set	vector, vector + 1
	.endr

/* Builds struct frame (kernel/cpu/fault.h) and calls fault_entry(frame). */
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

/*
 * int context_save(struct context *): returns 0, and once more, with 1, when context_restore is
 * called; the caller must not have returned by then.
 */
	.globl	context_save
	.hidden	context_save
	.type	context_save, @function
context_save:
	mov	(%rsp), %rax
	mov	%rax, (%rdi)
	lea	8(%rsp), %rax
	mov	%rax, 8(%rdi)
	mov	%rbx, 16(%rdi)
	mov	%rbp, 24(%rdi)
	mov	%r12, 32(%rdi)
	mov	%r13, 40(%rdi)
	mov	%r14, 48(%rdi)
	mov	%r15, 56(%rdi)
	xor	%eax, %eax
	ret

/* void context_restore(const struct context *) */
	.globl	context_restore
	.hidden	context_restore
	.type	context_restore, @function
context_restore:
	mov	16(%rdi), %rbx
	mov	24(%rdi), %rbp
	mov	32(%rdi), %r12
	mov	40(%rdi), %r13
	mov	48(%rdi), %r14
	mov	56(%rdi), %r15
	mov	8(%rdi), %rsp
	mov	$1, %eax
	jmp	*(%rdi)

/* void on_stack(void *top, void (*fn)(void *), void *arg): calls fn on another stack. */
	.globl	on_stack
	.hidden	on_stack
	.type	on_stack, @function
on_stack:
	push	%rbp
	mov	%rsp, %rbp
	mov	%rdi, %rsp
	mov	%rdx, %rdi
	call	*%rsi
	mov	%rbp, %rsp
	pop	%rbp
	ret
	.section .note.GNU-stack, "", @progbits
