/* SPDX-License-Identifier: MIT */
/*
 * Instructions that kernels and hypervisors pay for, one a row: switches of page tables, single
 * pages invalidated, model-specific registers, and exits of a guest to its hypervisor.
 */
#include "probes/probe.h"

#include "engine/claims.h"
#include "lib/jsonl_write.h"

#define TURNS 16 /* of eight instructions, in a call: of 1 us each, as exits are, 128 us */
#define EIGHT 8
#define SLOW  500 /* near loads that one is said to take: 1 us or less */

#define ROUNDS   32 /* of pages touched, in a call */
#define PAGES    64
#define PAGE_GAP (PAGE_4K + 64) /* each page by another line: loop_page_touch */

#define MSR_APIC_BASE      0x1b       /* SDM vol. 4, 2.1; APM vol. 2, appendix A: all have them */
#define MSR_KERNEL_GS_BASE 0xc0000102 /* what swapgs exchanges with GS.base: any address is valid */

/* That a loop writes, up to a 0; the second: STAR, LSTAR, SFMASK and EFER. */
static const uint32_t kernel_gs_base[] = { MSR_KERNEL_GS_BASE, 0 },
		      of_syscall[] = { 0xc0000081, 0xc0000082, 0xc0000084, 0xc0000080, 0 };

#define NO_SUCH_FILE (-9) /* Linux: EBADF */

#define PORT 0x61 /* of the 8254's speaker, which kernel/cpu/tsc.c reads too */

#define INVPCID (NEED_RING0 | NEED_INVPCID)

static const char cr3[] = "cr3", cr3_touch[] = "cr3-touch", touch[] = "touch", invlpg[] = "invlpg",
		  cpuid[] = "cpuid";

/* The meaning of the loop's argument after the count. */
enum operand { NUMBER, PAGE, SELECTOR };

struct instruction {
	const char *variant;
	loop_fn *loop;
	uint32_t needs;
	enum operand first, second;
	uint64_t number;      /* of the first operand */
	const uint32_t *msrs; /* that it writes; NULL: none */
	bool counts_each;     /* the loop's count is of instructions, not of turns of eight */
	int value;            /* that a turn adds to what the loop returns; 0: 1 */
	/* The variant's instruction under a system, which is in ring 0 itself; NULL: this one. */
	const struct instruction *hosted;
};

static const struct instruction from_linux = { "syscall", loop_syscall, .needs = NEED_LINUX,
	.value = EIGHT * NO_SUCH_FILE };

static const struct instruction instructions[] = {
	{ "rdtsc", loop_rdtsc, .needs = 0 },
	{ "rdtscp", loop_rdtscp, .needs = NEED_RDTSCP },
	{ cpuid, loop_cpuid, .number = 0 },
	{ "verw", loop_verw, .first = SELECTOR },
	{ cr3, loop_write_cr3, .needs = NEED_RING0 },
	{ "cr3-kept", loop_write_cr3_kept, .needs = NEED_RING0 | NEED_PCID },
	{ invlpg, loop_invlpg, .needs = NEED_RING0, .first = PAGE },
	{ "invpcid-address", loop_invpcid, INVPCID, .number = 0, .second = PAGE },
	{ "invpcid-context", loop_invpcid, INVPCID, .number = 1, .second = PAGE },
	{ "invpcid-all", loop_invpcid, INVPCID, .number = 2, .second = PAGE },
	{ "invpcid-local", loop_invpcid, INVPCID, .number = 3, .second = PAGE },
	{ "rdmsr", loop_rdmsr, .needs = NEED_RING0, .number = MSR_KERNEL_GS_BASE },
	{ "rdmsr-apic", loop_rdmsr, .needs = NEED_RING0, .number = MSR_APIC_BASE },
	{ "wrmsr", loop_wrmsr, .needs = NEED_RING0, .number = MSR_KERNEL_GS_BASE,
		.msrs = kernel_gs_base },
	{ "sti-cli", loop_sti_cli, .needs = NEED_RING0 },
	{ "swapgs", loop_swapgs, .needs = NEED_RING0 },
	{ "port-in", loop_port_in, .needs = NEED_RING0, .number = PORT },
	{ "lgdt", loop_lgdt, .needs = NEED_RING0 },
	{ "interrupt", loop_interrupt, .needs = NEED_RING0 },
	{ "syscall", loop_sysret_syscall, .needs = NEED_RING0 | NEED_SYSCALL, .msrs = of_syscall,
		.counts_each = true, .hosted = &from_linux },
};

