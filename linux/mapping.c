/* SPDX-License-Identifier: MIT */
/*
 * The arena under Linux. A mapping of each page size is reserved when first needed and kept while
 * memory lasts. It grows: as much as rows need is populated by all CPUs, locked where allowed, and
 * then looked up in smaps: the pages obtained are reported, not the pages requested. The rest has
 * no access, so that code which strays there faults.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <linux/mempolicy.h>
#include <linux/mman.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/room.h"
#include "linux/abandon.h"
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

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

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

/*
 * Touch every page by a system call that writes some bytes there: where a large page is promised
 * and cannot be had, because of a control group's limit, that is an error, and a store would be a
 * signal. Returns 0, or -1 with errno.
 */
static int touch(unsigned char *base, size_t bytes, size_t page_bytes)
{
	for (size_t at = 0; at < bytes; at += page_bytes) {
		if (sigpending((sigset_t *)(base + at)))
			return -1;
		*(volatile uint64_t *)(base + at) = 0;
	}
	return 0;
}

static int populate(unsigned char *base, size_t bytes)
{
	if (!madvise(base, bytes, MADV_POPULATE_WRITE))
		return 0;
	bool lacks_it = errno == EINVAL || errno == ENOSYS; /* before Linux 5.14 */
	return lacks_it ? touch(base, bytes, PAGE_4K) : -1;
}

/*
 * Reserve anonymous memory without access, aligned to page_bytes: with 2 MiB transparent pages
 * allowed, or forbidden for 4 KiB. Returns 0, or -1 with errno. Guard pages on both sides: an
 * overrun faults, and the kernel cannot merge the mapping with a neighbour, so that smaps shows
 * exactly this mapping.
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
	/*
	 * A kernel without transparent pages refuses the advice and gives 4 KiB: smaps will show
	 * it.
	 */
	(void)madvise(s->arena.base, bytes, advice);
	return 0;
}

/* Map pages from hugetlbfs's pool, which is theirs from now on. */
static int mapping_hugetlb(struct slot *s, size_t bytes, size_t page_bytes)
{
	int size = page_bytes == PAGE_1G ? MAP_HUGE_1GB : MAP_HUGE_2MB;
	void *map = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size,
		-1, 0);
	if (map == MAP_FAILED)
		return -1;
	*s = (struct slot){ .map = map, .map_bytes = bytes };
	s->arena = (struct arena){
		.base = map, .bytes = bytes, .page_bytes = page_bytes, .node = NODE_UNKNOWN
	};
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
	struct cgroup_limits group = cgroup_limits_read("");
	uint64_t kib, all;
	cgroup_limits_free(&group);
	if (read_keyed("/proc/meminfo", "MemAvailable:", &kib))
		all = kib * KIB;
	else /* no /proc, or before Linux 3.14 */
		all = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	return all < group.memory_left ? all : group.memory_left;
}

/* Add a mapping's figure to what is known of the ones before it; their page size is the same. */
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
			sscanf(line + n, "%" SCNu64 " kB", &kib) == 1) {
			uint64_t *field = (uint64_t *)((char *)e + fields[i].offset);
			*field = (i ? *field : 0) + kib * KIB;
		}
	}
}

/*
 * Sum up the mappings within [start, end) in an open smaps: locked memory is one of its own.
 * out->end - out->start is how much they are together. Returns 0, or -1: there are none.
 */
static int smaps_sum(FILE *smaps, uint64_t start, uint64_t end, struct smaps_entry *out)
{
	char *line = NULL;
	size_t capacity = 0;
	bool inside = false;
	*out = (struct smaps_entry){ .start = start, .end = start };
	while (getline(&line, &capacity, smaps) >= 0) {
		uint64_t from, to;
		/* Only a mapping's first line begins with "hex-hex "; field names have no dash. */
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) == 2) {
			inside = from >= start && to <= end;
			out->end += inside ? to - from : 0;
		} else if (inside) {
			smaps_field(line, out);
		}
	}
	free(line);
	return out->end > start ? 0 : -1;
}

/* The page size of what smaps_sum found, for pages_verify; 0: mixed, or not all of the range. */
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
 * absent, if the range is not made of whole mappings, or if /proc/self/smaps cannot be read or says
 * nothing of what was just touched, as the one that an emulator of processes makes up (then *known
 * is false).
 */
