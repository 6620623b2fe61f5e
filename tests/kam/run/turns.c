/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/run/turns.h"

#define STACK (1u << 20) /* bytes: a core runs plain C, and Unicorn under it */

/* The running core whose clock is least, but for one; n: there is none. The first of equals. */
static unsigned most_behind(const struct turns *t, unsigned but)
{
	uint64_t least = UINT64_MAX;
	unsigned i, found = t->n;

	for (i = 0; i < t->n; i++) {
		uint64_t clock = t->core[i].running && i != but ? t->clock(t->priv, i) : UINT64_MAX;

		if (clock < least) {
			least = clock;
			found = i;
		}
	}
	return found;
}

uint64_t turns_others(const struct turns *t)
{
	unsigned other = most_behind(t, t->current);

	return other == t->n ? UINT64_MAX : t->clock(t->priv, other);
}

/* The current core's turn, until it is ahead of the others. */
static void begin_turn(struct turns *t)
{
	uint64_t others = turns_others(t), own = t->clock(t->priv, t->current);

	t->until = (others == UINT64_MAX ? own : others) + TURN_CYCLES;
	t->begins(t->priv);
}

static void switch_to(struct turns *t, unsigned core)
{
	unsigned from = t->current;

	t->current = core;
	begin_turn(t);
	if (core != from)
		swapcontext(&t->core[from].context, &t->core[core].context);
}

/* The function of a coroutine; makecontext passes integers only. */
static void run(unsigned high, unsigned low)
{
	struct turns *t = (struct turns *)(uintptr_t)((uint64_t)high << 32 | low);
	struct core_turn *c = &t->core[t->current];

	c->fn(c->arg);
	c->running = false;
	switch_to(t, most_behind(t, t->n)); /* core 0 always runs */
	abort();
}

void turns_init(struct turns *t, unsigned n, uint64_t (*clock)(void *priv, unsigned core),
	void (*begins)(void *priv), void *priv)
{
	memset(t, 0, sizeof(*t));
	t->n = n;
	t->clock = clock;
	t->begins = begins;
	t->priv = priv;
	t->core[0].running = true;
}

void turns_free(struct turns *t)
{
	unsigned i;

	for (i = 0; i < t->n; i++)
		free(t->core[i].stack);
}

void turns_start(struct turns *t, unsigned core, void (*fn)(void *), void *arg)
{
	struct core_turn *c = &t->core[core];
	uint64_t self = (uint64_t)(uintptr_t)t;

	if (c->running)
		fatal("core %u was started while it runs", core);
	if (!c->stack)
		c->stack = malloc(STACK);
	if (!c->stack || getcontext(&c->context))
		fatal("no stack for core %u", core);
	c->context.uc_stack.ss_sp = c->stack;
	c->context.uc_stack.ss_size = STACK;
	c->context.uc_link = NULL;
	makecontext(&c->context, (void (*)(void))run, 2, (unsigned)(self >> 32), (unsigned)self);
	c->fn = fn;
	c->arg = arg;
	c->running = true;
	begin_turn(t);
}

bool turns_running(const struct turns *t, unsigned core)
{
	return t->core[core].running;
}

void turns_yield(struct turns *t)
{
	switch_to(t, most_behind(t, t->n));
}
