/* SPDX-License-Identifier: MIT */
/*
 * The out-of-order window: two independent misses with ever more instructions between them. While
 * the window holds both, they overlap; beyond, the second waits for the first to retire.
 */
#include "probes/probe.h"
#include "lib/math.h"
#include "probes/generated_code.h"
#include "probes/lanes.h"

#define GROUPS_MOST 128 /* of 8 fillers */
#define GROUP_BYTES 32
#define CODE_BYTES  (2 * GROUPS_MOST * GROUP_BYTES + 256)
#define COUNTED     3 /* instructions besides the fillers: a jump, and both loads */
#define EDGE_RATIO  1.004

/* Parameters of a row. */
struct distance {
	unsigned fillers; /* instructions between the two misses, but for a jump */
	unsigned pairs;   /* in a sample */
};

static const char two_misses[] = "two-misses";

/*
 * Fillers must cost a place in the window, and nothing else may run out before it does: not
 * no-operations (some cores drop them at rename), not immediate adds (folded at rename by Golden
 * Cove). A group writes 3 general and 4 vector registers and has one branch that is never taken
 * (it writes none): so 512 entries need 192 and 256 registers, where a core with 512 entries has
 * about 280 and 330 less the architectural ones. 32 bytes a group, no branch on a 32-byte boundary
 * (the erratum of Skylake's jumps). Each register has a chain of its own: 7 chains, none of which
 * depends on a load.
 */
static const unsigned char group[GROUP_BYTES] = {
	0x4c, 0x01, 0xd1,             /* add %r10, %rcx */
	0x66, 0x41, 0x0f, 0xfe, 0xc0, /* paddd %xmm8, %xmm0 */
	0x66, 0x41, 0x0f, 0xfe, 0xc8, /* to %xmm1 */
	0x70, 0x00,                   /* jo to the next instruction */
	0x4d, 0x01, 0xd4,             /* add %r10, %r12 */
	0x66, 0x41, 0x0f, 0xfe, 0xd0, /* paddd to %xmm2 */
	0x66, 0x41, 0x0f, 0xfe, 0xd8, /* to %xmm3 */
	0x4f, 0x8d, 0x2c, 0x2a,       /* lea (%r10, %r13), %r13 */
};

/* Bytes of the last fillers: what is jumped to begins so many before the end of their groups. */
static unsigned filler_bytes(unsigned fillers)
{
	static const uint8_t last[8] = { 0, 4, 9, 14, 17, 19, 24, 29 };

	return fillers / 8 * GROUP_BYTES + last[fillers % 8];
}

static void put_nops(struct code_block *c)
{
	while (c->at % GROUP_BYTES)
		code_put(c, 0x90, 1);
}

/* A load, a jump into the groups, and the groups. Both instructions have three bytes. */
static void put_half(struct code_block *c, unsigned load, unsigned jump, unsigned groups)
{
	code_put(c, load, 3);
	code_put(c, jump, 3);
	put_nops(c);
	for (unsigned i = 0; i < groups * GROUP_BYTES; i++)
		code_put(c, group[i % GROUP_BYTES], 1);
}

/*
 * Write the code that loop_window calls: r14 turns. The jumps, by r8 and r9, are there with any
 * number of fillers. No byte depends on the address, but the code must begin at a multiple of 32.
 */
static void put_turns(struct code_block *c, unsigned fillers)
{
	unsigned bytes = filler_bytes(fillers), groups = (fillers + 7) / 8;
	unsigned first = GROUP_BYTES, half = GROUP_BYTES * (1 + groups);

	code_put(c, 0x058d4c, 3); /* lea of the first fillers, %r8 */
	code_put(c, first + half - bytes - (c->at + 4), 4);
	code_put(c, 0x0d8d4c, 3); /* of the second, %r9 */
	code_put(c, first + 2 * half - bytes - (c->at + 4), 4);
	put_nops(c);
	put_half(c, 0x3f8b48, 0xe0ff41, groups); /* mov (%rdi), %rdi; jmp *%r8 */
	put_half(c, 0x368b48, 0xe1ff41, groups); /* mov (%rsi), %rsi; jmp *%r9 */
	code_put(c, 0xceff49, 3);                /* dec %r14 */
	code_put(c, 0x850f, 2);                  /* jnz to the first load */
	code_put(c, first - (c->at + 4), 4);
	code_put(c, 0xc3, 1); /* ret */
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct distance *spec = row_spec(row, struct distance);
	struct code_block code;

	if (code_memory_open(b, job, &code, CODE_BYTES))
		return -1;
	put_turns(&code, spec->fillers);
	if (code_memory_seal(b, job, &code))
		return -1;
	const uint64_t more[2] = { (uintptr_t)code.base };

	return lanes_pairs_ready(b, job, loop_window, spec->pairs, more);
}

/* Plan a row: the window needs this many entries to hold both loads and everything between. */
static void plan_row(struct bench *b, unsigned instructions, bool first, row_adder *add)
{
	unsigned fillers = instructions - COUNTED, pairs = lanes_pairs(instructions);
	struct row row = row_new(two_misses, &unit_ns_op, ANSWER_WINDOW, prepare);

	row.needs = NEED_CODE;
	row.page_bytes = common_page(b);
	*row_spec(&row, struct distance) = (struct distance){ fillers, pairs };
	row.cost_ns = lanes_pairs_cost(b, pairs, fillers) +
		(first ? (double)(LANES_REACH / b->node_bytes) * b->pace.ns_per_node : 0);
	row_param(&row, "instructions", instructions);
	row_param(&row, "bytes", (double)LANES_REACH);
	add(b, &row);
}

/*
 * Steps of 8 instructions to 640 in `full`, of 16 in `default`, of 64 in `smoke`; wider above.
 * Below 64 always of 8: a small core's window is there.
 */
static unsigned next_groups(const struct bench *b, unsigned groups)
{
	static const unsigned steps[] = {
		[PROFILE_SMOKE] = 8, [PROFILE_DEFAULT] = 2, [PROFILE_FULL] = 1
	};

	if (groups < 8)
		return groups + 1;
	return groups + (groups < 80 ? steps[b->opt->profile] : 8);
}

static void window_plan(struct bench *b)
{
	for (unsigned g = 0; g <= GROUPS_MOST; g = next_groups(b, g))
		plan_row(b, 8 * g + COUNTED, g == 0, plan_add);
}

static struct estimate last_overlap(struct reader *reader, struct curve *c)
{
	const struct pick pick = { .variant = two_misses, .x = "instructions" };

	return take_curve(reader, &pick, c) ? edge_of(reader, c, infer_step(c->point, c->n))
					    : not_resolved(NOT_MEASURED);
}

static void window_plan_edges(struct bench *b, struct reader *reader)
{
	const struct resolution r = { .grain = 1, .ratio = EDGE_RATIO };
	struct curve *c = row_alloc(b, sizeof *c);
	struct estimate e = c ? last_overlap(reader, c) : not_resolved(NOT_MEASURED);
	double next = infer_bisect_bracket(&e, &r);

	if (math_finite(next))
		plan_row(b, (unsigned)next, false, plan_between);
}

/* The step on the slope that the instructions between draw. */
static void window_find(struct bench *b, struct found_values *f)
{
	struct curve *c = row_alloc(b, sizeof *c);

	if (!c)
		return;
	found(f, VALUE_window_instructions, last_overlap(&f->reader, c),
		"window two-misses over instructions");
}

const struct hooks probe_window = {
	.plan = window_plan,
	.plan_edges = window_plan_edges,
	.find = window_find,
};
