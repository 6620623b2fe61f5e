/* SPDX-License-Identifier: MIT */
#include "linux/slot_pages.h"

#include <string.h>
#include <sys/mman.h>

#include "linux/mapping.h"
#include "linux/node_memory.h"
#include "linux/pages.h"
#include "linux/sysfs.h"

#define POOL      "/sys/kernel/mm/hugepages/hugepages-%zukB/%s"
#define NODE_POOL "/sys/devices/system/node/node%u/hugepages/hugepages-%zukB/%s"

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static uint64_t pool_figure(size_t page, const char *name)
{
	char path[96];
	uint64_t value;
	snprintf(path, sizeof(path), POOL, (size_t)(page / KIB), name);
	return read_number(path, &value) ? value : 0;
}

size_t pool_bytes(size_t page, uint32_t node)
{
	char path[128];
	uint64_t free = pool_figure(page, "free_hugepages"), there;
	uint64_t reserved = pool_figure(page, "resv_hugepages");
	snprintf(path, sizeof(path), NODE_POOL, node, (size_t)(page / KIB), "free_hugepages");
	free = free > reserved ? free - reserved : 0;
	if (node != NODE_UNKNOWN && read_number(path, &there) && there < free)
		free = there;
	return free * page;
}

/* Takes the mapping if it has the page size wanted throughout. */
static int slot_accept(struct slot *s, size_t page, const char *how)
{
	bool known;
	uint64_t got = pages_verify(s->arena.base, s->arena.bytes, &known);
	if (known && got != page) {
		mapping_free(s);
		return -1;
	}
	s->how = known ? how : "unverified";
	s->arena.page_bytes = known ? page : PAGE_4K;
	s->arena.node = memory_node(s->arena.base, s->arena.bytes);
	s->arena.write_back = true; /* the kernel maps anonymous memory no other way */
	s->locked = mlock(s->arena.base, s->arena.bytes) == 0;
	return 0;
}

static int try_hugetlb(struct slot *s, size_t page, size_t want, uint32_t node)
{
	size_t bytes = smaller(pool_bytes(page, node), want) / page * page;
	if (bytes < SMALLEST_ARENA || mapping_hugetlb(s, bytes, page, node))
		return -1;
	return slot_accept(s, page, "hugetlb");
}

bool thp_allowed(void)
{
	char mode[64];
	uint64_t enabled;
	if (read_keyed("/proc/self/status", "THP_enabled:", &enabled) && !enabled)
		return false;
	read_choice("/sys/kernel/mm/transparent_hugepage/enabled", mode, sizeof(mode));
	return !strcmp(mode, "always") || !strcmp(mode, "madvise");
}

/* Half as much and half again, down to 1/8, where memory is too fragmented for all of it. */
static int try_thp(struct slot *s, size_t want, uint32_t node)
{
	if (!thp_allowed())
		return -1;
	for (unsigned shift = 0; shift <= 3; shift++) {
		size_t bytes = (want >> shift) / PAGE_2M * PAGE_2M;
		if (bytes < SMALLEST_ARENA)
			break;
		if (!mapping_anonymous(s, bytes, PAGE_2M, node) && !slot_accept(s, PAGE_2M, "thp"))
			return 0;
	}
	return -1;
}

static int try_pages(struct slot *s, size_t want, uint32_t node)
{
	for (; want >= SMALLEST_ARENA; want /= 2) {
		if (!mapping_anonymous(s, want / PAGE_4K * PAGE_4K, PAGE_4K, node) &&
			!slot_accept(s, PAGE_4K, "pages"))
			return 0;
	}
	return -1;
}

int slot_fill(struct slot *s, size_t page, size_t limit, uint32_t node)
{
	if (page == PAGE_4K)
		return try_pages(s, limit, node);
	if (page == PAGE_1G || pool_bytes(page, node) >= limit)
		if (!try_hugetlb(s, page, limit, node))
			return 0;
	if (page == PAGE_1G)
		return -1;
	return try_thp(s, limit, node) ? try_hugetlb(s, page, limit, node) : 0;
}
