/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/cpu/memory_system.h"
#include "tests/kam/cpu/prefetch_model.h"
#include "tests/kam/cpu/translate.h"

/* Whether a miss that goes below L2 needs one of a limited number of buffers there. */
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
		cache_init(&m->own[i], cpu->level[i].bytes / cpu->line, cpu->level[i].ways,
			(enum policy)cpu->level[i].policy, cpu->seed * 77 + i);
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
	for (i = 0; i < 2; i++)
		reservations_init(&m->buffers[i],
			cpu->level[i].buffers ? cpu->level[i].buffers : 255, now);
	for (i = 0; i + 1 < m->levels; i++) {
		reservations_init(&m->pipe[i], 1, now);
		m->pipe_cycles[i] = per_line(cpu, cpu->level[i + 1].fill_bytes);
	}
	translate_init(m, now);
}

void memory_free(struct memory *m)
{
	unsigned i;

	for (i = 0; i < cpu_private_levels(m->cpu); i++)
		cache_free(&m->own[i]);
	for (i = 0; i < 2; i++)
		reservations_free(&m->buffers[i]);
	for (i = 0; i + 1 < m->levels; i++)
		reservations_free(&m->pipe[i]);
	translate_free(m);
}

/* Where a line is found: a level, or m->levels for memory. */
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

static uint64_t latency(const struct memory *m, unsigned from)
{
	return from < m->levels ? m->cpu->level[from].latency : m->cpu->memory_latency;
}

/* Books the pipe that fills level i from t on and returns by how much that delays. */
static uint64_t occupy_pipe(struct memory *m, unsigned i, uint64_t t)
{
	return reserve(&m->pipe[i], t, m->pipe_cycles[i]) - t;
}

static void write_back(struct memory *m, unsigned from, uint64_t line, uint64_t t);

/* Puts a line into a level; a dirty victim moves on to the next one. */
static void fill(struct memory *m, unsigned i, uint64_t line, uint64_t ready, bool dirty)
{
	uint64_t victim, where;
	bool victim_dirty;

	where = cache_insert(m->level[i], line, &victim, &victim_dirty);
	m->level[i]->lines[where].ready = ready;
	m->level[i]->lines[where].dirty = dirty;
	if (victim != CACHE_MISS && victim_dirty)
		write_back(m, i, victim, ready);
}

/* A dirty line leaves level `from`: it takes the pipe to the next one. */
static void write_back(struct memory *m, unsigned from, uint64_t line, uint64_t t)
{
	unsigned to = from + 1;
	uint64_t where;

	if (to >= m->levels) {
		uncore_channel(m->uncore, t);
		return;
	}
	occupy_pipe(m, from, t);
	where = cache_find(m->level[to], line);
	if (where == CACHE_MISS)
		fill(m, to, line, t, true);
	else
		m->level[to]->lines[where].dirty = true;
}

/* Starts no earlier than t, with a buffer free at each level that the miss passes. */
static uint64_t buffer_start(struct memory *m, unsigned from, uint64_t t, uint64_t duration)
{
	uint64_t a = t, b = t;

	do {
		a = reservations_find(&m->buffers[0], b, duration);
		b = l2_limited(m, from) ? reservations_find(&m->buffers[1], a, duration) : a;
	} while (a != b);
	return a;
}

/* The delay by the pipes between level or memory `from` and level `to`, for a request at t. */
static uint64_t pipes(struct memory *m, unsigned from, unsigned to, uint64_t t)
{
	uint64_t delay = 0;
	unsigned i;

	if (from == m->levels)
		delay += uncore_channel(m->uncore, t) - t;
	for (i = from < m->levels ? from : m->levels - 1; i-- > to;)
		delay += occupy_pipe(m, i, t + delay);
	return delay;
}

/* A miss in L1: books what it needs, fills the levels; when the data are there. */
static uint64_t miss(struct memory *m, uint64_t line, unsigned from, uint64_t where, bool write,
	uint64_t t)
{
	uint64_t wait = latency(m, from), start, done;
	unsigned i;

	start = buffer_start(m, from, t, wait);
	done = start + wait + pipes(m, from, 0, start);
	if (from < m->levels && m->level[from]->lines[where].ready > done)
		done = m->level[from]->lines[where].ready;
	reservations_add(&m->buffers[0], start, done - start);
	if (l2_limited(m, from))
		reservations_add(&m->buffers[1], start, done - start);
	if (from < m->levels)
		cache_touch(m->level[from], where);
	for (i = from; i-- > 0;)
		fill(m, i, line, done, i == 0 && write);
	return done;
}

static uint64_t access_line(struct memory *m, uint64_t line, bool write, uint64_t t)
{
	uint64_t where, done;
	unsigned from = lookup(m, line, &where);

	if (from == 0) {
		cache_touch(m->level[0], where);
		m->level[0]->lines[where].dirty |= write;
		done = t + m->cpu->level[0].latency;
		return done > m->level[0]->lines[where].ready ? done
							      : m->level[0]->lines[where].ready;
	}
	done = miss(m, line, from, where, write, t);
	prefetch_on_miss(m, line, from, t);
	return done;
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

	t = translate(m, address, t);
	done = access_line(m, first, write, t);
	if (last == first)
		return done;
	if ((address ^ (address + bytes - 1)) >> 12)
		t = translate(m, address + bytes - 1, t);
	other = access_line(m, last, write, t);
	return done > other ? done : other;
}

void memory_prefetch(struct memory *m, uint64_t line, uint64_t t)
{
	uint64_t where, start, done;
	unsigned from = lookup(m, line, &where);

	if (from < 2)
		return;
	start = l2_limited(m, from) ? reservations_find(&m->buffers[1], t, latency(m, from)) : t;
	done = start + latency(m, from) + pipes(m, from, 1, start);
	if (l2_limited(m, from))
		reservations_add(&m->buffers[1], start, done - start);
	if (from < m->levels)
		cache_touch(m->level[from], where);
	while (from-- > 1)
		fill(m, from, line, done, false);
}

/* Drops a line everywhere; whether it had been written. */
static bool invalidate(struct memory *m, uint64_t line)
{
	bool dirty = false;
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
	invalidate(m, line);
	return uncore_channel(m->uncore, t) + m->cpu->memory_gap;
}

void memory_flush(struct memory *m, uint64_t address, uint64_t t)
{
	if (invalidate(m, address >> m->line_shift))
		uncore_channel(m->uncore, t);
}
