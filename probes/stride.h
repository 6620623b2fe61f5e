/* SPDX-License-Identifier: MIT */
/* The two ways to the length of a line: strides, and what a flush takes along. */
#ifndef PROBES_STRIDE_H
#define PROBES_STRIDE_H

#include "engine/probe_api.h"

#define FLUSH_VARIANT "flush-beside"
#define FLUSH_APART   "apart_bytes" /* from the address flushed to the word that is loaded */

/* Adds the rows of probes/stride_flush.c. */
void flush_plan(struct bench *);

#endif
