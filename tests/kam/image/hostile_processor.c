/* SPDX-License-Identifier: MIT */
#include "tests/kam/image/hostile.h"

const struct misbehaviour hostile_processor[] = {
	{ 0 },
};
