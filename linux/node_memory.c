/* SPDX-License-Identifier: MIT */
#include "linux/node_memory.h"

#include <linux/mempolicy.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/room.h"
#include "linux/sysfs.h"

#define NODES_MOST 1024 /* Linux's largest MAX_NUMNODES */
#define WORD_BITS  (8 * sizeof(unsigned long))
#define LOOKS_MOST 4096

void memory_prefer(void *base, size_t bytes, uint32_t node)
{
	unsigned long mask[NODES_MOST / WORD_BITS] = { 0 };
	if (node >= NODES_MOST)
		return;
	mask[node / WORD_BITS] = 1UL << node % WORD_BITS;
	/* The kernel looks at one bit less than it is told (get_nodes in its mm/mempolicy.c). */
	unsigned long most = NODES_MOST + 1;
	/* Where it fails the pages come from anywhere: memory_node will say. */
	(void)syscall(SYS_mbind, base, bytes, MPOL_PREFERRED, mask, most, 0U);
}

/* The machine's node if it has only one: then nothing need be asked (a container may not ask). */
static uint32_t only_node(void)
{
	char list[64], *end;
	if (!read_line("/sys/devices/system/node/has_memory", list, sizeof(list)))
		return NODE_UNKNOWN;
	unsigned long node = strtoul(list, &end, 10);
	return end == list || *end ? NODE_UNKNOWN : (uint32_t)node;
}

uint32_t memory_node(const void *base, size_t bytes)
{
	void *pages[LOOKS_MOST];
	int nodes[LOOKS_MOST];
	size_t step = bytes / LOOKS_MOST > PAGE_2M ? bytes / LOOKS_MOST : PAGE_2M;
	unsigned long n = 0;
	for (size_t at = 0; at < bytes && n < LOOKS_MOST; at += step)
		pages[n++] = (char *)(uintptr_t)base + at / PAGE_4K * PAGE_4K;
	if (!n || syscall(SYS_move_pages, 0, n, pages, NULL, nodes, 0))
		return only_node();
	for (unsigned long i = 0; i < n; i++)
		if (nodes[i] < 0 || nodes[i] != nodes[0])
			return NODE_UNKNOWN;
	return (uint32_t)nodes[0];
}

/* A figure of a node's meminfo, bytes; 0 where it is not there. */
static uint64_t figure(uint32_t node, const char *name)
{
	char path[80], key[64];
	uint64_t kib;
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/meminfo", node);
	snprintf(key, sizeof(key), "Node %u %s:", node, name);
	return read_keyed(path, key, &kib) ? kib * KIB : 0;
}

size_t node_available(uint32_t node)
{
	uint64_t all = node == NODE_UNKNOWN ? 0 : figure(node, "MemTotal");
	if (!all)
		return SIZE_MAX;
	return figure(node, "MemFree") + figure(node, "Active(file)") +
		figure(node, "Inactive(file)");
}
