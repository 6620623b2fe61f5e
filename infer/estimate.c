/* SPDX-License-Identifier: MIT */
#include "infer/infer.h"
#include "lib/math.h"

struct estimate not_resolved(const char *reason)
{
	return (struct estimate){ NOT_A_NUMBER, NOT_A_NUMBER, NOT_A_NUMBER, 0, reason };
}
