/* SPDX-License-Identifier: MIT */
/* Limits of this process by control groups, version 1 (cgroups(7)) or 2. */
#ifndef LINUX_CGROUP_LIMITS_H
#define LINUX_CGROUP_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The tightest limits of the process's groups and the groups above them. */
struct cgroup_limits {
	double cpus;           /* of CPU time, quota over period; 0: no limit */
	uint64_t memory_bytes; /* 0: no limit */
	uint64_t memory_left;  /* of the group with the least memory left; UINT64_MAX: no limit */
	char cpuset[256];      /* the list of CPUs, if not all that are online; else "" */
	bool throttling_known;
	uint64_t throttled, throttled_us; /* number and total time of throttling so far */
};

/* `root` is "", or a prefix of /proc and /sys. A limit that cannot be read counts as none. */
struct cgroup_limits cgroup_limits_read(const char *root);

#endif
