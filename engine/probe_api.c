/* SPDX-License-Identifier: MIT */
/* Services of the engine for probes. */
#include <string.h>

#include "engine/probe_api.h"
#include "lib/ensure.h"
#include "lib/result_keys.h"
#include "lib/text.h"

const struct unit unit_ns_load = { "ns/load", SCALE_NS };
const struct unit unit_ns_op = { "ns/op", SCALE_NS };
const struct unit unit_ns_line = { "ns/line", SCALE_NS };
const struct unit unit_ns_element = { "ns/element", SCALE_NS };
const struct unit unit_gbs = { "GB/s", SCALE_GBS };
const struct unit unit_ticks = { "ticks", SCALE_TICKS };

int job_skip(struct job *job, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vformat(job->skip, sizeof job->skip, format, args);
	va_end(args);
	return -1;
}

int job_disproved(struct job *job, const char *format, ...)
{
	va_list args;
	int n = text_format(job->skip, sizeof job->skip, PROOF_FAILED ": ");

	va_start(args, format);
	text_vformat(job->skip + n, sizeof job->skip - (size_t)n, format, args);
	va_end(args);
	job->disproved = true;
	return -1;
}

void *row_alloc(struct bench *b, size_t bytes)
{
	size_t at = (b->work.used + LINE_PAIR - 1) / LINE_PAIR * LINE_PAIR;

	if (bytes > b->work.bytes || at > b->work.bytes - bytes)
		return NULL;
	b->work.used = at + bytes;
	return b->work.base + at;
}

void *job_alloc(struct bench *b, struct job *job, size_t bytes)
{
	void *p = row_alloc(b, bytes);

	if (!p)
		job_skip(job, "no scratch memory");
	return p;
}

int job_too_large(struct job *job, uint64_t bytes)
{
	job->asked = bytes;
	return job_skip(job, "needs %llu MiB, the arena has %llu",
		(unsigned long long)(bytes / MIB + 1),
		(unsigned long long)(job->arena.bytes / MIB));
}

int job_link(struct bench *b, struct job *job, const struct chain *c, enum chain_link kind)
{
	return chain_link(c, kind, b->room) ? job_skip(job, "interrupted") : 0;
}

void job_call(struct job *job, loop_fn *loop, unsigned count, const uint64_t args[LOOP_ARGS])
{
	job->loop = loop;
	for (unsigned i = 0; i < LOOP_ARGS; i++)
		job->args[i] = job->empty_args[i] = args[i];
	job->empty_args[count] = 0;
}

double sample_part(double call_ns)
{
	return call_ns > SAMPLE_NS ? SAMPLE_NS / call_ns : 1;
}

/* Taken from the end of the work memory, away from the rows' scratch. */
void *run_alloc(struct bench *b, size_t bytes)
{
	bytes = (bytes + 63) & ~(size_t)63;
	if (bytes > b->work.bytes - b->work.used)
		return NULL;
	b->work.bytes -= bytes;
	return __builtin_memset(b->work.base + b->work.bytes, 0, bytes);
}

#define DISTURBS(count, bit) ((count) ? (bit) : 0)
#define MEASURES(count, bit) 0

uint32_t disturbing_events(const struct event_counts *counts)
{
	uint32_t events = 0;

#define EVENT(NAME, name, kind, words) events |= kind(counts->name, EVENT_##NAME);
#include "lib/event_counts.inc"
#undef EVENT
	return events;
}

void event_counts_add(struct event_counts *sum, const struct event_counts *q)
{
	sum->known |= q->known;
#define EVENT(NAME, name, kind, words) sum->name += q->name;
#include "lib/event_counts.inc"
#undef EVENT
}

double ticks_to_ns(const struct bench *b, double ticks)
{
	return ticks * 1e9 / b->room->facts.tsc_hz;
}

size_t common_page(const struct bench *b)
{
	if (b->opt->page)
		return b->opt->page;
	return b->room->facts.pages & PAGE_2M ? PAGE_2M : PAGE_4K;
}

static void arena_take(struct bench *b, const struct arena *got)
{
	b->arena = *got;
	if (b->opt->max_bytes && b->arena.bytes > b->opt->max_bytes)
		b->arena.bytes = b->opt->max_bytes & ~(uint64_t)(b->arena.page_bytes - 1);
}

static int arena_map(struct bench *b, size_t page_bytes)
{
	struct arena got;

	b->arena_page = 0;
	b->arena_uses++;
	if (b->room->arena(b->room, page_bytes, &got))
		return -1;
	arena_take(b, &got);
	b->arena_page = page_bytes;
	b->arena_there = b->room->arena_ready ? 0 : b->arena.bytes;
	return b->arena.bytes ? 0 : -1;
}

static void show_growth(struct bench *b, uint64_t bytes)
{
	char line[80];

	if (!b->room->progress)
		return;
	int n = text_format(line, sizeof line, "making memory ready: %llu of %llu MiB",
		(unsigned long long)(b->arena_there / MIB), (unsigned long long)(bytes / MIB));

	b->room->progress(b->room, line, (size_t)n, b->part_over);
}

