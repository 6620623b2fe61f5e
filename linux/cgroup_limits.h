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
	uint64_t memory_bytes; /* beyond which it gets none, or is slowed down; 0: no limit */
	/*
	 * The group with the least memory left has so much, where copies of files count as free;
	 * UINT64_MAX: there is no limit.
	 */
	uint64_t memory_left;
	char *cpuset; /* the list of CPUs, if not all that are online; else NULL */
	bool throttling_known;
	uint64_t throttled, throttled_us; /* number and total time of throttling so far */
};

/*
 * `root` is "", or a prefix of /proc and /sys. A limit that cannot be read counts as none. The
 * caller frees it.
 */
struct cgroup_limits cgroup_limits_read(const char *root);
void cgroup_limits_free(struct cgroup_limits *);

#endif
