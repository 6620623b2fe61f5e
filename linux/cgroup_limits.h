/* SPDX-License-Identifier: MIT */
/* What control groups allow this process, of version 1 (cgroups(7)) or 2. */
#ifndef LINUX_CGROUP_LIMITS_H
#define LINUX_CGROUP_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The tightest limits of the process's groups and the groups above them. */
struct cgroup_limits {
	double cpus;           /* of CPU time, quota over period; 0: no limit */
	uint64_t memory_bytes; /* 0: no limit */
	uint64_t memory_left;  /* of the group that has least; UINT64_MAX: no limit */
	char cpuset[256];      /* the list of CPUs, if it is not that of all online; else "" */
	bool throttling_known;
	uint64_t throttled, throttled_us; /* how often, and how long in all, so far */
};

/* `root` is "": /proc and /sys are below it. What cannot be read is no limit. */
struct cgroup_limits cgroup_limits_read(const char *root);

#endif
