/* SPDX-License-Identifier: MIT */
/* Calls that leave the current stack: kernel/cpu/context.h. */
	.text
/* int context_save(struct context *) */
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

/* void on_stack(void *top, void (*fn)(void *), void *arg) */
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
