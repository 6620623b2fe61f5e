/* SPDX-License-Identifier: MIT */
/* Buffers between pages that fault: a byte read or written outside ends the test. */
#ifndef TESTS_UNIT_GUARD_H
#define TESTS_UNIT_GUARD_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define GUARD_PAGE 4096UL
#define GUARD_MOST (64 * GUARD_PAGE)

/* GUARD_MOST accessible bytes with a forbidden page on either side. */
static inline unsigned char *guarded(void)
{
	unsigned char *p = mmap(NULL, GUARD_MOST + 2 * GUARD_PAGE, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + GUARD_PAGE, GUARD_MOST, PROT_READ | PROT_WRITE)) {
		perror("guarded buffer");
		exit(1);
	}
	return p + GUARD_PAGE;
}

/* The last n bytes of such a buffer: they end at the forbidden page. */
static inline unsigned char *guarded_end(unsigned char *buffer, size_t n)
{
	return buffer + GUARD_MOST - n;
}

/* n bytes that end, or (at_start) begin, at the forbidden page, in one of a few lasting buffers. */
static inline unsigned char *guarded_side(unsigned which, size_t n, int at_start)
{
	static unsigned char *buffers[4];

	if (!buffers[which])
		buffers[which] = guarded();
	return at_start ? buffers[which] : guarded_end(buffers[which], n);
}

#endif
