/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/chip.h"
#include "tests/kam/cpu/fatal.h"

#define HOMES_FIRST 4096

static struct home *homes_new(uint64_t n)
{
	struct home *p = calloc(n, sizeof(*p));

	if (!p)
		fatal("no memory for the homes of %lu lines", n);
	return p;
}

void chip_init(struct chip *c, const struct cpu *cpu)
{
	unsigned i, k;

	memset(c, 0, sizeof(*c));
	c->cpu = cpu;
	for (i = 0; i < cpu->l3_domains; i++) {
		uncore_init(&c->domain[i], cpu, &c->now);
		c->domain[i].chip = c;
		c->domain[i].domain = i;
		c->domain[i].node = cpu_node_of_domain(cpu, i);
	}
	for (i = 0; i < cpu->nodes; i++)
		for (k = 0; k < cpu->nodes; k++)
			reservations_init(&c->link[i][k], 1, &c->now);
	c->homes.entries = homes_new(HOMES_FIRST);
	c->homes.mask = HOMES_FIRST - 1;
}

void chip_free(struct chip *c)
{
	unsigned i, k;

	for (i = 0; i < c->cpu->l3_domains; i++)
		uncore_free(&c->domain[i]);
	for (i = 0; i < c->cpu->nodes; i++)
		for (k = 0; k < c->cpu->nodes; k++)
			reservations_free(&c->link[i][k]);
	free(c->homes.entries);
}

struct uncore *chip_uncore(struct chip *c, unsigned core)
{
	return &c->domain[cpu_domain_of(c->cpu, core)];
}

void chip_join(struct chip *c, unsigned core, struct memory *m)
{
	c->core[core] = m;
}

void chip_place(struct chip *c, uint64_t base, uint64_t bytes, unsigned node)
{
	unsigned i = 0;

	while (i < c->regions && c->region[i].base != base)
		i++;
	if (i == REGIONS_MOST)
		fatal("more than %d regions of memory", REGIONS_MOST);
	c->region[i] = (struct region){ base, base + bytes, node };
	if (i == c->regions)
		c->regions++;
}

/* Its entry, or the unused one where it belongs. */
static struct home *home_of(const struct homes *h, uint64_t line)
{
	uint64_t at = line * 0x9e3779b97f4a7c15ull >> 20;

	while (h->entries[at & h->mask].line && h->entries[at & h->mask].line != line + 1)
		at++;
	return &h->entries[at & h->mask];
}

static void grow(struct homes *h)
{
	struct homes bigger = { homes_new(2 * (h->mask + 1)), 2 * h->mask + 1, h->used };
	uint64_t i;

	for (i = 0; i <= h->mask; i++)
		if (h->entries[i].line)
			*home_of(&bigger, h->entries[i].line - 1) = h->entries[i];
	free(h->entries);
	*h = bigger;
}

unsigned chip_home(struct chip *c, uint64_t line, unsigned domain)
{
	struct home *h = home_of(&c->homes, line);

	if (!h->line) {
		*h = (struct home){ line + 1, domain };
		if (++c->homes.used > c->homes.mask / 2) {
			grow(&c->homes);
			h = home_of(&c->homes, line);
		}
	}
	if (h->domain == HOMELESS)
		h->domain = domain;
	return h->domain;
}

void chip_forget_home(struct chip *c, uint64_t line)
{
	struct home *h = home_of(&c->homes, line);

	if (h->line)
		h->domain = HOMELESS;
}