#define GROWTH (256 * MIB) /* at a time: 2 s where a system is slow */

/* Make more of the arena ready, part by part, and show how far it is. */
static int arena_grow(struct bench *b, uint64_t bytes)
{
	size_t page = b->arena.page_bytes, part = page > GROWTH ? page : GROWTH;

	while (b->arena_there < bytes && bytes <= b->arena.bytes) {
		uint64_t more = b->arena_there + part, next = more < bytes ? more : bytes;
		struct arena now = b->arena;

		if (b->arena_there)
			show_growth(b, bytes);
		int failed = b->room->arena_ready(b->room, next, &now);

		arena_take(b, &now);
		if (failed)
			return -1;
		b->arena_there = next;
	}
	return bytes <= b->arena.bytes ? 0 : -1;
}

/* Whole pages; 0: those of the first part, or all if that is less. */
static uint64_t arena_pages(const struct bench *b, uint64_t bytes)
{
	uint64_t page = b->arena.page_bytes, whole = b->arena.bytes;
	uint64_t pages = ((bytes ? bytes : ARENA_PART) + page - 1) / page * page;

	return !bytes && pages > whole ? whole : pages;
}

int bench_arena(struct bench *b, size_t page_bytes, uint64_t bytes, struct arena *out)
{
	uint64_t since = b->room->now(b->room);
	int failed = b->arena_page == page_bytes ? 0 : arena_map(b, page_bytes);

	if (!failed)
		failed = arena_grow(b, arena_pages(b, bytes));
	b->arena_ticks += b->room->now(b->room) - since;
	*out = b->arena;
	if (b->room->arena_ready && !failed)
		out->bytes = arena_pages(b, bytes);
	return failed;
}

static int find_on(struct bench *b, struct job *job, uint32_t node, uint64_t bytes,
	struct arena *out)
{
	struct room *room = b->room;
	bool here = node == NODE_UNKNOWN || node == job->arena.node;

	*out = job->arena;
	if (here && bytes <= out->bytes)
		return 0;
	if (here && bytes <= b->arena.bytes)
		return job_too_large(job, bytes); /* the arena has it, and is made ready */
	if (!room->arena_on || room->arena_on(room, node, job->arena.page_bytes, out))
		return here ? job_too_large(job, bytes)
			    : job_skip(job, "the room has no memory of node %u", node);
	if (out->page_bytes != job->arena.page_bytes)
		return job_skip(job, "memory of node %u has pages of %llu KiB, the arena of %llu",
			node, (unsigned long long)(out->page_bytes / KIB),
			(unsigned long long)(job->arena.page_bytes / KIB));
	if (bytes > out->bytes)
		return job_skip(job, "needs %llu MiB of node %u, which has %llu",
			(unsigned long long)(bytes / MIB), node,
			(unsigned long long)(out->bytes / MIB));
	return 0;
}

int job_arena_on(struct bench *b, struct job *job, uint32_t node, uint64_t bytes, struct arena *out)
{
	if (find_on(b, job, node, bytes, out))
		return -1;
	job->node = !job->placed || job->node == out->node ? out->node : NODE_UNKNOWN;
	job->placed = true;
	return 0;
}

static bool cpuid_bit(struct bench *b, uint32_t leaf, uint32_t subleaf, unsigned reg, unsigned bit)
{
	if (b->room->cpuid(b->room, leaf & 0x80000000, 0).eax < leaf)
		return false;
	struct cpuid c = b->room->cpuid(b->room, leaf, subleaf);
	const uint32_t regs[4] = { c.eax, c.ebx, c.ecx, c.edx };

	return regs[reg] >> bit & 1;
}

enum { EAX, EBX, ECX, EDX };

#define XCR0_SSE    0x03ULL /* x87 and SSE state, without which there is no XSAVE */
#define XCR0_AVX    0x06ULL /* SSE and AVX state */
#define XCR0_AVX512 0xe6ULL /* and opmask, upper halves, upper registers */

static bool may_use(struct bench *b, uint64_t state)
{
	return (b->room->facts.xcr0 & state) == state;
}

/*
 * The bit of CPUID of each need, and the state that must be enabled. A need with two lines needs
 * both.
 */
