/* SPDX-License-Identifier: MIT */
/*
 * The user's own instructions: what each copy of them takes, in two blocks of which one has twice
 * as many copies. Definition, registers, what is restored and what is not: README.md.
 */
#include "probes/probe.h"

#include "engine/core_clock.h"
#include "lib/crc32.h"
#include "lib/exception.h"
#include "lib/jsonl_write.h"
#include "lib/stats.h"
#include "lib/text.h"
#include "probes/generated_code.h"

#define LONGEST_NS 1e9 /* of one call of a block: what takes longer is ended */
#define COST_MOST  2e9 /* ns that a row is said to take at most */
#define SLOW       4   /* near loads that a copy is said to take */

#define AVX_STATE 6 /* of XCR0: SSE and AVX */

#define BLOCK_ALIGNED 64
#define AROUND        512 /* bytes of a block beside the user's, at most; and of what cleans up */

/* Each register that points to memory has so much of it, and points to its middle. */
#define AREA   MIB
#define AREAS  5
#define SPREAD 128 /* and so many bytes beside that, so that no two are 4 KiB apart */

static const char snippet[] = "snippet";

/* Numbers of registers in an instruction. */
enum { RSP = 4, RBP = 5, RSI = 6, RDI = 7, R14 = 14, R15, REGISTERS = 16 };

static const unsigned char pointers[AREAS] = { R14, RDI, RSI, RSP, RBP };

/* Events of a copy that the processor can count, beside the time. */
static const struct {
	const char *name; /* in the row's `more` */
	uint32_t known;
	size_t offset;
} counts[] = {
	{ "instructions", EVENT_INSTRUCTIONS, offsetof(struct event_counts, instructions) },
	{ "core_cycles", EVENT_CORE_CYCLES, offsetof(struct event_counts, core_cycles) },
	{ "mispredicts", EVENT_MISPREDICTS, offsetof(struct event_counts, mispredicts) },
};

#define COUNTS (sizeof counts / sizeof *counts)

#define GUARD_WORD 0x5aa55aa55aa55aa5ULL

/* State that a block keeps outside of the registers and the user's memory. */
struct kept_state {
	uint64_t before, rsp, behind; /* the first and the last are GUARD_WORD */
};

struct code_bytes {
	unsigned char of[CODE_BYTES_MOST];
	unsigned n;
};

struct measured_code {
	struct code_bytes code, init;
	uint64_t copies;                 /* in the shorter block */
	unsigned char *clean, *block[2]; /* where each begins; the second has twice the copies */
	unsigned char *init_at[2], *copies_at[2];
	struct kept_state *kept;
	struct arena areas;
	struct escape escape;
	bool escaped;
	struct event_counts counted; /* in both blocks */
	unsigned calls;              /* of the sampler */
	double *of_copy[COUNTS];     /* [SAMPLES_LIMIT], by calls; NULL: not counted */
};

static void put_bytes(struct code_block *c, const unsigned char *bytes, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		code_put(c, bytes[i], 1);
}

#define PUT(c, ...)                                                                                \
	do {                                                                                       \
		static const unsigned char what[] = { __VA_ARGS__ };                               \
                                                                                                   \
		put_bytes(c, what, sizeof what);                                                   \
	} while (0)

/* mov r64, imm64 */
static void put_register(struct code_block *c, unsigned number, uint64_t value)
{
	code_put(c, 0x48 | number >> 3, 1);
	code_put(c, 0xb8 | (number & 7), 1);
	code_put(c, value, 8);
}

/*
 * x87, MXCSR and, with AVX, vector registers as C wants them: fninit; push 1f80h; ldmxcsr [rsp];
 * add rsp, 8; vzeroall.
 */
static void put_clean(const struct bench *b, struct code_block *c)
{
	PUT(c, 0xdb, 0xe3, 0x68, 0x80, 0x1f, 0, 0, 0x0f, 0xae, 0x14, 0x24, 0x48, 0x83, 0xc4, 8);
	if ((b->room->facts.xcr0 & AVX_STATE) == AVX_STATE)
		PUT(c, 0xc5, 0xfc, 0x77);
}