/* Pages touched again and again, and before each time CR3 is written. */
static const struct touching {
	const char *variant;
	loop_fn *loop;
	uint32_t needs;
} touchings[] = {
	{ touch, loop_page_touch, NEED_RING0 }, /* what the others are compared with */
	{ cr3_touch, loop_write_cr3_touch, NEED_RING0 },
	{ "cr3-kept-touch", loop_write_cr3_kept_touch, NEED_RING0 | NEED_PCID },
};

/* Lines flushed one after the other, from each state. */
#define LINES      128 /* in a call: with the list of their addresses within any L1 */
#define LINE       64
#define PATTERN    0x3c3c3c3c3c3c3c3cULL
#define LINE_LOADS 2 /* from memory, that a flush of a line and its return are said to take */

enum state { ABSENT, CLEAN, DIRTY, STATES };

static const struct flushing {
	const char *variants[STATES];
	loop_fn *loop;
	uint32_t needs;
} flushings[] = {
	{ { "clflush-absent", "clflush-clean", "clflush-dirty" }, loop_flush, NEED_CLFLUSH },
	{ { "clflushopt-absent", "clflushopt-clean", "clflushopt-dirty" }, loop_flushopt,
		NEED_CLFLUSH | NEED_CLFLUSHOPT },
	{ { "clwb-absent", "clwb-clean", "clwb-dirty" }, loop_write_back,
		NEED_CLFLUSH | NEED_CLWB },
};

/* The vector state that a switch of tasks saves, by what of it is in use. */
#define AREA       4096
#define COMPONENTS 0xe7ULL /* of XCR0: x87, SSE, AVX and AVX-512, in each room the same */
#define X87        0x01ULL
#define XMM        160 /* in an area: SDM vol. 1, 13.4.1 */
#define XMM_BYTES  256
#define HEADER     512 /* which components it has */

enum in_use { SSE, AVX, AVX512, IN_USE };

static const struct {
	uint64_t components;
	uint32_t needs;
} in_use[IN_USE] = { { 0x02, NEED_XSAVE }, { 0x06, NEED_XSAVE | NEED_AVX },
	{ 0xe6, NEED_XSAVE | NEED_AVX512 } };

static const struct saving {
	const char *variants[IN_USE];
	loop_fn *loop;
	uint32_t needs;
	bool compacts; /* components behind XMM lie elsewhere then */
} savings[] = {
	{ { "xsave-sse", "xsave-avx", "xsave-avx512" }, loop_xsave },
	{ { "xsaveopt-sse", "xsaveopt-avx", "xsaveopt-avx512" }, loop_xsaveopt, NEED_XSAVEOPT,
		false },
	{ { "xsavec-sse", "xsavec-avx", "xsavec-avx512" }, loop_xsavec, NEED_XSAVEC, true },
	{ { "xrstor-sse", "xrstor-avx", "xrstor-avx512" }, loop_xrstor },
};

/* All caches written back and emptied, with so much of a second level written before. */
#define LONGEST_MS    100 /* of one: beyond that it is not measured */
#define FEW           5   /* samples */
#define NOT_SO_FEW    9
#define LOADS_A_LINE  4     /* from memory, that it and all before it are said to take */
#define ASSUMED_BYTES (MIB) /* of a second level, for an estimate alone */