static const struct {
	enum need need;
	uint32_t leaf, subleaf;
	unsigned reg, bit;
	uint64_t state;
	const char *why;
} features[] = {
	{ NEED_AVX, 1, 0, ECX, 28, XCR0_AVX, "no AVX (CPUID.1 or XCR0)" },
	{ NEED_AVX2, 7, 0, EBX, 5, XCR0_AVX, "no AVX2 (CPUID.7 or XCR0)" },
	{ NEED_AVX512, 7, 0, EBX, 16, XCR0_AVX512, "no AVX-512 (CPUID.7 or XCR0)" }, /* F */
	{ NEED_AVX512, 7, 0, EBX, 30, XCR0_AVX512, "no AVX-512 (CPUID.7 or XCR0)" }, /* BW */
	{ NEED_ERMS, 7, 0, EBX, 9, 0, "no enhanced rep movsb/stosb (CPUID.7)" },
	{ NEED_RDTSCP, 0x80000001, 0, EDX, 27, 0, "no RDTSCP (CPUID.80000001h)" },
	{ NEED_CLFLUSH, 1, 0, EDX, 19, 0, "no CLFLUSH (CPUID.1)" },
	{ NEED_PCID, 1, 0, ECX, 17, 0, "no PCID (CPUID.1)" },
	{ NEED_INVPCID, 7, 0, EBX, 10, 0, "no INVPCID (CPUID.7)" },
	{ NEED_CLFLUSHOPT, 7, 0, EBX, 23, 0, "no CLFLUSHOPT (CPUID.7)" },
	{ NEED_CLWB, 7, 0, EBX, 24, 0, "no CLWB (CPUID.7)" },
	{ NEED_SYSCALL, 0x80000001, 0, EDX, 11, 0, "no SYSCALL (CPUID.80000001h)" },
	{ NEED_XSAVE, 1, 0, ECX, 26, XCR0_SSE, "no XSAVE (CPUID.1 or XCR0)" },
	{ NEED_XSAVEOPT, 0xd, 1, EAX, 0, XCR0_SSE, "no XSAVEOPT (CPUID.Dh)" },
	{ NEED_XSAVEC, 0xd, 1, EAX, 1, XCR0_SSE, "no XSAVEC (CPUID.Dh)" },
	{ NEED_FMA, 1, 0, ECX, 12, XCR0_AVX, "no FMA (CPUID.1 or XCR0)" },
	{ NEED_BMI2, 7, 0, EBX, 8, 0, "no BMI2 (CPUID.7)" },
};

/* CPUID of a guest may hide an RDTSCP that executes: without its bit one is tried. */
static bool is_hidden(struct bench *b, enum need need)
{
	const uint64_t once[LOOP_ARGS] = { 1 };
	const char *why;

	return need == NEED_RDTSCP && b->room->attempt &&
		!b->room->attempt(b->room, loop_rdtscp, once, NULL, &why);
}

static bool room_has(const struct room *room, enum need need)
{
	switch (need) {
	case NEED_CODE:
		return room->code_open && room->code_seal;
	case NEED_CPUS:
		return room->run_on && room->facts.cpus > 1;
	case NEED_RING0:
		return room->facts.ring0;
	case NEED_FAULTS:
		return room->system.untouched != NULL;
	case NEED_LINUX:
		return room->kind == ROOM_HOSTED;
	default:
		return room->system.request != NULL; /* NEED_SYSTEM */
	}
}

static const struct {
	enum need need;
	const char *why;
} needs[] = {
	{ NEED_CODE, "no memory for generated code in this room" },
	{ NEED_SYSTEM, "needs an operating system" },
	{ NEED_CPUS, "no second processor" },
	{ NEED_RING0, "needs ring 0" },
	{ NEED_LINUX, "only under Linux" },
	{ NEED_FAULTS, "no page faults here" },
};

bool machine_has(struct bench *b, uint32_t wanted, const char **why)
{
	for (unsigned i = 0; i < sizeof features / sizeof *features; i++)
		if ((wanted & features[i].need) &&
			!(cpuid_bit(b, features[i].leaf, features[i].subleaf, features[i].reg,
				  features[i].bit) &&
				may_use(b, features[i].state)) &&
			!is_hidden(b, features[i].need))
			return *why = features[i].why, false;
	for (unsigned i = 0; i < sizeof needs / sizeof *needs; i++)
		if ((wanted & needs[i].need) && !room_has(b->room, needs[i].need))
			return *why = needs[i].why, false;
	return true;
}

struct row row_new(const char *variant, const struct unit *unit, enum answer answer,
	int (*prepare)(struct bench *, const struct row *, struct job *))
{
	return (struct row){
		.variant = variant, .unit = unit, .answer = answer, .prepare = prepare
	};
}

void row_param(struct row *row, const char *name, double value)
{
	ensure(row->nparams < ROW_PARAMS);
	row->params[row->nparams++] = (struct param){ name, value };
}

double row_get(const struct row *row, const char *name, double missing)
{
	for (unsigned i = 0; i < row->nparams; i++)
		if (strcmp(row->params[i].name, name) == 0)
			return row->params[i].value;
	return missing;
}

static bool has_params(const struct row *row, const struct param *params, unsigned nparams)
{
	for (unsigned i = 0; i < nparams; i++)
		if (row_get(row, params[i].name, -1) != params[i].value)
			return false;
	return true;
}

const struct result *find_row(const struct bench *b, const char *variant,
	const struct param *params, unsigned nparams)
{
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct row *row = b->results[i].row;

		if (row->probe == b->probe && strcmp(row->variant, variant) == 0 &&
			has_params(row, params, nparams))
			return &b->results[i];
	}
	return NULL;
}
