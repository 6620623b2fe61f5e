/* SPDX-License-Identifier: MIT */
/*
 * The arena under Linux. A mapping of each page size is made when first needed and kept while
 * memory lasts. Its pages are populated, locked where allowed, and then looked up in smaps: the
 * pages obtained are reported, not the pages requested.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <linux/mman.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/room.h"
#include "linux/cgroup_limits.h"
#include "linux/hosted.h"
#include "linux/sysfs.h"

/* Pages of a mapping, as the kernel's /proc/PID/smaps reports them (proc(5)). */

struct smaps_entry {
	uint64_t start, end;  /* addresses */
	uint64_t kernel_page; /* bytes: hugetlbfs page size, else 4096 */
	uint64_t resident;    /* bytes present, hugetlb included */
	uint64_t huge;        /* bytes of it in transparent 2 MiB pages */
	uint64_t locked;      /* bytes locked */
};

/*
 * Pages of one size for a mapping: from hugetlbfs's pool, transparent huge pages, or ordinary ones.
 */

#define SMALLEST_ARENA (16 * MIB)

#define NODES_MOST 1024 /* Linux's largest MAX_NUMNODES */
#define WORD_BITS  (8 * sizeof(unsigned long))
#define LOOKS_MOST 4096

/* The NUMA node of memory. By system calls: a kernel without NUMA lacks them. */

/*
 * Let pages that are not populated yet come from a node while it has any (mbind(2), MPOL_PREFERRED:
 * with a strict binding the kernel would kill a process when the node is full). NODE_UNKNOWN: do
 * nothing.
 */
static void memory_prefer(void *base, size_t bytes, uint32_t node)
{
	unsigned long mask[NODES_MOST / WORD_BITS] = { 0 };
	if (node >= NODES_MOST)
		return;
	mask[node / WORD_BITS] = 1UL << node % WORD_BITS;
	/* The kernel uses one bit less than it is told (get_nodes in its mm/mempolicy.c). */
	unsigned long most = NODES_MOST + 1;
	/* If this fails the pages come from anywhere: memory_node will show it. */
	(void)syscall(SYS_mbind, base, bytes, MPOL_PREFERRED, mask, most, 0U);
}

/*
 * The machine's node if it has only one: then no query is needed (a container may not be allowed
 * it).
 */
static uint32_t only_node(void)
{
	char list[64], *end;
	if (!read_line("/sys/devices/system/node/has_memory", list, sizeof(list)))
		return NODE_UNKNOWN;
	unsigned long node = strtoul(list, &end, 10);
	return end == list || *end ? NODE_UNKNOWN : (uint32_t)node;
}

/*
 * The node of all pages queried; NODE_UNKNOWN: several, or unknown. Queries one page of each 2 MiB
 * (move_pages(2)), at most 4096.
 */
static uint32_t memory_node(const void *base, size_t bytes)
{
	void *pages[LOOKS_MOST];
	int nodes[LOOKS_MOST];
	size_t step = bytes / LOOKS_MOST > PAGE_2M ? bytes / LOOKS_MOST : PAGE_2M;
	unsigned long n = 0;
	for (size_t at = 0; at < bytes && n < LOOKS_MOST; at += step)
		pages[n++] = (char *)(uintptr_t)base + at / PAGE_4K * PAGE_4K;
	if (!n || syscall(SYS_move_pages, 0, n, pages, NULL, nodes, 0))
		return only_node();
	for (unsigned long i = 0; i < n; i++)
		if (nodes[i] < 0 || nodes[i] != nodes[0])
			return NODE_UNKNOWN;
	return (uint32_t)nodes[0];
}

/* A figure of a node's meminfo, bytes; 0 if it is not there. */
static uint64_t figure(uint32_t node, const char *name)
{
	char path[80], key[64];
	uint64_t kib;
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/meminfo", node);
	snprintf(key, sizeof(key), "Node %u %s:", node, name);
	return read_keyed(path, key, &kib) ? kib * KIB : 0;
}

/* Bytes of a node that are free or hold copies of files; SIZE_MAX: unknown. */
static size_t node_available(uint32_t node)
{
	uint64_t all = node == NODE_UNKNOWN ? 0 : figure(node, "MemTotal");
	if (!all)
		return SIZE_MAX;
	return figure(node, "MemFree") + figure(node, "Active(file)") +
		figure(node, "Inactive(file)");
}

static int populate(unsigned char *base, size_t bytes, size_t page_bytes)
{
	if (!madvise(base, bytes, MADV_POPULATE_WRITE))
		return 0;
	if (errno != EINVAL)
		return -1;
	for (size_t at = 0; at < bytes; at += page_bytes) /* needed before Linux 5.14 */
		((volatile unsigned char *)base)[at] = 0;
	return 0;
}

/*
 * Map memory like mapping_anonymous, without touching it. Guard pages on both sides: an overrun
 * faults, and the kernel cannot merge the mapping with a neighbour, so that smaps shows exactly
 * this mapping.
 */
