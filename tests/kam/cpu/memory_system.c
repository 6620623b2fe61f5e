/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tests/kam/cpu/chip.h"
#include "tests/kam/cpu/coherence.h"
#include "tests/kam/cpu/memory_system.h"
#include "tests/kam/cpu/neighbour.h"
#include "tests/kam/cpu/prefetch_model.h"
#include "tests/kam/cpu/translate.h"

/* Returns true if a miss that goes below L2 needs one of a limited number of buffers there. */
static bool l2_limited(const struct memory *m, unsigned from)
{
	return from > 1 && m->cpu->level[1].buffers;
}

static uint64_t per_line(const struct cpu *cpu, uint64_t bytes_per_cycle)
{
	return bytes_per_cycle ? (cpu->line + bytes_per_cycle - 1) / bytes_per_cycle : 1;
}

/* The core's own caches, and behind them the one that it shares. */
static void init_caches(struct memory *m, const struct cpu *cpu)
{
	unsigned i;

	for (i = 0; i < cpu_private_levels(cpu); i++) {
		level_init(&m->own[i], cpu, i);
		m->level[i] = &m->own[i];
	}
	if (i < m->levels)
		m->level[i] = &m->uncore->last;
}

void memory_init(struct memory *m, const struct cpu *cpu, struct uncore *uncore,
	const uint64_t *now)
{
	unsigned i;

	memset(m, 0, sizeof(*m));
	m->cpu = cpu;
	m->uncore = uncore;
	m->levels = cpu_levels(cpu);
	m->line_shift = (unsigned)__builtin_ctzll(cpu->line);
	init_caches(m, cpu);
	for (i = 0; i < cpu->banks; i++)
		reservations_init(&m->l1_buffers[i], cpu->level[0].buffers / cpu->banks, now);
	reservations_init(&m->l2_buffers, cpu->level[1].buffers ? cpu->level[1].buffers : 255, now);
	for (i = 0; i + 1 < m->levels; i++) {
		reservations_init(&m->pipe[i], 1, now);
		m->pipe_cycles[i] = per_line(cpu, cpu->level[i + 1].fill_bytes);
	}
	translate_init(m, now);
	neighbour_init(m);
}

void memory_free(struct memory *m)
{
	unsigned i;

	for (i = 0; i < cpu_private_levels(m->cpu); i++)
		cache_free(&m->own[i]);
	for (i = 0; i < m->cpu->banks; i++)
		reservations_free(&m->l1_buffers[i]);
	reservations_free(&m->l2_buffers);
	for (i = 0; i + 1 < m->levels; i++)
		reservations_free(&m->pipe[i]);
	translate_free(m);
}

void memory_forget(struct memory *m)
{
	unsigned i;

	for (i = 0; i < m->levels; i++)
		cache_invalidate_all(m->level[i]);
	memory_flush_tlbs(m);
	memset(m->streams, 0, sizeof(m->streams));
	memset(m->strides, 0, sizeof(m->strides));
}

