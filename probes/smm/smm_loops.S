/* SPDX-License-Identifier: MIT */
/*
 * An SMI that is asked for: a byte for the port by which ACPI tells the firmware something. Then
 * the counter of SMIs is read until it has moved: it may come some instructions later. One that the
 * counter has was over before the last stamp, and all of it lies between the stamps. A firmware
 * takes arguments in registers (RBX, RCX, RSI, RDI as a rule): these are 0.
 */
#include "probes/loops/timing.inc"

BEGIN_LOOP ask_smi
	push	%rbx
	push	%rbp
	push	%r12
	mov	%ecx, %r12d
	mov	%edi, %r8d
	mov	%esi, %r9d
	mov	%edx, %r10d
	rdmsr
	mov	%eax, %ebp
	xor	%ebx, %ebx
	xor	%esi, %esi
	xor	%edi, %edi
	STAMP_FIRST
	test	%r8d, %r8d
	jz	1f
	xor	%ecx, %ecx
	mov	%r9d, %edx
	mov	%r10d, %eax
	out	%al, %dx
1:
	mov	%r12d, %ecx
2:
	rdmsr
	cmp	%eax, %ebp
	jne	3f
	sub	$1, %r8d
	ja	2b
3:
	mov	%eax, %ebx
	STAMP_LAST
	mov	%ebx, %eax
	sub	%ebp, %eax
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
END_LOOP ask_smi