static const struct writing_back {
	const char *variant;
	unsigned halves; /* of the second level, dirty */
} writings_back[] = { { "wbinvd-clean", 0 }, { "wbinvd-half", 1 }, { "wbinvd-full", 2 } };

struct writing_back_spec {
	const struct writing_back *writing_back;
	double *took_ms; /* in the last try of any of them; NULL: no memory to note it */
};

struct written_back {
	unsigned char *base;
	uint64_t bytes, dirty; /* of the second level; of these written, from their beginning */
};

/* Parameters of a row. */
struct saving_spec {
	const struct saving *saving;
	enum in_use in_use;
};

struct areas {
	_Alignas(LINE) unsigned char state[AREA], saved[AREA], own[AREA];
	bool compacts;
	uint64_t bytes; /* of an area, up to the last component that is in use */
};

struct flushing_spec {
	const struct flushing *flushing;
	enum state state;
};

struct flushed_lines {
	uint64_t list[LINES];
	enum state state;
	_Alignas(LINE) unsigned char line[LINES][LINE];
};

struct instruction_spec {
	const struct instruction *instruction;
};

struct touching_spec {
	const struct touching *touching;
};

/* Once for a try, where the machine may refuse; all later calls are then like it. */
static int try_once(struct bench *b, struct job *job, loop_fn *loop, const uint64_t args[LOOP_ARGS],
	const uint32_t *msrs)
{
	uint64_t once[LOOP_ARGS] = { 1, args[1], args[2] };
	const char *why;

	if (b->room->attempt && b->room->attempt(b->room, loop, once, msrs, &why))
		return job_skip(job, "the machine refuses it: %s", why);
	if (!b->room->attempt && (job->row->needs & NEED_RING0))
		return job_skip(job, "no privileged instructions in this room");
	if (!b->room->attempt)
		call_loop(b, loop, once);
	return 0;
}

/* A selector that may be verified for writing: that of the stack. */
static uint64_t stack_selector(void)
{
	uint16_t selector;

	__asm__("mov %%ss, %0" : "=r"(selector));
	return selector;
}

static uint64_t argument(const struct job *job, enum operand kind, uint64_t number)
{
	if (kind == PAGE)
		return (uintptr_t)job->arena.base;
	return kind == SELECTOR ? stack_selector() : number;
}

static int prepare_instruction(struct bench *b, const struct row *row, struct job *job)
{
	const struct instruction *i = row_spec(row, struct instruction_spec)->instruction;
	uint64_t count = i->counts_each ? EIGHT * TURNS : TURNS;
	const uint64_t args[LOOP_ARGS] = { count, argument(job, i->first, i->number),
		argument(job, i->second, 0) };

	if ((row->needs & NEED_RING0) && try_once(b, job, i->loop, args, i->msrs))
		return -1;
	job_call(job, i->loop, 0, args);
	job->expect = count * (uint64_t)(int64_t)(i->value ? i->value : 1);
	job->ops = EIGHT * TURNS;
	return 0;
}

static int prepare_touching(struct bench *b, const struct row *row, struct job *job)
{
	const struct touching *t = row_spec(row, struct touching_spec)->touching;
	const uint64_t args[LOOP_ARGS] = { ROUNDS, (uintptr_t)job->arena.base, PAGES };
	uint64_t sum = 0;

	if (job->arena.bytes < PAGES * PAGE_4K)
		return job_too_large(job, PAGES * PAGE_4K);
	for (unsigned i = 0; i < PAGES; i++) {
		uint64_t *word = (uint64_t *)(job->arena.base + i * PAGE_GAP);

		sum += *word = random_next(&b->random);
	}
	if (try_once(b, job, t->loop, args, NULL))
		return -1;
	job_call(job, t->loop, 0, args);
	job->expect = ROUNDS * sum;
	job->ops = ROUNDS;
	return 0;
}

