/* SPDX-License-Identifier: MIT */
/*
 * Several cores in one machine: which share a last cache (a domain), which memory is near (a node),
 * and what every line costs that one has written and another asks for.
 *
 * Cores are dealt out in order: with 4 cores and 2 domains, 0 and 1 share the first last cache.
 * Domains are dealt out to nodes alike.
 */
#ifndef TESTS_KAM_CPU_CHIP_H
#define TESTS_KAM_CPU_CHIP_H

#include "tests/kam/cpu/memory_system.h"

#define REGIONS_MOST (NODES_MOST + 2)
#define HOMELESS     UINT32_MAX

struct chip {
	const struct cpu *cpu;
	struct memory *core[CORES_MOST];
	struct uncore domain[CORES_MOST];
	struct reservations link[NODES_MOST][NODES_MOST]; /* lines to the first from the second */
	struct region {
		uint64_t base, end;
		unsigned node;
	} region[REGIONS_MOST]; /* what lies nowhere else lies on node 0 */
	unsigned regions;
	struct homes {
		struct home {
			uint64_t line;   /* + 1; 0: unused */
			unsigned domain; /* HOMELESS: of no use any more */
		} * entries;
		uint64_t mask, used;
	} homes;      /* of lines that were written, by their first writer */
	uint64_t now; /* no core asks for anything in cycles before; never decreases */
	/*
	 * A core is about to ask for something shared at a cycle: the others may run meanwhile, up
	 * to that cycle. NULL: cores run in the order of their requests by themselves.
	 */
	void (*requests)(void *priv, uint64_t cycle);
	void *priv;
};

/* The cores' own memory systems are entered by chip_join. */
void chip_init(struct chip *, const struct cpu *);
void chip_free(struct chip *);
/* Core number `core` begins: its memory system, made with chip_uncore's answer. */
void chip_join(struct chip *, unsigned core, struct memory *);
struct uncore *chip_uncore(struct chip *, unsigned core);
/* Memory from base on lies on this node. */
void chip_place(struct chip *, uint64_t base, uint64_t bytes, unsigned node);
/* Remembers who wrote a line first, if nobody has; returns that one's domain. */
unsigned chip_home(struct chip *, uint64_t line, unsigned domain);

void chip_forget_home(struct chip *, uint64_t line);

static inline unsigned cpu_domain_of(const struct cpu *c, unsigned core)
{
	return (unsigned)(core * c->l3_domains / c->cpus);
}

static inline unsigned cpu_node_of_domain(const struct cpu *c, unsigned domain)
{
	return (unsigned)(domain * c->nodes / c->l3_domains);
}

/* The node of a line's memory. */
static inline unsigned chip_node_of(const struct chip *c, uint64_t line)
{
	uint64_t address = line * c->cpu->line;

	for (unsigned i = 0; i < c->regions; i++)
		if (address - c->region[i].base < c->region[i].end - c->region[i].base)
			return c->region[i].node;
	return 0;
}

#endif
