/* SPDX-License-Identifier: MIT */
/*
 * Measure how many independent instructions of a kind issue in a cycle, by two loops of which one
 * has more of them in a turn. Their difference is free of the turn's own cost. README.md.
 *
 * Jumps that are taken are all of a turn, and need no difference: the shorter call makes no turn.
 *
 * A turn has 59 (shorter) or 119 (longer) instructions of a kind; of what may be as wide as the
 * machine, 119 or 239. With the jump of the turn, which fuses with its count, these are 60, 120 and
 * 240: they fill groups of 2 to 6, 8, 10 and 12 without a rest. Longer less shorter is ten or five
 * times twelve instructions, and nothing else.
 *
 * 239 are at most 1.2 KiB and 256 operations: the smallest op cache, of 1536, holds them. Nothing
 * is eliminated: no constant is added, no register copied or cleared, and no load is of what was
 * stored. Twelve registers are enough for three units of four cycles.
 *
 * A load lies in another line than the one before it, and in another bank of 8 or 16 bytes. Stores
 * go up through the lines, so that neighbours are in one: recent cores write two at a time only
 * then.
 */
#include <string.h>

#include "engine/core_clock.h"
#include "lib/math.h"
#include "lib/text.h"
#include "probes/generated_code.h"
#include "probes/loops/loops.h"
#include "probes/probe.h"

#define LANES        12    /* instructions of a round, and chains */
#define APART        30720 /* instructions by which two calls differ: 1 us or more */
#define COARSE_MOST  16    /* so many times as many at most, where the TSC has coarse steps */
#define TRIES        3     /* of a sample whose shorter call was interrupted */
#define PATTERN      0x0123456789abcdefULL
#define LIMITS_WORDS 32 /* that a loop may read or write; its argument is the middle of them */
#define MIDDLE       (LIMITS_WORDS / 2)
#define LINE_BYTES   64
#define COUNT_BYTES  9    /* what ends a turn: a count and its jump */
#define CODE_BYTES   4096 /* of both loops: a page */

/* The values that a loop computes in twelve registers. */
enum limits_sum {
	SUM_NOTHING,
	SUM_ADDED,      /* 1, 2, 3 ...: 1 more at each step */
	SUM_MULTIPLIED, /* three times as much */
	SUM_SHIFTED,    /* twice */
	SUM_VECTOR,     /* the same as ADDED, from 0 */
	SUM_DOUBLES,    /* the bits of doubles, likewise */
	SUM_ADDRESSES,  /* six times n and the address */
};

/* The instructions of a turn. */
enum turn {
	TURN_NOP,
	TURN_ADD,
	TURN_LEA,
	TURN_IMUL,
	TURN_SHL,
	TURN_SHLX,
	TURN_LOAD, /* of 64 bits */
	TURN_STORE,
	TURN_LOAD_WIDE,
	TURN_STORE_WIDE,
	TURN_LOAD_STORE, /* of 64 bits, by turns */
	TURN_NOT_TAKEN,
	TURN_TAKEN,
	TURN_VECTOR,
	TURN_FMA,
	TURN_MIX, /* of twelve: six sums that wait for nothing, four loads, two stores */
};

/* The beginning of an instruction: 64 and 128 bits, both lengths of VEX, 512 bits. */
enum prefix { REX_W, SSE, VEX_128, VEX_256, EVEX_512 };

/* A kind of instruction: two loops of it, of which one has more of them in a turn. */
struct limits_kind {
	const char *variant, *rests_on;
	uint8_t turn;                     /* enum turn */
	uint8_t prefix;                   /* enum prefix; of what has several widths */
	uint8_t place;                    /* of a turn in a line, in bytes: see put_turns */
	uint8_t rounds_less, rounds_more; /* of twelve, and eleven besides; of TAKEN: jumps */
	uint8_t apart;                    /* instructions of a turn, from one to the other */
	bool no_less;                     /* the shorter call makes no turn */
	uint32_t needs;                   /* enum need */
	enum limits_sum sum;
	/* Access n, in bytes from the first word: n % at[0] * at[1] + n % at[2] * at[3]. */
	uint8_t at[4];
	/* Words of which the last load is in the value, each so many times. */
	uint8_t times, loads, load[4];
	/* Words stored to. */
	uint8_t stores_from, stores;
	bool stores_n; /* else the pattern */
};

