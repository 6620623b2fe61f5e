/* SPDX-License-Identifier: MIT */
#include "probes/branch/codegen.h"

#define FUNCTION_BYTES 64

enum { JUMP_SHORT = 0xeb, JUMP_NEAR = 0xe9, CALL_NEAR = 0xe8, RETURN = 0xc3, INT3 = 0xcc };

struct code code_begin(void *base, size_t capacity)
{
	return (struct code){ .base = base, .capacity = capacity };
}

static void put(struct code *c, unsigned byte)
{
	if (c->at < c->capacity)
		c->base[c->at++] = (unsigned char)byte;
	else
		c->full = true;
}

/* Displacements count from the end of the instruction, lowest byte first. */
static void put_near(struct code *c, unsigned opcode, size_t target)
{
	uint32_t displacement = (uint32_t)(target - (c->at + 5));

	put(c, opcode);
	for (unsigned i = 0; i < 4; i++)
		put(c, displacement >> 8 * i & 0xff);
}

void code_return(struct code *c)
{
	put(c, RETURN);
}

void code_jump(struct code *c, size_t target)
{
	int64_t displacement = (int64_t)target - (int64_t)(c->at + 2);

	if (displacement < -128 || displacement > 127) {
		put_near(c, JUMP_NEAR, target);
		return;
	}
	put(c, JUMP_SHORT);
	put(c, (unsigned)displacement & 0xff);
}

void code_call(struct code *c, size_t target)
{
	put_near(c, CALL_NEAR, target);
}

void code_pad(struct code *c, size_t at)
{
	while (c->at < at && !c->full)
		put(c, INT3);
}

size_t code_targets_bytes(uint64_t jumps, uint64_t spacing)
{
	return CODE_ENTRY + jumps * spacing + 1;
}

size_t code_calls_bytes(uint64_t depth)
{
	return CODE_ENTRY + depth * FUNCTION_BYTES;
}

void code_targets(struct code *c, uint64_t jumps, uint64_t spacing)
{
	code_return(c);
	for (uint64_t i = 0; i < jumps; i++) {
		code_pad(c, CODE_ENTRY + i * spacing);
		code_jump(c, CODE_ENTRY + (i + 1) * spacing);
	}
	code_pad(c, CODE_ENTRY + jumps * spacing);
	code_return(c);
}

void code_calls(struct code *c, uint64_t depth)
{
	code_return(c);
	for (uint64_t i = 0; i < depth; i++) {
		code_pad(c, CODE_ENTRY + i * FUNCTION_BYTES);
		if (i + 1 < depth)
			code_call(c, CODE_ENTRY + (i + 1) * FUNCTION_BYTES);
		code_return(c);
	}
}
