/* SPDX-License-Identifier: MIT */
/* Load an image as a firmware does before it enters it: sections in their places, relocated. */
#ifndef TESTS_KAM_IMAGE_LOAD_H
#define TESTS_KAM_IMAGE_LOAD_H

#include "tests/kam/image/image.h"

/* Bytes that the loaded image takes. */
uint32_t load_bytes(const struct image *);
/* Lays it out at `to`, which is address `base` of the machine; returns the address of its entry. */
uint64_t load_image(const struct image *, uint8_t *to, uint64_t base);

#endif
