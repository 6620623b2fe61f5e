/* SPDX-License-Identifier: MIT */
/*
 * On which node memory is asked for and found under Linux: the system calls, answered here, so that
 * no second node is needed. The executable's own syscall() comes before libc's.
 */
#include <errno.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "linux/hosted.h"
#include "linux/mapping.c"
#include "tests/unit/test.h"

#define NODES      1024 /* a kernel's most */
#define PAGES_MOST 4096

static struct {
	unsigned binds;
	void *base; /* of the last one */
	size_t bytes;
	int mode;
	unsigned flags;
	int first, nodes; /* the first node of its mask, and how many */
	size_t there;     /* pages that were there when it came */
	int bind_error;
	unsigned moves; /* and of the last one: */
	unsigned long pages;
	unsigned char *page[PAGES_MOST];
	bool only_asks; /* moves nothing */
	int node_of[3]; /* of its pages: the first, the last, the others */
	int move_error;
} kernel;

static size_t resident(void *base, size_t bytes)
{
	size_t n = bytes / PAGE_4K, there = 0;
	unsigned char *in = test_malloc(n);

	assert_int_equal(0, mincore(base, bytes, in));
	for (size_t i = 0; i < n; i++)
		there += in[i] & 1;
	test_free(in);
	return there;
}

/* The kernel looks at one bit less than `most` says (get_nodes in mm/mempolicy.c). */
static void read_mask(const unsigned long *mask, unsigned long most)
{
	kernel.first = -1;
	kernel.nodes = 0;
	for (unsigned long i = 0; i + 1 < most; i++) {
		if (!(mask[i / 64] >> i % 64 & 1))
			continue;
		kernel.first = kernel.nodes++ ? kernel.first : (int)i;
	}
}

static long bind(va_list args)
{
	kernel.binds++;
	kernel.base = va_arg(args, void *);
	kernel.bytes = va_arg(args, size_t);
	kernel.mode = va_arg(args, int);
	const unsigned long *mask = va_arg(args, const unsigned long *);
	read_mask(mask, va_arg(args, unsigned long));
	kernel.flags = va_arg(args, unsigned);
	if (kernel.bytes <= GIB)
		kernel.there = resident(kernel.base, kernel.bytes);
	errno = kernel.bind_error;
	return kernel.bind_error ? -1 : 0;
}

static long move(va_list args)
{
	bool own = va_arg(args, int) == 0;

	kernel.moves++;
	kernel.pages = va_arg(args, unsigned long);
	assert_in_range(kernel.pages, 1, PAGES_MOST);
	memcpy(kernel.page, va_arg(args, void **), kernel.pages * sizeof(void *));
	kernel.only_asks = own && !va_arg(args, const int *);
	int *nodes = va_arg(args, int *);

	for (unsigned long i = 0; i < kernel.pages; i++)
		nodes[i] = kernel.node_of[i == 0 ? 0 : i + 1 == kernel.pages ? 1 : 2];
	errno = kernel.move_error;
	return kernel.move_error ? -1 : 0;
}

long syscall(long number, ...)
{
	va_list args;
	long came = -1;

	va_start(args, number);
	if (number == SYS_mbind)
		came = bind(args);
	else if (number == SYS_move_pages)
		came = move(args);
	else
		errno = ENOSYS;
	va_end(args);
	return came;
}

static char said[256];

static void take_note(struct room *e, const char *text, size_t n)
{
	snprintf(said, sizeof said, "%.*s", (int)n, text);
}

BEFORE_EACH(reset)
{
	memset(&kernel, 0, sizeof kernel);
}

static void all_pages_on(int node)
{
	for (unsigned i = 0; i < 3; i++)
		kernel.node_of[i] = node;
}

static void expect_bound(void *base, size_t bytes, int node)
{
	if (kernel.base != base || kernel.bytes != bytes || kernel.mode != MPOL_PREFERRED ||
		kernel.flags || kernel.first != node || kernel.nodes != 1)
		fail_msg("expected %zu bytes at %p, mode %d, flags 0, node %d alone; came %zu at "
			 "%p, mode %d, flags %u, %d node(s) from %d",
			bytes, base, MPOL_PREFERRED, node, kernel.bytes, kernel.base, kernel.mode,
			kernel.flags, kernel.nodes, kernel.first);
}

TEST(one_node_is_preferred)
{
	static _Alignas(PAGE_4K) unsigned char pages[2 * PAGE_4K];
	static const unsigned nodes[] = { 0, 1, 63, 64, 65, 1022, NODES - 1 };

	for (unsigned i = 0; i < sizeof nodes / sizeof *nodes; i++) {
		memory_prefer(pages, sizeof pages, nodes[i]);
		assert_int_equal(i + 1, kernel.binds);
		expect_bound(pages, sizeof pages, (int)nodes[i]);
	}
	kernel.bind_error = EPERM; /* in a container: the pages come from anywhere */
	memory_prefer(pages, PAGE_4K, 2);
	expect_bound(pages, PAGE_4K, 2);
}

