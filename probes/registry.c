/* SPDX-License-Identifier: MIT */
/* The table of probes, made from probes.inc. */
#include "probes/probe.h"

const struct probe probes[] = {
#define PROBE(name, what, sources, needs) { #name, what, sources, needs, &probe_##name },
#include "probes/probes.inc"
#undef PROBE
};

const unsigned probe_count = sizeof probes / sizeof *probes;
