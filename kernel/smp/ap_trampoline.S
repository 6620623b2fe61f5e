/* SPDX-License-Identifier: MIT */
/*
 * The start of another processor: in real mode, at the first byte of a page below 1 MiB to which
 * this is copied; struct start (kernel/smp/smp.c) lies in the next page. It goes from real mode
 * into long mode in one step (SDM vol. 3A 9.8.5, without the detour through protected mode).
 */
#define START_GDT   0x1000 /* limit and base, for lgdt */
#define START_FAR   0x1010 /* start of long mode, for ljmp */
#define START_CR0   0x1020
#define START_CR3   0x1024
#define START_CR4   0x1028
#define START_EFER  0x102c /* bits to set */
#define START_ALLOW 0x1030 /* 1: clear IA32_MISC_ENABLE[34], kernel/cpu/cpu_features.h */
#define START_LIST  0x1050 /* processors to start: id, taken, stack, argument */
#define START_N     0x1058
#define START_FN    0x1060

#define STARTING_BYTES 24

#define APIC_BASE   0x1b
#define MISC_ENABLE 0x1a0
#define X2APIC_ID   0x802
#define EFER        0xc0000080

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
	cmpl	$0, START_ALLOW
	je	1f
	mov	$MISC_ENABLE, %ecx
	rdmsr
	btr	$2, %edx
	jnc	1f
	wrmsr
1:
	mov	$EFER, %ecx
	rdmsr
	or	START_EFER, %eax
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
	/*
	 * Find out which processor this is, by its APIC: CPUID need not say what id the APIC
	 * answers to.
	 */
	mov	$APIC_BASE, %ecx
	rdmsr
	bt	$10, %eax
	jnc	1f
	mov	$X2APIC_ID, %ecx
	rdmsr
	jmp	2f
1:
	shl	$32, %rdx
	or	%rdx, %rax
	and	$~0xfff, %rax
	mov	0x20(%rax), %eax
	shr	$24, %eax
2:
	mov	START_LIST(%rbp), %rsi
	mov	START_N(%rbp), %rcx
3:
	test	%rcx, %rcx
	jz	5f
	cmp	%eax, (%rsi)
	je	4f
	add	$STARTING_BYTES, %rsi
	dec	%rcx
	jmp	3b
4:
	/* Take the stack: it is for one processor, a second one with this id stays here. */
	mov	$1, %edx
	xchg	%edx, 4(%rsi)
	test	%edx, %edx
	jnz	5f
	mov	8(%rsi), %rsp
	mov	16(%rsi), %rdi
	call	*START_FN(%rbp)
5:
	hlt
	jmp	5b
ap_end:
	.section .note.GNU-stack, "", @progbits
