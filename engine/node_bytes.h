/* SPDX-License-Identifier: MIT */
/* How far apart nodes must be to share neither a line nor what is fetched together with it. */
#ifndef ENGINE_NODE_BYTES_H
#define ENGINE_NODE_BYTES_H

#include <stdint.h>

struct bench;

/*
 * Sets b->node_bytes (64 to 512) and b->node_bytes_votes: by the setting `node`; else measured with
 * flushed lines in the first `bytes` of the arena (2 MiB or more), whose contents are lost.
 */
void measure_node_bytes(struct bench *, uint64_t bytes);

#endif
