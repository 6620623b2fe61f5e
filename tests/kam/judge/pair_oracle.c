/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/judge/pair_oracle.h"
#include "tests/kam/judge/settling.h"
#include "tests/kam/judge/stream_feed.h"

#define SMALL_PAGE    4096
#define LINE          64 /* bytes that a mix takes from one stream at a time */
#define WIDTH         16
#define AT_ONCE       2 /* bytes copied between two branches */
#define BETWEEN_CALLS 500
#define STEADY        6 /* times what the last cache holds: a longer strided walk shows no more */

/* Two buffers, and how they are walked. */
struct walked_pair {
	uint64_t to, from;
	uint64_t turns; /* of the loop, in a walk */
	unsigned reads; /* of a mix: lines for each that is written */
	uint64_t stride;
};

typedef void turn(struct feed *, const struct walked_pair *, uint64_t i, bool last);

static void mix_turn(struct feed *s, const struct walked_pair *p, uint64_t i, bool last)
{
	unsigned k;

	for (k = 0; k < p->reads * (LINE / WIDTH); k++)
		feed_load(s, p->from + i * p->reads * LINE + k * WIDTH, WIDTH, k);
	for (k = 0; k < LINE / WIDTH; k++)
		feed_store(s, p->to + i * LINE + k * WIDTH, WIDTH, k, false);
	feed_close(s, 2, last);
}

/* Load and store a byte, and move the one index of both arrays on. */
static void copy_byte(struct feed *s, const struct walked_pair *p, uint64_t offset)
{
	const uint64_t data = REG_BIT(4), index = REG_BIT(5);

	feed_step(s,
		(struct insn){ .load_bytes = 1,
			.address_sources = REG_BIT(1) | index,
			.indexed = true,
			.results = data },
		p->from + offset, 0, 0);
	feed_step(s,
		(struct insn){ .store_bytes = 1,
			.address_sources = REG_BIT(0) | index,
			.indexed = true,
			.sources = data },
		0, p->to + offset, 0);
	feed_step(s,
		(struct insn){ .cost = COST_ONE, .sources = index, .results = index | REG_FLAGS },
		0, 0, 0);
}

static void stride_turn(struct feed *s, const struct walked_pair *p, uint64_t i, bool last)
{
	unsigned k;

	for (k = 0; k < AT_ONCE; k++)
		copy_byte(s, p, (i * AT_ONCE + k) * p->stride);
	feed_close(s, 0, last);
}

static void walk(struct feed *s, const struct walked_pair *p, turn *one, uint64_t from, uint64_t to)
{
	uint64_t i;

	s->at = FEED_CODE;
	for (i = from; i < to; i++)
		one(s, p, i, i + 1 == p->turns);
}

/*
 * Returns the cycles of a turn: in the second half of the first walk, and in calls until they
 * settle.
 */
static struct stream_rate cycles_of_turn(const struct cpu *c, const struct walked_pair *p,
	turn *one, uint64_t bytes, loop_fn *loop)
{
	struct feed s;
	struct model *m;
	uint64_t half = p->turns / 2, since;
	struct settling calls = { 0 };
	double first;

	feed_begin(&s, c, bytes, loop);
	m = s.model;
	walk(&s, p, one, 0, half);
	since = m->retired;
	walk(&s, p, one, half, p->turns);
	first = (double)(m->retired - since) / (double)(p->turns - half);
	do {
		feed_store(&s, FEED_STACK, 8, 0, false);
		model_idle(m, BETWEEN_CALLS);
		since = m->barrier;
		walk(&s, p, one, 0, p->turns);
	} while (settling_goes_on(&calls, (double)(m->retired - since) / (double)p->turns));
	feed_end(&s);
	return (struct stream_rate){ fmin(first, calls.low), fmax(first, calls.high) };
}

static uint64_t fewer(uint64_t turns, const struct cpu *c, uint64_t bytes_of_turn)
{
	uint64_t most = STEADY * c->level[cpu_levels(c) - 1].bytes / bytes_of_turn;

	return turns < most ? turns : most;
}

static struct stream_rate simulate_mix(const struct cpu *c, const uint64_t asked[4])
{
	uint64_t reads = asked[0], bytes = asked[1];
	static loop_fn *const loops[] = { loop_mix_1_1_128, loop_mix_2_1_128, loop_mix_3_1_128 };
	uint64_t written = bytes / (reads + 1) / LINE * LINE, moved = (reads + 1) * LINE;
	const struct walked_pair p = {
		.to = FEED_BASE,
		.from = FEED_BASE + (written + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE,
		.turns = written / LINE,
		.reads = (unsigned)reads,
	};
	struct stream_rate cycles = cycles_of_turn(c, &p, mix_turn, bytes, loops[reads - 1]);

	return (struct stream_rate){ (double)moved / cycles.high, (double)moved / cycles.low };
}

struct stream_rate mix_oracle(const struct cpu *c, unsigned reads, uint64_t bytes)
{
	return stream_rate_once(c, &(struct stream_question){ simulate_mix, { reads, bytes } });
}

static struct stream_rate simulate_stride(const struct cpu *c, const uint64_t asked[4])
{
	uint64_t stride = asked[0], bytes = asked[1];
	uint64_t each = stride < c->line ? stride : c->line;
	const struct walked_pair p = {
		.to = FEED_BASE,
		.from = FEED_BASE + bytes / 2,
		.turns = fewer(bytes / 2 / stride / AT_ONCE, c, 2 * AT_ONCE * each),
		.stride = stride,
	};
	struct stream_rate cycles = cycles_of_turn(c, &p, stride_turn, bytes, loop_stride_copy);

	return (struct stream_rate){ cycles.low / AT_ONCE, cycles.high / AT_ONCE };
}

struct stream_rate stride_oracle(const struct cpu *c, uint64_t stride, uint64_t bytes)
{
	return stream_rate_once(c, &(struct stream_question){ simulate_stride, { stride, bytes } });
}
