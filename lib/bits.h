/* SPDX-License-Identifier: MIT */
/* Fields of registers as manuals write them: word[high:low]. */
#ifndef LIB_BITS_H
#define LIB_BITS_H

#include <stdint.h>

static inline uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
	return (word >> low) & (uint32_t)((1ULL << (high - low + 1)) - 1);
}

#endif