/* A kind that may fill the whole issue width is WIDE. */
#define KIND(name, what, where, ...)                                                               \
	{                                                                                          \
		.variant = name, .rests_on = "limits " name, .turn = TURN_##what, .place = where,  \
		__VA_ARGS__                                                                        \
	}
#define WIDE                    .rounds_less = 9, .rounds_more = 19, .apart = 120
#define NARROW                  .rounds_less = 4, .rounds_more = 9, .apart = 60
#define NEEDS(what)             .needs = NEED_##what
#define SUM(what)               .sum = SUM_##what
#define LOADS(each, words, ...) .times = each, .loads = words, .load = { __VA_ARGS__ }
#define STORES(from, words)     .stores_from = from, .stores = words
#define AT(...)                 .at = { __VA_ARGS__ }

static const struct limits_kind limits_kinds[] = {
	KIND("nop", NOP, 32, WIDE),
	KIND("add", ADD, 0, WIDE, SUM(ADDED)),
	KIND("lea", LEA, 0, WIDE, SUM(ADDED)),
	KIND("imul", IMUL, 4, NARROW, SUM(MULTIPLIED)),
	KIND("shl", SHL, 0, NARROW, SUM(SHIFTED)),
	KIND("shlx", SHLX, 0, NARROW, NEEDS(BMI2), SUM(SHIFTED)),
	KIND("load-64", LOAD, 4, NARROW, AT(4, 64, 8, 8), LOADS(1, 3, 31, 0, 9)),
	KIND("load-128", LOAD_WIDE, 38, NARROW, .prefix = SSE, AT(4, 80, 1, 0),
		LOADS(3, 4, 0, 10, 20, 30)),
	KIND("load-256", LOAD_WIDE, 43, NARROW, .prefix = VEX_256, NEEDS(AVX2), AT(4, 64, 2, 32),
		LOADS(3, 4, 0, 12, 16, 28)),
	KIND("load-512", LOAD_WIDE, 32, NARROW, .prefix = EVEX_512, NEEDS(AVX512), AT(4, 64, 1, 0),
		LOADS(3, 4, 0, 8, 16, 24)),
	KIND("store-64", STORE, 36, NARROW, AT(12, 8, 1, 0), STORES(0, 12)),
	KIND("store-128", STORE_WIDE, 0, NARROW, .prefix = SSE, AT(12, 16, 1, 0), STORES(0, 24)),
	KIND("store-256", STORE_WIDE, 0, NARROW, .prefix = VEX_256, NEEDS(AVX2), AT(8, 32, 1, 0),
		STORES(0, 32)),
	KIND("store-512", STORE_WIDE, 0, NARROW, .prefix = EVEX_512, NEEDS(AVX512), AT(4, 64, 1, 0),
		STORES(0, 32)),
	KIND("load-store", LOAD_STORE, 0, NARROW, LOADS(1, 3, 9, 2, 4), STORES(16, 6),
		.stores_n = true),
	KIND("branch-not-taken", NOT_TAKEN, 32, NARROW),
	KIND("branch-taken", TAKEN, 32, .no_less = true, .rounds_more = 15, .apart = 16),
	KIND("vector-128", VECTOR, 32, NARROW, .prefix = SSE, SUM(VECTOR)),
	KIND("vector-256", VECTOR, 32, NARROW, .prefix = VEX_256, NEEDS(AVX2), SUM(VECTOR)),
	KIND("vector-512", VECTOR, 32, NARROW, .prefix = EVEX_512, NEEDS(AVX512), SUM(VECTOR)),
	KIND("fma-256", FMA, 0, NARROW, .prefix = VEX_256, .needs = NEED_AVX2 | NEED_FMA,
		SUM(DOUBLES)),
	KIND("fma-512", FMA, 0, NARROW, .prefix = EVEX_512, NEEDS(AVX512), SUM(DOUBLES)),
	KIND("mix", MIX, 36, WIDE, SUM(ADDRESSES), LOADS(1, 1, 7), STORES(24, 2), .stores_n = true),
};

