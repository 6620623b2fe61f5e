/* SPDX-License-Identifier: MIT */
/*
 * Where another processor starts: in real mode, at the first byte of a page below 1 MiB to which
 * this is copied; struct start (kernel/smp/ap_startup.c) lies in the next page. From real mode
 * into long mode in one step (SDM vol. 3A 9.8.5, without the detour through protected mode).
 */
#define START_GDT   0x1000 /* limit and base, for lgdt */
#define START_FAR   0x1010 /* where long mode begins, for ljmp */
#define START_CR0   0x1020
#define START_CR3   0x1024
#define START_CR4   0x1028
#define START_ID    0x102c /* APIC id of the processor to start */
#define START_STACK 0x1048
#define START_ARG   0x1050
#define START_FN    0x1058

#define EFER        0xc0000080
#define EFER_LONG   0x900 /* LME and NXE */

	.text
	.globl	ap_start, ap_long, ap_end
	.hidden	ap_start
	.hidden	ap_long
	.hidden	ap_end
	.code16
ap_start:
	cli
	cld
	mov	%cs, %ax
	mov	%ax, %ds
	lgdtl	START_GDT
	mov	START_CR4, %eax
	mov	%eax, %cr4
	mov	START_CR3, %eax
	mov	%eax, %cr3
	mov	$EFER, %ecx
	rdmsr
	or	$EFER_LONG, %eax
	wrmsr
	mov	START_CR0, %eax
	mov	%eax, %cr0
	ljmpl	*START_FAR

	.code64
ap_long:
	mov	$0x10, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	xor	%eax, %eax
	mov	%eax, %fs
	mov	%eax, %gs
	lea	ap_start(%rip), %rbp
	/* A processor that starts too late must not use another one's stack. */
	xor	%eax, %eax
	cpuid
	cmp	$0x0b, %eax
	jb	1f
	mov	$0x0b, %eax
	xor	%ecx, %ecx
	cpuid
	test	%ebx, %ebx
	jnz	2f
1:
	mov	$1, %eax
	cpuid
	mov	%ebx, %edx
	shr	$24, %edx
2:
	cmp	START_ID(%rbp), %edx
	jne	3f
	mov	START_STACK(%rbp), %rsp
	mov	START_ARG(%rbp), %rdi
	call	*START_FN(%rbp)
3:
	hlt
	jmp	3b
ap_end:
	.section .note.GNU-stack, "", @progbits
