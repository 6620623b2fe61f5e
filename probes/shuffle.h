/* SPDX-License-Identifier: MIT */
/* The shuffle in plain C: what loop_shuffle must return and leave. */
#ifndef PROBES_SHUFFLE_H
#define PROBES_SHUFFLE_H

#include <stdint.h>

/* Shuffles; returns the sum of the places chosen. */
uint64_t fisher_yates(uint32_t *array, uint64_t n, uint64_t seed);

/* The same sum without an array. */
uint64_t fisher_yates_sum(uint64_t n, uint64_t seed);

/* A number that depends on which elements there are and not on their order. */
uint64_t fisher_yates_mark(const uint32_t *array, uint64_t n);

#endif
