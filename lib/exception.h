/* SPDX-License-Identifier: MIT */
/* The exceptions of x86 by their vectors: Intel SDM vol. 3A, table 6-1. */
#ifndef LIB_EXCEPTION_H
#define LIB_EXCEPTION_H

#include <stdint.h>

#define EXCEPTION_PAGE_FAULT 14

/* "page fault"; "exception" of a vector that has no name. */
const char *exception_name(uint64_t vector);
/* What a page fault's error code says of the access: "write to". */
const char *access_name(uint64_t error);

#endif