static uint64_t pages_verify(const void *base, uint64_t bytes, bool *known)
{
	struct smaps_entry entry;
	FILE *smaps = fopen("/proc/self/smaps", "re");
	*known = smaps && !smaps_sum(smaps, (uintptr_t)base, (uintptr_t)base + bytes, &entry) &&
		entry.resident;
	if (smaps)
		fclose(smaps);
	return *known ? pages_judge(&entry, (uintptr_t)base, bytes) : 0;
}

#define POOL      "/sys/kernel/mm/hugepages/hugepages-%zukB/%s"
#define NODE_POOL "/sys/devices/system/node/node%u/hugepages/hugepages-%zukB/%s"

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

/*
 * Populating. The kernel zeroes pages on the CPU that asks for them, so that all CPUs of this
 * process ask for some. One call takes a chunk: a signal that ends the run is seen before the next.
 */

#define CHUNK (8 * MIB)

struct populating {
	unsigned char *base;
	size_t bytes, chunk;
	size_t next;  /* bytes handed out so far; by all threads */
	bool refused; /* by any of them: the kernel gives no more */
	int nice;     /* of the helpers */
	bool all;     /* also if the run is to end: without a first part it could not say so */
};

static void populate_chunks(void *arg)
{
	struct populating *p = arg;
	while ((p->all || !stop_signal) && !__atomic_load_n(&p->refused, __ATOMIC_RELAXED)) {
		size_t at = __atomic_fetch_add(&p->next, p->chunk, __ATOMIC_RELAXED);
		if (at >= p->bytes)
			return;
		if (populate(p->base + at, smaller(p->chunk, p->bytes - at)))
			__atomic_store_n(&p->refused, true, __ATOMIC_RELAXED);
	}
}

/* A thread has the nice value of the one that started it, which measures. */
static void help_to_populate(void *arg)
{
	const struct populating *p = arg;
	setpriority(PRIO_PROCESS, 0, p->nice);
	populate_chunks(arg);
}

/* Other CPUs that may help with so many chunks: a control group's quota is not used up by it. */
static unsigned helpers_of(const struct hosted *h, size_t chunks)
{
	size_t n = h->room.run_on ? h->room.facts.cpus : 1;
	n = smaller(n, chunks);
	if (h->limits.cpus > 0)
		n = smaller(n, (size_t)h->limits.cpus);
	return n > 1 ? (unsigned)n - 1 : 0;
}

/* Populate so much behind what is ready. Returns 0; -1: not all of it, or the run was stopped. */
static int populate_more(struct hosted *h, const struct slot *s, size_t bytes)
{
	size_t page = s->arena.page_bytes;
	struct populating p = {
		.base = s->arena.base + s->ready,
		.bytes = bytes,
		.chunk = page > CHUNK ? page : CHUNK,
		.all = !s->ready,
		.nice = h->scheduling.nice_at_start,
	};
	unsigned helpers = helpers_of(h, (bytes + p.chunk - 1) / p.chunk), started = 0;
	while (started < helpers && !h->room.run_on(&h->room, started + 1, help_to_populate, &p))
		started++;
	populate_chunks(&p);
	for (unsigned i = 0; i < started; i++)
		h->room.run_wait(&h->room, i + 1);
	return p.refused || p.next < bytes ? -1 : 0;
}

/*
 * Make the slot's first `bytes` ready: populated, of the slot's page size throughout, locked if all
 * before them are. Returns 0; -1: they cannot be had, or the run was stopped; what was ready stays.
 */
static int slot_grow(struct hosted *h, struct slot *s, size_t bytes)
{
	unsigned char *from = s->arena.base + s->ready;
	size_t more = bytes - s->ready, page = s->arena.page_bytes;
	bool known;
	if (mprotect(from, more, PROT_READ | PROT_WRITE))
		return -1;
	int failed = populate_more(h, s, more);
	uint64_t got = failed ? 0 : pages_verify(s->arena.base, bytes, &known);
	if (failed || (known && got != page)) {
		madvise(from, more, MADV_DONTNEED);
		mprotect(from, more, PROT_NONE);
		return -1;
	}
	if (!known)
		s->how = "unverified";
	s->locked = (s->locked || !s->ready) && mlock(from, more) == 0;
	s->ready = bytes;
	s->arena.node = memory_node(s->arena.base, bytes);
	return 0;
}

/*
 * Make the slot's first `bytes` ready; if memory is too fragmented for all that is missing, half as
 * much, and so on.
 */
