/* SPDX-License-Identifier: MIT */
/* What a probe plans on a machine of 4 CPUs, 3 levels, 1 GiB, no vectors; tests change it. */
#ifndef TESTS_UNIT_PLANNED_H
#define TESTS_UNIT_PLANNED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "engine/plan.h"
#include "engine/probe_api.h"
#include "tests/unit/fake_env.h"

static struct plan plan;
static struct env env;

/* A processor without vectors, whatever this machine has. */
static struct cpuid plain_cpuid(struct env *e, uint32_t leaf, uint32_t subleaf)
{
	(void)e;
	(void)subleaf;
	return leaf ? (struct cpuid){ 0 } : (struct cpuid){ 1, 0x756e6547, 0x6c65746e, 0x49656e69 };
}

static int nothing(struct env *e, uint32_t remedies, const char **why)
{
	(void)e;
	(void)remedies;
	(void)why;
	return 0;
}

#define CPUS_MOST 100

static size_t large_pages = PAGE_2M; /* that there are beside those of 4 KiB */
static unsigned cpus = 4;
static size_t arena_bytes = GIB;

static void plan_of(const struct probe *probe, enum profile profile)
{
	static const struct level_size levels[LEVELS] = {
		[LEVEL_L1] = { "l1", 24 * KIB, "measured" },
		[LEVEL_L2] = { "l2", MIB, "measured" },
		[LEVEL_MEMORY] = { "memory", 64 * MIB, "measured" },
	};
	static struct cpu_location places[CPUS_MOST];
	struct options options = { .profile = profile };
	struct bench b = { .plan = &plan,
		.opt = &options,
		.env = &env,
		.probe = probe,
		.node_bytes = 128,
		.pace = { 0.1, 20, 1, 50, 100 } };

	fake_reset(&env);
	env.cpuid = plain_cpuid;
	env.remedy = nothing;
	env.facts.cpus = cpus;
	for (unsigned i = 0; i < cpus; i++)
		places[i].core = i;
	env.facts.pages = PAGE_4K | large_pages;
	env.facts.topology = places;
	b.work.base = env.work;
	b.work.bytes = env.work_bytes;
	b.arena.bytes = arena_bytes;
	memcpy(b.levels, levels, sizeof levels);
	random_seed(&b.random, 1);
	plan.n = 0;
	probe->plan_first(&b);
	probe->plan(&b);
}

static __attribute__((unused)) const struct probe *probe_named(const char *name)
{
	for (unsigned p = 0; p < probe_count; p++)
		if (!strcmp(probes[p].name, name))
			return &probes[p];
	fail_msg("no probe %s", name);
	return NULL;
}

#endif
