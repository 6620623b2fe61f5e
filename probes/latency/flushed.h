/* SPDX-License-Identifier: MIT */
/*
 * The latency of memory without any cache: walks over lines that were flushed, on few pages, and on
 * more pages than a TLB holds. The difference of the two is what translation costs.
 */
#ifndef PROBES_LATENCY_FLUSHED_H
#define PROBES_LATENCY_FLUSHED_H

#include "engine/confidence.h"
#include "engine/curve.h"

/* Plans both kinds of rows at each span, from 4 MiB to the limit of the sweep. */
void flushed_plan(struct bench *);

/* One kind of rows: time over the span; n = 0: not measured. */
struct flushed_memory {
	struct curve near;   /* few pages: within the reach of the TLB */
	struct curve walked; /* many pages */
};

/* Reads the rows of the current probe. Returns false if there are none on few pages. */
bool flushed_read(const struct reader *, struct flushed_memory *);

/* The latency on few pages, in ns or core cycles: a median of all spans; NAN: not known. */
double flushed_near(const struct flushed_memory *, bool cycles);
/* The same as an estimate; not resolved if nothing was measured. */
struct estimate flushed_near_estimate(const struct flushed_memory *, bool cycles);
/* The largest span over which many pages cost as few do, in bytes; 0: there is none. */
double flushed_reach(const struct flushed_memory *);
/* Returns what a load on many pages costs more than on few, in ns, over the first such span. */
double flushed_walk_ns(const struct flushed_memory *, double bytes);
/* Returns true if many pages cost clearly more at the largest span: page walks take part there. */
bool flushed_walks(const struct flushed_memory *);

#endif
