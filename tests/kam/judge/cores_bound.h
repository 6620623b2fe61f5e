/* SPDX-License-Identifier: MIT */
/*
 * What several cores of a simulated machine can reach: closed forms, in core cycles and bytes per
 * core cycle.
 */
#ifndef TESTS_KAM_JUDGE_CORES_BOUND_H
#define TESTS_KAM_JUDGE_CORES_BOUND_H

#include <stdbool.h>

#include "tests/kam/cpu/cpu.h"

#define CORES_FAR 4 /* memory is so many times what the last caches hold */

/* So much that no cache has a part in it. */
uint64_t cores_far_bytes(const struct cpu *);
/* The machine whose memory is as far away, and as slow, as a node's is for cores of another one. */
struct cpu cores_seen_from(const struct cpu *, unsigned cpu_node, unsigned memory_node);
/* A line from one core to another, where it was first written by one of them. */
double transfer_cycles(const struct cpu *, unsigned a, unsigned b);
/*
 * A hop of a line that two cores pass to and fro, where it was first written by one of them: the
 * read takes it over, the write takes it from the reader, and the end of the wait is mispredicted.
 */
double hop_cycles(const struct cpu *, unsigned a, unsigned b);
/* A load from memory, by a core of one node from memory of another, or the same. */
double node_latency(const struct cpu *, unsigned cpu_node, unsigned memory_node);
/* What one core can read so, with loads of 16 bytes. */
double node_read(const struct cpu *, unsigned cpu_node, unsigned memory_node);
/* What all cores of a node can read so together. */
double node_read_all(const struct cpu *, unsigned cpu_node, unsigned memory_node);
/*
 * The first n cores together, each with memory of its own node, where `reads` bytes are read for
 * each one of `writes` written: what memory's channels let through, and what each core can fetch. A
 * line that is written is fetched and later written back.
 */
double cores_bound(const struct cpu *, unsigned n, double reads, double writes);
/*
 * What they reach at least, if one of them alone reaches `alone` bytes a cycle: all of them so
 * much, until a channel is nearly full; no more cores make that less.
 */
double cores_least(const struct cpu *, unsigned n, double reads, double writes, double alone);
/*
 * A load of core 0 while the others read from their nodes without a pause: as many lines are under
 * way as those have buffers, and one passes in memory.gap. ahead: where lines are prefetched, as
 * many as the windows ask for, and as prefetchers are ahead of them.
 */
double loaded_latency(const struct cpu *, unsigned n, bool ahead);

#endif
