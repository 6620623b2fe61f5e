/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "lib/ensure.h"

void ensure_failed(const char *condition, const char *file, int line)
{
	fprintf(stderr, "anechoic: %s:%d: this must hold: %s\n", file, line, condition);
	abort();
}
