/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/judge/stream_feed.h"

#define CODE_BYTES 8 /* of an instruction */
#define PAGE       (2ull << 20)

void feed_begin(struct feed *s, const struct cpu *c, uint64_t bytes, loop_fn *loop)
{
	uint64_t mapped = (bytes / PAGE + 2) * PAGE;

	*s = (struct feed){ .cpu = *c, .model = calloc(1, sizeof(*s->model)), .at = FEED_CODE };
	s->padding = turn_padding(loop);
	s->cpu.cpus = 1;
	if (c->arena_node)
		s->chip = calloc(1, sizeof(*s->chip));
	if (!s->model || (c->arena_node && !s->chip))
		fatal("no memory for a model");
	if (s->chip) {
		chip_init(s->chip, &s->cpu);
		chip_place(s->chip, FEED_BASE, mapped, (unsigned)c->arena_node);
		model_init_core(s->model, &s->cpu, chip_uncore(s->chip, 0));
		chip_join(s->chip, 0, &s->model->memory);
	} else {
		model_init(s->model, &s->cpu);
	}
	memory_map_pages(&s->model->memory, FEED_BASE, mapped, PAGE);
}

void feed_end(struct feed *s)
{
	model_free(s->model);
	free(s->model);
	if (s->chip)
		chip_free(s->chip);
	free(s->chip);
}

void feed_step(struct feed *s, struct insn i, uint64_t load, uint64_t store, uint64_t next)
{
	struct insn_run r = { load, store, next };

	i.address = s->at;
	i.bytes = CODE_BYTES;
	s->at += CODE_BYTES;
	if (!r.next)
		r.next = s->at;
	model_step(s->model, &i, &r);
	if (s->chip)
		s->chip->now = model_clock(s->model);
}

void feed_load(struct feed *s, uint64_t address, unsigned width, unsigned place)
{
	uint64_t sum = REG_VECTOR(place % 8);
	bool add = place % 4 == 0;

	feed_step(s,
		(struct insn){ .cost = add ? COST_ONE : COST_NONE,
			.load_bytes = (uint16_t)width,
			.address_sources = REG_BIT(0),
			.sources = add ? sum : 0,
			.results = sum },
		address, 0, 0);
}

void feed_byte(struct feed *s, uint64_t address, unsigned place)
{
	const uint64_t byte = REG_BIT(4), sum = REG_BIT(8 + place % 4);

	feed_step(s,
		(struct insn){ .load_bytes = 1, .address_sources = REG_BIT(0), .results = byte },
		address, 0, 0);
	feed_step(s,
		(struct insn){
			.cost = COST_ONE, .sources = byte | sum, .results = sum | REG_FLAGS },
		0, 0, 0);
}

void feed_store(struct feed *s, uint64_t address, unsigned width, unsigned place, bool copied)
{
	feed_step(s,
		(struct insn){ .store_bytes = (uint16_t)width,
			.address_sources = REG_BIT(0),
			.sources = copied ? REG_VECTOR(place % 8) : 0 },
		0, address, 0);
}

void feed_copy_load(struct feed *s, uint64_t address, unsigned width, unsigned place)
{
	feed_step(s,
		(struct insn){ .load_bytes = (uint16_t)width,
			.address_sources = REG_BIT(1),
			.results = REG_VECTOR(place % 8) },
		address, 0, 0);
}

/* Move a cursor, or the counter, on. */
static void move_on(struct feed *s, unsigned reg)
{
	feed_step(s,
		(struct insn){ .cost = COST_ONE,
			.sources = REG_BIT(reg),
			.results = REG_BIT(reg) | REG_FLAGS },
		0, 0, 0);
}

void feed_close(struct feed *s, unsigned cursors, bool last)
{
	unsigned i;

	for (i = 0; i < cursors; i++)
		move_on(s, i);
	for (i = 0; i < s->padding; i++)
		feed_step(s, (struct insn){ .cost = COST_NONE }, 0, 0, 0);
	move_on(s, cursors);
	feed_step(s, (struct insn){ .kind = INSN_BRANCH, .sources = REG_FLAGS }, 0, 0,
		last ? 0 : FEED_CODE);
	s->at = FEED_CODE;
}
