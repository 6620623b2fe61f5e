/* SPDX-License-Identifier: MIT */
/* What the file of an experiment includes: the engine, and the hooks that probes.inc asks of it. */
#ifndef PROBES_PROBE_H
#define PROBES_PROBE_H

#include "engine/find.h"

#define PROBE(name, what, sources, needs)                                                          \
	void probe_##name##_plan_first(struct bench *);                                            \
	void probe_##name##_find_first(struct bench *);                                            \
	void probe_##name##_plan(struct bench *);                                                  \
	void probe_##name##_plan_edges(struct bench *);                                            \
	void probe_##name##_find(struct bench *);                                                  \
	void probe_##name##_meaning(struct bench *);
#include "probes/probes.inc"
#undef PROBE

#endif
