/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/branch_predictor.h"
#include "tests/kam/cpu/cpu.h"
#include "tests/kam/cpu/fatal.h"

/*
 * A branch is hard while its own counter often fails; only hard branches use the history table,
 * so that loops do not fill it. A failure adds HARD_STEP, a success takes 1, above HARD is hard.
 */
#define HARD_STEP 8
#define HARD      16
#define HARD_MOST 64

void branch_init(struct branch *b, const struct cpu *cpu)
{
	b->kind = cpu->predictor;
	b->past = 0;
	b->depth = cpu->returns;
	b->top = b->held = 0;
	if (b->depth == 0 || b->depth > RETURN_STACK)
		fatal("return stack of %lu: must be 1..%d", b->depth, RETURN_STACK);
	lru_init(&b->history, cpu->capacity);
	tagged_init(&b->tagged, cpu->predictor == PREDICTOR_TAGGED ? cpu->capacity : 1);
	lru_init(&b->targets, cpu->targets);
	lru_init(&b->all, cpu->targets + cpu->targets_2);
	b->near = cpu->target_near;
	lru_init(&b->base, BASE_ENTRIES);
	b->beyond = cpu->indirect.beyond;
	b->lost = false;
	indirect_init(&b->indirect, cpu->indirect.entries, cpu->indirect.history);
}

void branch_free(struct branch *b)
{
	lru_free(&b->history);
	tagged_free(&b->tagged);
	lru_free(&b->targets);
	lru_free(&b->all);
	lru_free(&b->base);
	indirect_free(&b->indirect);
}

static uint64_t *find_or_insert(struct lru_table *r, uint64_t key)
{
	uint64_t *value = lru_find(r, key);

	return value ? value : lru_insert(r, key);
}

/* A 2-bit saturating counter in the low bits of *v: returns what it said, then learns. */
static bool two_bit_counter(uint64_t *v, bool taken)
{
	uint64_t n = *v & 3;
	bool said = n >= 2;

	if (taken && n < 3)
		n++;
	else if (!taken && n > 0)
		n--;
	*v = (*v & ~3ull) | n;
	return said;
}

/* The history table knows a branch at one point of the past; what it knows is the last outcome. */
static bool history_direction(struct branch *b, uint64_t address, bool base_said, bool taken)
{
	uint64_t key = (b->past * 0xd6e8feb86659fd93ull) ^ (address * 0x9e3779b97f4a7c15ull);
	uint64_t *known = lru_find(&b->history, key);
	bool said = known ? *known & 1 : base_said;

	if (!known)
		known = lru_insert(&b->history, key);
	*known = taken;
	return said;
}

static bool direction(struct branch *b, uint64_t address, bool taken)
{
	uint64_t *base = find_or_insert(&b->base, address), hard = *base >> 8;
	bool said = two_bit_counter(base, taken), base_right = said == taken;

	if (b->kind == PREDICTOR_HISTORY && hard > HARD)
		said = history_direction(b, address, said, taken);
	if (b->kind == PREDICTOR_TAGGED)
		said = tagged_direction(&b->tagged, address, said, taken);
	if (!base_right)
		hard = hard + HARD_STEP > HARD_MOST ? HARD_MOST : hard + HARD_STEP;
	else if (hard)
		hard--;
	*base = hard << 8 | (*base & 0xff);
	b->past = b->past << 1 | taken;
	return said == taken;
}

/* Returns true if the table knows the target of a taken branch; the table knows it from now on. */
static bool knows(struct lru_table *r, uint64_t address, uint64_t next)
{
	uint64_t *known = find_or_insert(r, address);
	bool right = *known == next;

	*known = next;
	return right;
}

/*
 * Returns the level that knows the target of a taken branch, `unknown` if none does. Two levels
 * that both replace the least recently used entry, the second of which holds what the first one
 * gave up, hold together what one table of all their entries would.
 */
static enum prediction target(struct branch *b, uint64_t address, uint64_t next,
	enum prediction unknown)
{
	bool first = knows(&b->targets, address, next);
	bool any = b->all.capacity > b->targets.capacity && knows(&b->all, address, next);

	if (first)
		return PREDICTED_RIGHT;
	if (any)
		return PREDICTED_SOON;
	return unknown == PREDICTED_LATE && next - address <= b->near ? PREDICTED_RIGHT : unknown;
}

/* A call more than it holds replaces the oldest one; BEYOND_WRONG: all are lost until a return. */
static void push(struct branch *b, uint64_t address)
{
	if (b->beyond == BEYOND_WRONG && (b->lost || b->held == b->depth)) {
		b->lost = true;
		b->held = 0;
		return;
	}
	b->returns[b->top] = address;
	b->top = (b->top + 1) % b->depth;
	if (b->held < b->depth)
		b->held++;
}

static bool pop(struct branch *b, uint64_t next)
{
	b->lost = false;
	if (b->held == 0)
		return false;
	b->held--;
	b->top = (b->top + b->depth - 1) % b->depth;
	return b->returns[b->top] == next;
}

static enum prediction conditional(struct branch *b, const struct insn *i, uint64_t next)
{
	bool taken = next != i->address + i->bytes;
	enum prediction known =
		taken ? target(b, i->address, next, PREDICTED_LATE) : PREDICTED_RIGHT;

	if (b->kind == PREDICTOR_NEVER)
		return NOT_PREDICTED;
	if (b->kind != PREDICTOR_PERFECT && !direction(b, i->address, taken))
		return PREDICTED_WRONG;
	return known;
}

/* By the past, where that is known, else where it went last. */
static enum prediction indirect(struct branch *b, uint64_t address, uint64_t next)
{
	uint64_t said;
	bool by_past = indirect_said(&b->indirect, address, next, &said);
	enum prediction last = target(b, address, next, PREDICTED_WRONG);

	indirect_pass(&b->indirect, next);
	if (!by_past)
		return last;
	return said == next ? PREDICTED_RIGHT : PREDICTED_WRONG;
}

/* Without an entry of the stack, BEYOND_INDIRECT: as an indirect jump whose past is known. */
static enum prediction returned(struct branch *b, uint64_t address, uint64_t next)
{
	bool empty = b->held == 0, right = pop(b, next);
	uint64_t said;

	if (empty && b->beyond == BEYOND_INDIRECT)
		right = indirect_said(&b->indirect, address, next, &said) && said == next;
	indirect_pass(&b->indirect, next);
	return right ? PREDICTED_RIGHT : PREDICTED_WRONG;
}

enum prediction branch_predict(struct branch *b, const struct insn *i, uint64_t next)
{
	switch (i->kind) {
	case INSN_BRANCH:
		return conditional(b, i, next);
	case INSN_RETURN:
		return returned(b, i->address, next);
	case INSN_CALL:
		push(b, i->address + i->bytes);
		return target(b, i->address, next, PREDICTED_LATE);
	case INSN_CALL_INDIRECT:
		push(b, i->address + i->bytes);
		return indirect(b, i->address, next);
	case INSN_JUMP:
		return target(b, i->address, next, PREDICTED_LATE);
	case INSN_JUMP_INDIRECT:
		return indirect(b, i->address, next);
	default:
		return PREDICTED_RIGHT;
	}
}
