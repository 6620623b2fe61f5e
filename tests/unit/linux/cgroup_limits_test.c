/* SPDX-License-Identifier: MIT */
/* The limits of control groups of both versions, from made-up files. */
#include "linux/cgroup_limits.h"
#include "tests/unit/root_files.h"

BEFORE_EACH(make_root);
AFTER_EACH(remove_root);

TEST(no_groups_no_limits)
{
	struct cgroup_limits l = cgroup_limits_read(root);

	assert_true(l.cpus == 0 && l.memory_bytes == 0 && !l.cpuset && !l.throttling_known);
	assert_true(l.memory_left == UINT64_MAX);
}

static void put_version_2(const char *mount)
{
	char path[128];
#define PUT(file, text)                                                                            \
	(snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", mount, file), put(path, text))
	put("/proc/self/cgroup", "0::/a/b");
	put("/sys/devices/system/cpu/online", "0-7");
	PUT("cgroup.controllers", "cpu memory");
	PUT("a/cpu.max", "150000 100000");
	PUT("a/b/cpu.max", "max 100000");
	PUT("a/memory.max", "1073741824");
	PUT("a/memory.current", "73741824");
	PUT("a/b/memory.max", "max");
	PUT("a/b/cpuset.cpus.effective", "2-3");
	PUT("a/cpu.stat", "usage_usec 5\nnr_throttled 7\nthrottled_usec 2500000");
#undef PUT
}

static void expect_version_2(void)
{
	struct cgroup_limits l = cgroup_limits_read(root);

	assert_true(l.cpus == 1.5);
	assert_true(l.memory_bytes == 1073741824 && l.memory_left == 1000000000);
	assert_string_equal("2-3", l.cpuset);
	cgroup_limits_free(&l);
	assert_true(l.throttling_known && l.throttled == 7 && l.throttled_us == 2500000);
}

TEST(version_2_the_tightest_counts)
{
	put_version_2("");
	expect_version_2();
}

/* If both versions are mounted, version 2 has a folder of its own. */
TEST(version_2_in_a_folder_of_its_own)
{
	put_version_2("/unified");
	expect_version_2();
}

TEST(version_1_by_controller)
{
	struct cgroup_limits l;

	put("/proc/self/cgroup",
		"9:name=systemd:/x\n4:cpu,cpuacct:/job\n3:memory:/job\n2:cpuset:/\n0::/");
	put("/sys/devices/system/cpu/online", "0-7");
	put("/sys/fs/cgroup/cpu,cpuacct/cgroup.procs", "1");
	put("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "50000");
	put("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
	put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
	put("/sys/fs/cgroup/cpu,cpuacct/job/cpu.stat", "nr_throttled 3\nthrottled_time 4000000");
	put("/sys/fs/cgroup/memory/cgroup.procs", "1");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
	put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "536870912");
	put("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "36870912");
	put("/sys/fs/cgroup/cpuset/cgroup.procs", "1");
	put("/sys/fs/cgroup/cpuset/cpuset.cpus", "0-7");
	l = cgroup_limits_read(root);
	assert_true(l.cpus == 0.5);
	assert_true(l.memory_bytes == 536870912 && l.memory_left == 500000000);
	assert_null(l.cpuset);
	assert_true(l.throttling_known && l.throttled == 3 && l.throttled_us == 4000);
}

/* From within a container the path is that of the host, and cannot be seen. */
TEST(a_group_out_of_sight_is_its_nearest_one)
{
	struct cgroup_limits l;

	put("/proc/self/cgroup", "3:memory:/docker/0123abc");
	put("/sys/fs/cgroup/memory/cgroup.procs", "1");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456");
	l = cgroup_limits_read(root);
	assert_true(l.memory_bytes == 268435456 && l.memory_left == 268435456);
}

/* A group full of copies of files, as after a build: the kernel gives these up. */
TEST(copies_of_files_are_no_use)
{
	put("/proc/self/cgroup", "3:memory:/job\n0::/a");
	put("/sys/fs/cgroup/memory/cgroup.procs", "1");
	put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "419430400");
	put("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "400000000");
	put("/sys/fs/cgroup/memory/job/memory.stat",
		"inactive_file 1\ntotal_inactive_file 350000000\ntotal_active_file 10000000");
	assert_true(cgroup_limits_read(root).memory_left == 419430400 - 40000000);
	put("/sys/fs/cgroup/unified/cgroup.controllers", "memory");
	put("/sys/fs/cgroup/unified/a/memory.max", "300000000");
	put("/sys/fs/cgroup/unified/a/memory.current", "290000000");
	put("/sys/fs/cgroup/unified/a/memory.stat", "inactive_file 250000000\nactive_file 0");
	assert_true(cgroup_limits_read(root).memory_left == 260000000);
}

/* Beyond memory.high a group is slowed down until it seems to hang. */
TEST(a_limit_that_slows_down_is_one)
{
	put_version_2("");
	put("/sys/fs/cgroup/a/b/memory.high", "500000000");
	put("/sys/fs/cgroup/a/b/memory.current", "100000000");
	struct cgroup_limits l = cgroup_limits_read(root);

	assert_true(l.memory_bytes == 500000000 && l.memory_left == 400000000);
	cgroup_limits_free(&l);
}

/* 1024 CPUs of which the last one is not in the group. */
TEST(long_lists_are_compared_to_their_end)
{
	char list[8192] = "0";

	for (unsigned cpu = 2; cpu < 1024; cpu += 2)
		sprintf(list + strlen(list), ",%u", cpu);
	put("/proc/self/cgroup", "2:cpuset:/");
	put("/sys/fs/cgroup/cpuset/cgroup.procs", "1");
	put("/sys/devices/system/cpu/online", list);
	*strrchr(list, ',') = 0;
	put("/sys/fs/cgroup/cpuset/cpuset.cpus", list);
	struct cgroup_limits l = cgroup_limits_read(root);

	assert_string_equal(list, l.cpuset);
	cgroup_limits_free(&l);
}
