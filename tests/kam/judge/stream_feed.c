/* SPDX-License-Identifier: MIT */
#include "tests/kam/judge/stream_feed.h"

#define CODE_BYTES 8 /* of an instruction */

void feed_step(struct feed *s, struct insn i, uint64_t load, uint64_t store, uint64_t next)
{
	struct insn_run r = { load, store, next };

	i.address = s->at;
	i.bytes = CODE_BYTES;
	s->at += CODE_BYTES;
	if (!r.next)
		r.next = s->at;
	model_step(s->model, &i, &r);
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

void feed_close(struct feed *s, unsigned cursors, bool last)
{
	unsigned i;

	for (i = 0; i <= cursors; i++)
		feed_step(s,
			(struct insn){ .cost = COST_ONE,
				.sources = REG_BIT(i),
				.results = REG_BIT(i) | REG_FLAGS },
			0, 0, 0);
	feed_step(s, (struct insn){ .kind = INSN_BRANCH, .sources = REG_FLAGS }, 0, 0,
		last ? 0 : FEED_CODE);
	s->at = FEED_CODE;
}