static int mapping_reserve(struct slot *s, size_t bytes, size_t page_bytes)
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
	/*
	 * A kernel without transparent pages refuses the advice and gives 4 KiB: smaps will show
	 * it.
	 */
	(void)madvise(s->arena.base, bytes, advice);
	return 0;
}

/*
 * Map anonymous memory aligned to page_bytes: with 2 MiB transparent pages allowed, or forbidden
 * for 4 KiB; on a node if it has space, NODE_UNKNOWN: anywhere. Returns 0, or -1 with errno.
 */
static int mapping_anonymous(struct slot *s, size_t bytes, size_t page_bytes, uint32_t node)
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

/* Map pages from hugetlbfs's pool. */
static int mapping_hugetlb(struct slot *s, size_t bytes, size_t page_bytes, uint32_t node)
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

/* Bytes available without swapping: MemAvailable, within the control group's limit. */
static uint64_t memory_available(void)
{
	uint64_t kib, all, group = cgroup_limits_read("").memory_left;
	if (read_keyed("/proc/meminfo", "MemAvailable:", &kib))
		all = kib * KIB;
	else /* no /proc, or before Linux 3.14 */
		all = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	return all < group ? all : group;
}

static void smaps_field(const char *line, struct smaps_entry *e)
{
	static const struct {
		const char *name;
		size_t offset;
	} fields[] = {
		{ "KernelPageSize:", offsetof(struct smaps_entry, kernel_page) },
		{ "Rss:", offsetof(struct smaps_entry, resident) },
		{ "Private_Hugetlb:", offsetof(struct smaps_entry, resident) },
		{ "AnonHugePages:", offsetof(struct smaps_entry, huge) },
		{ "Locked:", offsetof(struct smaps_entry, locked) },
	};
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		size_t n = strlen(fields[i].name);
		uint64_t kib;
		if (!strncmp(line, fields[i].name, n) &&
			sscanf(line + n, "%" SCNu64 " kB", &kib) == 1)
			*(uint64_t *)((char *)e + fields[i].offset) += kib * KIB;
	}
}

/* Find the mapping that holds `address` in an open smaps. Returns 0, or -1: not there. */
static int smaps_find(FILE *smaps, uint64_t address, struct smaps_entry *out)
{
	char line[512];
	bool inside = false;
	while (fgets(line, sizeof(line), smaps)) {
		uint64_t start, end;
		/* Only a mapping's first line begins with "hex-hex "; field names have no dash. */
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2) {
			if (inside)
				return 0;
			inside = address >= start && address < end;
			if (inside)
				*out = (struct smaps_entry){ .start = start, .end = end };
		} else if (inside) {
			smaps_field(line, out);
		}
	}
	return inside ? 0 : -1;
}

/* The page size of an entry, for pages_verify; 0: mixed, or not this range. */
static uint64_t pages_judge(const struct smaps_entry *e, uint64_t start, uint64_t bytes)
{
	if (e->start != start || e->end != start + bytes || e->resident != bytes)
		return 0;
	if (e->kernel_page != PAGE_4K)
		return e->kernel_page;
	if (e->huge == bytes)
		return PAGE_2M;
	return e->huge ? 0 : PAGE_4K;
}

/*
 * The one page size in which all of [base, base + bytes) is present; 0 if it is mixed or partly
 * absent, if the range is not one whole mapping, or if /proc/self/smaps cannot be read (then *known
 * is false).
 */
static uint64_t pages_verify(const void *base, uint64_t bytes, bool *known)
{
	struct smaps_entry entry;
	FILE *smaps = fopen("/proc/self/smaps", "re");
	*known = smaps && !smaps_find(smaps, (uintptr_t)base, &entry);
	if (smaps)
		fclose(smaps);
	return *known ? pages_judge(&entry, (uintptr_t)base, bytes) : 0;
}

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

/* Free pages of hugetlbfs's pool that nobody has reserved, in bytes. */
static size_t pool_bytes(size_t page, uint32_t node)
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

/* Accept the mapping if it has the wanted page size throughout. */
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
	s->arena.write_back = true; /* the kernel maps anonymous memory in no other way */
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

/*
 * Returns true if the system's mode allows huge pages, and this process may use them:
 * prctl(PR_SET_THP_DISABLE) is inherited.
 */
static bool thp_allowed(void)
{
	char mode[64];
	uint64_t enabled;
	if (read_keyed("/proc/self/status", "THP_enabled:", &enabled) && !enabled)
		return false;
	read_choice("/sys/kernel/mm/transparent_hugepage/enabled", mode, sizeof(mode));
	return !strcmp(mode, "always") || !strcmp(mode, "madvise");
}

/*
 * Try transparent pages: if memory is too fragmented for all of it, half as much, and so on down to
 * 1/8.
 */
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

/*
 * Map, populate and lock at most `limit` bytes in pages of page_bytes, preferably on a node
 * (NODE_UNKNOWN: any). The slot says how, and on which node they are. Returns 0; -1: there are none
 * of that size.
 */
static int slot_fill(struct slot *s, size_t page, size_t limit, uint32_t node)
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

/* Pages that are not mapped before their first touch, for probe `bytouch`. */

