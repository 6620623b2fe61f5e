/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/fault.h"
#include "lib/ensure.h"

void ensure_failed(const char *condition, const char *file, int line)
{
	panic("%s:%d: this must hold: %s", file, line, condition);
}
