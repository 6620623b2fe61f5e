/* SPDX-License-Identifier: MIT */
#include "probes/states.h"

void states_fill(struct random *r, int *data, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		data[i] = (int)random_below(r, STATES_VALUES);
}

uint64_t states_value(const int *data, uint64_t n)
{
	uint32_t acc = 0, second = 0; /* of all bits where the second state is meant */

	for (uint64_t i = 0; i < n; i++) {
		uint32_t v = (uint32_t)data[i], odd = -(v & 1), above = -(v > STATES_THRESHOLD);
		uint32_t in_first = acc + ((v * v & above) | (v & ~above));
		uint32_t in_second = ((acc ^ v) & odd) | ((acc + (v >> 2)) & ~odd);

		acc = (in_second & second) | (in_first & ~second);
		second = (~odd & second) | (above & ~second);
	}
	return acc;
}
