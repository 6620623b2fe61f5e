/* SPDX-License-Identifier: MIT */
/* Fault injection, for tests of what follows a fault (hidden key `provoke`). */
#ifndef KERNEL_PROVOKE_H
#define KERNEL_PROVOKE_H

#include "kernel/config.h"

/* Causes that fault. Returns only for PROVOKE_NONE and PROVOKE_CPU. */
void provoke(enum provoke);

#endif
