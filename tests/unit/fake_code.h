/* SPDX-License-Identifier: MIT */
/* Memory for generated code in a room for tests, which may be refused, or not made executable. */
#ifndef TESTS_UNIT_FAKE_CODE_H
#define TESTS_UNIT_FAKE_CODE_H

#include <stddef.h>
#include <sys/mman.h>

#include "engine/room.h"

static struct {
	void *base;
	size_t bytes;
	bool refused, unsealed;
} code_memory;

static inline void *fake_code_open(struct room *e, size_t bytes)
{
	if (code_memory.base)
		munmap(code_memory.base, code_memory.bytes);
	code_memory.bytes = bytes;
	code_memory.base =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return code_memory.refused ? NULL : code_memory.base;
}

static inline int fake_code_seal(struct room *e)
{
	return code_memory.unsealed
		? -1
		: mprotect(code_memory.base, code_memory.bytes, PROT_READ | PROT_EXEC);
}

static inline void give_code_memory(struct room *e)
{
	e->code_open = fake_code_open;
	e->code_seal = fake_code_seal;
	code_memory.refused = code_memory.unsealed = false;
}

/* Memory that can be written and run at once, the same at each call; not for the room. */
static inline unsigned char *runnable_memory(size_t bytes)
{
	static unsigned char *p;

	if (!p)
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p;
}

#endif
