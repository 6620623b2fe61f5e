/* SPDX-License-Identifier: MIT */
/*
 * The fuzz targets' common declarations. `make fuzz` links them with libFuzzer, `make unit` with
 * replay.c.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's entry point. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#endif
