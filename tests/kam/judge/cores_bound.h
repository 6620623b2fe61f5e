/* SPDX-License-Identifier: MIT */
/*
 * Rates and latencies that several cores of a simulated machine can reach: closed forms, in core
 * cycles and bytes per core cycle.
 */
#ifndef TESTS_KAM_JUDGE_CORES_BOUND_H
#define TESTS_KAM_JUDGE_CORES_BOUND_H

#include <stdbool.h>

#include "tests/kam/cpu/cpu.h"

#define CORES_FAR 4 /* memory is so many times what the last caches hold */

/* Returns a size so large that no cache has a part in it. */
uint64_t cores_far_bytes(const struct cpu *);
/*
 * Returns a machine whose memory is as far away, and as slow, as that of memory_node is for cores
 * of cpu_node.
 */
struct cpu cores_seen_from(const struct cpu *, unsigned cpu_node, unsigned memory_node);
/* Returns the cycles that a line takes from core a to core b, if one of them wrote it first. */
double transfer_cycles(const struct cpu *, unsigned a, unsigned b);
/*
 * Returns the cycles of a hop of a line that two cores pass to and fro, if one of the two wrote it
 * first: the read takes it over, the write takes it from the reader, and the end of the wait is
 * mispredicted.
 */
double hop_cycles(const struct cpu *, unsigned a, unsigned b);
/* Returns the cycles of a load by a core of one node from memory of another, or of the same. */
double node_latency(const struct cpu *, unsigned cpu_node, unsigned memory_node);
/* Returns the rate at which one core can read so, with loads of 16 bytes. */
double node_read(const struct cpu *, unsigned cpu_node, unsigned memory_node);
/* Returns the rate at which all cores of a node can read so together. */
double node_read_all(const struct cpu *, unsigned cpu_node, unsigned memory_node);
/*
 * Returns the rate of the first n cores together, each with memory of its own node, that read
 * `reads` bytes for every `writes` bytes written. Memory's channels limit it, and the lines that
 * each core can fetch. A written line is fetched and later written back.
 */
double cores_bound(const struct cpu *, unsigned n, double reads, double writes);
/*
 * Returns the least rate that they reach, if one of them alone reaches `alone` bytes a cycle: each
 * of them reaches that until a channel is nearly full, and further cores do not make the total
 * less.
 */
double cores_least(const struct cpu *, unsigned n, double reads, double writes, double alone);
/*
 * Returns the cycles of a load of core 0 while the others read from their nodes without a pause: as
 * many lines are under way as the others have buffers, and one passes in memory.gap. ahead: with
 * prefetchers, as many lines as the windows ask for, and as the prefetchers are ahead of them.
 */
double loaded_latency(const struct cpu *, unsigned n, bool ahead);

#endif
