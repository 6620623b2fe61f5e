/* SPDX-License-Identifier: MIT */
/*
 * Parts of what Linux says of itself and of the machine, for tests: how the kernel was built and
 * started, and the machine's names.
 */
#ifndef LINUX_SYSTEM_H
#define LINUX_SYSTEM_H

#include <stddef.h>

#include "lib/smbios.h"

#endif
