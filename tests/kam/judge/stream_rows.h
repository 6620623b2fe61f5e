/* SPDX-License-Identifier: MIT */
/* Bounds of rows of streams, from the timing model's rates for the bare accesses. */
#ifndef TESTS_KAM_JUDGE_STREAM_ROWS_H
#define TESTS_KAM_JUDGE_STREAM_ROWS_H

#include "tests/kam/judge/row_rules.h"
#include "tests/kam/judge/stream_oracle.h"

/* Returns by how many per cent a stream through so many bytes may differ from the oracle's. */
double stream_percent(const struct judged *, double bytes, bool two_buffers);
/* Bounds the row's rate: it may differ from the oracle's by that much. */
struct wanted stream_about(const struct judged *, json_t *row, struct stream_rate,
	bool two_buffers);
/*
 * Returns true if the model's bare accesses foretell the row: not with disturbances, without a
 * predictor, or with small pages, which miss a TLB.
 */
bool stream_foretold(const struct judged *, json_t *row);

#endif