/* Before each sample: no line is in a cache, or all are in L1, read or written. */
static void put_lines(struct bench *b, struct job *job)
{
	struct flushed_lines *l = job->priv;
	const uint64_t flush[LOOP_ARGS] = { (uintptr_t)l->list, LINES };
	const uint64_t all[LOOP_ARGS] = { (uintptr_t)l->line, sizeof l->line, 1, PATTERN };

	call_loop(b, loop_flush, flush);
	if (l->state != ABSENT)
		call_loop(b, l->state == DIRTY ? loop_write_64 : loop_read_64, all);
}

static int prepare_flushing(struct bench *b, const struct row *row, struct job *job)
{
	const struct flushing_spec *spec = row_spec(row, struct flushing_spec);
	struct flushed_lines *l = job_alloc(b, job, sizeof *l);

	if (!l)
		return -1;
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)l->list, LINES };

	l->state = spec->state;
	job_call(job, spec->flushing->loop, 1, args);
	job->expect = 0;
	for (unsigned i = 0; i < LINES; i++)
		job->expect += l->list[i] = (uintptr_t)l->line[i];
	job->ops = LINES;
	job->refresh = put_lines;
	job->priv = l;
	return 0;
}

static void put(unsigned char *at, uint64_t value, size_t bytes)
{
	__builtin_memcpy(at, &value, bytes);
}

static void put_random(struct bench *b, unsigned char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 8)
		put(at + i, random_next(&b->random), 8);
}

/* An area with these components; -1: those of the mask end beyond it. */
static int put_state(struct bench *b, struct areas *a, uint64_t mask, uint64_t components)
{
	__builtin_memset(a, 0, sizeof *a);
	put(a->state, 0x37f, 2);       /* the x87's control word, as FNINIT sets it */
	put(a->state + 24, 0x1f80, 4); /* MXCSR at reset */
	put(a->state + HEADER, components, 8);
	put_random(b, a->state + XMM, XMM_BYTES);
	a->bytes = XMM + XMM_BYTES;
	for (uint32_t i = 2; i < 8; i++) {
		struct cpuid c = b->room->cpuid(b->room, 0xd, i);

		if (!(mask >> i & 1))
			continue;
		if (c.ebx < HEADER || c.ebx > AREA || c.eax > AREA - c.ebx)
			return -1;
		if (!(components >> i & 1))
			continue;
		put_random(b, a->state + c.ebx, c.eax);
		a->bytes = c.ebx + c.eax > a->bytes ? c.ebx + c.eax : a->bytes;
	}
	return 0;
}

static bool state_saved(struct bench *b, const struct job *job)
{
	const struct areas *a = job->priv;
	size_t end = a->compacts ? XMM + XMM_BYTES : a->bytes;

	for (size_t i = XMM; i < end; i++)
		if (a->saved[i] != a->state[i] && (i < XMM + XMM_BYTES || i >= HEADER + LINE))
			return false;
	return true;
}

static int prepare_saving(struct bench *b, const struct row *row, struct job *job)
{
	const struct saving_spec *spec = row_spec(row, struct saving_spec);
	const struct saving *s = spec->saving;
	uint64_t mask = b->room->facts.xcr0 & COMPONENTS, found;
	struct areas *a = job_alloc(b, job, sizeof *a);
	const uint64_t args[LOOP_ARGS] = { TURNS, (uintptr_t)a, mask };

	if (!a)
		return -1;
	if (put_state(b, a, mask, in_use[spec->in_use].components))
		return job_skip(job, "the state of CPUID.Dh is larger than %u bytes", AREA);
	a->compacts = s->compacts;
	if (try_once(b, job, s->loop, args, NULL))
		return -1;
	__builtin_memcpy(&found, a->saved + HEADER, sizeof found);
	if ((found & COMPONENTS & ~X87) != in_use[spec->in_use].components)
		return job_skip(job, "the processor says that components %#llx are in use",
			(unsigned long long)(found & COMPONENTS));
	job_call(job, s->loop, 0, args);
	job->expect = TURNS;
	job->ops = EIGHT * TURNS;
	job->check = state_saved;
	job->priv = a;
	return 0;
}

