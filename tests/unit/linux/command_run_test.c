/* SPDX-License-Identifier: MIT */
/* The command line of `anechoic run`, what bounds a run and what it is advised. */
#include <string.h>
#include <unistd.h>

static unsigned flushed; /* files that were written to the disk */

static int flush_to_disk(int fd)
{
	flushed++;
	return fsync(fd);
}

#define fsync flush_to_disk
#include "linux/command_run.c"
#include "engine/room.h"
#include "tests/unit/root_files.h"

static struct run_options parsed;
static char err[256];

static int parse(const char *first, const char *second)
{
	char *argv[] = { "run", (char *)first, (char *)second, NULL };
	return run_options_parse(second ? 3 : first ? 2 : 1, argv, &parsed, err, sizeof(err));
}

static void refused(const char *first, const char *second, const char *because)
{
	assert_int_equal(parse(first, second), -1);
	if (!strstr(err, because))
		fail_msg("'%s': expected a reason with '%s', got '%s'", first, because, err);
}

TEST(test_defaults)
{
	assert_int_equal(parse(NULL, NULL), 0);
	assert_int_equal(parsed.settings.profile, PROFILE_DEFAULT);
	assert_string_equal(parsed.settings.probes, "");
	assert_null(parsed.out);
	assert_false(parsed.list);
	assert_false(parsed.fifo);
}

TEST(test_accepted)
{
	assert_int_equal(parse("--page", "2m"), 0);
	assert_int_equal(parsed.settings.page, PAGE_2M);
	assert_int_equal(parse("--seed=0x10", NULL), 0);
	assert_int_equal(parsed.settings.seed, 16);
	assert_int_equal(parse("--probe", "latency,clock"), 0);
	assert_string_equal(parsed.settings.probes, "latency,clock");
	assert_int_equal(parse("--probes=clock", NULL), 0);
	assert_string_equal(parsed.settings.probes, "clock");
	assert_int_equal(parse("--noise-seconds", "7"), 0);
	assert_int_equal(parsed.settings.noise_seconds, 7);
	assert_int_equal(parse("--noise_seconds=8", NULL), 0); /* as in anechoic.cfg */
	assert_int_equal(parsed.settings.noise_seconds, 8);
	assert_int_equal(parse("--noise", "9"), 0); /* an abbreviation of both spellings */
	assert_int_equal(parsed.settings.noise_seconds, 9);
	assert_int_equal(parse("--scheduler", "fifo"), 0);
	assert_true(parsed.fifo);
	assert_int_equal(parse("--scheduler=fifo", "--scheduler=other"), 0);
	assert_false(parsed.fifo);
	assert_int_equal(parse("--out", "-"), 0);
	assert_string_equal(parsed.out, "-");
	assert_int_equal(parse("-h", NULL), 0);
	assert_true(parsed.help);
	assert_int_equal(parse("--smallest=1k", "--largest=1k"), 0);
	assert_int_equal(parse("--list", NULL), 0);
	assert_true(parsed.list);
}

TEST(test_refused)
{
	refused("--profile", "fast", "must be one of smoke, default, full");
	refused("--profil", "--", "must be one of"); /* an abbreviation is a name */
	refused("--profole", "smoke", "did you mean '--profile'");
	refused("--noise-secunds", "7", "did you mean '--noise-seconds'");
	refused("--noise-a-name-that-is-far-longer-than-any-option-has-been-so-far-or-ever", "7",
		"unknown option");
	refused("--zzzzzzzzzzzz", NULL,
		"unknown option '--zzzzzzzzzzzz'; see `anechoic run --help`");
	refused("--output", "x", "did you mean '--out'");
	refused("--cpus=3", NULL, "did you mean '--cpu'");
	refused("--seed", NULL, "needs a value");
	refused("--cpu", "first", "cpu");
	refused("--scheduler", "rr", "must be one of fifo, other");
	refused("--probe", "latency,latancy", "'latancy': no such probe");
	refused("smoke", NULL, "options only");
	refused("--smallest=2k", "--largest=1k", "larger than the largest");
}

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

/* Each has two names, of which the last has its place before the own options and their end. */
TEST(no_more_settings_than_there_is_place_for)
{
	enum { FIT = (MOST_OPTIONS - OWN_OPTIONS - 1) / 2 };
	struct setting settings[FIT + 1];
	struct option options[MOST_OPTIONS];
	char dashed[MOST_OPTIONS][NAME_BYTES];

	for (unsigned i = 0; i <= FIT; i++)
		settings[i] = (struct setting){ .name = "two_names" };
	fill_options(settings, FIT, options, dashed);
	assert_string_equal("two_names", options[2 * FIT - 1].name);
	assert_null(options[2 * FIT + OWN_OPTIONS].name);
	expect_broken("n + 2 + OWN_OPTIONS < MOST_OPTIONS",
		fill_options(settings, FIT + 1, options, dashed));
}

/* The lines are on the disk before the run says where they are; without a line there is no file. */
TEST(a_result_is_flushed)
{
	for (unsigned lines = 0; lines < 2; lines++) {
		static struct hosted h;
		char name[96], text[16] = "";

		snprintf(name, sizeof name, "%s/out-%u.ndjson", root, lines);
		h = (struct hosted){ .room.priv = &h };
		flushed = 0;
		assert_int_equal(0, output_open(&h, name, false, err, sizeof err));
		h.output.text = fopen("/dev/null", "w");
		if (lines)
			h.room.write(&h.room, "a line\n", 7);
		assert_int_equal(0, output_close(&h, err, sizeof err));
		fclose(h.output.text);
		assert_int_equal(1, flushed);
		FILE *f = fopen(name, "r");

		assert_int_equal(lines, f != NULL);
		if (f) {
			assert_int_equal(7, fread(text, 1, sizeof text, f));
			assert_string_equal("a line\n", text);
			fclose(f);
		}
	}
}