static const unsigned limits_kind_count = sizeof limits_kinds / sizeof *limits_kinds;

/* Numbers of registers in an instruction. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R12 = 12, R13, R14, R15 };

enum { EACH = 12 }; /* the vector register that others are combined with */

/* Operands that are another register each time. */
enum { REG = 1, WITH = 2, RM = 4 };

/* An instruction of two or three operands. */
struct turn_insn {
	uint8_t prefix, map, opcode; /* map 1: 0Fh, 2: 0F38h */
	uint8_t renewed;             /* REG, ... */
	uint8_t reg, with, rm;       /* `with` is the third one's, of VEX and EVEX */
	bool memory;                 /* at rm and some bytes, ... */
	uint8_t index;               /* ... and at this register, but RAX */
};

static const struct turn_insn insns[] = {
	[TURN_ADD] = { .opcode = 0x01, .reg = RCX, .renewed = RM },
	[TURN_LEA] = { .opcode = 0x8d, .memory = true, .index = RCX, .renewed = REG | RM },
	[TURN_IMUL] = { .map = 1, .opcode = 0xaf, .rm = RCX, .renewed = REG },
	[TURN_SHL] = { .opcode = 0xd1, .reg = 4 /* of the opcode */, .renewed = RM },
	[TURN_SHLX] = { VEX_128, 2, 0xf7, .with = RCX, .renewed = REG | RM },
	[TURN_LOAD] = { .opcode = 0x8b, .rm = RSI, .memory = true, .renewed = REG },
	[TURN_STORE] = { .opcode = 0x89, .rm = RSI, .memory = true, .renewed = REG },
	[TURN_LOAD_WIDE] = { .map = 1, .opcode = 0x6f, .rm = RSI, .memory = true, .renewed = REG },
	[TURN_STORE_WIDE] = { .map = 1, .opcode = 0x7f, .rm = RSI, .memory = true },
	[TURN_VECTOR] = { .map = 1, .opcode = 0xd4, .rm = EACH, .renewed = REG | WITH },
	[TURN_FMA] = { .map = 2, .opcode = 0xb8, .with = EACH, .rm = EACH, .renewed = REG },
	[TURN_MIX] = { .opcode = 0x8d, .rm = RDI, .memory = true, .index = RSI, .renewed = REG },
};

static void put_prefix(struct code_block *c, const struct turn_insn *i)
{
	unsigned r = i->reg >> 3, b = i->rm >> 3; /* the numbers' highest bits */
	unsigned high = (r ^ 1) << 7 | 1 << 6 | (b ^ 1) << 5 | i->map;
	unsigned wide = (i->prefix == EVEX_512 || i->map == 2) << 7;
	unsigned rest = (~i->with & 15U) << 3 | (i->prefix == VEX_256) << 2 | 1;

	if (i->prefix == REX_W)
		code_put(c, 0x48 | r << 2 | b, 1);
	else if (i->prefix == SSE && (r || b))
		code_put(c, 0x4066 | (r << 2 | b) << 8, 2);
	else if (i->prefix == SSE)
		code_put(c, 0x66, 1);
	else if (i->prefix == EVEX_512)
		code_put(c, 0x48000062 | (high | 1 << 4) << 8 | (wide | rest | 1 << 2) << 16, 4);
	else if (i->map == 1 && !b)
		code_put(c, 0xc5 | ((high & 0x80) | rest) << 8, 2);
	else
		code_put(c, 0xc4 | high << 8 | (wide | rest) << 16, 3);
	if (i->prefix <= SSE && i->map)
		code_put(c, 0x0f, 1);
}

/* With so many bytes beside the address, if it has one. */
static void put_operands(struct code_block *c, const struct turn_insn *i, int at)
{
	unsigned reg = (i->reg & 7U) << 3, rm = i->rm & 7;
	bool apart = at || rm == RBP; /* without it RBP's number is of something else */

	if (!i->memory) {
		code_put(c, 0xc0 | reg | rm, 1);
		return;
	}
	code_put(c, (apart ? 0x40 : 0) | reg | (i->index ? RSP : rm), 1);
	if (i->index)
		code_put(c, (unsigned)i->index << 3 | rm, 1);
	if (apart)
		code_put(c, (unsigned)(i->prefix == EVEX_512 ? at / LINE_BYTES : at), 1);
}

