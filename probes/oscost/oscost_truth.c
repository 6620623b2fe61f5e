/* SPDX-License-Identifier: MIT */
#include "tests/kam/judge/truth.h"

const struct truth truth_oscost = { .none = "its rows need a system, which the machine has not" };
