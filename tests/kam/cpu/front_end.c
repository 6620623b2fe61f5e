/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/cpu.h"
#include "tests/kam/cpu/front_end.h"

#define CODE_LINE   64
#define JUMP_EDGE   32
#define LINES_APART 44 /* bits of the number of a window, below those of the line */
#define NOWHERE     UINT64_MAX

void front_end_init(struct front_end *f, const struct cpu *c)
{
	*f = (struct front_end){ .on = c->frontend.l1i > 0, .op_cache = c->frontend.ops > 0 };
	f->window = f->line = NOWHERE;
	if (!f->on)
		return;
	cache_init(&f->l1i, c->frontend.l1i / CODE_LINE, c->frontend.l1i_ways, POLICY_LRU, 1);
	if (f->op_cache)
		cache_init(&f->ops, c->frontend.ops / c->frontend.line_ops, c->frontend.ways,
			POLICY_LRU, 1);
}

void front_end_free(struct front_end *f)
{
	if (f->on)
		cache_free(&f->l1i);
	if (f->op_cache && f->on)
		cache_free(&f->ops);
}

void front_end_forget(struct front_end *f)
{
	if (!f->on)
		return;
	cache_invalidate_all(&f->l1i);
	if (f->op_cache)
		cache_invalidate_all(&f->ops);
}

/* All lines of a window are in the same set. */
static uint64_t line_number(const struct front_end *f, uint64_t window, unsigned line)
{
	return window + ((uint64_t)line * f->ops.sets << LINES_APART);
}

static void drop_window(struct front_end *f, uint64_t window, unsigned lines)
{
	for (unsigned i = 0; i < lines; i++) {
		uint64_t entry = cache_find(&f->ops, line_number(f, window, i));

		if (entry != CACHE_MISS)
			cache_invalidate(&f->ops, entry);
	}
}

static bool jumps(const struct insn *i)
{
	return i->kind >= INSN_BRANCH && i->kind <= INSN_RETURN;
}

/* Looks for the op in the op cache, where a line of it begins; a window that may not be in goes. */
static void look_for_op(struct front_end *f, const struct cpu *c, const struct insn *i)
{
	uint64_t window = i->address / c->frontend.window, end = i->address + i->bytes;
	unsigned line;

	if (window != f->window || i->address != f->behind)
		f->in_window = 0;
	f->window = window;
	line = f->in_window / (unsigned)c->frontend.line_ops;
	if (f->in_window++ % c->frontend.line_ops == 0)
		f->held = cache_use(&f->ops, line_number(f, window, line));
	if (c->frontend.erratum && jumps(i) && i->address / JUMP_EDGE != end / JUMP_EDGE)
		drop_window(f, window, line + 1);
}

/* Returns the time that an instruction takes after its predecessor, in units. */
static uint64_t cost(struct front_end *f, const struct cpu *c, const struct insn *i)
{
	uint64_t line = i->address / CODE_LINE, bytes, decode;

	if (f->op_cache)
		look_for_op(f, c, i);
	if (f->held)
		return FRONT_END_UNIT / c->frontend.per_cycle;
	if (line != f->line || i->address != f->behind)
		f->in_l1i = cache_use(&f->l1i, line);
	f->line = line;
	bytes = i->bytes * FRONT_END_UNIT / (f->in_l1i ? c->frontend.fetch : c->frontend.fetch_l2);
	decode = FRONT_END_UNIT / c->frontend.decode;
	return (bytes > decode ? bytes : decode) +
		(i->hard ? c->frontend.prefix * FRONT_END_UNIT : 0);
}

uint64_t front_end_enter(struct front_end *f, const struct cpu *c, const struct insn *i, uint64_t t)
{
	if (!f->on)
		return t;
	if (f->at < t * FRONT_END_UNIT)
		f->at = t * FRONT_END_UNIT;
	t = f->at / FRONT_END_UNIT;
	f->at += cost(f, c, i);
	f->behind = i->address + i->bytes;
	return t;
}