/* Returns the second level's size, measured if possible, else as CPUID claims; 0: unknown. */
static uint64_t second_level(struct bench *b)
{
	struct cache_claim claim;

	if (b->caches.bytes[LEVEL_L2])
		return b->caches.bytes[LEVEL_L2];
	return claims_data_cache(b->room, LEVEL_L2 + 1, &claim) ? claim.bytes : 0;
}

/* Before each: as many lines are read as the second level has, and some of them written. */
static void put_second_level(struct bench *b, struct job *job)
{
	const struct written_back *w = job->priv;
	const uint64_t all[LOOP_ARGS] = { (uintptr_t)w->base, w->bytes, 1 };
	const uint64_t some[LOOP_ARGS] = { (uintptr_t)w->base, w->dirty, 1, PATTERN };

	call_loop(b, loop_read_64, all);
	if (w->dirty)
		call_loop(b, loop_write_64, some);
}

static void tell_dirty(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct written_back *w = job->priv;

	jsonl_integer(l, "dirty_bytes", (int64_t)w->dirty);
}

/* One may take seconds where a hypervisor does it: then it is the only one of all rows. */
static int try_writing_back(struct bench *b, struct job *job, double *took_ms)
{
	const uint64_t args[LOOP_ARGS] = { 1 };
	double ms = took_ms ? *took_ms : 0;

	if (ms <= LONGEST_MS) {
		uint64_t since = b->room->now(b->room);

		if (try_once(b, job, loop_wbinvd, args, NULL))
			return -1;
		ms = ticks_to_ns(b, (double)(b->room->now(b->room) - since)) / 1e6;
	}
	if (took_ms)
		*took_ms = ms;
	return ms > LONGEST_MS ? job_skip(job, "one takes %.0f ms", ms) : 0;
}

static int prepare_writing_back(struct bench *b, const struct row *row, struct job *job)
{
	const struct writing_back_spec *spec = row_spec(row, struct writing_back_spec);
	const uint64_t args[LOOP_ARGS] = { 1 };
	struct written_back *w = job_alloc(b, job, sizeof *w);

	if (!w)
		return -1;
	w->base = job->arena.base;
	w->bytes = second_level(b) / PAGE_4K * PAGE_4K;
	w->dirty = w->bytes / 2 * spec->writing_back->halves;
	if (!w->bytes)
		return job_skip(job, "nothing says how large the second level is");
	if (job->arena.bytes < w->bytes)
		return job_too_large(job, w->bytes);
	job->priv = w;
	put_second_level(b, job);
	if (try_writing_back(b, job, spec->took_ms))
		return -1;
	job_call(job, loop_wbinvd, 0, args);
	job->expect = 1;
	job->ops = 1;
	job->min_samples = FEW;
	job->max_samples = NOT_SO_FEW;
	job->refresh = put_second_level;
	job->extra = tell_dirty;
	return 0;
}

static double cost(const struct bench *b, double loads)
{
	return 50 * (b->pace.ns_per_call + loads * b->pace.ns_per_near_load);
}

static void plan_flushings(struct bench *b)
{
	double loads = LINES * LINE_LOADS * b->pace.ns_per_far_load;

	for (unsigned i = 0; i < sizeof flushings / sizeof *flushings; i++)
		for (unsigned state = 0; state < STATES; state++) {
			struct row row = row_new(flushings[i].variants[state], &unit_ns_line,
				ANSWER_PRIVILEGED, prepare_flushing);

			*row_spec(&row, struct flushing_spec) =
				(struct flushing_spec){ &flushings[i], state };
			row.needs = flushings[i].needs;
			row.cost_ns = 50 * (3 * b->pace.ns_per_call + loads);
			plan_add(b, &row);
		}
}

