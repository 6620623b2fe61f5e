/* SPDX-License-Identifier: MIT */
/*
 * The arena under Linux. A mapping of each page size is made when first needed and kept while
 * memory lasts. Its pages are populated, locked where allowed, and then looked up in smaps: what
 * is reported is what was obtained, not what was requested.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "linux/hosted.h"
#include "linux/mapping.h"

/* Sweeps end at 1 GiB in 7/8 of the arena, and each page of 4 KiB costs a fault: 0.9 us here, 80 us
 * where a hypervisor has yet to find the memory. */
#define MOST_IN_4K (1280 * MIB)
#define WORK_BYTES (64 * MIB)
#define HUGE_DIR   "/sys/kernel/mm/hugepages/hugepages-%zukB"

static const size_t slot_page[SLOTS] = { PAGE_4K, PAGE_2M, PAGE_1G };
static const char *const page_name[SLOTS] = { "4 KiB", "2 MiB", "1 GiB" };

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Frees other mappings until one more of `want` bytes fits the budget. */
static void free_others(struct memory *m, unsigned keep, size_t want)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		size_t held = 0;
		for (unsigned k = 0; k < SLOTS; k++)
			held += m->slots[k].map ? m->slots[k].arena.bytes : 0;
		if (held + want <= m->budget)
			return;
		if (i != keep && m->slots[i].map)
			mapping_free(&m->slots[i]);
	}
}

static int slot_obtain(struct memory *m, unsigned which)
{
	struct slot *s = &m->slots[which];
	if (s->map)
		return 0;
	if (s->refused)
		return -1;
	size_t limit = which == SLOT_4K ? smaller(m->limit, MOST_IN_4K) : m->limit;
	free_others(m, which, limit);
	int got = slot_fill(s, slot_page[which], limit, m->node);
	s->refused = got != 0;
	return got;
}

/* Why there are no pages of this size, and how to reserve some. */
static void note_refusal(struct hosted *h, unsigned which)
{
	if (h->memory.limit < slot_page[which]) {
		output_note(h,
			"note: %llu MiB are less than a page of %s; using the next smaller size\n",
			(unsigned long long)(h->memory.limit / MIB), page_name[which]);
		return;
	}
	output_note(h,
		"note: no %s pages for %llu MiB are available; using the next smaller size\n",
		page_name[which], (unsigned long long)(h->memory.limit / MIB));
	output_note(h, "      (echo N >" HUGE_DIR "/nr_hugepages reserves some)\n",
		(size_t)(slot_page[which] / KIB));
}

static void note_node(struct hosted *h, const struct slot *s)
{
	if (h->memory.node != NODE_UNKNOWN && s->arena.node != h->memory.node)
		output_note(h, "note: not all of the arena lies on node %u, the measuring CPU's\n",
			h->memory.node);
}

static int hosted_arena(struct room *room, size_t page_bytes, struct arena *out)
{
	struct hosted *h = hosted_of(room);
	unsigned which = page_bytes >= PAGE_1G ? SLOT_1G
		: page_bytes >= PAGE_2M        ? SLOT_2M
					       : SLOT_4K;
	for (;; which--) {
		struct slot *s = &h->memory.slots[which];
		bool first = !s->refused, mapped = s->map;
		if (!slot_obtain(&h->memory, which)) {
			if (!mapped)
				note_node(h, s);
			*out = s->arena;
			return 0;
		}
		if (which == SLOT_4K)
			return -1;
		if (first)
			note_refusal(h, which);
	}
}

/* Half of what the node has at most; kept until another page size is asked for. */
static int hosted_arena_on(struct room *room, uint32_t node, size_t page_bytes, struct arena *out)
{
	struct memory *m = &hosted_of(room)->memory;
	struct slot *s = NULL;
	for (unsigned i = 0; i < NODE_SLOTS && !s; i++)
		if (!m->beside[i].map || m->beside[i].node == node)
			s = &m->beside[i];
	if (!s || node == NODE_UNKNOWN)
		return -1;
	if (!s->map || s->asked != page_bytes) {
		mapping_free(s);
		size_t limit = smaller(m->limit, node_available(node) / 2);
		size_t page = page_bytes;
		while (slot_fill(s, page, limit, node)) {
			if (page == PAGE_4K)
				return -1;
			page = page == PAGE_1G ? PAGE_2M : PAGE_4K;
		}
		s->node = node;
		s->asked = page_bytes;
	}
	*out = s->arena;
	return s->arena.node == node ? 0 : -1;
}

static void *hosted_code_open(struct room *room, size_t bytes)
{
	struct memory *m = &hosted_of(room)->memory;
	bytes = (bytes + PAGE_4K - 1) / PAGE_4K * PAGE_4K;
	if (m->code && bytes <= m->code_bytes)
		return mprotect(m->code, m->code_bytes, PROT_READ | PROT_WRITE) ? NULL : m->code;
	if (m->code)
		munmap(m->code, m->code_bytes);
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	m->code = p == MAP_FAILED ? NULL : p;
	m->code_bytes = bytes;
	return m->code;
}

static int hosted_code_seal(struct room *room)
{
	struct memory *m = &hosted_of(room)->memory;
	return m->code ? mprotect(m->code, m->code_bytes, PROT_READ | PROT_EXEC) : -1;
}

/* Page sizes that an arena can be tried with; whether it gets them is seen when it is mapped. */
static size_t page_sizes(const struct memory *m)
{
	size_t sizes = PAGE_4K;
	if (thp_allowed() || pool_bytes(PAGE_2M, m->node) >= SMALLEST_ARENA)
		sizes |= PAGE_2M;
	if (pool_bytes(PAGE_1G, m->node) && m->limit >= PAGE_1G)
		sizes |= PAGE_1G;
	return sizes;
}

/* A short profile has no time for the kernel to zero 4 GiB. */
static size_t profile_bytes(const struct options *opt)
{
	if (opt->max_bytes)
		return opt->max_bytes;
	return opt->profile == PROFILE_SMOKE ? 512 * MIB : 4 * GIB;
}

int memory_init(struct hosted *h, char *err, size_t err_bytes)
{
	struct memory *m = &h->memory;
	m->node = h->topology[0].node;
	m->budget = smaller(memory_available(), node_available(m->node)) / 2;
	m->limit = smaller(profile_bytes(h->opt), m->budget) / PAGE_4K * PAGE_4K;
	if (profile_bytes(h->opt) < SMALLEST_ARENA) {
		snprintf(err, err_bytes, "memory: an arena has at least %llu MiB",
			(unsigned long long)(SMALLEST_ARENA / MIB));
		return -1;
	}
	void *work = mmap(NULL, WORK_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (work == MAP_FAILED || m->limit < SMALLEST_ARENA) {
		snprintf(err, err_bytes, "not enough memory: %zu MiB available, half of it usable",
			2 * m->budget / (size_t)MIB);
		return -1;
	}
	h->room.work = work;
	h->room.work_bytes = WORK_BYTES;
	h->room.facts.pages = page_sizes(m);
	h->room.facts.frames_scattered = true;
	h->room.arena = hosted_arena;
	h->room.arena_on = hosted_arena_on;
	h->room.code_open = hosted_code_open;
	h->room.code_seal = hosted_code_seal;
	return 0;
}
