/* SPDX-License-Identifier: MIT */
/*
 * Measure the structures behind the out-of-order window: two misses with ever more instructions of
 * a kind between them. The second miss waits for the first once the window holds no more of that
 * kind: registers to rename, entries of the queues of loads and stores, of schedulers, branches.
 * The method is H. Wong's, "Measuring Reorder Buffer Capacity" (blog.stuffedcow.net, 2013);
 * README.md.
 */
#include <string.h>

#include "lib/text.h"
#include "probes/generated_code.h"
#include "probes/lanes.h"
#include "probes/probe.h"

#define FILLERS_MOST 704 /* more than the windows that we know of, by a third */
#define EDGE_RATIO   1.004
#define BEYOND       64         /* fillers, at least, that a curve is read to beyond its step */
#define NEAR         1.02       /* of what ends first, at most: else it is that which ended */
#define CODE_BYTES   (12 * KIB) /* two times FILLERS_MOST of six bytes, and the loop */

/*
 * The instructions. Nothing is eliminated at rename: no copies, zeros or sums with constants; and
 * what is loaded or stored is one line in L1. Registers are those of loop_backend: rdi and rsi are
 * the chases, rbx and xmm7 are 0, rdx and xmm6 come from the miss where there is a lead.
 */
static const struct filler_insn {
	char letter;
	uint8_t bytes;
	unsigned char code[6];
} insns[] = {
	{ 'i', 4, { 0x49, 0x8d, 0x0c, 0x1a } },             /* lea (%r10, %rbx), %rcx */
	{ '0', 4, { 0x66, 0x0f, 0xfe, 0xc7 } },             /* paddd %xmm7, %xmm0 */
	{ '1', 4, { 0x66, 0x0f, 0xfe, 0xcf } },             /* to %xmm1 */
	{ '2', 4, { 0x66, 0x0f, 0xfe, 0xd7 } },             /* to %xmm2 */
	{ '3', 4, { 0x66, 0x0f, 0xfe, 0xdf } },             /* to %xmm3 */
	{ 'z', 6, { 0x62, 0xf1, 0x4d, 0x48, 0xfe, 0xc7 } }, /* vpaddd %zmm7, %zmm6, %zmm0 */
	{ 'k', 4, { 0xc5, 0xe4, 0x45, 0xca } },             /* korw %k2, %k3, %k1 */
	{ 'u', 4, { 0xc5, 0xe5, 0x4b, 0xca } },             /* kunpckbw %k2, %k3, %k1 */
	{ 'l', 3, { 0x49, 0x8b, 0x0a } },                   /* mov (%r10), %rcx */
	{ 'x', 4, { 0x41, 0x0f, 0x28, 0x02 } },             /* movaps (%r10), %xmm0 */
	{ 's', 3, { 0x49, 0x89, 0x1a } },                   /* mov %rbx, (%r10) */
	{ 'b', 6, { 0x0f, 0x80 } },                         /* jo to the next instruction */
	{ 'I', 4, { 0x48, 0x8d, 0x0c, 0x1a } },             /* lea (%rdx, %rbx), %rcx */
	{ '4', 4, { 0x66, 0x0f, 0xfe, 0xc6 } },             /* paddd %xmm6, %xmm0 */
	{ '5', 4, { 0x66, 0x0f, 0xfe, 0xce } },             /* to %xmm1 */
	{ '6', 4, { 0x66, 0x0f, 0xfe, 0xd6 } },             /* to %xmm2 */
	{ '7', 4, { 0x66, 0x0f, 0xfe, 0xde } },             /* to %xmm3 */
	{ 'L', 4, { 0x49, 0x8b, 0x0c, 0x12 } },             /* mov (%r10, %rdx), %rcx */
	{ 'X', 5, { 0x41, 0x0f, 0x28, 0x04, 0x12 } },       /* movaps (%r10, %rdx), %xmm0 */
	{ 'S', 4, { 0x49, 0x89, 0x1c, 0x12 } },             /* mov %rbx, (%r10, %rdx) */
	/*
	 * Instructions of a lead, which load from the chase's place; the last byte lacks the number
	 * of its register.
	 */
	{ 'd', 3, { 0x48, 0x8b, 0x10 } },       /* mov (...), %rdx */
	{ 'o', 3, { 0x48, 0x33, 0x10 } },       /* xor (...), %rdx */
	{ 'v', 4, { 0xf3, 0x0f, 0x7e, 0x30 } }, /* movq (...), %xmm6 */
};

enum { MISSES = 2 }; /* of a pair */

enum filler_kind {
	WINDOW,
	INTEGER,
	VECTOR,
	VECTOR_512,
	MASK,
	LOAD,
	STORE,
	BRANCH,
	ADD_WAITING,
	VECTOR_WAITING,
	LOAD_WAITING,
	STORE_WAITING,
	KINDS
};

/* The fillers between the misses, and the structure that they fill first. */
struct fillers {
	enum value_id value;
	const char *variant, *rests_on;
	const char *fillers; /* letters of instructions, over and over */
	const char *lead;    /* likewise, before the miss: what the fillers wait for */
	uint32_t needs;
	uint8_t own; /* entries that the misses themselves take */
	/* Entries of other structures that a filler takes, in halves: these may end first. */
	struct {
		uint8_t number, halves; /* of a kind; 0: nothing */
	} takes[3];
};

