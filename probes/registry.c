/* SPDX-License-Identifier: MIT */
/* The table of probes, made from probes.inc. A probe without a meaning inherits silence. */
#include "probes/probe.h"

#define PROBE(name, what, sources, needs)                                                          \
	__attribute__((weak)) void probe_##name##_meaning(struct bench *b)                         \
	{                                                                                          \
		(void)b;                                                                           \
	}
#include "probes/probes.inc"
#undef PROBE

const struct probe probes[] = {
#define PROBE(name, what, sources, needs)                                                          \
	{ #name, what, sources, needs, probe_##name##_plan, probe_##name##_meaning },
#include "probes/probes.inc"
#undef PROBE
};

const unsigned probe_count = sizeof probes / sizeof *probes;
