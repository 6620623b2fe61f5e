/* SPDX-License-Identifier: MIT */
/* What was asked for, and no row is of. */
#ifndef ENGINE_UNPLANNED_H
#define ENGINE_UNPLANNED_H

#include "engine/bench.h"

struct unplanned {
	const char *name; /* the first "probe:variant" of options.probes that no row has, or NULL */
	size_t n;         /* its length */
	bool any;         /* some row is planned */
};

/*
 * Before a run: plans what was asked for, with the caches that CPUID claims, and measures none of
 * it. Where nothing can be planned (no memory), the run says why: name is NULL, any is true.
 */
struct unplanned selection_unplanned(struct room *, const struct options *);

#endif
