/* SPDX-License-Identifier: MIT */
/*
 * The oracle of stream_oracle.h for two buffers, one read and one written, by other streams than a
 * copy in order: mixes of reads and writes, and copies of one byte in every `stride`.
 */
#ifndef TESTS_KAM_JUDGE_PAIR_ORACLE_H
#define TESTS_KAM_JUDGE_PAIR_ORACLE_H

#include "tests/kam/judge/stream_oracle.h"

/*
 * Returns the bytes per core cycle, by accesses of 16 bytes, if `reads` lines are read for each
 * that is written; both buffers together have `bytes`. The first walk and the last one may settle
 * in two orders.
 */
struct stream_rate mix_oracle(const struct cpu *, unsigned reads, uint64_t bytes);
/*
 * Returns the least and the most core cycles for each byte copied, with two arrays of `bytes`
 * together.
 */
struct stream_rate stride_oracle(const struct cpu *, uint64_t stride, uint64_t bytes);

#endif