TEST(no_node_is_not_asked_for)
{
	memory_prefer(&kernel, PAGE_4K, NODE_UNKNOWN);
	memory_prefer(&kernel, PAGE_4K, NODES);
	assert_int_equal(0, kernel.binds);
}

/* A page that is there stays where it is. */
TEST(memory_is_bound_before_it_is_there)
{
	static const size_t sizes[] = { PAGE_4K, PAGE_2M };
	static struct hosted h;

	for (unsigned i = 0; i < 2; i++) {
		struct slot s;

		assert_int_equal(0, mapping_reserve(&s, 96 * MIB, sizes[i]));
		int came = slot_begin(&h, &s, "pages", 1);
		assert_int_equal(i + 1, kernel.binds);
		assert_int_equal(0, kernel.there);
		if (came) { /* no pages of 2 MiB can be had here */
			assert_int_equal(PAGE_2M, sizes[i]);
			continue;
		}
		expect_bound(s.arena.base, 96 * MIB, 1);
		assert_int_equal(ARENA_PART / PAGE_4K, resident(s.arena.base, 96 * MIB));
		mapping_free(&s);
	}
}

static void expect_asked(size_t bytes, unsigned long pages, size_t step)
{
	unsigned char *base = (unsigned char *)GIB; /* not touched */

	kernel.pages = 0;
	assert_int_equal(3, memory_node(base, bytes));
	if (kernel.pages != pages || !kernel.only_asks)
		fail_msg("%zu bytes: expected a question for %lu pages, came %lu%s", bytes, pages,
			kernel.pages, kernel.only_asks ? "" : ", to be moved");
	for (unsigned long i = 0; i < pages; i++)
		assert_ptr_equal(base + i * step, kernel.page[i]);
}

TEST(a_page_of_each_2_mib_is_looked_at)
{
	all_pages_on(3);
	expect_asked(1, 1, 0);
	expect_asked(PAGE_2M, 1, 0);
	expect_asked(PAGE_2M + 1, 2, PAGE_2M);
	expect_asked(GIB, 512, PAGE_2M);
	expect_asked(8 * GIB, 4096, PAGE_2M);
	expect_asked(32 * GIB, 4096, 4 * PAGE_2M);
}

TEST(all_pages_or_none)
{
	for (unsigned i = 0; i < 3; i++) {
		all_pages_on(2);
		assert_int_equal(2, memory_node(&kernel, 8 * PAGE_2M));
		kernel.node_of[i] = 1;
		assert_int_equal(NODE_UNKNOWN, memory_node(&kernel, 8 * PAGE_2M));
		kernel.node_of[i] = -ENOENT; /* a page that is not there */
		assert_int_equal(NODE_UNKNOWN, memory_node(&kernel, 8 * PAGE_2M));
	}
	all_pages_on(-ENOENT);
	assert_int_equal(NODE_UNKNOWN, memory_node(&kernel, 8 * PAGE_2M));
}

/* Then it is the machine's node if it has no other. */
TEST(a_kernel_that_does_not_say)
{
	FILE *f = fopen("/sys/devices/system/node/has_memory", "r");
	unsigned only = 0;
	char more = '-';

	if (!f || fscanf(f, "%u%c", &only, &more) < 1 || more == '-' || more == ',')
		only = NODE_UNKNOWN;
	if (f)
		fclose(f);
	all_pages_on(77);
	kernel.move_error = EPERM;
	assert_int_equal(only, memory_node(&kernel, PAGE_4K));
	assert_int_equal(1, kernel.moves);
	assert_int_equal(only, memory_node(&kernel, 0));
	assert_int_equal(1, kernel.moves);
}

static void expect_beside(struct hosted *h, uint32_t node, int expected, unsigned binds)
{
	struct arena out = { .node = 99 };
	int came = h->room.arena_on(&h->room, node, PAGE_4K, &out);

	if (came != expected || kernel.binds != binds)
		fail_msg("node %u: expected %d after %u calls of mbind, came %d after %u", node,
			expected, binds, came, kernel.binds);
	if (!came)
		assert_int_equal(node, out.node);
}

/* Memory of a node is that node's, or none; it is kept. */
TEST(memory_beside_the_arena)
{
	static struct cpu_location here = { .node = 0 };
	static const struct options options = { .max_bytes = SMALLEST_ARENA };
	static struct hosted h = { .opt = &options, .topology = &here };
	char err[256] = "";

	h.room.priv = &h;
	if (memory_init(&h, err, sizeof err))
		fail_msg("memory_init: %s", err);
	all_pages_on(1);
	expect_beside(&h, 1, 0, 1);
	expect_bound(h.memory.beside[0].arena.base, SMALLEST_ARENA, 1);
	assert_int_equal(0, kernel.there);
	expect_beside(&h, 1, 0, 1);
	expect_beside(&h, 2, -1, 2); /* its pages came from node 1 */
	expect_bound(h.memory.beside[1].arena.base, SMALLEST_ARENA, 2);
	expect_beside(&h, NODE_UNKNOWN, -1, 2);
	for (unsigned i = 0; i < 2; i++)
		mapping_free(&h.memory.beside[i]);
	munmap(h.room.work, h.room.work_bytes);
}

