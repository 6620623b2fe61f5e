/* SPDX-License-Identifier: MIT */
/*
 * Rates of a stream through a buffer beyond L1: write-backs compete with fills for the same pipes,
 * so there is no closed form. The timing model is given the accesses alone, without the loops, the
 * engine and the inference, since these are judged; the model's own unit tests vouch for it.
 */
#ifndef TESTS_KAM_JUDGE_STREAM_ORACLE_H
#define TESTS_KAM_JUDGE_STREAM_ORACLE_H

#include "tests/kam/judge/bandwidth_bound.h"

/*
 * Bytes per core cycle. Write-backs and fills of a copy or a write through memory settle in one
 * order or in another: a machine may show the first walk, once the caches are full, or the last
 * one. Else the two are equal.
 */
struct stream_rate {
	double low, high;
};

/*
 * Reads, writes or copies of `width` bytes in order, over and over, in large pages; a copy has half
 * of the bytes on each side and counts both.
 */
struct stream_rate stream_oracle(const struct cpu *, enum stream_op, uint64_t bytes,
	unsigned width);
/* One byte loaded from every 64, counted as 64. */
struct stream_rate line_oracle(const struct cpu *, uint64_t bytes);

/* A simulation, and what tells it from others on the same machine. */
struct stream_question {
	struct stream_rate (*simulate)(const struct cpu *, const uint64_t asked[4]);
	uint64_t asked[4];
};

/*
 * Its answer, which is kept: a check of several results asks for the same again and again. Machines
 * are told apart by their names.
 */
struct stream_rate stream_rate_once(const struct cpu *, const struct stream_question *);

#endif
