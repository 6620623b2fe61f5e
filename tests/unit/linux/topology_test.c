/* SPDX-License-Identifier: MIT */
/* The place of a CPU, from trees of /sys as they are on machines with gaps in their numbers. */
#include "linux/hosted.h"
#include "tests/unit/root_files.h"

BEFORE_EACH(make_root);
AFTER_EACH(remove_root);

static void put_cpu(unsigned cpu, const char *core_id, const char *siblings)
{
	char path[128];

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/core_id", cpu);
	put(path, core_id);
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
		cpu);
	put(path, siblings);
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/physical_package_id",
		cpu);
	put(path, "0");
}

static void expect(unsigned cpu, uint32_t core, uint32_t thread, uint32_t node)
{
	struct cpu_location at = cpu_location_read(root, cpu);

	if (at.id != cpu || at.core != core || at.thread != thread || at.node != node)
		fail_msg("CPU %u: expected core %u, thread %u, node %u; came %u, %u, %u", cpu, core,
			thread, node, at.core, at.thread, at.node);
}

/* A node that is switched off, or memory of CXL, leaves a gap. */
TEST(nodes_with_gaps)
{
	put("/sys/devices/system/node/node0/cpulist", "0-1");
	put("/sys/devices/system/node/node2/cpulist", "");
	put("/sys/devices/system/node/node33/cpulist", "2-3");
	put("/sys/devices/system/node/node73/cpulist", "4,6,8,10,12,14,16,18,20,22,24,26");
	put("/sys/devices/system/node/possible", "0-73");
	expect(1, UINT32_MAX, UINT32_MAX, 0);
	expect(3, UINT32_MAX, UINT32_MAX, 33);
	expect(26, UINT32_MAX, UINT32_MAX, 73);
	expect(27, UINT32_MAX, UINT32_MAX, NODE_UNKNOWN);
}

/* Opteron 6200 of two dies before Linux 5.3, and a guest whose siblings have two core ids. */
TEST(siblings_go_by_the_list_of_siblings)
{
	put_cpu(0, "0", "0-1");
	put_cpu(1, "1", "0-1");
	put_cpu(8, "0", "8,40");
	put_cpu(40, "0", "8,40");
	expect(0, 0, 0, NODE_UNKNOWN);
	expect(1, 0, 1, NODE_UNKNOWN);
	expect(8, 8, 0, NODE_UNKNOWN);
	expect(40, 8, 1, NODE_UNKNOWN);
	assert_int_equal(0, cpu_location_read(root, 40).package);
}

TEST(the_last_cache_is_the_highest)
{
	put("/sys/devices/system/cpu/cpu5/cache/index0/level", "1");
	put("/sys/devices/system/cpu/cpu5/cache/index0/shared_cpu_list", "5,21");
	put("/sys/devices/system/cpu/cpu5/cache/index1/level", "3");
	put("/sys/devices/system/cpu/cpu5/cache/index1/shared_cpu_list", "4-7,20-23");
	put("/sys/devices/system/cpu/cpu5/cache/index2/level", "2");
	put("/sys/devices/system/cpu/cpu5/cache/index2/shared_cpu_list", "5,21");
	assert_int_equal(4, cpu_location_read(root, 5).l3);
	assert_int_equal(UINT32_MAX, cpu_location_read(root, 6).l3);
}

/* Alder Lake: Linux has counters for each kind of cores, and one kind for others. */
TEST(counters_of_two_kinds_of_cores)
{
	assert_int_equal(0, cpu_counters_type(root, 0));
	put("/sys/devices/cpu_core/cpus", "0-15");
	put("/sys/devices/cpu_core/type", "4");
	put("/sys/devices/cpu_atom/cpus", "16-23");
	put("/sys/devices/cpu_atom/type", "10");
	assert_int_equal(4, cpu_counters_type(root, 15));
	assert_int_equal(10, cpu_counters_type(root, 16));
	assert_int_equal(0, cpu_counters_type(root, 24));
}
