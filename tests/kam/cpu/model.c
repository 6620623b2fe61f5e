/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/cpu/model.h"
#include "tests/kam/cpu/prefetch_model.h"
#include "tests/kam/cpu/special_insns.h"

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The entry of a ring after this one. */
static uint64_t next(uint64_t entry, uint64_t entries)
{
	return entry + 1 < entries ? entry + 1 : 0;
}

static uint64_t *ring(uint64_t entries)
{
	uint64_t *p = calloc(entries, sizeof(*p));

	if (!p || !entries)
		fatal("a ring of %lu entries", entries);
	return p;
}

static void init_latency(struct model *m)
{
	m->latency[COST_NONE] = 0;
	m->latency[COST_ONE] = 1;
	m->latency[COST_SHIFT] = 1;
	m->latency[COST_LEA] = 1;
	m->latency[COST_BRANCH] = 1;
	m->latency[COST_VECTOR] = 1;
	m->latency[COST_MULTIPLY] = m->cpu.multiply;
	m->latency[COST_DIVIDE] = m->cpu.divide;
	m->latency[COST_FP_ADD] = m->cpu.fp_add;
	m->latency[COST_FP_MULTIPLY] = m->cpu.fp_multiply;
	m->latency[COST_CR3] = m->cpu.privileged.cr3;
	m->latency[COST_INVLPG] = m->cpu.privileged.invlpg;
	m->latency[COST_RDMSR] = m->cpu.privileged.rdmsr;
	m->latency[COST_WRMSR] = m->cpu.privileged.wrmsr;
	m->latency[COST_STI] = m->cpu.privileged.sti;
	m->latency[COST_CLI] = m->cpu.privileged.cli;
	m->latency[COST_SWAPGS] = m->cpu.privileged.swapgs;
	m->latency[COST_VERW] = m->cpu.privileged.verw;
	m->latency[COST_PORT_IN] = m->cpu.privileged.port_in;
	m->latency[COST_PORT_OUT] = m->cpu.privileged.port_out;
	m->latency[COST_LGDT] = m->cpu.privileged.lgdt;
	m->latency[COST_WBINVD] = m->cpu.privileged.wbinvd;
	m->latency[COST_INTERRUPT] = m->cpu.privileged.interrupt;
	m->latency[COST_IRET] = m->cpu.privileged.iret;
	m->latency[COST_SYSCALL] = m->cpu.privileged.syscall;
	m->latency[COST_SYSRET] = m->cpu.privileged.sysret;
	m->latency[COST_XSAVE] = m->cpu.privileged.xsave;
	m->latency[COST_XSAVEOPT] = m->cpu.privileged.xsaveopt;
	m->latency[COST_XSAVEC] = m->cpu.privileged.xsavec;
	m->latency[COST_XRSTOR] = m->cpu.privileged.xrstor;
	m->latency[COST_LOCK_ADD] = m->cpu.atomics.lock_add;
	m->latency[COST_LOCK_XADD] = m->cpu.atomics.lock_xadd;
	m->latency[COST_CAS] = m->cpu.atomics.cas;
	m->latency[COST_XCHG] = m->cpu.atomics.xchg;
}

/* A port of `units` a cycle as a bit; 0 where that is no limit. */
static unsigned limit(struct model *m, enum port port, uint64_t units)
{
	if (!units)
		return 0;
	reservations_init(&m->ports[port], units, &m->enter);
	return 1u << port;
}

static void init_ports(struct model *m)
{
	const struct cpu *c = &m->cpu;
	unsigned alu = limit(m, PORT_ALU, c->alus), load = limit(m, PORT_LOAD, c->loads);
	unsigned store = limit(m, PORT_STORE, c->stores);
	unsigned either = limit(m, PORT_ACCESS, c->limits.accesses), i;
	unsigned vector = limit(m, PORT_VECTOR, c->limits.vectors);

	limit(m, PORT_MULTIPLY, c->multipliers);
	limit(m, PORT_DIVIDE, 1);
	for (i = 0; i < COSTS; i++)
		m->on[i] = alu;
	m->on[COST_SHIFT] |= limit(m, PORT_SHIFT, c->limits.shifts);
	m->on[COST_LEA] |= limit(m, PORT_LEA, c->limits.leas);
	m->on[COST_BRANCH] |= limit(m, PORT_BRANCH, c->limits.branches);
	m->on[COST_VECTOR] = vector ? vector : alu;
	m->load[0] = load | either;
	m->load[1] = m->load[0] | limit(m, PORT_WIDE_LOAD, c->limits.wide_loads);
	m->store[0] = store | either;
	m->store[1] = m->store[0] | limit(m, PORT_WIDE_STORE, c->limits.wide_stores);
}

void model_init(struct model *m, const struct cpu *cpu)
{
	model_init_core(m, cpu, &m->uncore);
	uncore_init(&m->uncore, &m->cpu, &m->enter);
}

