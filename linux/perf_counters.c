/* SPDX-License-Identifier: MIT */
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux/perf_counters.h"

const struct counter_kind hardware_counters[COUNTERS] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, EVENT_CORE_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, EVENT_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, EVENT_MISPREDICTS },
};

static int counter_open(const struct counter_kind *kind, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = kind->type,
		.config = kind->config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			PERF_FORMAT_TOTAL_TIME_RUNNING,
		.pinned = leader < 0, /* always on the PMU, or an error: never an estimate */
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

void counters_open(struct event_counters *q, const struct counter_kind *kinds, unsigned n)
{
	q->ncounters = 0;
	for (unsigned i = 0; i < n && i < COUNTERS; i++) {
		int fd = counter_open(&kinds[i], q->ncounters ? q->fds[0] : -1);
		if (fd < 0)
			continue;
		q->fds[q->ncounters] = fd;
		q->counter_bits[q->ncounters++] = kinds[i].bit;
	}
}

void counters_close(struct event_counters *q)
{
	while (q->ncounters)
		close(q->fds[--q->ncounters]);
}

int counters_read(const struct event_counters *q, uint64_t values[COUNTERS])
{
	struct {
		uint64_t n, enabled, running, value[COUNTERS];
	} group;
	ssize_t got = read(q->fds[0], &group, sizeof(group));
	if (got < (ssize_t)(3 * sizeof(uint64_t)) || group.n != q->ncounters ||
		group.enabled != group.running)
		return -1;
	memcpy(values, group.value, sizeof(group.value));
	return 0;
}