/* --- growth --- */

static struct hosted grown;
static unsigned helped; /* CPUs that were asked to populate */

static int help(struct room *e, unsigned cpu, void (*fn)(void *), void *arg)
{
	helped++;
	fn(arg);
	return 0;
}

static int helped_out(struct room *e, unsigned cpu)
{
	return 0;
}

/* An arena of 256 MiB in pages of 4 KiB, of which the first part is ready. */
static struct arena begin_growth(void)
{
	static struct cpu_location here = { .node = 0 };
	static const struct options options = { .max_bytes = 256 * MIB };
	struct arena out;
	char err[256] = "";

	grown = (struct hosted){ .opt = &options, .topology = &here, .room.priv = &grown };
	grown.scheduling.nice_at_start = 0;
	if (memory_init(&grown, err, sizeof err))
		fail_msg("memory_init: %s", err);
	grown.room.say = take_note;
	helped = 0;
	assert_int_equal(0, grown.room.arena(&grown.room, PAGE_4K, &out));
	assert_int_equal(256 * MIB, out.bytes);
	return out;
}

static void end_growth(void)
{
	for (unsigned i = 0; i < SLOTS; i++)
		mapping_free(&grown.memory.slots[i]);
	munmap(grown.room.work, grown.room.work_bytes);
	stop_signal = 0;
}

static int ready(size_t bytes, struct arena *out)
{
	return grown.room.arena_ready(&grown.room, bytes, out);
}

static void expect_there(const struct arena *a, size_t bytes)
{
	assert_int_equal(bytes / PAGE_4K, resident(a->base, 256 * MIB));
	assert_int_equal(bytes, grown.memory.slots[SLOT_4K].ready);
}

TEST(an_arena_grows_as_asked)
{
	struct arena a = begin_growth(), now;

	expect_there(&a, ARENA_PART);
	assert_int_equal(0, ready(MIB, &now)); /* which is there */
	expect_there(&a, ARENA_PART);
	assert_int_equal(0, ready(100 * MIB, &now));
	assert_true(now.base == a.base && now.bytes == 256 * MIB && now.page_bytes == PAGE_4K);
	expect_there(&a, 100 * MIB);
	assert_int_equal(0, ready(256 * MIB, &now));
	expect_there(&a, 256 * MIB);
	end_growth();
}

/* Each in chunks; a quota of the control group is kept. */
TEST(other_cpus_help)
{
	static const struct {
		unsigned cpus;
		double quota;
		size_t bytes; /* beyond the first part */
		unsigned helpers;
	} cases[] = { { 1, 0, 64 * MIB, 0 }, { 4, 0, 64 * MIB, 3 }, { 4, 0, 16 * MIB, 1 },
		{ 4, 0, MIB, 0 }, { 4, 2.5, 64 * MIB, 1 }, { 4, 0.5, 64 * MIB, 0 },
		{ 64, 0, 64 * MIB, 7 } };

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct arena a = begin_growth(), now;

		grown.room.run_on = help;
		grown.room.run_wait = helped_out;
		grown.room.facts.cpus = cases[i].cpus;
		grown.limits.cpus = cases[i].quota;
		assert_int_equal(0, ready(ARENA_PART + cases[i].bytes, &now));
		expect_there(&a, ARENA_PART + cases[i].bytes);
		if (helped != cases[i].helpers)
			fail_msg("case %u: expected %u helpers, came %u", i, cases[i].helpers,
				helped);
		end_growth();
	}
}

/* A stopped run leaves the arena as it was, and does not say that it ends. */
TEST(a_signal_ends_the_growth)
{
	struct arena a = begin_growth(), now;

	stop_signal = SIGINT;
	assert_int_equal(-1, ready(128 * MIB, &now));
	assert_int_equal(256 * MIB, now.bytes);
	expect_there(&a, ARENA_PART);
	end_growth();
}

/* What the kernel does not give any more is no part of the arena; what is there stays. */
TEST(an_arena_ends_where_memory_does)
{
	struct arena a = begin_growth(), now;

	munmap(a.base + 160 * MIB, PAGE_4K); /* a page that cannot be had */
	assert_int_equal(0, ready(128 * MIB, &now));
	assert_int_equal(-1, ready(192 * MIB, &now));
	assert_int_equal(160 * MIB, now.bytes); /* half of what was missing */
	assert_string_equal(
		"note: no memory for 192 MiB in pages of 4 KiB; the arena has 160 MiB\n", said);
	a.base[160 * MIB - 1] = 1;
	end_growth();
}