#define KIND(what, name)                                                                           \
	.value = VALUE_##name, .variant = what, .rests_on = "backend " what " over entries"

static const struct fillers kinds[KINDS] = {
	/* The fillers of `window`: only the window itself holds so few of all of these. */
	[WINDOW] = { KIND("any", none), .fillers = "i01bi23i", .lead = "", .own = MISSES },
	[INTEGER] = { KIND("integer", integers_in_flight), .fillers = "i", .lead = "",
		.own = MISSES },
	[VECTOR] = { KIND("vector", vectors_in_flight), .fillers = "0123", .lead = "" },
	[VECTOR_512] = { KIND("vector-512", wide_vectors_in_flight), .fillers = "z", .lead = "",
		.needs = NEED_AVX512, .takes = { { VECTOR, 2 } } },
	[MASK] = { KIND("mask", masks_in_flight), .fillers = "ku", .lead = "",
		.needs = NEED_AVX512 },
	[LOAD] = { KIND("load", loads_in_flight), .fillers = "lx", .lead = "", .own = MISSES,
		.takes = { { INTEGER, 1 }, { VECTOR, 1 } } },
	[STORE] = { KIND("store", stores_in_flight), .fillers = "s", .lead = "" },
	[BRANCH] = { KIND("branch", branches_in_flight), .fillers = "b", .lead = "" },
	[ADD_WAITING] = { KIND("add-waiting", adds_waiting), .fillers = "I", .lead = "d",
		.takes = { { INTEGER, 2 } } },
	[VECTOR_WAITING] = { KIND("vector-waiting", vectors_waiting), .fillers = "4567",
		.lead = "v", .takes = { { VECTOR, 2 } } },
	[LOAD_WAITING] = { KIND("load-waiting", loads_waiting), .fillers = "LX", .lead = "do",
		.own = 1 /* to start from */,
		.takes = { { LOAD, 2 }, { INTEGER, 1 }, { VECTOR, 1 } } },
	[STORE_WAITING] = { KIND("store-waiting", stores_waiting), .fillers = "S", .lead = "do",
		.takes = { { STORE, 2 } } },
};

/* Parameters of a row. */
struct between {
	const struct fillers *kind;
	unsigned fillers;
	unsigned pairs; /* in a sample */
};

static const struct filler_insn *insn_of(char letter)
{
	const struct filler_insn *i = insns;

	while (i->letter != letter)
		i++;
	return i;
}

/* With the number of a chase's register in its last byte, if that lacks it. */
static void put_insn(struct code_block *c, const struct filler_insn *insn, unsigned chase)
{
	for (unsigned i = 0; i + 1 < insn->bytes; i++)
		code_put(c, insn->code[i], 1);
	code_put(c, insn->code[insn->bytes - 1] | chase, 1);
}

/* One miss and what follows it; `chase` is the number of its register. */
static void put_gap(struct code_block *c, const struct fillers *k, unsigned fillers, unsigned chase)
{
	size_t period = strlen(k->fillers);

	for (const char *p = k->lead; *p; p++)
		put_insn(c, insn_of(*p), chase);
	code_put(c, 0x8b48 | chase * 9 << 16, 3); /* mov (chase), chase */
	for (unsigned n = 0; n < fillers; n++)
		put_insn(c, insn_of(k->fillers[n % period]), 0);
}

enum { RSI = 6, RDI = 7 };

/*
 * Write the code that loop_backend calls: r14 turns of two misses, each followed by this many
 * fillers. The bytes do not depend on the address: jumps are relative.
 */
static void put_code(struct code_block *c, const struct fillers *k, unsigned fillers)
{
	put_gap(c, k, fillers, RDI);
	put_gap(c, k, fillers, RSI);
	code_put(c, 0xceff49, 3); /* dec %r14 */
	code_put(c, 0x850f, 2);   /* jnz to the begin */
	code_put(c, -(c->at + 4), 4);
	if (k->needs & NEED_AVX512)
		code_put(c, 0x77f8c5, 3); /* vzeroupper */
	code_put(c, 0xc3, 1);             /* ret */
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct between *spec = row_spec(row, struct between);
	struct code_block code;
	void *words;

	if (code_memory_open(b, job, &code, CODE_BYTES))
		return -1;
	put_code(&code, spec->kind, spec->fillers);
	if (code_memory_seal(b, job, &code))
		return -1;
	words = job_alloc(b, job, CHAIN_LINE);
	if (!words)
		return -1;
	memset(words, 0, CHAIN_LINE);
	const uint64_t more[2] = { (uintptr_t)code.base, (uintptr_t)words };

	return lanes_pairs_ready(b, job, loop_backend, spec->pairs, more);
}

