/* SPDX-License-Identifier: MIT */
/*
 * Save and restore the vector state, as a switch of tasks does: n turns, each of eight times the
 * same instruction. Three areas follow one another from rsi on: the state in use while it is timed,
 * the copy saved of it, and our own state meanwhile. edx: the components, as XCR0 has them.
 */
#include "probes/loops/timing.inc"

	.equ	SAVED, 4096
	.equ	OWN, 8192

/* For instructions of the XSAVE family. */
.macro COMPONENTS
	mov	%r9d, %eax
	xor	%edx, %edx
.endm

.macro STATE_BEGIN
	mov	%edx, %r9d
	COMPONENTS
	xsave64	OWN(%rsi)
.endm

/* Keeps the ticks and returns the turns. */
.macro STATE_END
	mov	%rdx, %r10
	COMPONENTS
	xrstor64 OWN(%rsi)
	mov	%rdi, %rax
	mov	%r10, %rdx
	ret
.endm

/* XRSTOR puts those components in use that its area has, and no others. */
.macro SAVE_LOOP name
BEGIN_LOOP \name
	STATE_BEGIN
	xrstor64 (%rsi)
	TURNS 8, "\name\()64 SAVED(%rsi)", COMPONENTS
	STATE_END
END_LOOP \name
.endm

SAVE_LOOP xsave
SAVE_LOOP xsaveopt
SAVE_LOOP xsavec

BEGIN_LOOP xrstor
	STATE_BEGIN
	TURNS 8, "xrstor64 (%rsi)", COMPONENTS
	mov	%rdx, %r10
	COMPONENTS
	xsave64	SAVED(%rsi)
	mov	%r10, %rdx
	STATE_END
END_LOOP xrstor
