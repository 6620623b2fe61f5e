/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/mman.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "linux/cgroup_limits.h"
#include "linux/mapping.h"
#include "linux/node_memory.h"
#include "linux/sysfs.h"

static int populate(unsigned char *base, size_t bytes, size_t page_bytes)
{
	if (!madvise(base, bytes, MADV_POPULATE_WRITE))
		return 0;
	if (errno != EINVAL)
		return -1;
	for (size_t at = 0; at < bytes; at += page_bytes) /* before Linux 5.14 */
		((volatile unsigned char *)base)[at] = 0;
	return 0;
}

/*
 * Guard pages on both sides: an overrun faults, and the kernel cannot merge the mapping with a
 * neighbour, so that smaps shows exactly this one.
 */
int mapping_reserve(struct slot *s, size_t bytes, size_t page_bytes)
{
	size_t span = bytes + page_bytes + 2 * PAGE_4K;
	unsigned char *map =
		mmap(NULL, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return -1;
	uintptr_t base = ((uintptr_t)map + PAGE_4K + page_bytes - 1) / page_bytes * page_bytes;
	*s = (struct slot){ .map = map, .map_bytes = span };
	s->arena = (struct arena){
		.base = (unsigned char *)base,
		.bytes = bytes,
		.page_bytes = page_bytes,
		.node = NODE_UNKNOWN,
	};
	int advice = page_bytes == PAGE_4K ? MADV_NOHUGEPAGE : MADV_HUGEPAGE;
	if (mprotect(s->arena.base, bytes, PROT_READ | PROT_WRITE)) {
		mapping_free(s);
		return -1;
	}
	/* A kernel without transparent pages refuses the advice and gives 4 KiB: smaps will say. */
	(void)madvise(s->arena.base, bytes, advice);
	return 0;
}

int mapping_anonymous(struct slot *s, size_t bytes, size_t page_bytes, uint32_t node)
{
	if (mapping_reserve(s, bytes, page_bytes))
		return -1;
	memory_prefer(s->arena.base, bytes, node);
	if (populate(s->arena.base, bytes, PAGE_4K)) {
		mapping_free(s);
		return -1;
	}
	return 0;
}

int mapping_hugetlb(struct slot *s, size_t bytes, size_t page_bytes, uint32_t node)
{
	int size = page_bytes == PAGE_1G ? MAP_HUGE_1GB : MAP_HUGE_2MB;
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size, -1, 0);
	if (map == MAP_FAILED)
		return -1;
	*s = (struct slot){ .map = map, .map_bytes = bytes };
	s->arena = (struct arena){
		.base = map, .bytes = bytes, .page_bytes = page_bytes, .node = NODE_UNKNOWN
	};
	memory_prefer(map, bytes, node);
	if (populate(map, bytes, page_bytes)) {
		mapping_free(s);
		return -1;
	}
	return 0;
}

void mapping_free(struct slot *s)
{
	if (s->map)
		munmap(s->map, s->map_bytes);
	*s = (struct slot){ 0 };
}

uint64_t memory_available(void)
{
	uint64_t kib, all, group = cgroup_limits_read("").memory_left;
	if (read_keyed("/proc/meminfo", "MemAvailable:", &kib))
		all = kib * KIB;
	else /* no /proc, or before Linux 3.14 */
		all = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	return all < group ? all : group;
}
