/* SPDX-License-Identifier: MIT */
/* What control groups of both versions allow, and what a run is advised, by made-up files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/jsonl_write.h"
#include "linux/cgroup_limits.h"
#include "linux/command_run.h"
#include "tests/unit/test.h"

static char root[64];

BEFORE_EACH(make_root)
{
	strcpy(root, "/tmp/anechoic-root-XXXXXX");
	assert_non_null(mkdtemp(root));
}

AFTER_EACH(remove_root)
{
	char command[128];

	snprintf(command, sizeof command, "rm -r '%s'", root);
	assert_int_equal(system(command), 0);
}

/* A file below the root, with the folders that it needs. */
static void put(const char *path, const char *text)
{
	char all[512];

	snprintf(all, sizeof all, "%s%s", root, path);
	for (char *slash = strchr(all + strlen(root) + 1, '/'); slash;
		slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(all, 0777);
		*slash = '/';
	}
	FILE *f = fopen(all, "w");

	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

TEST(no_groups_no_limits)
{
	struct cgroup_limits l = cgroup_limits_read(root);
	char lines[ADVICE_LINES][ADVICE_LINE], json[256];
	struct jsonl j;

	assert_true(l.cpus == 0 && l.memory_bytes == 0 && !*l.cpuset && !l.throttling_known);
	assert_true(l.memory_left == UINT64_MAX);
	assert_int_equal(0, limit_lines(&l, lines));
	jsonl_begin(&j, json, sizeof json);
	cgroup_limits_describe(&l, &j);
	jsonl_end(&j);
	assert_null(strstr(json, "cgroup"));
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
	char lines[ADVICE_LINES][ADVICE_LINE], json[256];
	struct jsonl j;

	assert_true(l.cpus == 1.5);
	assert_true(l.memory_bytes == 1073741824 && l.memory_left == 1000000000);
	assert_string_equal("2-3", l.cpuset);
	assert_true(l.throttling_known && l.throttled == 7 && l.throttled_us == 2500000);
	assert_int_equal(3, limit_lines(&l, lines));
	assert_string_equal(lines[0],
		"control group: at most 1.5 CPUs' time, so that a run may be throttled");
	assert_string_equal(lines[1], "control group: CPUs 2-3 only");
	assert_string_equal(lines[2], "control group: 1024 MiB of memory");
	jsonl_begin(&j, json, sizeof json);
	cgroup_limits_describe(&l, &j);
	jsonl_end(&j);
	assert_non_null(strstr(json, "\"cgroup\":{\"cpus\":1.5"));
	assert_non_null(strstr(json, "\"cpuset\":\"2-3\"}"));
}

TEST(version_2_the_tightest_counts)
{
	put_version_2("");
	expect_version_2();
}

/* Where both versions are mounted, 2 is beside the others. */
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
	assert_string_equal("", l.cpuset);
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

static void expect_advice(const struct advice *a, unsigned n, const char *const *expected)
{
	char lines[ADVICE_LINES][ADVICE_LINE];

	assert_int_equal(n, advice_lines(a, lines));
	for (unsigned i = 0; i < n; i++)
		assert_string_equal(expected[i], lines[i]);
}

/* Linux keeps the ticks of the boot CPU, whatever nohz_full says (kernel-parameters.txt). */
TEST(the_boot_cpu_cannot_be_alone)
{
	static const char *const all[] = {
		"CPU 0 has Linux's own work: boot with isolcpus=N nohz_full=N, then --cpu N",
	};
	struct advice a = { .root = true, .large_pages = true, .fixed_clock = true };

	put("/sys/devices/system/cpu/isolated", "");
	put("/sys/devices/system/cpu/nohz_full", "");
	advice_read(&a, root);
	expect_advice(&a, 1, all);
}

TEST(what_is_missing_is_advised)
{
	static const char *const all[] = {
		"root would add: priority (nice -20), locked memory, SMI counts (sudo)",
		"other sessions have equal shares: --scheduler fifo, a cpuset or systemd-run",
		"isolation would keep others off CPU 3: boot with isolcpus=3 nohz_full=3",
		"no 2 MiB pages: echo madvise >" THP_ENABLED,
		"a fixed clock would make times repeat: --clock fixed (as root)",
	};
	struct advice a = { .cpu = 3, .shared = true };

	put(THP_ENABLED, "always madvise [never]");
	put("/sys/devices/system/cpu/isolated", "");
	put("/sys/devices/system/cpu/cpu3/cpufreq/scaling_min_freq", "800000");
	put("/sys/devices/system/cpu/cpu3/cpufreq/scaling_max_freq", "4200000");
	advice_read(&a, root);
	expect_advice(&a, 5, all);
	put("/sys/devices/system/cpu/isolated", "2-3");
	put("/sys/devices/system/cpu/nohz_full", "3");
	put("/sys/devices/system/cpu/cpu3/cpufreq/scaling_min_freq", "4200000");
	put("/sys/devices/system/cpu/cpufreq/boost", "0");
	a = (struct advice){ .cpu = 3, .root = true, .large_pages = true };
	advice_read(&a, root);
	expect_advice(&a, 0, NULL);
	put("/sys/devices/system/cpu/cpufreq/boost", "1");
	advice_read(&a, root);
	a.fixed_clock = false;
	advice_read(&a, root);
	expect_advice(&a, 1, all + 4);
}

/* A kernel without transparent huge pages has those of a pool. */
TEST(huge_pages_of_a_pool)
{
	static const char *const pool[] = {
		"no 2 MiB pages: echo 2048 >" POOL_2M,
	};
	struct advice a = { .root = true, .isolated = true, .fixed_clock = true };

	expect_advice(&a, 1, pool);
}
