/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/run/blocks.h"

#define BLOCK_INSNS 4096
#define INSN_MOST   15 /* bytes */

static struct block *decode_block(uc_engine *uc, uint64_t address, uint32_t bytes)
{
	static struct decoded insns[BLOCK_INSNS];
	struct block *b = calloc(1, sizeof(*b));
	uint8_t *code = malloc(bytes + INSN_MOST);
	size_t all = bytes + INSN_MOST;

	if (!b || !code)
		fatal("no memory for a block");
	/* A block ends before bytes that Unicorn has no memory for. */
	if (uc_mem_read(uc, address, code, all) != UC_ERR_OK)
		all = bytes;
	if (uc_mem_read(uc, address, code, bytes) != UC_ERR_OK)
		fatal("%#lx: code that cannot be read", address);
	b->address = address;
	b->bytes = bytes;
	b->n = (uint32_t)decode(code, bytes, all, address, insns, BLOCK_INSNS);
	b->insns = malloc(b->n * sizeof(*insns));
	if (!b->insns)
		fatal("no memory for a block");
	memcpy(b->insns, insns, b->n * sizeof(*insns));
	free(code);
	return b;
}

struct block *blocks_at(struct blocks *all, uc_engine *uc, uint64_t address, uint32_t bytes,
	bool *decoded)
{
	struct block **bucket =
		&all->buckets[(address * 0x9e3779b97f4a7c15ull >> 40) % BLOCK_BUCKETS];
	struct block *b;

	*decoded = false;
	for (b = *bucket; b; b = b->next)
		if (b->address == address && b->bytes == bytes)
			return b;
	*decoded = true;
	b = decode_block(uc, address, bytes);
	b->next = *bucket;
	*bucket = b;
	return b;
}

/* Unlinks and frees *link; *span grows by it. */
static void drop(struct block **link, struct code_range *span)
{
	struct block *b = *link;

	if (!span->end || b->address < span->begin)
		span->begin = b->address;
	if (b->address + b->bytes > span->end)
		span->end = b->address + b->bytes;
	*link = b->next;
	free(b->insns);
	free(b);
}

struct code_range blocks_invalidate(struct blocks *all, uint64_t keep, size_t keep_bytes)
{
	struct code_range span = { 0, 0 };
	struct block **link;
	size_t i;

	for (i = 0; i < BLOCK_BUCKETS; i++)
		for (link = &all->buckets[i]; *link;)
			if ((*link)->address - keep < keep_bytes)
				link = &(*link)->next;
			else
				drop(link, &span);
	return span;
}
