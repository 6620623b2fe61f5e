/* SPDX-License-Identifier: MIT */
/*
 * Memory to measure in: mappings of one page size, populated, between guard pages; which pages they
 * really have, on which node they lie, and how much memory there is.
 */
#ifndef LINUX_MAPPING_H
#define LINUX_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "linux/hosted.h"

void mapping_free(struct slot *s);

#endif
