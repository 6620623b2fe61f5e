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
#include "linux/pages.h"
#include "linux/sysfs.h"

#define SMALLEST_ARENA (16 * MIB)
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

static uint64_t pool_figure(size_t page, const char *name)
{
	char path[96];
	uint64_t value;
	snprintf(path, sizeof(path), HUGE_DIR "/%s", (size_t)(page / KIB), name);
	return read_number(path, &value) ? value : 0;
}

/* Free pages of hugetlbfs's pool that nobody has reserved. */
static size_t pool_bytes(size_t page)
{
	uint64_t free = pool_figure(page, "free_hugepages");
	uint64_t reserved = pool_figure(page, "resv_hugepages");
	return free > reserved ? (free - reserved) * page : 0;
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
	s->arena.write_back = true; /* the kernel maps anonymous memory no other way */
	s->locked = mlock(s->arena.base, s->arena.bytes) == 0;
	return 0;
}

static int try_hugetlb(struct slot *s, size_t page, size_t want)
{
	size_t bytes = smaller(pool_bytes(page), want) / page * page;
	if (bytes < SMALLEST_ARENA || mapping_hugetlb(s, bytes, page))
		return -1;
	return slot_accept(s, page, "hugetlb");
}

/* By the system's mode, and to this process: prctl(PR_SET_THP_DISABLE) is inherited. */
static bool thp_allowed(void)
{
	char mode[64];
	uint64_t enabled;
	if (read_keyed("/proc/self/status", "THP_enabled:", &enabled) && !enabled)
		return false;
	read_choice("/sys/kernel/mm/transparent_hugepage/enabled", mode, sizeof(mode));
	return !strcmp(mode, "always") || !strcmp(mode, "madvise");
}

/* Half as much and half again, down to 1/8, where memory is too fragmented for all of it. */
static int try_thp(struct slot *s, size_t want)
{
	if (!thp_allowed())
		return -1;
	for (unsigned shift = 0; shift <= 3; shift++) {
		size_t bytes = (want >> shift) / PAGE_2M * PAGE_2M;
		if (bytes < SMALLEST_ARENA)
			break;
		if (!mapping_anonymous(s, bytes, PAGE_2M) && !slot_accept(s, PAGE_2M, "thp"))
			return 0;
	}
	return -1;
}

static int try_pages(struct slot *s, size_t want)
{
	for (; want >= SMALLEST_ARENA; want /= 2) {
		if (!mapping_anonymous(s, want / PAGE_4K * PAGE_4K, PAGE_4K) &&
			!slot_accept(s, PAGE_4K, "pages"))
			return 0;
	}
	return -1;
}

/* Frees other mappings until one more of the largest size fits the budget. */
static void free_others(struct memory *m, unsigned keep)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		size_t held = 0;
		for (unsigned k = 0; k < SLOTS; k++)
			held += m->slots[k].map ? m->slots[k].arena.bytes : 0;
		if (held + m->limit <= m->budget)
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
	free_others(m, which);
	size_t page = slot_page[which];
	int got = -1;
	if (which == SLOT_4K)
		got = try_pages(s, smaller(m->limit, MOST_IN_4K));
	else if (which == SLOT_1G || pool_bytes(page) >= m->limit)
		got = try_hugetlb(s, page, m->limit);
	if (got && which == SLOT_2M && (got = try_thp(s, m->limit)))
		got = try_hugetlb(s, page, m->limit);
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

static int hosted_arena(struct env *env, size_t page_bytes, struct arena *out)
{
	struct hosted *h = hosted_of(env);
	unsigned which = page_bytes >= PAGE_1G ? SLOT_1G
		: page_bytes >= PAGE_2M        ? SLOT_2M
					       : SLOT_4K;
	for (;; which--) {
		struct slot *s = &h->memory.slots[which];
		bool first = !s->refused;
		if (!slot_obtain(&h->memory, which)) {
			*out = s->arena;
			return 0;
		}
		if (which == SLOT_4K)
			return -1;
		if (first)
			note_refusal(h, which);
	}
}

static void *hosted_code_open(struct env *env, size_t bytes)
{
	struct memory *m = &hosted_of(env)->memory;
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

static int hosted_code_seal(struct env *env)
{
	struct memory *m = &hosted_of(env)->memory;
	return m->code ? mprotect(m->code, m->code_bytes, PROT_READ | PROT_EXEC) : -1;
}

/* Page sizes that an arena can be tried with; whether it gets them is seen when it is mapped. */
static size_t page_sizes(const struct memory *m)
{
	size_t sizes = PAGE_4K;
	if (thp_allowed() || pool_bytes(PAGE_2M) >= SMALLEST_ARENA)
		sizes |= PAGE_2M;
	if (pool_bytes(PAGE_1G) && m->limit >= PAGE_1G)
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
	m->budget = memory_available() / 2;
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
	h->env.work = work;
	h->env.work_bytes = WORK_BYTES;
	h->env.facts.pages = page_sizes(m);
	h->env.arena = hosted_arena;
	h->env.code_open = hosted_code_open;
	h->env.code_seal = hosted_code_seal;
	return 0;
}
