/* SPDX-License-Identifier: MIT */
/* The matrix products again, as a compiler vectorises them (Makefile, VECTOR): only ikj it can. */
#include "probes/loops/leaf.h"

#define MATMUL(order) leaf_matmul_##order##_vector
#include "probes/loops/matmul.inc"