static void slot_grow_most(struct hosted *h, struct slot *s, size_t bytes)
{
	size_t page = s->arena.page_bytes, more = bytes - s->ready;
	while (slot_grow(h, s, s->ready + more)) {
		more = more / 2 / page * page;
		if (more < SMALLEST_ARENA)
			return;
	}
}

/*
 * Begin a mapping that was reserved: its first part shows if pages of this size can be had. If
 * there are not enough for that, the arena ends where it is ready. Returns 0; or -1, and it is not
 * mapped any more.
 */
static int slot_begin(struct hosted *h, struct slot *s, const char *how, uint32_t node)
{
	size_t page = s->arena.page_bytes, first = page > ARENA_PART ? page : ARENA_PART;
	size_t whole = smaller(first, s->arena.bytes);
	s->how = how;
	s->arena.write_back = true; /* the kernel maps anonymous memory in no other way */
	memory_prefer(s->arena.base, s->arena.bytes, node);
	slot_grow_most(h, s, whole);
	if (!s->ready) {
		mapping_free(s);
		return -1;
	}
	if (s->ready < whole)
		s->arena.bytes = s->ready;
	if (!strcmp(s->how, "unverified"))
		s->arena.page_bytes = PAGE_4K;
	return 0;
}

static int try_hugetlb(struct hosted *h, struct slot *s, size_t page, size_t want, uint32_t node)
{
	size_t bytes = smaller(pool_bytes(page, node), want) / page * page;
	if (bytes < SMALLEST_ARENA || mapping_hugetlb(s, bytes, page))
		return -1;
	return slot_begin(h, s, "hugetlb", node);
}

/*
 * Returns true if the system's mode allows huge pages, and this process may use them:
 * prctl(PR_SET_THP_DISABLE) is inherited.
 */
static bool thp_allowed(void)
{
	char line[64];
	uint64_t enabled;
	if (read_keyed("/proc/self/status", "THP_enabled:", &enabled) && !enabled)
		return false;
	read_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof(line));
	const char *mode = chosen_word(line);
	return !strcmp(mode, "always") || !strcmp(mode, "madvise");
}

static int try_thp(struct hosted *h, struct slot *s, size_t want, uint32_t node)
{
	size_t bytes = want / PAGE_2M * PAGE_2M;
	if (!thp_allowed() || bytes < SMALLEST_ARENA || mapping_reserve(s, bytes, PAGE_2M))
		return -1;
	return slot_begin(h, s, "thp", node);
}

static int try_pages(struct hosted *h, struct slot *s, size_t want, uint32_t node)
{
	size_t bytes = want / PAGE_4K * PAGE_4K;
	if (bytes < SMALLEST_ARENA || mapping_reserve(s, bytes, PAGE_4K))
		return -1;
	return slot_begin(h, s, "pages", node);
}

/*
 * Map at most `limit` bytes in pages of page_bytes, preferably on a node (NODE_UNKNOWN: any), and
 * make the first part ready. The slot says how, and on which node that is. Returns 0; -1: there are
 * none of that size.
 */
static int slot_open(struct hosted *h, struct slot *s, size_t page, size_t limit, uint32_t node)
{
	if (page == PAGE_4K)
		return try_pages(h, s, limit, node);
	if (page == PAGE_1G || pool_bytes(page, node) >= limit)
		if (!try_hugetlb(h, s, page, limit, node))
			return 0;
	if (page == PAGE_1G)
		return -1;
	return try_thp(h, s, limit, node) ? try_hugetlb(h, s, page, limit, node) : 0;
}

/* Pages that are not mapped before their first touch, for probe `bytouch`. */

/* Touch every page once, ask smaps for their size, and give them back. */
static int untouched_map(struct slot *s, size_t bytes, size_t page_bytes)
{
	bool known;
	if (mapping_reserve(s, bytes, page_bytes))
		return -1;
	if (!mprotect(s->arena.base, bytes, PROT_READ | PROT_WRITE) &&
		!touch(s->arena.base, bytes, page_bytes) &&
		pages_verify(s->arena.base, bytes, &known) == page_bytes)
		return 0;
	mapping_free(s);
	return -1;
}

