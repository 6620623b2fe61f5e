/* SPDX-License-Identifier: MIT */
/* On which NUMA node memory lies. By system calls: a kernel without NUMA lacks them. */
#ifndef LINUX_NODE_MEMORY_H
#define LINUX_NODE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Has pages that are not there yet come from a node while it has any (mbind(2), MPOL_PREFERRED: a
 * strict binding would have the kernel kill somebody when the node is full). NODE_UNKNOWN: nothing.
 */
void memory_prefer(void *base, size_t bytes, uint32_t node);

/*
 * The node of all pages looked at, NODE_UNKNOWN: several, or not known. One page of each 2 MiB is
 * asked for (move_pages(2)), and at most 4096.
 */
uint32_t memory_node(const void *base, size_t bytes);

/* Bytes of a node that are free or hold copies of files; SIZE_MAX: not known. */
size_t node_available(uint32_t node);

#endif