static void plan_row(struct bench *b, const struct fillers *k, unsigned fillers, row_adder *add)
{
	unsigned pairs = lanes_pairs(fillers + MISSES);
	struct row row = row_new(k->variant, &unit_ns_op, ANSWER_BACKEND, prepare);

	row.needs = k->needs;
	row.page_bytes = common_page(b);
	*row_spec(&row, struct between) = (struct between){ k, fillers, pairs };
	row.cost_ns = lanes_pairs_cost(b, pairs, fillers) +
		(k == &kinds[WINDOW] && !fillers
				? (double)(LANES_REACH / b->node_bytes) * b->pace.ns_per_node
				: 0);
	row_param(&row, "entries", fillers + k->own);
	row_param(&row, "bytes", (double)LANES_REACH);
	add(b, &row);
}

/* Steps of 4 below 32, of 8 below 64, of 16 below 256, of 32 above. */
static unsigned next_fillers(unsigned n)
{
	return n + (n < 32 ? 4 : n < 64 ? 8 : n < 256 ? 16 : 32);
}

static void backend_plan(struct bench *b)
{
	for (unsigned i = 0; i < KINDS; i++)
		for (unsigned n = 0; n <= FILLERS_MOST; n = next_fillers(n))
			plan_row(b, &kinds[i], n, plan_add);
}

/* The curve's points up to there. */
static unsigned points_to(const struct curve *c, double x)
{
	unsigned n = 0;

	while (n < c->n && c->point[n].x <= x)
		n++;
	return n;
}

/*
 * The step. Far beyond it slow instructions take longer than both misses, and the curve bends once
 * more: where no step stands out on the whole, in the first half of it, and so on; and then once
 * more as far beyond it as before.
 */
static struct estimate last_overlap(const struct bench *b, const struct reader *reader,
	const struct fillers *k, struct curve *c)
{
	const struct pick pick = { .variant = k->variant, .x = "entries" };
	struct estimate e, near;

	if (!take_curve(reader, &pick, c))
		return not_resolved(NOT_MEASURED);
	e = infer_step(c->point, c->n);
	for (double most = FILLERS_MOST / 2; e.reason && most >= BEYOND; most /= 2) {
		near = infer_step(c->point, points_to(c, most));
		e = near.reason ? e : near;
	}
	if (e.reason)
		return e;
	c->n = points_to(c, 2 * e.value + BEYOND);
	near = infer_step(c->point, c->n);
	return near.reason ? e : near;
}

static void backend_plan_edges(struct bench *b, struct reader *reader)
{
	struct curve *c = row_alloc(b, sizeof *c);

	for (unsigned i = 0; c && i < KINDS; i++) {
		const struct resolution r = { .grain = 1, .ratio = EDGE_RATIO };
		struct estimate e = last_overlap(b, reader, &kinds[i], c);
		double next = infer_bisect_bracket(&e, &r);

		if (math_finite(next))
			plan_row(b, &kinds[i], (unsigned)next - kinds[i].own, plan_between);
	}
}

/*
 * Returns the structure that ended before, or with, that of a kind; NULL: none. held: fillers, of
 * each kind. One lead is between the misses, and the loads of both leads are in flight.
 */
static const char *ended_first(const struct fillers *k, double fillers, const double *held)
{
	static const char *const ends[KINDS] = {
		[INTEGER] = "the integer registers end first",
		[VECTOR] = "the vector registers end first",
		[LOAD] = "the queue of loads ends first",
		[STORE] = "the queue of stores ends first",
	};

	if (NEAR * (fillers + (double)strlen(k->lead)) + 1 >= held[WINDOW])
		return "the window ends first";
	for (unsigned i = 0; i < sizeof k->takes / sizeof *k->takes; i++) {
		unsigned number = k->takes[i].number;
		double taken = fillers * k->takes[i].halves / 2 + 2 * (double)strlen(k->lead);

		if (number && NEAR * taken + 1 >= held[number])
			return ends[number];
	}
	return NULL;
}

/* If another structure ends first, the value is the number seen, or more. */
static void found_kind(struct bench *b, struct found_values *f, const struct fillers *k,
	const struct curve *c, struct estimate e, const double *held)
{
	double fillers = e.value - k->own;
	const char *why = math_finite(fillers) ? ended_first(k, fillers, held) : NULL;

	if (math_finite(fillers) && !math_finite(held[WINDOW]))
		e = not_resolved("the window is not resolved");
	else if (why)
		e = (struct estimate){ .value = NOT_A_NUMBER, .reason = why, .least = e.low };
	else
		e = edge_of(&f->reader, c, e);
	struct summary *s = found(f, k->value, e, k->rests_on);

	if (why)
		text_format(s->form, sizeof s->form, "%s", why);
}

static void backend_find(struct bench *b, struct found_values *f)
{
	struct curve *c = row_alloc(b, sizeof *c);
	double held[KINDS];

	for (unsigned i = 0; c && i < KINDS; i++) {
		struct estimate e = last_overlap(b, &f->reader, &kinds[i], c);

		held[i] = e.value - kinds[i].own;
		if (i != WINDOW)
			found_kind(b, f, &kinds[i], c, e, held);
	}
}

const struct hooks probe_backend = {
	.plan = backend_plan,
	.plan_edges = backend_plan_edges,
	.find = backend_find,
};