/* push rbx, rbp, r12 to r15 and the flags; mov rax, rsp; mov [its place], rax; all as stated. */
static void put_entry(const struct bench *b, struct code_block *c, const struct measured_code *m)
{
	PUT(c, 0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, 0x9c);
	put_clean(b, c);
	PUT(c, 0x48, 0x89, 0xe0, 0x48, 0xa3);
	code_put(c, (uintptr_t)&m->kept->rsp, 8);
	for (unsigned i = 0; i < REGISTERS; i++)
		if (i != RSP)
			put_register(c, i, 0);
	for (unsigned i = 0; i < AREAS; i++)
		put_register(c, pointers[i],
			(uintptr_t)m->areas.base + i * (AREA + SPREAD) + AREA / 2);
}

/* The stack pointer from its place, by rax, and what was pushed; mov eax, 1; ret. */
static void put_exit(struct code_block *c, const struct measured_code *m)
{
	PUT(c, 0x48, 0xa1);
	code_put(c, (uintptr_t)&m->kept->rsp, 8);
	PUT(c, 0x48, 0x89, 0xc4, 0x9d, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b);
	PUT(c, 0xb8, 1, 0, 0, 0, 0xc3);
}

static void put_lfence(struct code_block *c)
{
	PUT(c, 0x0f, 0xae, 0xe8);
}

static void align(struct code_block *c)
{
	while (c->at % BLOCK_ALIGNED)
		code_put(c, 0x90, 1);
}

/* Turns in r15 before the copies; dec r15 and jnz behind them. */
static void put_block(const struct bench *b, struct code_block *c, struct measured_code *m,
	unsigned which)
{
	uint64_t turns = b->opt->code_loop;

	align(c);
	m->block[which] = c->base + c->at;
	put_entry(b, c, m);
	m->init_at[which] = c->base + c->at;
	put_bytes(c, m->init.of, m->init.n);
	if (turns)
		put_register(c, R15, turns);
	put_lfence(c);
	align(c);
	size_t first = c->at;

	m->copies_at[which] = c->base + first;
	for (uint64_t i = 0; i < m->copies << which; i++)
		put_bytes(c, m->code.of, m->code.n);
	if (turns) {
		PUT(c, 0x49, 0xff, 0xcf, 0x0f, 0x85);
		code_put(c, first - (c->at + 4), 4);
	}
	put_lfence(c);
	put_exit(c, m);
}

static int write_code(struct bench *b, struct job *job, struct measured_code *m)
{
	struct code_block c;

	if (code_memory_open(b, job, &c, 3 * m->copies * m->code.n + 2 * m->init.n + 3 * AROUND))
		return -1;
	m->clean = c.base;
	PUT(&c, 0x6a, 2, 0x9d); /* push 2; popfq */
	put_clean(b, &c);
	PUT(&c, 0xc3);
	put_block(b, &c, m, 0);
	put_block(b, &c, m, 1);
	return code_memory_seal(b, job, &c);
}

/* "byte 3 of the code", by an address in one of the blocks. */
static void say_place(const struct measured_code *m, char *out, size_t bytes)
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t in_code = m->escape.at - (uintptr_t)m->copies_at[i],
			 in_init = m->escape.at - (uintptr_t)m->init_at[i];

		if (in_code < (m->copies << i) * m->code.n) {
			text_format(out, bytes, "byte %u of the code",
				(unsigned)(in_code % m->code.n));
			return;
		}
		if (in_init < m->init.n) {
			text_format(out, bytes, "byte %u of code_init", (unsigned)in_init);
			return;
		}
	}
	text_format(out, bytes, "%llx, outside of it", (unsigned long long)m->escape.at);
}