static void put_insn(struct code_block *c, unsigned turn, unsigned prefix, unsigned reg, int at)
{
	struct turn_insn i = insns[turn];

	i.prefix |= prefix;
	if (i.renewed & REG)
		i.reg = reg;
	if (i.renewed & WITH)
		i.with = reg;
	if (i.renewed & RM)
		i.rm = reg;
	put_prefix(c, &i);
	code_put(c, i.opcode, 1);
	put_operands(c, &i, at);
}

static const uint8_t loaded[] = { RAX, RDX, RCX, R9, R10 };

/*
 * Write the instructions of TURN_MIX. They are no chains of adds: on Golden Cove such adds ran at
 * 4.5 to 6 a cycle, depending on their ports.
 */
static void put_mixed(struct code_block *c, unsigned n)
{
	static const uint8_t sums[] = { R9, R10, RBX, RBP, R12, R13 };

	if (n % 2 == 0)
		put_insn(c, TURN_MIX, 0, sums[n / 2], 0);
	else if (n % 6 == 3)
		put_insn(c, TURN_STORE, 0, RDI, 64 + 8 * (int)(n / 9));
	else
		put_insn(c, TURN_LOAD, 0, loaded[n % sizeof loaded],
			-128 + (int)(n % 6 / 3 * 64 + n % 8 * 8));
}

/* Number n of a round. */
static void put_one(struct code_block *c, const struct limits_kind *k, unsigned n)
{
	static const uint8_t chains[LANES] = { R8, R9, R10, RSI, RBX, RBP, R12, R13, R14, R15, RAX,
		RDX };
	unsigned turn = k->turn, reg = n;
	int at = k->at[0] ? (int)(n % k->at[0] * k->at[1] + n % k->at[2] * k->at[3]) - 128 : 0;

	if (turn == TURN_LOAD_STORE) {
		turn = n % 2 ? TURN_STORE : TURN_LOAD;
		at = (int)(n / 2 * 8) - (n % 2 ? 0 : n % 4 ? 64 : 128);
	}
	if (turn == TURN_LOAD)
		reg = loaded[n % sizeof loaded];
	else if (turn == TURN_STORE)
		reg = k->stores_n ? RDI : RCX;
	else if (turn < TURN_LOAD)
		reg = chains[n];
	if (turn == TURN_NOP)
		code_put(c, 0x441f0f, 5);
	else if (turn == TURN_MIX)
		put_mixed(c, n);
	else
		put_insn(c, turn, k->prefix, reg, at);
}

static void put_jump_over(struct code_block *c, size_t end)
{
	code_put(c, 0x800f, 2); /* jo */
	code_put(c, end - (c->at + 4), 4);
}

/*
 * Branches that are never taken, five of six bytes in 32, because the op cache of Intel's cores
 * holds six in 32 at most; the last four and what fills up to 32. Nothing sets the flag.
 */
static void put_not_taken(struct code_block *c, unsigned rounds)
{
	unsigned lines = (LANES * rounds + LANES) / 5; /* of 32 bytes */
	size_t end = c->at + 32 * (size_t)lines + COUNT_BYTES;

	for (unsigned i = 0; i < lines; i++) {
		for (unsigned n = 0; n < (i + 1 < lines ? 5 : 4); n++)
			put_jump_over(c, end);
		if (i + 1 < lines)
			code_put(c, 0x9066, 2);
		else
			code_put(c, 0x841f0f, 8);
	}
}

static void put_nops_to(struct code_block *c, unsigned place)
{
	while (c->at % LINE_BYTES != place)
		code_put(c, 0x90, 1);
}

/*
 * Jumps to the next line: with that of the turn 16, so that the smallest table holds them. A turn
 * of eight is no part of one of sixteen: the front end may take both in steps of its own.
 */
static void put_taken(struct code_block *c, unsigned jumps)
{
	for (unsigned i = 0; i < jumps; i++) {
		code_put(c, 0xeb | (LINE_BYTES - 2 - c->at % LINE_BYTES) << 8, 2);
		put_nops_to(c, 0);
	}
}

