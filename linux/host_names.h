/* SPDX-License-Identifier: MIT */
#ifndef LINUX_HOST_NAMES_H
#define LINUX_HOST_NAMES_H

#include "lib/host_identity.h"

/* What Linux tells of it; below `root`, which is "" or a test's directory. */
struct host_identity host_names_read(const char *root);

#endif
