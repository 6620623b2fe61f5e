/* SPDX-License-Identifier: MIT */
/* Faults on demand, so that what happens after a fault can be tested (hidden key `provoke`). */
#ifndef KERNEL_PROVOKE_H
#define KERNEL_PROVOKE_H

#include "kernel/config.h"

/* Does it; returns only for PROVOKE_NONE. */
void provoke(enum provoke);

#endif