static bool in_chains(const struct limits_kind *k)
{
	return k->sum >= SUM_ADDED && k->sum <= SUM_SHIFTED;
}

/* All of xmm0 and xmm12 as their lowest words: punpcklqdq, vpbroadcastq. */
static void put_to_all(struct code_block *c, unsigned prefix)
{
	static const uint64_t to_all[][2] = {
		[SSE] = { 0xc06c0f66, 0xe46c0f4566 },
		[VEX_256] = { 0xc0597de2c4, 0xe4597d42c4 },
		[EVEX_512] = { 0xc05948fdf262, 0xe45948fd5262 },
	};
	static const uint8_t bytes[][2] = {
		[SSE] = { 4, 5 }, [VEX_256] = { 5, 5 }, [EVEX_512] = { 6, 6 }
	};

	for (unsigned i = 0; i < 2; i++)
		code_put(c, to_all[prefix][i], bytes[prefix][i]);
}

/*
 * The turns that a loop calls. They begin at that place of a line where their last jump neither
 * crosses a multiple of 32 bytes nor ends at one (Makefile, JUMPS). No byte depends on where the
 * code stands, but that it begins with a line.
 */
static void put_turns(struct code_block *c, const struct limits_kind *k, bool more)
{
	unsigned rounds = more ? k->rounds_more : k->rounds_less;
	bool vex = k->prefix >= VEX_128;

	if (vex)
		code_put(c, 0x77f8c5, 3); /* vzeroupper */
	if (k->prefix)
		put_to_all(c, k->prefix);
	put_nops_to(c, k->place);
	size_t first = c->at;

	if (k->turn == TURN_NOT_TAKEN)
		put_not_taken(c, rounds);
	else if (k->turn == TURN_TAKEN)
		put_taken(c, rounds);
	else
		for (unsigned n = 0; n < LANES * rounds + LANES - 1; n++)
			put_one(c, k, n % LANES);
	code_put(c, in_chains(k) ? 0xcfff48 : 0xc8ff49, 3); /* dec %rdi or %r8 */
	code_put(c, 0x850f, 2);                             /* jnz */
	code_put(c, first - (c->at + 4), 4);
	if (vex)
		code_put(c, 0x77f8c5, 3);
	code_put(c, 0xc3, 1); /* ret */
}

/* One of the twelve registers after so many steps. */
static uint64_t lane_value(enum limits_sum sum, unsigned lane, uint64_t steps)
{
	uint64_t value = lane + 1, bits;
	double ones = (double)steps;

	switch (sum) {
	case SUM_ADDED:
		return value + steps;
	case SUM_MULTIPLIED:
		for (uint64_t i = 0; i < steps; i++)
			value *= 3;
		return value;
	case SUM_SHIFTED:
		return steps < 64 ? value << steps : 0;
	case SUM_VECTOR:
		return steps;
	default: /* SUM_DOUBLES */
		__builtin_memcpy(&bits, &ones, sizeof bits);
		return bits;
	}
}

static uint64_t sum_of(const struct limits_kind *k, bool more, uint64_t n, const uint64_t *words)
{
	unsigned rounds = more ? k->rounds_more : k->rounds_less;
	uint64_t sum = 0;

	if (k->sum == SUM_NOTHING)
		return 0;
	if (k->sum == SUM_ADDRESSES)
		return n ? 6 * (n + (uintptr_t)(words + MIDDLE)) : 0;
	for (unsigned lane = 0; lane < LANES; lane++)
		sum += lane_value(k->sum, lane, n * (rounds + (lane + 1 < LANES)));
	return sum;
}

/*
 * Returns the loop's argument: the number that the chains are combined with, or the number stored.
 */
static uint64_t first_of(const struct limits_kind *k)
{
	if (in_chains(k))
		return k->sum == SUM_MULTIPLIED ? 3 : 1;
	return k->stores && !k->stores_n ? PATTERN : 0;
}

static uint64_t each_of(const struct limits_kind *k)
{
	return k->sum == SUM_VECTOR ? 1 : k->sum == SUM_DOUBLES ? lane_value(SUM_DOUBLES, 0, 1) : 0;
}