void model_init_core(struct model *m, const struct cpu *cpu, struct uncore *uncore)
{
	memset(m, 0, sizeof(*m));
	m->cpu = *cpu;
	memory_init(&m->memory, &m->cpu, uncore, &m->enter);
	branch_init(&m->branch, cpu);
	tsc_init(&m->clock, cpu);
	init_ports(m);
	m->rob = ring(cpu->window);
	m->store_buffer = ring(cpu->store_buffer);
	m->wc_buffers = ring(cpu->level[0].buffers);
	in_flight_init(&m->in_flight, cpu);
	front_end_init(&m->front_end, cpu);
	init_latency(m);
}

void model_free(struct model *m)
{
	unsigned i;

	memory_free(&m->memory);
	if (m->memory.uncore == &m->uncore)
		uncore_free(&m->uncore);
	branch_free(&m->branch);
	for (i = 0; i < PORTS; i++)
		reservations_free(&m->ports[i]);
	free(m->rob);
	free(m->store_buffer);
	free(m->wc_buffers);
	in_flight_free(&m->in_flight);
	front_end_free(&m->front_end);
}

void model_divide(struct model *m, const struct cpu *whole, bool halved)
{
	uint64_t before = m->cpu.window;
	unsigned i;

	cpu_divide(&m->cpu, whole, halved);
	if (m->cpu.window == before)
		return;
	m->entry %= m->cpu.window;
	m->store_entry %= m->cpu.store_buffer;
	for (i = 0; i < m->cpu.banks; i++)
		reservations_resize(&m->memory.l1_buffers[i],
			m->cpu.level[0].buffers / m->cpu.banks);
}

/* The next instruction enters the window. */
static uint64_t enter(struct model *m, const struct insn *i)
{
	uint64_t t = max_u64(m->enter, m->barrier);

	if (m->cpu.itlb.entries)
		t = m->barrier = t + memory_fetch(&m->memory, i->address);
	t = front_end_enter(&m->front_end, &m->cpu, i, t);
	t = max_u64(t, m->rob[m->entry]);
	if (i->store_bytes)
		t = max_u64(t, m->store_buffer[m->store_entry]);
	t = in_flight_enter(&m->in_flight, i, t);
	if (t == m->enter && m->entered == m->cpu.width)
		t++;
	if (t != m->enter) {
		m->enter = t;
		m->entered = 0;
	}
	m->entered++;
	return t;
}

static uint64_t first_ready(const struct model *m, uint64_t mask)
{
	return m->ready[__builtin_ctzll(mask)];
}

/*
 * When all registers of a mask are ready, not before t. Three are looked at in any case, because
 * the host does not guess how many there are.
 */
static uint64_t sources(const struct model *m, uint64_t mask, uint64_t t)
{
	unsigned n;

	for (n = 0; n < 3; n++) {
		mask |= REG_NONE;
		t = max_u64(t, first_ready(m, mask));
		mask &= mask - 1;
	}
	for (mask &= ~REG_NONE; mask; mask &= mask - 1)
		t = max_u64(t, first_ready(m, mask));
	return t;
}

/* Likewise two. */
static void results(struct model *m, uint64_t mask, uint64_t t)
{
	unsigned n;

	for (n = 0; n < 2; n++) {
		mask |= REG_NOWHERE;
		m->ready[__builtin_ctzll(mask)] = t;
		mask &= mask - 1;
	}
	for (mask &= ~REG_NOWHERE; mask; mask &= mask - 1)
		m->ready[__builtin_ctzll(mask)] = t;
}

void model_retire(struct model *m, uint64_t completed)
{
	uint64_t t = max_u64(completed, m->retired);

	if (t == m->retired && m->retired_now == m->cpu.width)
		t++;
	if (t != m->retired) {
		m->retired = t;
		m->retired_now = 0;
	}
	m->retired_now++;
	m->completed = max_u64(m->completed, completed);
	m->rob[m->entry] = t;
	m->entry = next(m->entry, m->cpu.window);
	m->instructions++;
}

/* The first cycle from t on in which all of these ports are free: they are taken then. */
static uint64_t start_on(struct model *m, unsigned ports, uint64_t t)
{
	uint64_t from = t + 1;
	unsigned rest;

	if (!(ports & (ports - 1)))
		return reserve_cycle(&m->ports[__builtin_ctz(ports)], t);
	while (from != t)
		for (from = t, rest = ports; rest; rest &= rest - 1)
			t = reservations_find(&m->ports[__builtin_ctz(rest)], t, 1);
	for (rest = ports; rest; rest &= rest - 1)
		reservations_add(&m->ports[__builtin_ctz(rest)], t, 1);
	return t;
}

#define WIDE 16 /* bytes, and more */

static uint64_t load(struct model *m, const struct insn *i, const struct insn_run *run, uint64_t t)
{
	unsigned ports = m->load[i->load_bytes >= WIDE];
	uint64_t from = max_u64(t, m->locked);
	uint64_t start = start_on(m, ports, sources(m, i->address_sources, from)), done;
	struct memory_use a = { run->load, i->load_bytes, i->place };

	if (stores_alike(&m->stores, &m->cpu, a, start))
		start = start_on(m, ports, start + m->cpu.alias);
	in_flight_wait(&m->in_flight, WAITING_LOADS, start);
	done = memory_access(&m->memory, run->load, i->load_bytes, false, start);
	if (m->cpu.ip_stride)
		prefetch_on_load(&m->memory, i->address, run->load, start);
	done += i->indexed ? m->cpu.indexed : 0;
	done += split_cycles(&m->cpu, a, m->cpu.split.load_line, m->cpu.split.load_page);
	return stores_load(&m->stores, &m->cpu, a, start, done);
}

