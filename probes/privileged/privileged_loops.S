/* SPDX-License-Identifier: MIT */
/*
 * Instructions that kernels and hypervisors pay for: n turns, each of eight times the same
 * instruction. All but cpuid, verw and syscall need ring 0, and leave everything as it was: each
 * register is written with its own value, and everything else that a loop changes has its old value
 * again when it ends.
 */
#include "probes/loops/timing.inc"

#define CR4_PCIDE    17 /* bits: SDM vol. 3A, 2.5 and 4.10.4.1 */
#define CR3_NO_FLUSH 63

/* CR4 in r10, then with PCIDE; in rcx what CR3 is written with: its own value, nothing flushed. */
.macro PCID_BEGIN
	mov	%cr4, %r10
	mov	%r10, %r9
	bts	$CR4_PCIDE, %r9
	mov	%r9, %cr4
	mov	%cr3, %rcx
	bts	$CR3_NO_FLUSH, %rcx
.endm

.macro PCID_END
	mov	%r10, %cr4
.endm

BEGIN_LOOP write_cr3
	mov	%cr3, %rcx
	TURNS 8, "mov %rcx, %cr3"
	ret
END_LOOP write_cr3

BEGIN_LOOP write_cr3_kept
	PCID_BEGIN
	TURNS 8, "mov %rcx, %cr3"
	PCID_END
	ret
END_LOOP write_cr3_kept

/*
 * rdi turns: \what, then a load from each of rdx pages from rsi on, each from another line of its
 * page, so that the lines stay in L1. The fences keep turns apart, with \what and without.
 */
.macro TOUCHES what
	mov	%rdx, %r9
	xor	%r8d, %r8d
	STAMP_FIRST
	test	%rdi, %rdi
	jz	2f
1:
	\what
	lfence
	mov	%rsi, %rax
	mov	%r9, %rdx
3:
	add	(%rax), %r8
	add	$(4096 + 64), %rax
	dec	%rdx
	jnz	3b
	lfence
	dec	%rdi
	jnz	1b
2:
	STAMP_LAST
	mov	%r8, %rax
.endm

BEGIN_LOOP page_touch
	TOUCHES
	ret
END_LOOP page_touch

BEGIN_LOOP write_cr3_touch
	mov	%cr3, %rcx
	TOUCHES "mov %rcx, %cr3"
	ret
END_LOOP write_cr3_touch

BEGIN_LOOP write_cr3_kept_touch
	PCID_BEGIN
	TOUCHES "mov %rcx, %cr3"
	PCID_END
	ret
END_LOOP write_cr3_kept_touch

BEGIN_LOOP invlpg
	TURNS 8, "invlpg (%rsi)"
	ret
END_LOOP invlpg

/* The descriptor: PCID 0, the address. */
BEGIN_LOOP invpcid
	push	%rdx
	push	$0
	TURNS 8, "invpcid (%rsp), %rsi"
	add	$16, %rsp
	ret
END_LOOP invpcid

BEGIN_LOOP rdmsr
	mov	%esi, %ecx
	TURNS 8, rdmsr
	ret
END_LOOP rdmsr

BEGIN_LOOP wrmsr
	mov	%esi, %ecx
	rdmsr
	mov	%eax, %r9d
	mov	%edx, %r10d
	TURNS 8, wrmsr, "mov %r9d, %eax; mov %r10d, %edx"
	ret
END_LOOP wrmsr

BEGIN_LOOP cpuid
	push	%rbx
	TURNS 8, "mov %esi, %eax; xor %ecx, %ecx; cpuid"
	pop	%rbx
	ret
END_LOOP cpuid

/*
 * With interrupts off before and afterwards: none is taken, because sti lets the next instruction
 * be done first (SDM vol. 2B, STI), and that is cli.
 */
BEGIN_LOOP sti_cli
	TURNS 8, "sti; cli"
	ret
END_LOOP sti_cli

BEGIN_LOOP swapgs
	TURNS 8, "swapgs; swapgs"
	ret
END_LOOP swapgs

/* By the form with an operand in memory, the one that empties buffers where a processor does so. */
BEGIN_LOOP verw
	push	%rsi
	TURNS 8, "verw (%rsp)"
	pop	%rsi
	ret
END_LOOP verw

BEGIN_LOOP port_in
	TURNS 8, "in %dx, %al", "mov %esi, %edx"
	ret
END_LOOP port_in

BEGIN_LOOP lgdt
	sub	$16, %rsp
	sgdt	(%rsp)
	TURNS 8, "lgdt (%rsp)"
	add	$16, %rsp
	ret
END_LOOP lgdt

BEGIN_LOOP wbinvd
	TURNS 1, wbinvd
	ret