/* Returns the value of the longer or the shorter loop; writes the loop's stores to words. */
static uint64_t limits_value(const struct limits_kind *k, bool more, uint64_t n, uint64_t *words)
{
	/* loop_limits_turns adds n and, from two registers, what it was given first. */
	uint64_t value = sum_of(k, more, n, words) + (in_chains(k) ? 0 : n + 2 * first_of(k));

	for (unsigned i = 0; n && i < k->loads; i++)
		value += k->times * words[k->load[i]];
	for (unsigned i = 0; n && i < k->stores; i++)
		words[k->stores_from + i] = k->stores_n ? n : first_of(k);
	return value;
}

/* Parameters of a row. */
struct limits_spec {
	const struct limits_kind *kind;
};

struct limits {
	_Alignas(64) uint64_t words[LIMITS_WORDS];
	uint64_t start[LIMITS_WORDS]; /* what is in them before each call, ... */
	uint64_t after[LIMITS_WORDS]; /* ... and after it */
	uint64_t args[2][LOOP_ARGS];  /* of the shorter and the longer call */
	uint64_t expect[2];
	bool stored; /* what was to be, by all calls */
};

static struct timed call_anew(struct bench *b, struct job *job, bool more)
{
	struct limits *l = job->priv;
	struct timed t;

	__builtin_memcpy(l->words, l->start, sizeof l->words);
	t = call_loop(b, job->loop, l->args[more]);
	l->stored &= !memcmp(l->words, l->after, sizeof l->words);
	return t;
}

/* The longer call less the shorter one, between two looks at the clock. */
static int sample(struct bench *b, struct job *job, struct sample *s)
{
	struct limits *l = job->priv;
	double before = core_clock_ticks(b, b->clock_turns), after;
	struct timed more, less;

	l->stored = true;
	for (unsigned i = 0; i < TRIES; i++) {
		more = call_anew(b, job, true);
		less = call_anew(b, job, false);
		if (more.ticks > less.ticks)
			break;
	}
	after = core_clock_ticks(b, b->clock_turns);
	core_clock_around(b, before, after, s);
	s->control = ticks_to_ns(b, (double)less.ticks) / job->ops;
	s->value = ticks_to_ns(b, (double)more.ticks) / job->ops - s->control;
	if (less.value == l->expect[0] && more.value == l->expect[1] && l->stored)
		return 0;
	return job_disproved(job,
		"the loops returned %#llx and %#llx, plain C says %#llx and %#llx%s",
		(unsigned long long)less.value, (unsigned long long)more.value,
		(unsigned long long)l->expect[0], (unsigned long long)l->expect[1],
		l->stored ? "" : "; they stored something else");
}

static uint64_t turns(const struct bench *b, const struct limits_kind *k)
{
	return (uint64_t)math_clamp(b->tsc_step_ticks, 1, COARSE_MOST) * APART / k->apart;
}

/* Both loops, each from a line on. */
static int write_code(struct bench *b, struct job *job, struct limits *l,
	const struct limits_kind *k)
{
	struct code_block c;

	if (code_memory_open(b, job, &c, CODE_BYTES))
		return -1;
	for (unsigned more = 0; more < 2; more++) {
		put_nops_to(&c, 0);
		l->args[more][2] = (uintptr_t)c.base + c.at;
		put_turns(&c, k, more);
	}
	return code_memory_seal(b, job, &c);
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct limits_kind *k = row_spec(row, struct limits_spec)->kind;
	struct limits *l = job_alloc(b, job, sizeof *l);
	uint64_t n = turns(b, k);

	if (!l)
		return -1;
	for (unsigned i = 0; i < LIMITS_WORDS; i++)
		l->start[i] = random_next(&b->random);
	for (unsigned more = 0; more < 2; more++) {
		const uint64_t args[LOOP_ARGS] = { more || !k->no_less ? n : 0,
			(uintptr_t)(l->words + MIDDLE), 0, first_of(k), each_of(k) };

		__builtin_memcpy(l->args[more], args, sizeof args);
		__builtin_memcpy(l->words, l->start, sizeof l->words);
		l->expect[more] = limits_value(k, more, args[0], l->words);
	}
	__builtin_memcpy(l->after, l->words, sizeof l->after);
	if (write_code(b, job, l, k))
		return -1;
	job_call(job, in_chains(k) ? loop_limits_chains : loop_limits_turns, 0, l->args[1]);
	job->ops = (double)n * k->apart;
	job->sampler = sample;
	job->priv = l;
	return 0;
}

