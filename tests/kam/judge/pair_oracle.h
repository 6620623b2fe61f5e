/* SPDX-License-Identifier: MIT */
/*
 * As stream_oracle.h, for two buffers of which one is read and the other written otherwise than by
 * a copy in order: mixes of reads and writes, and copies of one byte in every `stride`.
 */
#ifndef TESTS_KAM_JUDGE_PAIR_ORACLE_H
#define TESTS_KAM_JUDGE_PAIR_ORACLE_H

#include "tests/kam/judge/stream_oracle.h"

/*
 * Bytes per core cycle where `reads` lines are read for each that is written, by 16 bytes; `bytes`
 * of both. The first walk and the last one may settle in two orders.
 */
struct stream_rate mix_oracle(const struct cpu *, unsigned reads, uint64_t bytes);
/* Core cycles for each byte copied, of two arrays of `bytes` together: the least, the most. */
struct stream_rate stride_oracle(const struct cpu *, uint64_t stride, uint64_t bytes);

#endif
