/* SPDX-License-Identifier: MIT */
/*
 * What kernels and hypervisors pay for: n turns, each of eight times the same instruction. All but
 * cpuid and verw need ring 0, and leave everything as it was: each register is written with its own
 * value, and CR4 has its old one again when a loop ends.
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
