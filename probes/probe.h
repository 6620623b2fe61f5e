/* SPDX-License-Identifier: MIT */
/* Included by the file of an experiment: the engine, and the hooks that probes.inc demands. */
#ifndef PROBES_PROBE_H
#define PROBES_PROBE_H

#include "engine/find.h"

#define PROBE(name, what, sources, needs) extern const struct hooks probe_##name;
#include "probes/probes.inc"
#undef PROBE

#endif