static int hosted_untouched(struct room *room, size_t bytes, size_t page_bytes, struct arena *out)
{
	NOT_ABANDONED;
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

/* Free other mappings until `want` bytes more of this one fit the budget. */
static void free_others(struct hosted_memory *m, unsigned keep, size_t want)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		size_t held = 0;
		for (unsigned k = 0; k < SLOTS; k++)
			held += m->slots[k].ready;
		if (held + want <= m->budget)
			return;
		if (i != keep && m->slots[i].map)
			mapping_free(&m->slots[i]);
	}
}

static int slot_obtain(struct hosted *h, unsigned which)
{
	struct hosted_memory *m = &h->memory;
	struct slot *s = &m->slots[which];
	if (s->map)
		return 0;
	if (s->refused)
		return -1;
	size_t limit = which == SLOT_4K ? smaller(m->limit, MOST_IN_4K) : m->limit;
	free_others(m, which, smaller(limit, ARENA_PART));
	int got = slot_open(h, s, slot_page[which], limit, m->node);
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
	NOT_ABANDONED;
	struct hosted *h = hosted_of(room);
	unsigned which = page_bytes >= PAGE_1G ? SLOT_1G
		: page_bytes >= PAGE_2M        ? SLOT_2M
					       : SLOT_4K;
	for (;; which--) {
		struct slot *s = &h->memory.slots[which];
		bool first = !s->refused, mapped = s->map;
		if (!slot_obtain(h, which)) {
			if (!mapped)
				note_node(h, s);
			h->memory.current = which;
			*out = s->arena;
			return 0;
		}
		if (which == SLOT_4K)
			return -1;
		if (first)
			note_refusal(h, which);
	}
}

/* The arena ends where it is ready: say so once. */
static void end_here(struct hosted *h, struct slot *s, size_t wanted)
{
	size_t page = s->arena.page_bytes;
	s->arena.bytes = s->ready;
	hosted_note(h, "note: no memory for %zu MiB in pages of %zu KiB; the arena has %zu MiB\n",
		wanted / (size_t)MIB, page / (size_t)KIB, s->ready / (size_t)MIB);
}

/*
 * At most half of what is available when more is needed: others may have taken memory since the
 * budget was made.
 */
static int hosted_arena_ready(struct room *room, size_t bytes, struct arena *out)
{
	NOT_ABANDONED;
	struct hosted *h = hosted_of(room);
	struct hosted_memory *m = &h->memory;
	struct slot *s = &m->slots[m->current];
	if (bytes > s->ready) {
		size_t more = bytes - s->ready;
		free_others(m, m->current, more);
		if (more <= memory_available() / 2)
			slot_grow_most(h, s, bytes);
		if (bytes > s->ready && !stop_signal)
			end_here(h, s, bytes);
	}
	*out = s->arena;
	return bytes > s->ready ? -1 : 0;
}

/*
 * Map at most half of the node's memory, all of it ready; keep it until another page size is
 * requested.
 */
static int hosted_arena_on(struct room *room, uint32_t node, size_t page_bytes, struct arena *out)
{
	NOT_ABANDONED;
	struct hosted *h = hosted_of(room);
	struct hosted_memory *m = &h->memory;
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
		while (slot_open(h, s, page, limit, node)) {
			if (page == PAGE_4K)
				return -1;
			page = page == PAGE_1G ? PAGE_2M : PAGE_4K;
		}
		if (s->ready < s->arena.bytes)
			slot_grow_most(h, s, s->arena.bytes);
		s->arena.bytes = s->ready;
		s->node = node;
		s->asked = page_bytes;
	}
	*out = s->arena;
	return s->arena.node == node ? 0 : -1;
}

static void *hosted_code_open(struct room *room, size_t bytes)
{
	NOT_ABANDONED;
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

#define MOST_BYTES (4 * GIB) /* of the arena, unless the setting `memory` says something else */

int memory_init(struct hosted *h, char *err, size_t err_bytes)
{
	struct hosted_memory *m = &h->memory;
	m->node = h->topology[0].node;
	m->budget = smaller(memory_available(), node_available(m->node)) / 2;
	size_t most = h->opt->max_bytes ? h->opt->max_bytes : MOST_BYTES;
	m->limit = smaller(most, m->budget) / PAGE_4K * PAGE_4K;
	if (most < SMALLEST_ARENA) {
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
	h->room.arena_ready = hosted_arena_ready;
	h->room.arena_on = hosted_arena_on;
	h->room.system.untouched = hosted_untouched;
	h->room.code_open = hosted_code_open;
	h->room.code_seal = hosted_code_seal;
	return 0;
}
