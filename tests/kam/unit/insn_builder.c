/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tests/kam/unit/insn_builder.h"

struct cpu test_cpu(void)
{
	struct cpu c;

	memset(&c, 0, sizeof(c));
	c.hz = 1000000000;
	c.width = 4;
	c.window = 224;
	c.loads = 2;
	c.stores = 1;
	c.alus = 4;
	c.limits.taken = c.limits.commits = c.limits.multiply_every = 1;
	c.store_buffer = 16;
	c.multiply = 3;
	c.multipliers = 1;
	c.divide = 26;
	c.fp_add = c.fp_multiply = 4;
	c.forward = 5;
	c.indexed = 1;
	c.line = 64;
	c.banks = 1;
	c.level[0] = (struct cpu_cache){ 32768, 8, 4, POLICY_LRU, 10, 0, 0, 1, 0 };
	c.level[1] = (struct cpu_cache){ 262144, 8, 14, POLICY_LRU, 0, 64, 0, 1, 0 };
	c.level[2] = (struct cpu_cache){ 4 << 20, 16, 42, POLICY_LRU, 0, 64, 0, 1, 0 };
	c.memory_latency = 200;
	c.memory_gap = 1;
	c.row_banks = 2;
	c.dtlb_4k = c.dtlb_2m = c.dtlb_1g = 4096;
	c.stlb = 4096;
	c.stlb_1g = 16;
	c.stlb_latency = 7;
	c.walk = 1;
	c.walkers = 255;
	c.coalesce = 1;
	c.predictor = PREDICTOR_HISTORY;
	c.capacity = 1024;
	c.penalty = 15;
	c.targets = 1024;
	c.target_miss = 8;
	c.returns = 16;
	c.ramp_us = 1000;
	c.ramp_steps = 1;
	c.ip_sure = 2;
	c.ip_ahead = 1;
	c.tsc_hz = 1000000000;
	c.tsc_step = 1;
	c.tsc_cycles = 20;
	c.seed = 1;
	return c;
}

uint64_t run(struct model *m, struct insn i, uint64_t address)
{
	struct insn_run r = { address, address, i.address + i.bytes };

	model_step(m, &i, &r);
	return m->completed;
}

uint64_t add(struct model *m, unsigned to, unsigned from)
{
	struct insn i = {
		.kind = INSN_PLAIN,
		.cost = COST_ONE,
		.bytes = 3,
		.sources = REG_BIT(to) | REG_BIT(from),
		.results = REG_BIT(to) | REG_FLAGS,
	};

	return run(m, i, 0);
}

uint64_t load(struct model *m, unsigned to, unsigned from, uint64_t address)
{
	struct insn i = {
		.kind = INSN_PLAIN,
		.load_bytes = 8,
		.bytes = 3,
		.address_sources = REG_BIT(from),
		.results = REG_BIT(to),
	};

	return run(m, i, address);
}

uint64_t store(struct model *m, unsigned from, uint64_t address)
{
	struct insn i = {
		.kind = INSN_PLAIN, .store_bytes = 8, .bytes = 3, .sources = REG_BIT(from)
	};

	return run(m, i, address);
}

uint64_t simple(struct model *m, enum insn_kind kind, uint64_t address)
{
	struct insn i = { .kind = kind, .bytes = 3 };

	return run(m, i, address);
}

uint64_t drain(struct model *m)
{
	model_idle(m, 100);
	return m->barrier;
}
