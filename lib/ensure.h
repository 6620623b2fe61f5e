/* SPDX-License-Identifier: MIT */
/*
 * States what must hold unless this program is wrong: a table has room, a caller keeps its part.
 * Bad input and what a machine does get an answer instead. Always compiled.
 */
#ifndef LIB_ENSURE_H
#define LIB_ENSURE_H

#define ensure(condition) ((condition) ? (void)0 : ensure_failed(#condition, __FILE__, __LINE__))

/* Ends the room as a fault does (kernel/panic.c); in a Linux program aborts (linux/abort.c). */
void ensure_failed(const char *condition, const char *file, int line)
	__attribute__((noreturn, cold));

#endif
