/* SPDX-License-Identifier: MIT */
#include "probes/lanes.h"

kern_fn *lanes_kernel(unsigned lanes)
{
	static kern_fn *const kernels[LANES_REGISTERS] = { kern_lanes_1, kern_lanes_2, kern_lanes_3,
		kern_lanes_4, kern_lanes_5, kern_lanes_6, kern_lanes_7, kern_lanes_8, kern_lanes_9,
		kern_lanes_10, kern_lanes_11, kern_lanes_12 };

	return kernels[lanes - 1];
}

uint64_t *lanes_list(const struct chain *c, uint64_t from, uint64_t n, uint64_t *out)
{
	for (uint64_t k = 0; k < n; k++)
		*out++ = chain_at(c, CHAIN_POINTER, from + k);
	return out;
}

int lanes_flush(struct bench *b, const uint64_t *list, uint64_t n)
{
	const uint64_t args[KERN_ARGS] = { (uintptr_t)list, n };
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += list[i];
	return gate(b, kern_flush, args).value == sum ? 0 : -1;
}
