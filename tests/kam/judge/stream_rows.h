/* SPDX-License-Identifier: MIT */
/* What rows of streams must be, by what the timing model makes of the bare accesses. */
#ifndef TESTS_KAM_JUDGE_STREAM_ROWS_H
#define TESTS_KAM_JUDGE_STREAM_ROWS_H

#include "tests/kam/judge/row_rules.h"
#include "tests/kam/judge/stream_oracle.h"

/* By how many per cent a stream through so many bytes may differ from the oracle's. */
double stream_percent(const struct judged *, double bytes, bool two_buffers);
/* The row's rate is the oracle's, but for that. */
struct wanted stream_about(const struct judged *, json_t *row, struct stream_rate,
	bool two_buffers);
/* Whether the model's accesses alone tell: disturbances come in between, small pages miss a TLB. */
bool stream_foretold(const struct judged *, json_t *row);

#endif
