/* SPDX-License-Identifier: MIT */
#include "linux/cgroup_limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux/report/allocate.h"
#include "linux/sysfs.h"

#define PATH_BYTES    4096
#define NO_LIMIT_FROM (1ULL << 60) /* version 1: no limit is the largest whole number of pages */

/* A hierarchy of groups: its mount point, and the process's group in it. */
struct hierarchy {
	const char *root, *mount;
	char *group; /* "/a/b", cut step by step to "" */
};

/* The caller frees the path. */
static char *path_of(const struct hierarchy *h, const char *file)
{
	char *path;
	size_t bytes;
	FILE *out = text_stream(&path, &bytes);
	fprintf(out, "%s/sys/fs/cgroup%s%s/%s", h->root, h->mount, h->group, file);
	fclose(out);
	return path;
}

/* The caller frees the line. */
static char *group_line(const struct hierarchy *h, const char *file)
{
	char *path = path_of(h, file), *line = file_line(path);
	free(path);
	return line;
}

static bool group_keyed(const struct hierarchy *h, const char *file, const char *key, uint64_t *out)
{
	char *path = path_of(h, file);
	bool known = read_keyed(path, key, out);
	free(path);
	return known;
}

static bool group_number(const struct hierarchy *h, const char *file, uint64_t *out)
{
	return group_keyed(h, file, "", out);
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

/*
 * Apply a limit to a group whose members use `usage`; the kernel takes the copies of files among
 * that back when it needs memory. files_1, files_2: their keys in memory.stat.
 */
static void limit_memory(struct cgroup_limits *l, const struct hierarchy *h, const char *limit,
	const char *usage, const char *files_1, const char *files_2)
{
	uint64_t most, used, files = 0, more = 0;
	if (!group_number(h, limit, &most) || most >= NO_LIMIT_FROM)
		return;
	if (!l->memory_bytes || most < l->memory_bytes)
		l->memory_bytes = most;
	if (!group_number(h, usage, &used))
		used = 0;
	if (group_keyed(h, "memory.stat", files_1, &files) &&
		group_keyed(h, "memory.stat", files_2, &more))
		files += more;
	used = used > files ? used - files : 0;
	uint64_t left = most > used ? most - used : 0;
	if (left < l->memory_left)
		l->memory_left = left;
}

/* Take the list of the lowest group: groups above can only have more CPUs. */
static void limit_cpuset(struct cgroup_limits *l, const struct hierarchy *h, const char *file)
{
	char path[PATH_BYTES];
	if (l->cpuset)
		return;
	snprintf(path, sizeof(path), "%s" CPU_DIR "online", h->root);
	char *list = group_line(h, file), *online = file_line(path);
	if (list && *list && online && strcmp(list, online)) {
		l->cpuset = list;
		list = NULL;
	}
	free(list);
	free(online);
}

/* unit_us: microseconds in the unit of the file's time. */
static void add_throttling(struct cgroup_limits *l, const struct hierarchy *h, const char *time_key,
	double unit_us)
{
	uint64_t times, time;
	if (!group_keyed(h, "cpu.stat", "nr_throttled ", &times) ||
		!group_keyed(h, "cpu.stat", time_key, &time))
		return;
	l->throttling_known = true;
	l->throttled += times;
	l->throttled_us += (uint64_t)((double)time * unit_us);
}

static void read_group_2(struct cgroup_limits *l, const struct hierarchy *h)
{
	char *line = group_line(h, "cpu.max");
	double quota, period;
	if (line && sscanf(line, "%lf %lf", &quota, &period) == 2)
		limit_cpus(l, quota, period);
	free(line);
	limit_memory(l, h, "memory.max", "memory.current", "inactive_file ", "active_file ");
	limit_memory(l, h, "memory.high", "memory.current", "inactive_file ", "active_file ");
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
	limit_memory(l, h, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ",
		"total_active_file ");
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
		struct hierarchy h = { root, kind->mounts[i], (char *)"" };
		char *file = path_of(&h, kind->file);
		bool there = access(file, F_OK) == 0;
		free(file);
		if (!there)
			continue;
		char *lowest = copy_text(strcmp(group, "/") ? group : "");
		h.group = lowest;
		do
			kind->read(l, &h);
		while (go_up(&h));
		free(lowest);
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
	char path[PATH_BYTES], *line = NULL;
	size_t capacity = 0;
	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	FILE *f = fopen(path, "re");
	while (f && getline(&line, &capacity, f) >= 0)
		read_membership(&l, root, line);
	free(line);
	if (f)
		fclose(f);
	return l;
}

void cgroup_limits_free(struct cgroup_limits *l)
{
	free(l->cpuset);
	l->cpuset = NULL;
}