/* Always -1. */
static int ended(struct job *job, const struct measured_code *m)
{
	const struct escape *e = &m->escape;
	char place[40], access[40] = "";

	say_place(m, place, sizeof place);
	if (e->late)
		return job_skip(job, "it was ended after %.3g s, at %s", LONGEST_NS / 1e9, place);
	if (e->vector == EXCEPTION_PAGE_FAULT)
		text_format(access, sizeof access, ": %s %llx", access_name(e->error),
			(unsigned long long)e->access);
	return job_skip(job, "exception %u, %s, at %s%s", (unsigned)e->vector,
		exception_name(e->vector), place, access);
}

/* One of the blocks, called once. -1 after job_skip. */
static int run_block(struct bench *b, struct job *job, unsigned which, double *ticks,
	struct event_counts *q)
{
	struct measured_code *m = job->priv;
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)m->block[which], 1 };
	const uint64_t clean[LOOP_ARGS] = { (uintptr_t)m->clean, 1 };
	struct timed t = { 0, 0 };

	*m->kept = (struct kept_state){ GUARD_WORD, 0, GUARD_WORD };
	*q = (struct event_counts){ 0 };
	b->room->timed_begin(b->room, q);
	if (b->room->guard)
		m->escaped = b->room->guard(b->room, loop_timed_call, args, LONGEST_NS, &m->areas,
			&t, &m->escape);
	else
		t = call_loop(b, loop_timed_call, args);
	b->room->timed_end(b->room, q);
	call_loop(b, loop_timed_call, clean);
	if (m->escaped)
		return ended(job, m);
	if (m->kept->before != GUARD_WORD || m->kept->behind != GUARD_WORD)
		return job_skip(job, "the code has written to memory of this program");
	if (t.value != 1)
		return job_disproved(job, "the block returned %#llx, not 1",
			(unsigned long long)t.value);
	*ticks = (double)t.ticks;
	return 0;
}

static double operations(const struct bench *b, const struct measured_code *m)
{
	return (double)m->copies * (double)(b->opt->code_loop ? b->opt->code_loop : 1);
}

static uint64_t count_of(const struct event_counts *q, unsigned i)
{
	return *(const uint64_t *)((const char *)q + counts[i].offset);
}

static void note_counts(const struct bench *b, struct measured_code *m,
	const struct event_counts q[2])
{
	for (unsigned i = 0; i < COUNTS; i++)
		if (m->of_copy[i])
			m->of_copy[i][m->calls % SAMPLES_LIMIT] =
				((double)count_of(&q[1], i) - (double)count_of(&q[0], i)) /
				operations(b, m);
	m->calls++;
	m->counted = q[0];
#define EVENT(NAME, name, kind, words) m->counted.name += q[1].name;
#include "lib/event_counts.inc"
#undef EVENT
}

static int sample_code(struct bench *b, struct job *job, struct sample *s)
{
	struct measured_code *m = job->priv;
	struct event_counts q[2];
	double ticks[2];
	double before = core_clock_ticks(b, b->clock_turns);

	for (unsigned i = 0; i < 2; i++)
		if (run_block(b, job, i, &ticks[i], &q[i]))
			return -1;
	double after = core_clock_ticks(b, b->clock_turns);

	note_counts(b, m, q);
	job->counted = &m->counted;
	s->value = ticks_to_ns(b, ticks[1] - ticks[0]) / job->ops;
	s->control = ticks_to_ns(b, ticks[0]) / job->ops;
	core_clock_around(b, before, after, s);
	return 0;
}

static void put_text(struct jsonl *l, const char *name, const struct code_bytes *b)
{
	char text[CODE_TEXT];

	for (unsigned i = 0; i < b->n; i++)
		text_format(text + 3 * i, sizeof text - 3 * i, "%02x ", b->of[i]);
	if (!b->n)
		return;
	text[3 * b->n - 1] = 0;
	jsonl_string(l, name, text);
}

