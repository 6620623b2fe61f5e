/* SPDX-License-Identifier: MIT */
/* The table of probes, made from probes.inc. */
#include "probes/probe.h"

const struct probe probes[] = {
#define PROBE(name, what, sources, needs) { #name, what, sources, needs, &probe_##name },
#include "probes/probes.inc"
#undef PROBE
};

/* A bit each: bench.no_number, found_values.searched. */
_Static_assert(sizeof probes / sizeof *probes <= 64, "more probes than a mask has bits");

const unsigned probe_count = sizeof probes / sizeof *probes;
