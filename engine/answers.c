/* SPDX-License-Identifier: MIT */
#include "engine/answers.h"

const struct answer_facts answers[ANSWERS] = {
#define ANSWER(symbol, profile, what)      { PROFILE_##profile, false, what },
#define CORE_ANSWER(symbol, profile, what) { PROFILE_##profile, true, what },
#include "engine/answers.inc"
#undef CORE_ANSWER
#undef ANSWER
};
