/* SPDX-License-Identifier: MIT */
/* Buffers that end (or begin) at a page that faults: a byte too many is a crash, not a guess. */
#ifndef TESTS_UNIT_GUARDED_H
#define TESTS_UNIT_GUARDED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define GUARD_PAGE 4096

struct guarded {
	unsigned char *map;
	size_t map_bytes;
	unsigned char *base; /* the buffer */
};

/* `bytes` bytes whose last is followed, or (at_start) whose first is preceded, by a guard page. */
static inline struct guarded guarded_new(size_t bytes, int at_start)
{
	size_t inner = (bytes + GUARD_PAGE - 1) / GUARD_PAGE * GUARD_PAGE + GUARD_PAGE;
	struct guarded g = { .map_bytes = inner + 2 * GUARD_PAGE };

	g.map = mmap(NULL, g.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(g.map + GUARD_PAGE, inner, PROT_READ | PROT_WRITE);
	g.base = g.map + GUARD_PAGE + (at_start ? 0 : inner - bytes);
	return g;
}

static inline void guarded_free(struct guarded *g)
{
	munmap(g->map, g->map_bytes);
}

#endif
