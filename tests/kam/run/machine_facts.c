/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/chip.h"
#include "tests/kam/run/machine_facts.h"

/* A package is a node; a die has one last cache. */
static const struct cpu_location *topology(const struct cpu *c)
{
	static struct cpu_location all[CORES_MOST];

	for (unsigned i = 0; i < c->cpus; i++) {
		unsigned domain = cpu_domain_of(c, i), node = cpu_node_of_domain(c, domain);

		all[i] = (struct cpu_location){
			.id = i,
			.package = node,
			.die = domain,
			.core = i,
			.node = node,
			.l3 = domain,
		};
	}
	return all;
}

void machine_facts(struct facts *f, const struct cpu *c)
{
	*f = (struct facts){
		.build = "known-answer",
		.hypervisor = "known-answer",
		.emulated = true,
		.tsc_hz = (double)c->tsc_hz,
		.tsc_source = "stated",
		.tsc = { { "stated", (double)c->tsc_hz, true } },
		.tsc_sources = 1,
		.tsc_invariant = true,
		.pages = (uint32_t)(c->small_pages ? PAGE_4K : PAGE_4K | PAGE_2M),
		.cpus = (unsigned)c->cpus,
		.topology = c->cpus > 1 ? topology(c) : NULL,
	};
	if (c->huge && !c->small_pages && c->memory_bytes >= PAGE_1G)
		f->pages |= (uint32_t)PAGE_1G;
}
