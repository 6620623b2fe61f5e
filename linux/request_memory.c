/* SPDX-License-Identifier: MIT */
/* Requests for memory: mappings, and the first touch of a page. */
#include <sys/mman.h>
#include <unistd.h>

#include "linux/requests.h"

/* A fresh mapping of a page for each lap, aligned to them, that nobody has touched. */
static int map_fresh(struct requested *r, size_t page_bytes, int advice)
{
	r->page_bytes = page_bytes;
	r->map_bytes = (r->laps + 1) * page_bytes;
	void *map = mmap(NULL, r->map_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return request_failed(r, "mmap");
	r->map = map;
	r->next = (void *)(((uintptr_t)map + page_bytes - 1) & ~(uintptr_t)(page_bytes - 1));
	return madvise(map, r->map_bytes, advice) && advice == MADV_HUGEPAGE
		? request_failed(r, "madvise(MADV_HUGEPAGE)")
		: 0;
}

static int fault_begin(struct requested *r)
{
	return map_fresh(r, PAGE_4K, MADV_NOHUGEPAGE);
}

static int fault_huge_begin(struct requested *r)
{
	return map_fresh(r, PAGE_2M, MADV_HUGEPAGE);
}

static uint64_t lap_fault(uint64_t requested, uint64_t b, uint64_t c)
{
	struct requested *r = (void *)requested;
	*(volatile unsigned char *)r->next = 1;
	r->next += r->page_bytes;
	return 1;
}

static int fault_end(struct requested *r)
{
	if (r->map)
		munmap(r->map, r->map_bytes);
	return 0;
}

/* Whether all of the large page is there after its first byte was touched. */
static bool page_is_whole(const struct requested *r, unsigned char *page)
{
	unsigned char there[PAGE_2M / PAGE_4K];
	if (mincore(page, r->page_bytes, there))
		return false;
	for (size_t i = 0; i < sizeof(there); i++)
		if (!(there[i] & 1))
			return false;
	return true;
}

static int fault_huge_end(struct requested *r)
{
	bool whole = r->map != NULL;
	for (uint64_t i = 1; whole && i <= r->laps; i++)
		whole = page_is_whole(r, r->next - i * r->page_bytes);
	fault_end(r);
	if (whole || r->why[0])
		return 0;
	snprintf(r->why, sizeof(r->why), "no pages of 2048 KiB on first touch here");
	return -1;
}

const struct request_kind request_fault = { fault_begin, lap_fault, faults_of_thread, fault_end };
const struct request_kind request_fault_huge = { fault_huge_begin, lap_fault, faults_of_thread,
	fault_huge_end };

static uint64_t map_and_unmap(bool touch)
{
	volatile unsigned char *page =
		mmap(NULL, PAGE_4K, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 0;
	if (touch)
		*page = 1;
	return munmap((void *)page, PAGE_4K) == 0;
}

static uint64_t lap_map(uint64_t requested, uint64_t b, uint64_t c)
{
	return map_and_unmap(false);
}

static uint64_t lap_map_touched(uint64_t requested, uint64_t b, uint64_t c)
{
	return map_and_unmap(true);
}

const struct request_kind request_map = { .lap = lap_map };
const struct request_kind request_map_touched = { .lap = lap_map_touched,
	.counter = faults_of_thread };
