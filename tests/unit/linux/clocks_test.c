/* SPDX-License-Identifier: MIT */
/* The clock under Linux, with files like those of cpufreq in a directory of our own. */
#include <signal.h>
#include <sys/wait.h>

#include "linux/clocks.h"
#include "linux/sysfs.h"
#include "tests/unit/root_files.h"

static const struct cpu_location cpus[] = { { .id = 0 }, { .id = 3 } };
static char dir[66]; /* the root, as the folder of CPUs, which ends with a slash */

static void expect(const char *name, const char *text)
{
	char path[160], now[64];

	snprintf(path, sizeof path, "%s%s", dir, name);
	read_line(path, now, sizeof now);
	if (strcmp(now, text))
		fail_msg("%s: expected '%s', is '%s'", name, text, now);
}

BEFORE_EACH(two_cpus)
{
	make_root();
	snprintf(dir, sizeof dir, "%s/", root);
	put("/intel_pstate/no_turbo", "0");
	put("/cpu0/cpufreq/scaling_governor", "powersave");
	put("/cpu0/cpufreq/scaling_max_freq", "2000000");
	put("/cpu0/cpufreq/cpuinfo_max_freq", "4700000");
	put("/cpu0/power/energy_perf_bias", "6");
	put("/cpu3/cpufreq/scaling_governor", "schedutil");
	put("/cpu3/cpufreq/scaling_max_freq", "4700000");
	put("/cpu3/cpufreq/cpuinfo_max_freq", "4700000");
}

AFTER_EACH(remove_root);

static void as_before(const char *governor3)
{
	expect("intel_pstate/no_turbo", "0");
	expect("cpu0/cpufreq/scaling_governor", "powersave");
	expect("cpu0/cpufreq/scaling_max_freq", "2000000");
	expect("cpu0/power/energy_perf_bias", "6");
	expect("cpu3/cpufreq/scaling_governor", governor3);
}

TEST(highest_and_back)
{
	const struct options max = { .clock = CLOCK_MAX };
	struct clock_setting c;

	clock_setting_apply(&c, dir, &max, cpus, 2);
	assert_int_equal(0, c.not_set);
	expect("intel_pstate/no_turbo", "0");
	expect("cpu0/cpufreq/scaling_governor", "performance");
	expect("cpu0/cpufreq/scaling_max_freq", "4700000");
	expect("cpu0/power/energy_perf_bias", "0");
	expect("cpu3/cpufreq/scaling_governor", "performance");
	assert_int_equal(0, clock_setting_restore(&c));
	as_before("schedutil");
}

TEST(without_turbo_and_back)
{
	const struct options fixed = { .clock = CLOCK_FIXED };
	struct clock_setting c;

	clock_setting_apply(&c, dir, &fixed, cpus, 2);
	assert_int_equal(0, c.not_set);
	expect("intel_pstate/no_turbo", "1");
	expect("cpu3/cpufreq/scaling_governor", "performance");
	assert_int_equal(0, clock_setting_restore(&c));
	as_before("schedutil");
}

/* One CPU that cannot be set is counted, and nothing of it is changed. */
TEST(what_cannot_be_set_is_said)
{
	const struct options max = { .clock = CLOCK_MAX }, free = { .clock = CLOCK_FREE };
	struct clock_setting c;
	char path[96];

	snprintf(path, sizeof path, "%scpu3/cpufreq/scaling_governor", dir);
	unlink(path);
	assert_int_equal(0, symlink("/dev/null", path)); /* it keeps nothing */
	clock_setting_apply(&c, dir, &max, cpus, 2);
	assert_int_equal(1, c.not_set);
	assert_non_null(strstr(c.why, "cpu3/cpufreq/scaling_governor: cannot be read"));
	expect("cpu0/cpufreq/scaling_governor", "performance");
	assert_int_equal(0, clock_setting_restore(&c));
	unlink(path);
	clock_setting_apply(&c, dir, &max, cpus + 1, 1);
	assert_int_equal(1, c.not_set);
	assert_string_equal("no cpufreq here", c.why);
	clock_setting_restore(&c);
	clock_setting_apply(&c, dir, &free, cpus, 2);
	assert_int_equal(0, c.not_set);
	assert_int_equal(0, c.n);
	as_before("");
}

/* Turbo stays as it was if no CPU can be set, and a CPU's governor if its frequency cannot. */
TEST(what_was_set_in_part_is_put_back_at_once)
{
	const struct options fixed = { .clock = CLOCK_FIXED };
	struct clock_setting c;
	char path[96];

	snprintf(path, sizeof path, "%scpu0/cpufreq/scaling_max_freq", dir);
	unlink(path);
	assert_int_equal(0, symlink("/dev/null", path));
	for (unsigned ncpus = 1; ncpus <= 2; ncpus++) {
		clock_setting_apply(&c, dir, &fixed, cpus, ncpus);
		assert_int_equal(1, c.not_set);
		expect("intel_pstate/no_turbo", ncpus == 1 ? "0" : "1");
		expect("cpu0/cpufreq/scaling_governor", "powersave");
		assert_int_equal(0, clock_setting_restore(&c));
	}
}

/* The energy bias is a preference: that it cannot be set is no reason of anything. */
TEST(a_preference_gives_no_reason)
{
	const struct options max = { .clock = CLOCK_MAX };
	struct clock_setting c;
	char path[96];

	snprintf(path, sizeof path, "%scpu0/power/energy_perf_bias", dir);
	unlink(path);
	assert_int_equal(0, symlink("/dev/null", path));
	clock_setting_apply(&c, dir, &max, cpus, 2);
	assert_int_equal(0, c.not_set);
	assert_string_equal("", c.why);
	assert_int_equal(0, clock_setting_restore(&c));
}

/* The process that gives back may take its time, but it does. */
TEST(a_killed_run_gives_back_what_it_changed)
{
	const struct options fixed = { .clock = CLOCK_FIXED };
	char path[160], now[64] = "";

	keeper_done(); /* that of the tests above */
	pid_t run = fork();
	if (!run) {
		struct clock_setting c;

		clock_setting_apply(&c, dir, &fixed, cpus, 2);
		kill(getpid(), SIGKILL);
	}
	waitpid(run, NULL, 0);
	snprintf(path, sizeof path, "%sintel_pstate/no_turbo",
		dir); /* the first that was changed */
	for (unsigned i = 0; i < 1200 && strcmp(now, "0"); i++) {
		usleep(50000);
		read_line(path, now, sizeof now);
	}
	as_before("schedutil");
}