/* Returns the level that holds a line, or m->levels for memory. */
static unsigned lookup(const struct memory *m, uint64_t line, uint64_t *where)
{
	unsigned i;

	for (i = 0; i < m->levels; i++) {
		*where = cache_find(m->level[i], line);
		if (*where != CACHE_MISS)
			return i;
	}
	return m->levels;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Returns the latency of a load from level `from`, or from memory. */
static uint64_t latency(const struct memory *m, uint64_t line, unsigned from)
{
	return from < m->levels ? m->cpu->level[from].latency : uncore_latency(m->uncore, line);
}

/* When a load that has its buffers at cycle t goes on: memory may be away for a refresh. */
static uint64_t reached(const struct memory *m, unsigned from, uint64_t t)
{
	return from < m->levels ? t : t + dram_refresh_left(m->cpu, t);
}

/* Books the pipe that fills level i from t on and returns by how much that delays. */
static uint64_t occupy_pipe(struct memory *m, unsigned i, uint64_t t)
{
	return reserve(&m->pipe[i], t, m->pipe_cycles[i]) - t;
}

/* The level that holds only what the one above gave up; 0: none. */
static unsigned victim_level(const struct memory *m)
{
	return m->cpu->level[m->levels - 1].victim ? m->levels - 1 : 0;
}

static void evict(struct memory *m, unsigned from, uint64_t line, bool dirty, uint64_t t);

/* Puts a line into a level; what it replaces moves on to the next one if that wants it. */
static void fill(struct memory *m, unsigned i, uint64_t line, uint64_t ready, bool dirty)
{
	uint64_t victim, where;
	bool victim_dirty;

	where = cache_insert(m->level[i], line, &victim, &victim_dirty);
	m->level[i]->lines[where].ready = ready;
	m->level[i]->lines[where].dirty = dirty;
	if (victim != CACHE_MISS && (victim_dirty || i + 1 == victim_level(m)))
		evict(m, i, victim, victim_dirty, ready);
}

/*
 * A line leaves level `from`: to a level of victims any line has a way of its own, else a dirty one
 * takes the pipe to the next level or to memory, and a clean one goes nowhere.
 */
static void evict(struct memory *m, unsigned from, uint64_t line, bool dirty, uint64_t t)
{
	unsigned to = from + 1;
	uint64_t where;

	if (to >= m->levels) {
		uncore_channel(m->uncore, line, t);
		return;
	}
	if (dirty && to != victim_level(m))
		occupy_pipe(m, from, t);
	where = cache_find(m->level[to], line);
	if (where == CACHE_MISS)
		fill(m, to, line, t, dirty);
	else
		m->level[to]->lines[where].dirty |= dirty;
}

/* A line comes from level or memory `from` to the levels above, up to level `to`. */
static void bring(struct memory *m, uint64_t line, unsigned from, uint64_t where, unsigned to,
	bool write, uint64_t ready)
{
	unsigned victims = victim_level(m), i = from;
	bool dirty = false;

	if (victims && from == victims) { /* it moves: no copy stays */
		dirty = m->level[from]->lines[where].dirty;
		cache_invalidate(m->level[from], where);
	} else if (from < m->levels) {
		cache_touch(m->level[from], where);
	}
	if (victims && from == m->levels)
		i--;
	while (i-- > to) {
		fill(m, i, line, ready, dirty || (i == 0 && write));
		dirty = false;
	}
}

static struct reservations *l1_buffers(struct memory *m, uint64_t line)
{
	return &m->l1_buffers[line & (m->cpu->banks - 1)];
}

/* Starts no earlier than t, with a buffer free at each level that the miss passes. */
static uint64_t buffer_start(struct memory *m, uint64_t line, unsigned from, uint64_t t,
	uint64_t duration)
{
	uint64_t a = t, b = t;

	do {
		a = reservations_find(l1_buffers(m, line), b, duration);
		b = l2_limited(m, from) ? reservations_find(&m->l2_buffers, a, duration) : a;
	} while (a != b);
	return a;
}

/* The delay by the pipes between level or memory `from` and level `to`, for a request at t. */
static uint64_t pipes(struct memory *m, uint64_t line, unsigned from, unsigned to, uint64_t t)
{
	uint64_t delay = 0;
	unsigned i;

	if (from == m->levels)
		delay += uncore_channel(m->uncore, line, t) - t;
	for (i = from < m->levels ? from : m->levels - 1; i-- > to;)
		delay += occupy_pipe(m, i, t + delay);
	return delay;
}

/* Others bring lines to the last cache in proportion to this core's accesses to it. */
static void others_bring(struct memory *m, uint64_t t)
{
	uint64_t line;

	m->others_due += m->cpu->others;
	while (neighbour_brings(m, &line))
		fill(m, m->levels - 1, line, t, false);
}

/*
 * A miss in L1: books what it needs, fills the levels; when the data are there. A line that another
 * core supplies comes by the way of the last cache.
 */
static uint64_t miss(struct memory *m, uint64_t line, unsigned from, uint64_t where, bool write,
	uint64_t t, const struct transfer *x)
{
	uint64_t wait = max_u64(x->wait, x->supplied ? 0 : latency(m, line, from)), start, at, done;

	start = buffer_start(m, line, from, t, wait);
	at = x->supplied ? start : reached(m, from, start);
	done = at + wait +
		pipes(m, line, x->supplied && from == m->levels ? from - 1 : from, 0, at);
	done = max_u64(done, x->ready + x->wait);
	if (from < m->levels)
		done = max_u64(done, m->level[from]->lines[where].ready);
	reservations_add(l1_buffers(m, line), start, done - start);
	if (l2_limited(m, from))
		reservations_add(&m->l2_buffers, start, done - start);
	bring(m, line, from, where, 0, write, done);
	if (m->cpu->others && from + 1 >= m->levels)
		others_bring(m, done);
	return done;
}

/* A line of which L1 has entry `where`; others that had it gave it up, if it is written. */
static uint64_t hit(struct memory *m, uint64_t where, bool write, uint64_t t,
	const struct transfer *x)
{
	struct cache_line *l = &m->level[0]->lines[where];

	cache_touch(m->level[0], where);
	l->dirty |= write;
	if (x->wait)
		l->ready = max_u64(t, l->ready) + x->wait;
	return max_u64(t + m->cpu->level[0].latency, l->ready);
}

/*
 * Cores book what they share in the order in which they come to need it; one that needs something
 * only later, when a miss buffer is free or an address is known, comes later.
 */
static void wait_for_turn(struct memory *m, uint64_t line, uint64_t t)
{
	const struct chip *c = m->uncore->chip;
	uint64_t where, cycles;
	unsigned from;

	if (!c || !c->requests)
		return;
	from = lookup(m, line, &where);
	if (from < cpu_private_levels(m->cpu))
		return;
	cycles = from < m->levels ? m->cpu->level[from].latency : m->cpu->memory_latency;
	c->requests(c->priv, buffer_start(m, line, from, t, cycles));
}

/* Nobody else has to do with the line. */
static const struct transfer alone;

static uint64_t access_line(struct memory *m, uint64_t line, bool write, uint64_t t)
{
	struct transfer x = alone;
	uint64_t where, done;
	unsigned from;

	wait_for_turn(m, line, t);
	if (m->uncore->chip)
		x = coherence_request(m, line, write, t);
	from = lookup(m, line, &where);
	m->served[write][from]++;
	if (from == 0)
		return hit(m, where, write, t, &x);
	done = miss(m, line, from, where, write, t, &x);
	prefetch_on_miss(m, line, from, t);
	return done;
}

uint64_t memory_walk_load(struct memory *m, uint64_t address, uint64_t t)
{
	uint64_t line = address >> m->line_shift, where;
	unsigned from = lookup(m, line, &where);

	return from == 0 ? hit(m, where, false, t, &alone)
			 : miss(m, line, from, where, false, t, &alone);
}

void memory_warm(const struct memory *m, uint64_t address)
{
	unsigned i;

	for (i = 1; i < m->levels; i++)
		cache_warm(m->level[i], address >> m->line_shift);
}

uint64_t memory_access(struct memory *m, uint64_t address, uint64_t bytes, bool write, uint64_t t)
{
	uint64_t first = address >> m->line_shift, last = (address + bytes - 1) >> m->line_shift;
	uint64_t done, other;

	neighbour_at(m, t);
	t = translate(m, address, t);
	done = access_line(m, first, write, t);
	if (last == first)
		return done;
	if ((address ^ (address + bytes - 1)) >> 12)
		t = translate(m, address + bytes - 1, t);
	other = access_line(m, last, write, t);
	return done > other ? done : other;
}

void memory_prefetch(struct memory *m, uint64_t line, unsigned to, uint64_t t)
{
	uint64_t where, start, at, done, wait;
	unsigned from = lookup(m, line, &where);

	if (from <= to || (m->uncore->chip && coherence_modified_elsewhere(m, line)))
		return;
	wait = latency(m, line, from);
	if (to == 0 && reservations_find(l1_buffers(m, line), t, wait) != t)
		return; /* no buffer is free: it is given up */
	start = l2_limited(m, from) ? reservations_find(&m->l2_buffers, t, wait) : t;
	at = reached(m, from, start);
	done = at + wait + pipes(m, line, from, to, at);
	if (to == 0)
		reservations_add(l1_buffers(m, line), start, done - start);
	if (l2_limited(m, from))
		reservations_add(&m->l2_buffers, start, done - start);
	bring(m, line, from, where, to, false, done);
}

/* Drops a line everywhere; whether it had been written. */
static bool invalidate(struct memory *m, uint64_t line)
{
	bool dirty = m->uncore->chip && coherence_drop(m, line);
	uint64_t where;
	unsigned i;

	for (i = 0; i < m->levels; i++) {
		where = cache_find(m->level[i], line);
		if (where == CACHE_MISS)
			continue;
		dirty |= m->level[i]->lines[where].dirty;
		cache_invalidate(m->level[i], where);
	}
	return dirty;
}

uint64_t memory_write_nt(struct memory *m, uint64_t line, uint64_t t)
{
	uint64_t gap = m->cpu->memory_gap, booked = gap;

	invalidate(m, line);
	for (t = uncore_channel(m->uncore, line, t); booked < m->cpu->memory_nt_gap; booked += gap)
		t = uncore_channel(m->uncore, line, t);
	return t + gap;
}

uint64_t memory_write_back(struct memory *m)
{
	uint64_t n = 0, line;
	unsigned i;

	for (i = 0; i < m->levels; i++) {
		for (line = 0; line < (uint64_t)m->level[i]->sets * m->level[i]->ways; line++)
			n += m->level[i]->lines[line].tag && m->level[i]->lines[line].dirty;
		cache_invalidate_all(m->level[i]);
	}
	return n;
}

void memory_flush(struct memory *m, uint64_t address, uint64_t t)
{
	uint64_t line = address >> m->line_shift;

	if (invalidate(m, line))
		uncore_channel(m->uncore, line, t);
}
