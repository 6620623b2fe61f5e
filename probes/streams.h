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

/*
 * The memory that the loops of turn_loops.S walk, and the way of reading it: all in bytes except
 * the turns.
 */
struct turn_walk {
	uint64_t to, from;  /* where the first cursor begins; from = to where there is one buffer */
	uint64_t near, far; /* from cursor 0 to 1 and 2 to 3, from 0 to 2 and 1 to 3 */
	uint64_t step;      /* by which every cursor goes on each turn */
	uint64_t turns, pattern;
};

enum turn_op { TURN_READ, TURN_WRITE, TURN_WRITE_NT, TURN_COPY, TURN_COPY_NT, TURN_OPS };
/* 8 accesses a turn; the same with a prefetch 2 KiB ahead; 2 accesses a turn. */
enum turn_kind { TURN_8, TURN_8_AHEAD, TURN_2, TURN_KINDS };

/* A width of one access, what it needs of the machine, and its loops. */
struct width {
	unsigned bits;
	uint32_t needs; /* enum need */
	loop_fn *read, *write, *write_nt, *copy, *random_read, *random_write;
	loop_fn *words_read, *words_write; /* NULL: not of this width */
	/* NULL where there is none: narrower than 128 bits */
	loop_fn *mix[MIXES];
	loop_fn *turn[TURN_OPS][TURN_KINDS]; /* and where it would be no form of its own */
};

extern const struct width widths[WIDTHS]; /* ascending */

/* One pass of a read loop over a buffer (probes/loops/read_loops.S defines the sum). */
uint64_t streams_sum(const unsigned char *buffer, size_t bytes, unsigned width_bits);

/* The lines that each of `mix` reads for one that it writes. */
extern const unsigned mix_reads[MIXES];
extern const char *const mix_names[MIXES];

/* One pass of a mix: the sum of the first access of each of `lines` lines read. */
uint64_t streams_mix_sum(const unsigned char *from, uint64_t lines, unsigned width_bits);

/*
 * The walk of `bytes` in 1, 2 or 4 streams of `in_a_turn` = 8 accesses in all, or 1 stream of 2:
 * bytes are a multiple of 512, which every width's turn divides.
 */
#define TURN_BYTES 512
struct turn_walk streams_walk(void *to, const void *from, uint64_t bytes, unsigned in_a_turn,
	unsigned streams, unsigned width_bits, uint64_t pattern);
/* Returns the value of a turn_read loop; `in_a_turn`: 8 or 2. */
uint64_t streams_turn_sum(const struct turn_walk *, uint64_t passes, unsigned in_a_turn,
	unsigned width_bits);

/* The bytes that a write loop leaves: whether all of the buffer holds the pattern. */
bool streams_filled(const unsigned char *buffer, size_t bytes, unsigned width_bits,
	uint64_t pattern);

#endif
