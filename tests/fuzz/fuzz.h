/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share. `make fuzz` links libFuzzer behind them, `make unit` replay.c. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's entry point. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#endif