static void plan_savings(struct bench *b)
{
	for (unsigned i = 0; i < sizeof savings / sizeof *savings; i++)
		for (unsigned used = 0; used < IN_USE; used++) {
			struct row row = row_new(savings[i].variants[used], &unit_ns_op,
				ANSWER_PRIVILEGED, prepare_saving);

			*row_spec(&row, struct saving_spec) =
				(struct saving_spec){ &savings[i], used };
			row.needs = savings[i].needs | in_use[used].needs;
			row.cost_ns = cost(b, (double)EIGHT * TURNS * SLOW);
			plan_add(b, &row);
		}
}

static void plan_writings_back(struct bench *b)
{
	double *took_ms = run_alloc(b, sizeof *took_ms);
	uint64_t bytes = second_level(b);
	double lines = (double)(bytes ? bytes : ASSUMED_BYTES) / LINE;

	for (unsigned i = 0; i < sizeof writings_back / sizeof *writings_back; i++) {
		struct row row = row_new(writings_back[i].variant, &unit_ns_op, ANSWER_PRIVILEGED,
			prepare_writing_back);

		*row_spec(&row, struct writing_back_spec) =
			(struct writing_back_spec){ &writings_back[i], took_ms };
		row.needs = NEED_RING0;
		row.page_bytes = common_page(b);
		row.cost_ns = 2 * FEW *
			(3 * b->pace.ns_per_call + LOADS_A_LINE * lines * b->pace.ns_per_far_load);
		plan_add(b, &row);
	}
}

static void plan_instruction(struct bench *b, const struct instruction *i)
{
	struct row row = row_new(i->variant, &unit_ns_op, ANSWER_PRIVILEGED, prepare_instruction);

	row_spec(&row, struct instruction_spec)->instruction = i;
	row.needs = i->needs;
	row.page_bytes = i->first == PAGE || i->second == PAGE ? PAGE_4K : 0;
	row.cost_ns = cost(b, (double)EIGHT * TURNS * SLOW);
	plan_add(b, &row);
}

static void privileged_plan(struct bench *b)
{
	bool hosted = b->room->kind == ROOM_HOSTED;

	for (unsigned i = 0; i < sizeof instructions / sizeof *instructions; i++)
		plan_instruction(b,
			hosted && instructions[i].hosted ? instructions[i].hosted
							 : &instructions[i]);
	for (unsigned i = 0; i < sizeof touchings / sizeof *touchings; i++) {
		struct row row = row_new(touchings[i].variant, &unit_ns_op, ANSWER_PRIVILEGED,
			prepare_touching);

		row_spec(&row, struct touching_spec)->touching = &touchings[i];
		row.needs = touchings[i].needs;
		row.page_bytes = PAGE_4K;
		row.cost_ns = cost(b, ROUNDS * (double)(SLOW + PAGES));
		row_param(&row, "pages", PAGES);
		plan_add(b, &row);
	}
	plan_flushings(b);
	plan_savings(b);
	plan_writings_back(b);
}

static void privileged_find(struct bench *b, struct found_values *f)
{
	found(f, VALUE_cr3_cycles, row_cycles_estimate(&f->reader, cr3), "privileged cr3");
	found(f, VALUE_invlpg_cycles, row_cycles_estimate(&f->reader, invlpg), "privileged invlpg");
	found(f, VALUE_cpuid_cycles, row_cycles_estimate(&f->reader, cpuid), "privileged cpuid");
}

static void privileged_meaning(struct bench *b)
{
	const struct result *alone = find_row(b, cr3, NULL, 0);
	const struct result *pages = find_row(b, cr3_touch, NULL, 0);
	const struct result *without = find_row(b, touch, NULL, 0);

	if (alone && pages && without)
		say(b,
			"  A switch of page tables takes %.0f ns; to touch %u pages takes %.0f ns "
			"after it, else %.0f ns.\n",
			alone->median, PAGES, pages->median - alone->median, without->median);
}

const struct hooks probe_privileged = {
	.plan = privileged_plan,
	.find = privileged_find,
	.meaning = privileged_meaning,
};
