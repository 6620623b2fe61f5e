/* SPDX-License-Identifier: MIT */
/* Machine code that a probe writes into the room's memory for it, and then calls. */
#ifndef PROBES_GENERATED_CODE_H
#define PROBES_GENERATED_CODE_H

#include "engine/probe_api.h"
#include "lib/ensure.h"

/* A block under construction. */
struct code_block {
	unsigned char *base;
	size_t capacity, at;
};

/* Starts a block in `capacity` bytes of writable memory. */
static inline struct code_block code_begin(void *base, size_t capacity)
{
	return (struct code_block){ .base = base, .capacity = capacity };
}

/* The lowest `bytes` bytes of a value, the lowest first. */
static inline void code_put(struct code_block *c, uint64_t value, unsigned bytes)
{
	ensure(bytes <= c->capacity - c->at);
	for (unsigned i = 0; i < bytes; i++)
		c->base[c->at++] = (unsigned char)(value >> 8 * i);
}

#define INSN_JUMP   0xe9
#define INSN_CALL   0xe8
#define INSN_RETURN 0xc3
#define INSN_TRAP   0xcc /* int3: execution must never come there */

/* A jump or call, of five bytes, to offset `target`, which need not be written yet. */
static inline void code_near(struct code_block *c, unsigned opcode, size_t target)
{
	code_put(c, opcode, 1);
	code_put(c, (uint32_t)(target - (c->at + 4)), 4);
}

/* Fills with traps up to offset `at`. */
static inline void code_pad(struct code_block *c, size_t at)
{
	while (c->at < at)
		code_put(c, INSN_TRAP, 1);
}

/*
 * Starts a block in the room's memory, which replaces what was written there. 0, or -1 after
 * job_skip.
 */
static inline int code_memory_open(struct bench *b, struct job *job, struct code_block *c,
	size_t bytes)
{
	void *base = b->room->code_open(b->room, bytes);

	if (!base)
		return job_skip(job, "no %llu KiB for generated code",
			(unsigned long long)((bytes + KIB - 1) / KIB));
	*c = code_begin(base, bytes);
	return 0;
}

/* Makes it executable, and no longer writable. 0, or -1 after job_skip. */
static inline int code_memory_seal(struct bench *b, struct job *job, const struct code_block *c)
{
	if (b->room->code_seal(b->room))
		return job_skip(job, "generated code cannot be made executable");
	return 0;
}

#endif