END_LOOP wbinvd

/* Through the gate of a vector that nothing else here uses, in our own table of interrupts. */
	.equ	VECTOR, 0xf1
#define GATE_TYPE 0x8e00 /* present, ring 0, an interrupt gate: SDM vol. 3A, figure 6-8 */

/* The gate in r9; what it was, in r10 and rsi, is written back. */
BEGIN_LOOP interrupt
	sub	$16, %rsp
	sidt	(%rsp)
	mov	2(%rsp), %r9
	add	$16, %rsp
	add	$(16 * VECTOR), %r9
	mov	(%r9), %r10
	mov	8(%r9), %rsi
	lea	4f(%rip), %rcx
	mov	%cs, %eax
	shl	$16, %eax
	mov	%cx, %ax
	shr	$16, %rcx
	mov	%ecx, %edx
	shl	$16, %edx
	mov	$GATE_TYPE, %dx
	shl	$32, %rdx
	or	%rax, %rdx
	shr	$16, %rcx
	mov	%rdx, (%r9)
	mov	%rcx, 8(%r9)
	TURNS 8, "int $VECTOR"
	mov	%r10, (%r9)
	mov	%rsi, 8(%r9)
	ret
4:
	iretq
END_LOOP interrupt

/* SDM vol. 4; SFMASK is Intel's FMASK. */
#define EFER	0xc0000080
#define STAR	0xc0000081
#define LSTAR	0xc0000082
#define SFMASK	0xc0000084

#define EFER_SCE  1	  /* there is a SYSCALL */
#define FLAGS_OFF 0x40700 /* AC, DF, IF and TF, while SYSCALL's handler runs */

.macro PUSH_MSR msr
	mov	$\msr, %ecx
	rdmsr
	shl	$32, %rdx
	or	%rdx, %rax
	push	%rax
.endm

/* Writes rax. */
.macro WRITE_MSR msr
	mov	%rax, %rdx
	shr	$32, %rdx
	mov	$\msr, %ecx
	wrmsr
.endm

.macro POP_MSR msr
	pop	%rax
	WRITE_MSR \msr
.endm

/*
 * Trips from ring 0 by SYSRET to ring 3, which counts in rsi, and back by SYSCALL. The code of ring
 * 3 is in this loop, whose page ring 3 may execute; it has no stack and touches no memory, and the
 * stack pointer stays what it is. The flags stay, too: interrupts are off before. SYSRET takes the
 * selectors of ring 3 from STAR: data and code 24 and 32 behind our code's, as in the kernel's GDT.
 */
BEGIN_LOOP sysret_syscall
	PUSH_MSR STAR
	PUSH_MSR LSTAR
	PUSH_MSR SFMASK
	PUSH_MSR EFER
	mov	%cs, %edx
	lea	(16 + 3)(%rdx), %eax
	shl	$16, %eax
	or	%edx, %eax
	shl	$32, %rax
	WRITE_MSR STAR
	lea	3f(%rip), %rax
	WRITE_MSR LSTAR
	mov	$FLAGS_OFF, %eax
	WRITE_MSR SFMASK
	mov	(%rsp), %rax
	or	$EFER_SCE, %rax
	WRITE_MSR EFER
	pushf
	pop	%r9
	lea	2f(%rip), %r10
	xor	%esi, %esi
	mov	%rdi, %r8
	STAMP_FIRST
	mov	%r11, %rdi
	test	%r8, %r8
	jz	4f
	.balign	32
1:
	mov	%r10, %rcx
	mov	%r9, %r11
	sysretq
2:
	inc	%rsi
	syscall
3:
	dec	%r8
	jnz	1b
4:
	mov	%rdi, %r11
	STAMP_LAST
	mov	%rdx, %r8
	POP_MSR EFER
	POP_MSR SFMASK
	POP_MSR LSTAR
	POP_MSR STAR
	mov	%rsi, %rax
	mov	%r8, %rdx
	ret
END_LOOP sysret_syscall

/*
 * The same trip where a system is in ring 0, from SYSCALL until it returns: Linux is asked to read
 * from file -1, and says that there is none. Returns the sum of what it says.
 */
BEGIN_LOOP syscall
	mov	%rdi, %r8
	mov	$-1, %rdi
	xor	%r9d, %r9d
	STAMP_FIRST
	mov	%r11, %r10
	test	%r8, %r8
	jz	2f
	.balign	32
1:
	.rept	8
	xor	%eax, %eax
	syscall
	add	%rax, %r9
	.endr
	dec	%r8
	jnz	1b
2:
	mov	%r10, %r11
	STAMP_LAST
	mov	%r9, %rax
	ret
END_LOOP syscall
