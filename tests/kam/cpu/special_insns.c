/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/chip.h"
#include "tests/kam/cpu/special_insns.h"

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Nothing enters before cycle t. */
static void delay_front_end(struct model *m, uint64_t t)
{
	m->barrier = max_u64(m->barrier, t);
}

/* Reads the counter at cycle t; the registers have it tsc_cycles later, and only then the next. */
static uint64_t stamp(struct model *m, const struct insn *i, uint64_t t)
{
	uint64_t done, mask;

	t = max_u64(t, m->stamped);
	done = m->stamped = t + m->cpu.tsc_cycles;
	m->stamp = tsc_read(&m->clock, t);
	for (mask = i->results; mask; mask &= mask - 1)
		m->ready[__builtin_ctzll(mask)] = done;
	return done;
}

static uint64_t serial(struct model *m, const struct insn *i, uint64_t t, uint64_t cycles)
{
	uint64_t done = max_u64(max_u64(t, m->completed), m->stores.committed) + cycles, mask;

	for (mask = i->results; mask; mask &= mask - 1)
		m->ready[__builtin_ctzll(mask)] = done;
	delay_front_end(m, done);
	return done;
}

/* Cycles that WBINVD takes for the lines that have been written; all caches are empty then. */
static uint64_t written_back(struct model *m, const struct insn *i)
{
	return i->cost == COST_WBINVD
		? memory_write_back(&m->memory) * m->cpu.privileged.wbinvd_line
		: 0;
}

static uint64_t all_ready(const struct model *m, uint64_t mask, uint64_t t)
{
	for (; mask; mask &= mask - 1)
		t = max_u64(t, m->ready[__builtin_ctzll(mask)]);
	return t;
}

/* A flush follows the stores before it and takes the store port. */
static uint64_t flush(struct model *m, const struct insn *i, const struct insn_run *run, uint64_t t)
{
	uint64_t start = reserve_cycle(&m->ports[PORT_STORE], all_ready(m, i->address_sources, t));

	memory_flush(&m->memory, run->load, start);
	m->stores.committed = max_u64(m->stores.committed, start + 1);
	return start + 1;
}

static uint64_t prefetch(struct model *m, const struct insn *i, const struct insn_run *run,
	uint64_t t)
{
	uint64_t start = reserve_cycle(&m->ports[PORT_LOAD], all_ready(m, i->address_sources, t));

	memory_access(&m->memory, run->load, 1, false, start);
	return start + 1;
}

/* mfence and sfence also empty the write-combining buffer. */
static uint64_t drained(struct model *m, uint64_t t)
{
	if (m->wc_line) {
		m->stores.committed = max_u64(m->stores.committed,
			memory_write_nt(&m->memory, m->wc_line - 1,
				max_u64(t, m->stores.committed)));
		m->wc_line = 0;
	}
	return max_u64(t, m->stores.committed);
}

static uint64_t fence(struct model *m, const struct insn *i, uint64_t t)
{
	bool all = i->kind == INSN_MFENCE;
	uint64_t cycles = all && m->cpu.atomics.mfence ? m->cpu.atomics.mfence : m->cpu.fence;
	uint64_t done = max_u64(t, m->completed) + cycles;

	if (all)
		done = drained(m, done);
	delay_front_end(m, done);
	return done;
}

/* Other cores may take the line before cycle t, also one that this core has. */
static void others_first(const struct model *m, uint64_t t)
{
	const struct chip *c = m->memory.uncore->chip;

	if (c && c->requests)
		c->requests(c->priv, t);
}

/*
 * It has its line when all before it is done, stores in L1; what accesses memory behind it begins
 * when it is done.
 */
static uint64_t locked(struct model *m, const struct insn *i, const struct insn_run *run,
	uint64_t t)
{
	const struct memory_use a = { run->store, i->store_bytes, i->place };
	uint64_t cycles = m->latency[i->cost], first = m->cpu.level[0].latency, mask, done;

	if (m->cpu.atomics.split && split_cycles(&m->cpu, a, 1, 1))
		cycles = m->cpu.atomics.split;
	t = all_ready(m, i->sources | i->address_sources, t);
	t = max_u64(max_u64(t, m->completed), m->stores.committed);
	others_first(m, t);
	done = memory_access(&m->memory, a.address, a.bytes, true, t) - first + cycles;
	for (mask = i->results; mask; mask &= mask - 1)
		m->ready[__builtin_ctzll(mask)] = done;
	m->locked = m->stores.committed = m->store_buffer[m->store_entry] = done;
	m->store_entry = m->store_entry + 1 < m->cpu.store_buffer ? m->store_entry + 1 : 0;
	return done;
}

bool special_step(struct model *m, const struct insn *i, const struct insn_run *run, uint64_t t)
{
	uint64_t done;

	switch (i->kind) {
	case INSN_RDTSC:
		done = stamp(m, i, t);
		break;
	case INSN_RDTSCP:
		done = stamp(m, i, max_u64(t, m->completed));
		break;
	case INSN_CPUID:
		done = serial(m, i, t, m->cpu.cpuid_cycles);
		break;
	case INSN_SERIAL: /* a descriptor or a selector that it reads is part of its cost */
		done = serial(m, i, t, m->latency[i->cost] + written_back(m, i));
		if (i->cost == COST_CR3)
			memory_flush_tlbs(&m->memory);
		if (i->cost == COST_INVLPG)
			memory_flush_page(&m->memory, run->load);
		break;
	case INSN_LFENCE:
	case INSN_MFENCE:
		done = fence(m, i, t);
		break;
	case INSN_SFENCE:
		m->stores.committed = drained(m, t);
		done = t + 1;
		break;
	case INSN_FLUSH:
		done = flush(m, i, run, t);
		break;
	case INSN_PREFETCH:
		done = prefetch(m, i, run, t);
		break;
	case INSN_LOCKED:
		done = locked(m, i, run, t);
		break;
	default:
		return false;
	}
	model_retire(m, done);
	return true;
}

void branch_resolve(struct model *m, const struct insn *i, const struct insn_run *run,
	uint64_t done)
{
	bool taken = run->next != i->address + i->bytes;
	bool indirect = i->kind == INSN_JUMP_INDIRECT || i->kind == INSN_CALL_INDIRECT;

	switch (branch_predict(&m->branch, i, run->next)) {
	case PREDICTED_WRONG:
		m->mispredicts++;
		delay_front_end(m, done + m->cpu.penalty + (indirect ? m->cpu.indirect.more : 0));
		return;
	case NOT_PREDICTED:
		delay_front_end(m, done + m->cpu.penalty);
		return;
	case PREDICTED_LATE:
		delay_front_end(m, m->enter + 1 + m->cpu.target_miss);
		return;
	case PREDICTED_SOON:
		delay_front_end(m, m->enter + 1 + m->cpu.target_2);
		return;
	case PREDICTED_RIGHT:
		if (taken)
			delay_front_end(m, m->enter + m->cpu.limits.taken);
	}
}
