/* SPDX-License-Identifier: MIT */
/* The streaming loops by kind and width, and what plain C says that they return and leave. */
#ifndef PROBES_STREAMS_H
#define PROBES_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/loops/loops.h"

#define WIDTHS 5
#define MIXES  3 /* read:write 3:1, 2:1, 1:1 */

/* A width of one access, what it needs of the machine, and its loops. */
struct width {
	unsigned bits;
	uint32_t needs; /* enum need */
	loop_fn *read, *write, *write_nt, *copy, *random_read, *random_write;
	loop_fn *words_read, *words_write; /* NULL: not of this width */
	loop_fn *mix[MIXES];               /* NULL where there is none: narrower than 128 bits */
};

extern const struct width widths[WIDTHS]; /* ascending */

/* One pass of a read loop over a buffer (probes/loops/read_loops.S defines the sum). */
uint64_t streams_sum(const unsigned char *buffer, size_t bytes, unsigned width_bits);

/* The lines that each of `mix` reads for one that it writes. */
extern const unsigned mix_reads[MIXES];
extern const char *const mix_names[MIXES];

/* One pass of a mix: the sum of the first access of each of `lines` lines read. */
uint64_t streams_mix_sum(const unsigned char *from, uint64_t lines, unsigned width_bits);

/* The bytes that a write loop leaves: whether all of the buffer holds the pattern. */
bool streams_filled(const unsigned char *buffer, size_t bytes, unsigned width_bits,
	uint64_t pattern);

#endif
