/* SPDX-License-Identifier: MIT */
/* What a run counts beside time: the events that the machine can count, and as many as happen. */
#ifndef TESTS_KAM_JUDGE_COUNTED_EVENTS_H
#define TESTS_KAM_JUDGE_COUNTED_EVENTS_H

#include "tests/kam/judge/judged_run.h"

void judge_counted_events(const struct judged *);

#endif
