/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/judge/settling.h"
#include "tests/kam/judge/stream_feed.h"
#include "tests/kam/judge/stream_oracle.h"

#define PAGE          (2ull << 20)
#define SMALL_PAGE    4096
#define TURN          16          /* accesses between two branches */
#define ACCESSES      (32u << 10) /* of a call, at least */
#define KNOWN         1024        /* rates that are kept: more than a machine's rows ask for */
#define BETWEEN_CALLS 500         /* cycles of plain C */
#define STEADY        3           /* times the last cache: no more is needed where LRU replaces */
#define STEADY_SOFT   6           /* likewise where it does not, or a hash spreads the lines */

static void access_one(struct feed *s, enum stream_op kind, uint64_t to, uint64_t from,
	unsigned width, unsigned place)
{
	if (kind == STREAM_READ && width == 1)
		feed_byte(s, to, place);
	else if (kind == STREAM_READ)
		feed_load(s, to, width, place);
	else if (kind == STREAM_COPY)
		feed_copy_load(s, from, width, place);
	if (kind != STREAM_READ)
		feed_store(s, to, width, place, kind == STREAM_COPY);
}

/*
 * Walk a part of a pass over `bytes` of each buffer, `apart` from one access to the next. Both
 * buffers begin with a page, as in the probe.
 */
static void walk(struct feed *s, enum stream_op kind, uint64_t bytes, uint64_t apart,
	unsigned width, uint64_t from, uint64_t to)
{
	uint64_t offset = from,
		 other = FEED_BASE + (bytes + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE;
	unsigned i;

	s->at = FEED_CODE;
	while (offset < to) {
		for (i = 0; i < TURN; i++, offset += apart)
			access_one(s, kind, FEED_BASE + offset, other + offset, width, i);
		feed_close(s, kind == STREAM_COPY ? 2 : 1, offset >= bytes);
	}
}

static uint64_t enough(const struct cpu *c, uint64_t bytes)
{
	uint64_t most = STEADY * c->level[cpu_levels(c) - 1].bytes;
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++)
		if (c->level[i].policy != POLICY_LRU || c->level[i].hash != HASH_NONE)
			most = STEADY_SOFT * c->level[cpu_levels(c) - 1].bytes;
	return bytes > most ? most / PAGE * PAGE + PAGE : bytes;
}

/*
 * Returns the bytes per cycle of a call. It saves registers, begins when all is done, and has as
 * many passes as the probe makes. The line of the stack matters: if the buffer fills whole sets,
 * that line displaces one of the buffer's, and the rest may settle in another order.
 */
static double call(struct feed *s, enum stream_op kind, uint64_t each, uint64_t apart,
	unsigned width)
{
	uint64_t bytes = kind == STREAM_COPY ? 2 * each : each, from, i;
	uint64_t passes = bytes < ACCESSES * apart ? ACCESSES * apart / bytes : 1;

	feed_store(s, FEED_STACK, 8, 0, false);
	model_idle(s->model, BETWEEN_CALLS);
	from = s->model->barrier;
	for (i = 0; i < passes; i++)
		walk(s, kind, each, apart, width, 0, each);
	return (double)(passes * bytes) / (double)(s->model->retired - from);
}

/*
 * Returns the rate of the first walk through memory, once the caches are full and write back. On
 * some machines its order differs from that of the second walk and all later ones.
 */
static double first_walk(struct feed *s, enum stream_op kind, uint64_t each, uint64_t apart,
	unsigned width)
{
	uint64_t half = each / 2 / (TURN * apart) * (TURN * apart),
		 sides = kind == STREAM_COPY ? 2 : 1;
	uint64_t from;

	walk(s, kind, each, apart, width, 0, half);
	from = s->model->retired;
	walk(s, kind, each, apart, width, half, each);
	return (double)(sides * (each - half)) / (double)(s->model->retired - from);
}

static struct stream_rate walked(const struct cpu *c, enum stream_op kind, uint64_t bytes,
	uint64_t apart, unsigned width)
{
	bool far = kind != STREAM_READ && bytes >= 2 * c->level[cpu_levels(c) - 1].bytes;
	uint64_t each = enough(c, bytes) / (kind == STREAM_COPY ? 2 : 1);
	struct settling calls = { 0 };
	struct feed s;
	double first;

	each = each / (TURN * apart) * (TURN * apart);
	feed_begin(&s, c, bytes,
		apart == width ? bandwidth_loop(kind, width) : loop_read_byte_per_line);
	first = far ? first_walk(&s, kind, each, apart, width) : NAN;
	while (settling_goes_on(&calls, call(&s, kind, each, apart, width)))
		;
	feed_end(&s);
	return (struct stream_rate){ fmin(first, calls.low), fmax(first, calls.high) };
}

struct stream_rate stream_rate_once(const struct cpu *c, const struct stream_question *q)
{
	static struct {
		char machine[sizeof(c->name)];
		uint64_t node;
		struct stream_question asked;
		struct stream_rate rate;
	} known[KNOWN];
	static unsigned n;
	unsigned i;

	for (i = 0; i < n && i < KNOWN; i++)
		if (!strcmp(known[i].machine, c->name) && known[i].node == c->arena_node &&
			known[i].asked.simulate == q->simulate &&
			!memcmp(known[i].asked.asked, q->asked, sizeof(q->asked)))
			return known[i].rate;
	i = n++ % KNOWN;
	strcpy(known[i].machine, c->name);
	known[i].node = c->arena_node;
	known[i].asked = *q;
	known[i].rate = q->simulate(c, q->asked);
	return known[i].rate;
}

static struct stream_rate simulate(const struct cpu *c, const uint64_t asked[4])
{
	return walked(c, asked[0], asked[1], asked[2], (unsigned)asked[3]);
}

struct stream_rate stream_oracle(const struct cpu *c, enum stream_op kind, uint64_t bytes,
	unsigned width)
{
	return stream_rate_once(c,
		&(struct stream_question){ simulate, { kind, bytes, width, width } });
}

struct stream_rate line_oracle(const struct cpu *c, uint64_t bytes)
{
	return stream_rate_once(c,
		&(struct stream_question){ simulate, { STREAM_READ, bytes, 64, 1 } });
}