static void limits_plan(struct bench *b)
{
	for (unsigned i = 0; i < limits_kind_count; i++) {
		const struct limits_kind *k = &limits_kinds[i];
		struct row row = row_new(k->variant, &unit_ns_op, ANSWER_LIMITS, prepare);

		row_spec(&row, struct limits_spec)->kind = k;
		row.needs = k->needs | NEED_CODE;
		/* Both calls have up to three times as many instructions as they differ by. */
		row.cost_ns = 50 *
			(2 * b->pace.ns_per_call +
				3.0 * (double)turns(b, k) * k->apart * b->pace.ns_per_near_load);
		plan_add(b, &row);
	}
}

static double rate(const struct result *r, enum reading reading)
{
	double cycles = row_cycles(r, reading);

	return cycles > 0 ? 1 / cycles : NOT_A_NUMBER;
}

/*
 * A turn takes whole cycles at worst: either loop's may have one that is not its share. Where they
 * do not differ by one, as in an emulator that leaves out what does nothing, there is no number.
 */
static struct estimate per_cycle(struct bench *b, struct reader *reader,
	const struct limits_kind *k)
{
	struct estimate e = row_estimate(reader, k->variant, rate);
	double cycles = k->apart / e.value;

	if (!math_finite(cycles))
		return e;
	if (cycles <= 1)
		return not_resolved("so many instructions took less than a cycle");
	return resolved(e.value, k->apart / (cycles + 1), k->apart / (cycles - 1), e.confidence);
}

static void found_rate(struct bench *b, struct found_values *f, enum value_id id,
	const char *variant)
{
	for (unsigned i = 0; i < limits_kind_count; i++)
		if (!strcmp(limits_kinds[i].variant, variant))
			found(f, id, per_cycle(b, &f->reader, &limits_kinds[i]),
				limits_kinds[i].rests_on);
}

/* The widest total that any row shows. */
static void found_width(struct bench *b, struct found_values *f)
{
	struct estimate widest = per_cycle(b, &f->reader, &limits_kinds[0]);
	const char *rests_on = limits_kinds[0].rests_on;

	for (unsigned i = 1; i < limits_kind_count; i++) {
		struct estimate e = per_cycle(b, &f->reader, &limits_kinds[i]);

		if (!math_finite(e.value) || (math_finite(widest.value) && e.value <= widest.value))
			continue;
		widest = e;
		rests_on = limits_kinds[i].rests_on;
	}
	found(f, VALUE_issue_width, widest, rests_on);
}

static void limits_find(struct bench *b, struct found_values *f)
{
	found_width(b, f);
	found_rate(b, f, VALUE_adds_per_cycle, "add");
	found_rate(b, f, VALUE_multiplies_per_cycle, "imul");
	found_rate(b, f, VALUE_loads_per_cycle, "load-64");
	found_rate(b, f, VALUE_stores_per_cycle, "store-64");
}

#define COLUMNS 78 /* of a line */
#define ONE     23 /* of a kind and its number, at most but in an emulator */

/* The table, in lines that a display holds. */
static void limits_meaning(struct bench *b)
{
	char line[2 * COLUMNS];
	size_t used = 0;

	for (unsigned i = 0; i < limits_kind_count; i++) {
		const struct result *r = find_row(b, limits_kinds[i].variant, NULL, 0);
		double is = r ? rate(r, READ_MEDIAN) : NOT_A_NUMBER;

		if (!math_finite(is))
			continue;
		used += text_format(line + used, sizeof line - used, "%s%s %.2f",
			used ? ", " : "  in a cycle: ", limits_kinds[i].variant, is);
		if (used + ONE > COLUMNS) {
			say(b, "%s\n", line);
			used = 0;
		}
	}
	if (used)
		say(b, "%s\n", line);
}

const struct hooks probe_limits = {
	.plan = limits_plan,
	.find = limits_find,
	.meaning = limits_meaning,
};
