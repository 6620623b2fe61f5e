/* SPDX-License-Identifier: MIT */
#include "tests/kam/image/hostile.h"

const struct misbehaviour hostile_acpi[] = {
	{ 0 },
};
