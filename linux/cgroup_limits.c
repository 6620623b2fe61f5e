/* SPDX-License-Identifier: MIT */
#include "linux/cgroup_limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "linux/sysfs.h"

#define PATH_BYTES    4096
#define NO_LIMIT_FROM (1ULL << 60) /* version 1: no limit is the largest whole number of pages */

/* A hierarchy of groups: its mount point, and the process's group in it. */
struct hierarchy {
	const char *root, *mount;
	char group[PATH_BYTES]; /* "/a/b", cut step by step to "" */
};

static void path_of(const struct hierarchy *h, const char *file, char out[3 * PATH_BYTES])
{
	snprintf(out, 3 * PATH_BYTES, "%s/sys/fs/cgroup%s%s/%s", h->root, h->mount, h->group, file);
}

static bool group_line(const struct hierarchy *h, const char *file, char *out, size_t bytes)
{
	char path[3 * PATH_BYTES];
	path_of(h, file, path);
	return read_line(path, out, bytes);
}

static bool group_number(const struct hierarchy *h, const char *file, uint64_t *out)
{
	char line[64];
	return group_line(h, file, line, sizeof(line)) && sscanf(line, "%" SCNu64, out) == 1;
}

static bool group_keyed(const struct hierarchy *h, const char *key, uint64_t *out)
{
	char path[3 * PATH_BYTES];
	path_of(h, "cpu.stat", path);
	return read_keyed(path, key, out);
}

/* Go to the next group above. Returns false at the top. */
static bool go_up(struct hierarchy *h)
{
	char *last = strrchr(h->group, '/');
	if (!last)
		return false;
	*last = '\0';
	return true;
}

static void limit_cpus(struct cgroup_limits *l, double quota, double period)
{
	if (quota > 0 && period > 0 && (!(l->cpus > 0) || quota / period < l->cpus))
		l->cpus = quota / period;
}

static void limit_memory(struct cgroup_limits *l, const struct hierarchy *h, const char *limit,
	const char *usage)
{
	uint64_t most, used;
	if (!group_number(h, limit, &most) || most >= NO_LIMIT_FROM)
		return;
	if (!l->memory_bytes || most < l->memory_bytes)
		l->memory_bytes = most;
	if (!group_number(h, usage, &used))
		used = 0;
	uint64_t left = most > used ? most - used : 0;
	if (left < l->memory_left)
		l->memory_left = left;
}

/* Take the list of the lowest group: groups above can only have more CPUs. */
static void limit_cpuset(struct cgroup_limits *l, const struct hierarchy *h, const char *file)
{
	char list[sizeof(l->cpuset)], online[sizeof(l->cpuset)], path[PATH_BYTES];
	snprintf(path, sizeof(path), "%s" CPU_DIR "online", h->root);
	if (!*l->cpuset && group_line(h, file, list, sizeof(list)) && *list &&
		read_line(path, online, sizeof(online)) && strcmp(list, online))
		snprintf(l->cpuset, sizeof(l->cpuset), "%s", list);
}

/* unit_us: microseconds in the unit of the file's time. */
static void add_throttling(struct cgroup_limits *l, const struct hierarchy *h, const char *time_key,
	double unit_us)
{
	uint64_t times, time;
	if (!group_keyed(h, "nr_throttled ", &times) || !group_keyed(h, time_key, &time))
		return;
	l->throttling_known = true;
	l->throttled += times;
	l->throttled_us += (uint64_t)((double)time * unit_us);
}

static void read_group_2(struct cgroup_limits *l, const struct hierarchy *h)
{
	char line[64];
	double quota, period;
	if (group_line(h, "cpu.max", line, sizeof(line)) &&
		sscanf(line, "%lf %lf", &quota, &period) == 2)
		limit_cpus(l, quota, period);
	limit_memory(l, h, "memory.max", "memory.current");
	limit_cpuset(l, h, "cpuset.cpus.effective");
	add_throttling(l, h, "throttled_usec ", 1);
}

static void read_cpu_1(struct cgroup_limits *l, const struct hierarchy *h)
{
	uint64_t quota, period;
	if (group_number(h, "cpu.cfs_quota_us", &quota) && (int64_t)quota > 0 &&
		group_number(h, "cpu.cfs_period_us", &period))
		limit_cpus(l, (double)quota, (double)period);
	add_throttling(l, h, "throttled_time ", 1e-3);
}

static void read_memory_1(struct cgroup_limits *l, const struct hierarchy *h)
{
	limit_memory(l, h, "memory.limit_in_bytes", "memory.usage_in_bytes");
}

static void read_cpuset_1(struct cgroup_limits *l, const struct hierarchy *h)
{
	limit_cpuset(l, h, "cpuset.effective_cpus");
	limit_cpuset(l, h, "cpuset.cpus");
}

/*
 * Controllers as named in /proc/self/cgroup ("4:cpu,cpuacct:/a"), their possible mount points, and
 * a file that every group of a mounted one has.
 */
static const struct controller_kind {
	const char *controller, *mounts[3], *file;
	void (*read)(struct cgroup_limits *, const struct hierarchy *);
} kinds[] = {
	{ "", { "", "/unified" }, "cgroup.controllers", read_group_2 },
	{ "cpu", { "/cpu", "/cpu,cpuacct", "/cpuacct,cpu" }, "cgroup.procs", read_cpu_1 },
	{ "memory", { "/memory" }, "cgroup.procs", read_memory_1 },
	{ "cpuset", { "/cpuset" }, "cgroup.procs", read_cpuset_1 },
};

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = list;; at++) {
		if (!strncmp(at, word, n) && (at[n] == ',' || !at[n]))
			return true;
		at = strchr(at, ',');
		if (!at)
			return false;
	}
}

/*
 * Read a controller's limits. A group that cannot be seen, as from within a container, has none of
 * the files.
 */
static void read_kind(struct cgroup_limits *l, const struct controller_kind *kind, const char *root,
	const char *group)
{
	for (size_t i = 0; i < 3 && kind->mounts[i]; i++) {
		struct hierarchy h = { .root = root, .mount = kind->mounts[i] };
		char path[3 * PATH_BYTES];
		path_of(&h, kind->file, path);
		if (access(path, F_OK))
			continue;
		snprintf(h.group, sizeof(h.group), "%s", strcmp(group, "/") ? group : "");
		do
			kind->read(l, &h);
		while (go_up(&h));
		return;
	}
}

static void read_membership(struct cgroup_limits *l, const char *root, char *line)
{
	char *controllers = strchr(line, ':'), *group;
	if (!controllers || !(group = strchr(controllers + 1, ':')))
		return;
	*group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (has_word(controllers + 1, kinds[i].controller))
			read_kind(l, &kinds[i], root, group);
}

struct cgroup_limits cgroup_limits_read(const char *root)
{
	struct cgroup_limits l = { .memory_left = UINT64_MAX };
	char path[PATH_BYTES], line[PATH_BYTES];
	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		read_membership(&l, root, line);
	if (f)
		fclose(f);
	return l;
}
