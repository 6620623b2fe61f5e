/* SPDX-License-Identifier: MIT */
/*
 * The place of a CPU in the machine, as Linux tells it (its Documentation/ABI/stable/
 * sysfs-devices-system-cpu and sysfs-devices-node). Numbers of nodes and of cores have gaps.
 */
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/hosted.h"
#include "linux/sysfs.h"

/* Writes the path of a CPU's file, such as "topology/die_id". */
static const char *cpu_file(char path[PATH_MAX], const char *root, unsigned cpu, const char *file)
{
	snprintf(path, PATH_MAX, "%s" CPU_DIR "cpu%u/%s", root, cpu, file);
	return path;
}

static uint32_t figure_of(const char *root, unsigned cpu, const char *file)
{
	char path[PATH_MAX];
	uint64_t value;
	return read_number(cpu_file(path, root, cpu, file), &value) && value < UINT32_MAX
		? (uint32_t)value
		: UINT32_MAX;
}

/*
 * Find the core of a CPU and its place in it, by the list of the threads of one core: "0,32". The
 * first one's number is the core's: core_id is the firmware's, and several cores of a package have
 * the same where Linux knows no die_id.
 */
static void place_in_core(const char *root, unsigned cpu, struct cpu_location *at)
{
	char path[PATH_MAX];
	char *list = file_line(cpu_file(path, root, cpu, "topology/thread_siblings_list"));
	if (list) {
		at->core = (uint32_t)strtoul(list, NULL, 10);
		at->thread = 0;
		for (unsigned i = at->core; i < cpu; i++)
			at->thread += list_has(list, i);
	}
	free(list);
}

static uint32_t node_of(const char *root, unsigned cpu)
{
	char path[PATH_MAX];
	uint32_t found = NODE_UNKNOWN, node;
	bool has = false;
	snprintf(path, sizeof(path), "%s/sys/devices/system/node", root);
	DIR *nodes = opendir(path);
	for (struct dirent *e = nodes ? readdir(nodes) : NULL; e && found == NODE_UNKNOWN;
		e = readdir(nodes)) {
		if (sscanf(e->d_name, "node%" SCNu32, &node) != 1)
			continue;
		snprintf(path, sizeof(path), "%s/sys/devices/system/node/%s/cpulist", root,
			e->d_name);
		if (read_list_has(path, cpu, &has) && has)
			found = node;
	}
	if (nodes)
		closedir(nodes);
	return found;
}

/* Names the last cache by the first CPU that shares it: `id` does not exist before Linux 4.10. */
static uint32_t last_cache_of(const char *root, unsigned cpu)
{
	uint32_t highest = 0, last = UINT32_MAX, level;
	char file[64];
	for (unsigned i = 0;; i++) {
		snprintf(file, sizeof(file), "cache/index%u/level", i);
		level = figure_of(root, cpu, file);
		if (level == UINT32_MAX)
			return last;
		snprintf(file, sizeof(file), "cache/index%u/shared_cpu_list", i);
		uint32_t first = figure_of(root, cpu, file);
		if (level < highest || first == UINT32_MAX)
			continue;
		highest = level;
		last = first;
	}
}

struct cpu_location cpu_location_read(const char *root, unsigned cpu)
{
	struct cpu_location at = {
		.id = cpu,
		.package = figure_of(root, cpu, "topology/physical_package_id"),
		.die = figure_of(root, cpu, "topology/die_id"),
		.core = UINT32_MAX,
		.thread = UINT32_MAX,
		.node = node_of(root, cpu),
		.l3 = last_cache_of(root, cpu),
	};
	place_in_core(root, cpu, &at);
	return at;
}

uint32_t cpu_counters_type(const char *root, unsigned cpu)
{
	char path[PATH_MAX];
	uint64_t type = 0;
	bool here = false;
	snprintf(path, sizeof(path), "%s/sys/devices", root);
	DIR *devices = opendir(path);
	for (struct dirent *e = devices ? readdir(devices) : NULL; e && !here;
		e = readdir(devices)) {
		if (strncmp(e->d_name, "cpu_", 4))
			continue;
		snprintf(path, sizeof(path), "%s/sys/devices/%s/cpus", root, e->d_name);
		if (!read_list_has(path, cpu, &here) || !here)
			continue;
		snprintf(path, sizeof(path), "%s/sys/devices/%s/type", root, e->d_name);
		if (!read_number(path, &type))
			type = 0;
	}
	if (devices)
		closedir(devices);
	return (uint32_t)type;
}
