/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/run/core_set.h"

/* Loads of one word in a row that show that a loop does nothing but wait for it to change. */
#define WAITS 16

/* A core is where its latest request to what is shared is, if that is ahead of its front end. */
static uint64_t clock_of(void *priv, unsigned core)
{
	struct core *c = &((struct cores *)priv)->core[core];
	uint64_t clock = model_clock(&c->model);

	return clock > c->requested ? clock : c->requested;
}

/* Forget the time before all cores. */
static void begins(void *priv)
{
	struct cores *s = priv;
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < s->n; i++)
		if (turns_running(&s->turns, i) && model_clock(&s->core[i].model) < least)
			least = model_clock(&s->core[i].model);
	if (s->chip.now < least)
		s->chip.now = least;
}

struct core *cores_current(struct cores *s)
{
	return &s->core[s->turns.current];
}

static void yield_if_due(struct cores *s)
{
	if (clock_of(s, s->turns.current) > s->turns.until)
		turns_yield(&s->turns);
}

/*
 * Between two blocks. A core that only waits for a word need not be run while nobody writes it: it
 * goes on when the core that is most behind does.
 */
static void between_blocks(void *priv)
{
	struct cores *s = priv;
	struct core *c = cores_current(s);
	uint64_t others = c->emulator.again < WAITS ? UINT64_MAX : turns_others(&s->turns);

	if (others != UINT64_MAX)
		model_wait_until(&c->model, others);
	yield_if_due(s);
}

/* The current core is about to ask for something shared at a cycle: others may have been first. */
static void requests(void *priv, uint64_t cycle)
{
	struct cores *s = priv;

	if (cores_current(s)->requested < cycle)
		cores_current(s)->requested = cycle;
	yield_if_due(s);
}

static void open_several(struct cores *s, const struct cpu *cpu)
{
	unsigned i;

	chip_init(&s->chip, cpu);
	s->chip.requests = requests;
	s->chip.priv = s;
	for (i = 0; i < s->n; i++) {
		struct core *c = &s->core[i];

		model_init_core(&c->model, cpu, chip_uncore(&s->chip, i));
		tsc_of_core(&c->model.clock, cpu, i);
		chip_join(&s->chip, i, &c->model.memory);
		emulator_open(&c->emulator, &c->model);
		c->emulator.between = between_blocks;
		c->emulator.between_priv = s;
	}
}

void cores_open(struct cores *s, const struct cpu *cpu)
{
	*s = (struct cores){ .n = (unsigned)cpu->cpus };
	s->core = calloc(s->n, sizeof(*s->core));
	if (!s->core)
		fatal("no memory for %u cores", s->n);
	turns_init(&s->turns, s->n, clock_of, begins, s);
	if (s->n > 1) {
		open_several(s, cpu);
		return;
	}
	model_init(&s->core->model, cpu);
	emulator_open(&s->core->emulator, &s->core->model);
}

void cores_close(struct cores *s)
{
	unsigned i;

	for (i = 0; i < s->n; i++) {
		emulator_close(&s->core[i].emulator);
		model_free(&s->core[i].model);
	}
	if (s->n > 1)
		chip_free(&s->chip);
	turns_free(&s->turns);
	free(s->core);
}

void cores_map(struct cores *s, void *base, size_t bytes, uint32_t permissions)
{
	for (unsigned i = 0; i < s->n; i++)
		emulator_map(&s->core[i].emulator, base, bytes, permissions);
}

void cores_unmap(struct cores *s, void *base, size_t bytes)
{
	for (unsigned i = 0; i < s->n; i++)
		emulator_unmap(&s->core[i].emulator, base, bytes);
}

void cores_map_pages(struct cores *s, uint64_t base, uint64_t bytes, uint64_t page_bytes)
{
	for (unsigned i = 0; i < s->n; i++)
		memory_map_pages(&s->core[i].model.memory, base, bytes, page_bytes);
}

void cores_map_parts(struct cores *s, uint64_t base, uint64_t bytes)
{
	for (unsigned i = 0; i < s->n; i++)
		memory_map_parts(&s->core[i].model.memory, base, bytes);
}

void cores_pass(struct cores *s, uint64_t cycles)
{
	model_idle(&cores_current(s)->model, cycles);
	yield_if_due(s);
}

void cores_start(struct cores *s, unsigned core, void (*fn)(void *), void *arg)
{
	model_wait_until(&s->core[core].model, model_clock(&cores_current(s)->model));
	turns_start(&s->turns, core, fn, arg);
}

void cores_join(struct cores *s, unsigned core)
{
	while (turns_running(&s->turns, core)) {
		model_wait_until(&cores_current(s)->model, turns_others(&s->turns) + TURN_CYCLES);
		turns_yield(&s->turns);
	}
	model_wait_until(&cores_current(s)->model, model_clock(&s->core[core].model));
}
