/* SPDX-License-Identifier: MIT */
/* What bounds a run of `anechoic run`, and what it is advised. */
#include <string.h>

#include "linux/command_run.c"
#include "engine/room.h"
#include "tests/unit/root_files.h"

TEST(limits_are_told)
{
	static const struct cgroup_limits none = { 0 },
					  l = { .cpus = 1.5,
						  .memory_bytes = 1073741824,
						  .cpuset = "2-3" };
	char lines[ADVICE_LINES][ADVICE_LINE];

	assert_int_equal(0, limit_lines(&none, lines));
	assert_int_equal(3, limit_lines(&l, lines));
	assert_string_equal(lines[0],
		"control group: at most 1.5 CPUs' time, so that a run may be throttled");
	assert_string_equal(lines[1], "control group: CPUs 2-3 only");
	assert_string_equal(lines[2], "control group: 1024 MiB of memory");
}

BEFORE_EACH(make_root);
AFTER_EACH(remove_root);

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
