/* SPDX-License-Identifier: MIT */
#include <sys/mman.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/ram.h"

#define HIGH_AT (4ull << 30)

static struct ram_span span(uint64_t base, uint64_t bytes)
{
	struct ram_span s = { base, bytes, NULL };

	if (!bytes)
		return s;
	s.at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s.at == MAP_FAILED)
		fatal("no %lu bytes of memory for the machine", bytes);
	return s;
}

void ram_open_high(struct ram *r, uint64_t high)
{
	r->span[1] = span(HIGH_AT, high);
}

void ram_open(struct ram *r, uint64_t low, uint64_t high)
{
	r->span[0] = span(0, low);
	ram_open_high(r, high);
}

void ram_close(struct ram *r)
{
	unsigned i;

	for (i = 0; i < RAM_SPANS; i++)
		if (r->span[i].bytes)
			munmap(r->span[i].at, r->span[i].bytes);
}

void *ram_find(const struct ram *r, uint64_t address, uint64_t bytes)
{
	unsigned i;

	for (i = 0; i < RAM_SPANS; i++) {
		const struct ram_span *s = &r->span[i];
		uint64_t offset = address - s->base;

		if (offset < s->bytes && bytes <= s->bytes - offset)
			return s->at + offset;
	}
	return NULL;
}

void *ram_at(const struct ram *r, uint64_t address, uint64_t bytes)
{
	void *at = ram_find(r, address, bytes);

	if (!at)
		fatal("%#lx: %lu bytes that are not memory", address, bytes);
	return at;
}
