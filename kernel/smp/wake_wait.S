/* SPDX-License-Identifier: MIT */
/*
 * The wait of the CPU that probe wake wakes, and the two gates of its IDT meanwhile. Any event that
 * ends the wait first writes an answer that says which event it was.
 */
#define WAIT_HALT         1 /* enum wait_in, enum wake_by in engine/room.h; kernel/smp/wake_up.c */
#define WAIT_MWAIT        2
#define WAKE_BY_INTERRUPT 1
#define ANSWER_STORE      1
#define ANSWER_INTERRUPT  2
#define ANSWER_NMI        3

	.text
/*
 * wake_wait(in, by, hint, patience). The word is checked first, because MONITOR takes its time.
 * With interrupts on, `patience` PAUSEs end the wait without an answer; 0: the wait has no limit.
 */
	.globl	wake_wait
wake_wait:
	mov	%edx, %r8d
	mov	%rcx, %r9
1:
	cmpl	$0, wake_word(%rip)
	jne	9f
	xor	%ecx, %ecx
	cmp	$WAIT_MWAIT, %edi
	jne	2f
	lea	wake_word(%rip), %rax
	xor	%edx, %edx
	monitor
	cmpl	$0, wake_word(%rip)
	jne	9f
	mov	%r8d, %eax
2:
	cmp	$WAKE_BY_INTERRUPT, %esi
	je	5f
	cmp	$WAIT_HALT, %edi
	jb	3f
	je	4f
	mwait
	jmp	1b
3:
	pause
	jmp	1b
4:
	hlt
	jmp	1b
5:				/* after sti interrupts are on behind the next instruction */
	cmp	$WAIT_HALT, %edi
	jb	6f
	je	7f
	sti
	mwait
	jmp	1b
6:
	sti
	pause
	dec	%r9
	jnz	1b
	cli
	ret
7:
	sti
	hlt
	jmp	1b
9:
	movq	$ANSWER_STORE, wake_answer(%rip)
wake_done:
	ret

/* Go on at the end of wake_wait, from anywhere in it, with interrupts off. */
	.globl	wake_interrupt_entry
wake_interrupt_entry:
	movq	$ANSWER_INTERRUPT, wake_answer(%rip)
	push	%rax
	push	%rdx
	rdtsc
	mov	%eax, wake_stamp(%rip)
	mov	%edx, 4+wake_stamp(%rip)
	pop	%rdx
1:
	lea	wake_done(%rip), %rax
	mov	%rax, 8(%rsp)
	andq	$~0x200, 24(%rsp)
	pop	%rax
	iretq

/* An NMI outside wake_wait is not ours: it goes to the ordinary entry. */
	.globl	wake_nmi_entry
wake_nmi_entry:
	push	%rax
	mov	8(%rsp), %rax
	push	%rcx
	lea	wake_wait(%rip), %rcx
	sub	%rcx, %rax
	pop	%rcx
	cmp	$(wake_done - wake_wait), %rax
	jae	2f
	movq	$ANSWER_NMI, wake_answer(%rip)
	jmp	1b
2:
	pop	%rax
	jmp	isr_entries + 16 * 2

/* The line that is watched, and the line for the answer: each is alone in its pair of lines. */
	.section .bss.wake, "aw", @nobits
	.globl	wake_word, wake_answer, wake_stamp
	.hidden	wake_word, wake_answer, wake_stamp
	.balign	128
wake_word:
	.skip	128
wake_answer:
	.skip	120
wake_stamp:
	.skip	8

	.section .note.GNU-stack, "", @progbits
