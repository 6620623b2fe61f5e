/* SPDX-License-Identifier: MIT */
/* Our own image as it lies in memory, by its PE header (Microsoft, "PE Format"). */
#ifndef KERNEL_MEMORY_IMAGE_SECTIONS_H
#define KERNEL_MEMORY_IMAGE_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/machine.h"

struct image_section {
	char name[9];
	struct span span;
	bool writable, executable;
};

/* Section number i of the image, in the order of the header; false when there is none. */
bool image_section(const struct span *image, unsigned i, struct image_section *out);
/* The section that holds an address; false when none does. */
bool image_find(const struct span *image, uint64_t address, struct image_section *out);

#endif
