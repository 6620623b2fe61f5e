/* SPDX-License-Identifier: MIT */
/* The exceptions of x86 by their vectors: Intel SDM vol. 3A, table 6-1. */
#ifndef LIB_EXCEPTION_H
#define LIB_EXCEPTION_H

#include <stdint.h>

#define EXCEPTION_PAGE_FAULT 14

/* Returns "page fault"; "exception" for a vector that has no name. */
const char *exception_name(uint64_t vector);
/* The kind of access by a page fault's error code: "write to". */
const char *access_name(uint64_t error);

#endif
