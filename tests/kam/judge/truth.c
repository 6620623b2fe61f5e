/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tests/kam/judge/truth.h"

#define PROBE(name, ...) extern const struct truth truth_##name;
#include "probes/probes.inc"
#undef PROBE

const struct probe_truth truths[] = {
#define PROBE(name, ...) { #name, &truth_##name },
#include "probes/probes.inc"
#undef PROBE
};

const size_t truth_count = sizeof(truths) / sizeof(*truths);

const struct truth *truth_of(const char *probe)
{
	for (size_t i = 0; i < truth_count; i++)
		if (!strcmp(truths[i].probe, probe))
			return truths[i].truth;
	return NULL;
}
