/* SPDX-License-Identifier: MIT */
#include "tests/kam/judge/truth.h"

const struct truth truth_bytouch = {
	.none = "its rows need a system that maps pages when touched"
};
