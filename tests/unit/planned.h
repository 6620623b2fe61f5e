/* SPDX-License-Identifier: MIT */
/*
 * The rows that a probe plans on a machine of 4 CPUs, 3 levels, 1 GiB, no vectors; tests change it.
 */
#ifndef TESTS_UNIT_PLANNED_H
#define TESTS_UNIT_PLANNED_H

#include "engine/confidence.h"
#include "tests/unit/fake_room.h"

static struct plan plan;
static struct room room;

/* A processor without vectors, whatever this machine has. */
static struct cpuid plain_cpuid(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	return leaf ? (struct cpuid){ 0 } : (struct cpuid){ 1, 0x756e6547, 0x6c65746e, 0x49656e69 };
}

static __typeof__(room.cpuid) said_by_cpuid = plain_cpuid;

static int nothing(struct room *e, uint32_t remedies, const char **why)
{
	return 0;
}

#define CPUS_MOST 100

static size_t large_pages = PAGE_2M; /* that there are beside those of 4 KiB */
static unsigned cpus = 4;
static size_t arena_bytes = GIB;
static size_t beside_bytes; /* of more memory of the arena's node */
static uint64_t l1_bytes = 24 * KIB, l2_bytes = MIB;
static uint64_t memory_bytes = 64 * MIB; /* the size at which memory is measured */
static bool whole_profile;               /* nothing is asked for by name */
static uint64_t wanted_source;           /* the setting `source` */
static uint64_t largest;                 /* the setting: no sweep goes beyond; 0: not set */
static uint64_t smallest;                /* the same of its beginning */
static size_t wanted_page;               /* the setting; 0: not set */
static bool emulated;
static struct pace pace = { 0.1, 20, 1, 50, 100 };
static __typeof__(room.system.request) request;       /* NULL: there is no system to ask */
static struct bench planner;                          /* as it was left by the last plan */
static struct reader medians = { .bench = &planner }; /* of what plan_edges reads */

static void plan_of(const struct probe *probe, enum profile profile)
{
	const struct level_size levels[LEVELS] = {
		[LEVEL_L1] = { "l1", l1_bytes, "measured" },
		[LEVEL_L2] = { "l2", l2_bytes, "measured" },
		[LEVEL_MEMORY] = { "memory", memory_bytes, "measured" },
	};
	static struct cpu_location places[CPUS_MOST];
	static struct options options;

	options = (struct options){ .profile = profile,
		.source = wanted_source,
		.smallest = smallest,
		.largest = largest,
		.page = wanted_page };
	snprintf(options.probes, sizeof options.probes, "%s", whole_profile ? "" : probe->name);
	planner = (struct bench){ .plan = &plan,
		.opt = &options,
		.room = &room,
		.probe = probe,
		.node_bytes = 128,
		.pace = pace };

	fake_reset(&room);
	room.cpuid = said_by_cpuid;
	room.facts.xcr0 = UINT64_MAX;
	room.system.remedy = nothing;
	room.system.request = request;
	room.facts.cpus = cpus;
	room.facts.emulated = emulated;
	for (unsigned i = 0; i < cpus; i++)
		places[i].core = i;
	room.facts.pages = PAGE_4K | large_pages;
	room.facts.beside_bytes = beside_bytes;
	room.facts.topology = places;
	planner.work.base = room.work;
	planner.work.bytes = room.work_bytes;
	planner.arena.bytes = arena_bytes;
	memcpy(planner.levels, levels, sizeof levels);
	random_seed(&planner.random, 1);
	plan.n = 0;
	if (probe->hooks->plan_first)
		probe->hooks->plan_first(&planner);
	probe->hooks->plan(&planner);
}

static inline const struct probe *probe_named(const char *name)
{
	for (unsigned p = 0; p < probe_count; p++)
		if (!strcmp(probes[p].name, name))
			return &probes[p];
	fail_msg("no probe %s", name);
	return NULL;
}

/* A row's variant and parameters: "chains bytes=65536 lanes=2". */
static inline const char *row_text(const struct row *row)
{
	static char text[256];
	size_t n = (size_t)snprintf(text, sizeof text, "%s", row->variant);

	for (unsigned i = 0; i < row->nparams; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, " %s=%.0f", row->params[i].name,
			row->params[i].value);
	return text;
}

/* The first of the planned rows that is called so. */
static inline const struct row *row_planned(const char *text)
{
	for (unsigned i = 0; i < plan.n; i++)
		if (!strcmp(row_text(&plan.rows[i]), text))
			return &plan.rows[i];
	fail_msg("no row '%s' is planned", text);
	return NULL;
}

/* The first of the planned rows of a variant, or of those where a parameter has this value. */
static inline const struct row *row_with(const char *variant, const char *param, double value)
{
	for (unsigned i = 0; i < plan.n; i++)
		if (!strcmp(plan.rows[i].variant, variant) &&
			(!param || row_get(&plan.rows[i], param, -1) == value))
			return &plan.rows[i];
	fail_msg("%s with %s %g is not planned", variant, param ? param : "-", value);
	return NULL;
}

/*
 * Rows that cost what is said, of bisection as well until it plans no more, in so many rounds; and
 * of a variant the parameters on both sides of its edge.
 */
static inline unsigned bisect_rows(double (*ns)(const struct row *), const char *variant,
	const char *param, double edge, double *low, double *high)
{
	static struct result results[PLAN_ROWS];
	unsigned from = 0, rounds = 0;

	*low = 0;
	*high = INFINITY;
	planner.results = results;
	while (from < plan.n && rounds++ < 20) {
		for (; from < plan.n; from++) {
			const struct row *row = &plan.rows[from];
			double x = row_get(row, param, 0), y = ns(row);

			if (!strcmp(row->variant, variant))
				*(x <= edge ? low : high) =
					x <= edge ? fmax(*low, x) : fmin(*high, x);
			results[planner.nresults++] = (struct result){ .row = row,
				.median = y,
				.min = y,
				.max = y,
				.cycles = 3 * y,
				.core_hz = 3e9,
				.samples = 9,
				.page_bytes = row->page_bytes };
		}
		planner.probe->hooks->plan_edges(&planner, &medians);
	}
	return rounds;
}

#endif
