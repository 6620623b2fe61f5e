/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "report/compare_parts.h"

#define LABEL_WIDEST 64

int label_width(const struct comparison *c)
{
	size_t most = 0;

	for (size_t i = 0; i < c->nrows; i++) {
		size_t n = strlen(c->rows[i].label);
		most = n > most && n <= LABEL_WIDEST ? n : most;
	}
	return (int)most;
}

char set_letter(size_t set)
{
	return (char)('A' + set);
}
