/* SPDX-License-Identifier: MIT */
/*
 * The entry from the firmware: rcx = image handle, rdx = system table, Microsoft ABI. U-Boot enters
 * with SSE off, and compiled code uses SSE from its first line on, so SSE is switched on here.
 */
	.text
	.globl	entry
	.hidden	entry
	.type	entry, @function
entry:
	endbr64
	push	%rbp
	mov	%rsp, %rbp
	push	%rbx
	push	%r12
	mov	%rdx, %r9
	rdtsc
	shl	$32, %rdx
	lea	(%rdx, %rax), %r8       /* third argument: ticks at entry */
	mov	%r9, %rdx
	mov	%cr0, %rbx
	mov	%cr4, %r12
	mov	%rbx, %rax
	and	$~0xc, %rax             /* CR0: no EM, no TS */
	or	$0x2, %rax              /* MP */
	mov	%rax, %cr0
	mov	%r12, %rax
	or	$0x600, %rax            /* CR4: OSFXSR, OSXMMEXCPT */
	mov	%rax, %cr4
	sub	$0x40, %rsp             /* 32 bytes of shadow space and more */
	and	$~15, %rsp
	call	efi_main
	mov	%r12, %cr4
	mov	%rbx, %cr0
	lea	-16(%rbp), %rsp
	pop	%r12
	pop	%rbx
	pop	%rbp
	ret

/* https://github.com/rhboot/shim/blob/main/SBAT.md: component, generation, vendor and where. */
	.section .sbat, "a"
	.ascii	"sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"
	.ascii	"anechoic,1,anechoic,anechoic,1,https://localhost/\n"
	.section .note.GNU-stack, "", @progbits