/* Touch every page once, ask smaps for their size, and give them back. */
static int untouched_map(struct slot *s, size_t bytes, size_t page_bytes)
{
	bool known;
	if (mapping_reserve(s, bytes, page_bytes))
		return -1;
	for (size_t at = 0; at < bytes; at += page_bytes)
		((volatile unsigned char *)s->arena.base)[at] = 1;
	if (pages_verify(s->arena.base, bytes, &known) == page_bytes)
		return 0;
	mapping_free(s);
	return -1;
}

static int hosted_untouched(struct room *room, size_t bytes, size_t page_bytes, struct arena *out)
{
	struct slot *s = &hosted_of(room)->memory.untouched;
	if (s->map && (s->arena.bytes != bytes || s->arena.page_bytes != page_bytes))
		mapping_free(s);
	if (!s->map && untouched_map(s, bytes, page_bytes))
		return -1;
	*out = s->arena;
	return madvise(s->arena.base, bytes, MADV_DONTNEED);
}

/*
 * Limit with 4 KiB pages: sweeps end at 1 GiB in 7/8 of the arena, and each page costs a fault: 0.9
 * us here, 80 us if a hypervisor has yet to find the memory.
 */
#define MOST_IN_4K (1280 * MIB)
#define WORK_BYTES (64 * MIB)
#define HUGE_DIR   "/sys/kernel/mm/hugepages/hugepages-%zukB"

static const size_t slot_page[SLOTS] = PAGE_SIZES;
static const char *const page_name[SLOTS] = { "4 KiB", "2 MiB", "1 GiB" };

/* Free other mappings until one more of `want` bytes fits the budget. */
static void free_others(struct hosted_memory *m, unsigned keep, size_t want)
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

static int slot_obtain(struct hosted_memory *m, unsigned which)
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

/* Print why there are no pages of this size, and how to reserve some. */
static void note_refusal(struct hosted *h, unsigned which)
{
	if (h->memory.limit < slot_page[which]) {
		hosted_note(h,
			"note: %llu MiB are less than a page of %s; using the next smaller size\n",
			(unsigned long long)(h->memory.limit / MIB), page_name[which]);
		return;
	}
	hosted_note(h,
		"note: no %s pages for %llu MiB are available; using the next smaller size\n",
		page_name[which], (unsigned long long)(h->memory.limit / MIB));
	hosted_note(h, "      (echo N >" HUGE_DIR "/nr_hugepages reserves some)\n",
		(size_t)(slot_page[which] / KIB));
}

static void note_node(struct hosted *h, const struct slot *s)
{
	if (h->memory.node != NODE_UNKNOWN && s->arena.node != h->memory.node)
		hosted_note(h, "note: not all of the arena lies on node %u, the measuring CPU's\n",
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

/* Map at most half of the node's memory; keep it until another page size is requested. */
static int hosted_arena_on(struct room *room, uint32_t node, size_t page_bytes, struct arena *out)
{
	struct hosted_memory *m = &hosted_of(room)->memory;
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
	struct hosted_memory *m = &hosted_of(room)->memory;
	bytes = (bytes + PAGE_4K - 1) / PAGE_4K * PAGE_4K;
	if (m->code && bytes <= m->code_bytes)
		return mprotect(m->code, m->code_bytes, PROT_READ | PROT_WRITE) ? NULL : m->code;
	if (m->code)
		munmap(m->code, m->code_bytes);
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	m->code = p == MAP_FAILED ? NULL : p;
	m->code_bytes = bytes;
	if (m->code) /* the pages of other rooms, even if larger ones are the default */
		madvise(m->code, bytes, MADV_NOHUGEPAGE);
	return m->code;
}

static int hosted_code_seal(struct room *room)
{
	struct hosted_memory *m = &hosted_of(room)->memory;
	return m->code ? mprotect(m->code, m->code_bytes, PROT_READ | PROT_EXEC) : -1;
}

/* Page sizes to try for an arena; mapping it shows which it really gets. */
static size_t page_sizes(const struct hosted_memory *m)
{
	size_t sizes = PAGE_4K;
	if (thp_allowed() || pool_bytes(PAGE_2M, m->node) >= SMALLEST_ARENA)
		sizes |= PAGE_2M;
	if (pool_bytes(PAGE_1G, m->node) && m->limit >= PAGE_1G)
		sizes |= PAGE_1G;
	return sizes;
}

/*
 * Bytes of the arena: a short profile has no time for the kernel to zero 4 GiB, and code of the
 * user needs little.
 */
static size_t profile_bytes(const struct options *opt)
{
	if (opt->max_bytes)
		return opt->max_bytes;
	if (strcmp(opt->probes, "code") == 0)
		return 64 * MIB;
	return opt->profile == PROFILE_SMOKE ? 512 * MIB : 4 * GIB;
}

int memory_init(struct hosted *h, char *err, size_t err_bytes)
{
	struct hosted_memory *m = &h->memory;
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
	h->room.system.untouched = hosted_untouched;
	h->room.code_open = hosted_code_open;
	h->room.code_seal = hosted_code_seal;
	return 0;
}
