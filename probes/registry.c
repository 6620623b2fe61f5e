/* SPDX-License-Identifier: MIT */
/*
 * The table of probes, made from probes.inc. Every probe defines plan; another hook that it does
 * not define does nothing.
 */
#include "probes/probe.h"

#define NO_HOOK(name, hook)                                                                        \
	__attribute__((weak)) void probe_##name##_##hook(struct bench *b)                          \
	{                                                                                          \
	}
#define PROBE(name, what, sources, needs)                                                          \
	NO_HOOK(name, plan_first)                                                                  \
	NO_HOOK(name, find_first)                                                                  \
	NO_HOOK(name, plan_edges)                                                                  \
	NO_HOOK(name, find)                                                                        \
	NO_HOOK(name, meaning)
#include "probes/probes.inc"
#undef PROBE

const struct probe probes[] = {
#define PROBE(name, what, sources, needs)                                                          \
	{ #name, what, sources, needs, probe_##name##_plan_first, probe_##name##_find_first,       \
		probe_##name##_plan, probe_##name##_plan_edges, probe_##name##_find,               \
		probe_##name##_meaning },
#include "probes/probes.inc"
#undef PROBE
};

const unsigned probe_count = sizeof probes / sizeof *probes;
