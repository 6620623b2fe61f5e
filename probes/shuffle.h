/* SPDX-License-Identifier: MIT */
/* The shuffle in plain C: what loop_shuffle must return and leave. */
#ifndef PROBES_SHUFFLE_H
#define PROBES_SHUFFLE_H

#include <stdint.h>

#endif