static void put_what(struct bench *b, const struct measured_code *m, struct jsonl *l)
{
	put_text(l, "code", &m->code);
	put_text(l, "code_init", &m->init);
	if (b->opt->code_source[0])
		jsonl_string(l, "source", b->opt->code_source);
}

/* Add the events of the sampler's last n calls, which are the row's samples. */
static void code_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct measured_code *m = job->priv;
	double sorted[SAMPLES_LIMIT];

	put_what(b, m, l);
	for (unsigned i = 0; i < COUNTS; i++) {
		if (!m->of_copy[i] || !(m->counted.known & counts[i].known))
			continue;
		for (unsigned k = 0; k < n; k++)
			sorted[k] = m->of_copy[i][(m->calls - n + k) % SAMPLES_LIMIT];
		jsonl_number(l, counts[i].name, stats_median(sorted, n));
	}
}

static void code_skip_extra(struct bench *b, struct job *job, struct jsonl *l)
{
	const struct measured_code *m = job->priv;

	put_what(b, m, l);
	if (!m->escaped)
		return;
	jsonl_bool(l, "late", m->escape.late);
	if (!m->escape.late)
		jsonl_integer(l, "vector", m->escape.vector);
}

/* Read the bytes of the setting, which was checked when it was set. */
static void read_bytes(const char *text, struct code_bytes *out)
{
	out->n = (unsigned)text_to_bytes(text, out->of, sizeof out->of);
}

static int prepare_code(struct bench *b, const struct row *row, struct job *job)
{
	struct measured_code *m = job_alloc(b, job, sizeof *m);
	uint64_t bytes = AREAS * (AREA + SPREAD);

	if (!m)
		return -1;
	*m = (struct measured_code){ .copies = b->opt->code_unroll, .areas = job->arena };
	read_bytes(b->opt->code, &m->code);
	read_bytes(b->opt->code_init, &m->init);
	job->priv = m;
	job->skip_extra = code_skip_extra;
	if (job->arena.bytes < bytes)
		return job_too_large(job, bytes);
	m->areas.bytes = bytes;
	__builtin_memset(m->areas.base, 0, bytes);
	m->kept = job_alloc(b, job, sizeof *m->kept);
	for (unsigned i = 0; i < COUNTS && m->kept; i++)
		if (!(m->of_copy[i] = job_alloc(b, job, SAMPLES_LIMIT * sizeof(double))))
			return -1;
	if (!m->kept || write_code(b, job, m))
		return -1;
	job->sampler = sample_code;
	job->extra = code_extra;
	job->ops = operations(b, m);
	return 0;
}

static void code_plan(struct bench *b)
{
	struct row row = row_new(snippet, &unit_ns_op, ANSWER_CODE, prepare_code);
	const struct options *o = b->opt;
	double copies = 3 * (double)o->code_unroll * (double)(o->code_loop ? o->code_loop : 1);
	struct code_bytes code, init;

	if (!o->code[0])
		return;
	read_bytes(o->code, &code);
	read_bytes(o->code_init, &init);
	row.page_bytes = common_page(b);
	row.cost_ns = math_min(50 * copies * SLOW * b->pace.ns_per_near_load, COST_MOST);
	row_param(&row, "unroll", (double)o->code_unroll);
	if (o->code_loop)
		row_param(&row, "loop", (double)o->code_loop);
	row_param(&row, "code_crc", crc32_of(crc32_of(0, code.of, code.n), init.of, init.n));
	plan_add(b, &row);
}

static void code_meaning(struct bench *b)
{
	const struct result *r = find_row(b, snippet, NULL, 0);
	const char *text = b->opt->code_source[0] ? b->opt->code_source : b->opt->code;

	if (r && r->cycles > 0)
		say(b, "  A copy of `%.120s` takes %.2f cycles, %.3f ns.\n", text, r->cycles,
			r->median);
}

const struct hooks probe_code = {
	.plan = code_plan,
	.meaning = code_meaning,
};