static uint64_t compute(struct model *m, const struct insn *i, uint64_t t)
{
	uint64_t cycles = m->latency[i->cost];

	if (i->cost == COST_NONE || (i->small && m->cpu.fold) || (i->copies && m->cpu.moves))
		return t;
	if (i->cost == COST_DIVIDE)
		t = reserve(&m->ports[PORT_DIVIDE], t, cycles);
	else if (i->cost == COST_MULTIPLY)
		t = reserve(&m->ports[PORT_MULTIPLY], t, m->cpu.limits.multiply_every);
	else
		t = start_on(m, m->on[i->cost], t);
	in_flight_wait(&m->in_flight, waiting_of(i->cost), t);
	return t + cycles;
}

/* A full line leaves the write-combining buffers when the next one is begun. */
static uint64_t write_combine(struct model *m, uint64_t address, uint64_t t)
{
	uint64_t line = address >> m->memory.line_shift, *slot;

	if (m->wc_line == line + 1)
		return t;
	if (m->wc_line) {
		slot = &m->wc_buffers[m->wc_next++ % m->cpu.level[0].buffers];
		*slot = memory_write_nt(&m->memory, m->wc_line - 1, max_u64(t, *slot));
	}
	m->wc_line = line + 1;
	return max_u64(t, m->wc_buffers[m->wc_next % m->cpu.level[0].buffers]);
}

/* The first cycle in which the next store may go to L1. */
static uint64_t next_commit(const struct model *m)
{
	bool more = m->committed_now && m->committed_now < m->cpu.limits.commits;

	return max_u64(m->stores.committed + !more, m->retired);
}

/* The store's line is asked for as soon as its address is known; it goes to L1 after retirement. */
static void commit(struct model *m, const struct insn *i, const struct insn_run *run, uint64_t t,
	uint64_t data)
{
	uint64_t start =
		start_on(m, m->store[i->store_bytes >= WIDE], sources(m, i->address_sources, t));
	uint64_t at = next_commit(m), line;
	struct memory_use a = { run->store, i->store_bytes, i->place };

	in_flight_wait(&m->in_flight, WAITING_STORES, start);
	if (i->kind == INSN_STREAM) {
		at = write_combine(m, run->store, at);
	} else {
		line = memory_access(&m->memory, run->store, i->store_bytes, true, start);
		at = max_u64(at, line) +
			split_cycles(&m->cpu, a, m->cpu.split.store_line, m->cpu.split.store_page);
		stores_record(&m->stores, &m->cpu, a, data, at);
	}
	m->committed_now = at == m->stores.committed ? m->committed_now + 1 : 1;
	m->stores.committed = at;
	m->store_buffer[m->store_entry] = at;
	m->store_entry = next(m->store_entry, m->cpu.store_buffer);
}

static uint64_t execute(struct model *m, const struct insn *i, const struct insn_run *run,
	uint64_t t)
{
	uint64_t ready = sources(m, i->sources, t);

	if (i->load_bytes)
		ready = max_u64(ready, load(m, i, run, t));
	ready = compute(m, i, ready);
	results(m, i->results, ready);
	return i->store_bytes ? max_u64(ready, sources(m, i->address_sources, t) + 1) : ready;
}

void model_step(struct model *m, const struct insn *i, const struct insn_run *run)
{
	uint64_t t = enter(m, i), done;

	if (i->kind >= INSN_RDTSC && special_step(m, i, run, t))
		return;
	done = execute(m, i, run, t);
	model_retire(m, done);
	in_flight_retire(&m->in_flight, i, m->retired);
	if (i->store_bytes)
		commit(m, i, run, t, done);
	if (i->kind >= INSN_BRANCH && i->kind <= INSN_RETURN)
		branch_resolve(m, i, run, done);
}

void model_idle(struct model *m, uint64_t cycles)
{
	m->barrier =
		max_u64(max_u64(m->barrier, m->enter), max_u64(m->completed, m->stores.committed)) +
		cycles;
	tsc_idle(&m->clock, cycles, m->barrier);
}

void model_forget(struct model *m)
{
	memory_forget(&m->memory);
	front_end_forget(&m->front_end);
	branch_free(&m->branch);
	branch_init(&m->branch, &m->cpu);
}

void model_wait_until(struct model *m, uint64_t cycle)
{
	m->barrier = max_u64(m->barrier, cycle);
}

uint64_t model_cycle(const struct model *m)
{
	return max_u64(max_u64(m->barrier, m->enter), m->completed);
}

uint64_t model_ticks(struct model *m)
{
	return tsc_read(&m->clock, model_cycle(m));
}
