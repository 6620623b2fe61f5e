/* SPDX-License-Identifier: MIT */
/*
 * The TSC under Linux: whether it can be used, and its rate: a claim counts only where the kernel's
 * clock agrees with it.
 */
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define TSC_HZ 2e9
#define MHZ    1000000u

/* The machine's time, which passes in reads of the TSC, in sleep, and in interrupts. */
static uint64_t tsc;

static uint64_t read_tsc(void)
{
	return tsc += 400;
}

#define __rdtsc read_tsc
#include "linux/clocks.c"
#include "linux/hosted.h"
#include "tests/unit/test.h"

static struct hosted h;
static char err[200];
static unsigned claimed;                      /* MHz, by CPUID leaf 15h; 0: it says nothing */
static const char *flags, *sources, *options; /* the kernel's files; NULL: not there */
static double ns_asleep; /* how much longer a sleep is than the TSC tells: it stops or slows down */
static unsigned long_sleeps; /* so many are */
static double slept;
static unsigned reads;
static bool interrupted; /* three reads of four, for longer and longer: up to 200 us in 40 ms */

int nanosleep(const struct timespec *t, struct timespec *left)
{
	slept += long_sleeps ? ns_asleep : 0;
	long_sleeps -= long_sleeps > 0;
	tsc += (uint64_t)((double)t->tv_nsec * TSC_HZ / 1e9);
	return 0;
}

/* The kernel's clocks. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
	if (clock != CLOCK_MONOTONIC_RAW && clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, t);
	double ns = (double)tsc / TSC_HZ * 1e9 + slept;
	t->tv_sec = (time_t)(ns / 1e9);
	t->tv_nsec = (long)(ns - (double)t->tv_sec * 1e9);
	if (interrupted && ++reads % 4)
		tsc += tsc % 80000000 / 200;
	return 0;
}

FILE *fopen(const char *path, const char *mode)
{
	const char *text = !strcmp(path, "/proc/cpuinfo") ? flags
		: !strcmp(path, "/proc/cmdline")          ? options
		: strstr(path, "/available_clocksource")  ? sources
							  : NULL;
	return text ? fmemopen((char *)text, strlen(text), mode) : NULL;
}

/* A kernel that has nothing against the TSC. */
BEFORE_EACH(a_trusted_tsc)
{
	flags = "processor : 0\nflags : constant_tsc nonstop_tsc\n";
	sources = "tsc hpet\n";
	options = "quiet\n";
	ns_asleep = 0;
	interrupted = false;
}

/* Leaf 15h, Intel SDM vol. 2A: the TSC's rate is ECX EBX / EAX. */
static struct cpuid cpuid(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	if (leaf == 0)
		return (struct cpuid){
			.eax = 0x16, .ebx = 0x756e6547, .edx = 0x49656e69, .ecx = 0x6c65746e
		};
	if (leaf == 0x15 && claimed)
		return (struct cpuid){ .eax = 1, .ebx = claimed, .ecx = MHZ };
	return (struct cpuid){ 0 };
}

static void expect(const char *source, double hz)
{
	h = (struct hosted){ .room = { .cpuid = cpuid, .facts = { .hypervisor = "" } } };
	if (tsc_init(&h, err, sizeof err))
		fail_msg("%u MHz claimed: expected a rate, came '%s'", claimed, err);
	if (strcmp(h.room.facts.tsc_source, source) || fabs(h.room.facts.tsc_hz / hz - 1) > 1e-4)
		fail_msg(
			"%u MHz claimed, %.0f Hz timed: expected %.0f Hz by %s, came %.0f Hz by %s",
			claimed, TSC_HZ, hz, source, h.room.facts.tsc_hz, h.room.facts.tsc_source);
}

TEST(a_claim_that_agrees_is_taken)
{
	claimed = 2000;
	expect("cpuid-15h", TSC_HZ);
	assert_true(h.room.facts.tsc_hz == TSC_HZ);
}

/* Only pairs that nothing came between count: others are off by half of what came. */
TEST(interrupts_beside_the_reads_change_nothing)
{
	claimed = 2000;
	interrupted = true;
	expect("cpuid-15h", TSC_HZ);
	assert_true(h.room.facts.tsc_disagree_ppm < 50);
}

/* From 500 ppm on it is another rate. */
TEST(a_claim_that_disagrees_is_not)
{
	static const unsigned claims[] = { 1000, 1800, 1998, 2002, 2200, 4000 };

	for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
		claimed = claims[i];
		expect("clock_monotonic_raw", TSC_HZ);
		assert_true(h.room.facts.tsc[0].hz == 1e6 * claimed && h.room.facts.tsc[0].claimed);
		assert_true(h.room.facts.tsc_disagree_ppm < 100); /* of what was timed */
	}
}

TEST(without_a_claim_it_is_timed)
{
	claimed = 0;
	expect("clock_monotonic_raw", TSC_HZ);
}

static void expect_doubt(const char *hypervisor, bool invariant, const char *why)
{
	struct facts f = { .hypervisor = hypervisor, .tsc_invariant = invariant };
	const char *came = tsc_doubt(&f);

	if (came != why && (!came || !why || strcmp(came, why)))
		fail_msg("expected %s, came %s", why, came);
}

TEST(what_linux_has_against_it)
{
	expect_doubt("", false, NULL);
	flags = "flags : nonstop_tsc\n";
	expect_doubt("KVMKVMKVM", true, "no constant_tsc");
	flags = "flags : constant_tsc\n";
	expect_doubt("", true, "no nonstop_tsc");
	expect_doubt("KVMKVMKVM", true, NULL);
	flags = NULL;
	expect_doubt("", true, NULL);
	expect_doubt("", false, "no constant_tsc");
	sources = "acpi_pm\n";
	expect_doubt("", true, "no clock source");
	options = "tsc=unstable\n";
	expect_doubt("", true, "tsc=unstable");
	sources = NULL;
	expect_doubt("", true, NULL);
}

static int open_here(void)
{
	h = (struct hosted){ .room = { .cpuid = cpuid, .facts = { .hypervisor = "" } } };
	return tsc_init(&h, err, sizeof err);
}

/* A guest's CPU model without it, on a host whose TSC is constant. */
TEST(a_doubted_tsc_that_is_steady_is_used)
{
	flags = "flags : hypervisor\n";
	sources = "kvm-clock acpi_pm\n";
	assert_int_equal(0, open_here());
	assert_string_equal("no constant_tsc", h.tsc_doubt);
	assert_true(h.tsc_steady_ppm < TSC_TRUSTED_PPM);
	ns_asleep = 1e6; /* interrupted once */
	long_sleeps = 1;
	assert_int_equal(0, open_here());
}

/* It was steady before the run, and was not in it. */
TEST(a_rate_that_changes_later_is_seen)
{
	assert_int_equal(0, open_here());
	tsc += (uint64_t)TSC_HZ;
	assert_true(tsc_off_ppm(&h) < TSC_TRUSTED_PPM);
	slept += 1e9;
	assert_true(tsc_off_ppm(&h) > 1e5);
}

/* It stops for 1 of 20 ms, or runs at 19 of 20. */
TEST(a_tsc_that_is_not_steady_is_refused_if_linux_doubts_it)
{
	ns_asleep = 1e6;
	long_sleeps = 1000;
	assert_int_equal(0, open_here());
	assert_null(h.tsc_doubt);
	flags = "flags : constant_tsc\n";
	assert_int_equal(-1, open_here());
	assert_non_null(strstr(err, "does not trust the TSC (no nonstop_tsc)"));
	assert_non_null(strstr(err, "asleep and at work, differ by"));
}

TEST(a_source_has_a_place)
{
	struct facts f = { 0 };

	for (unsigned i = 0; i < TSC_SOURCES; i++)
		add_source(&f, "cpuid-15h", 1e9, true);
	expect_broken("f->tsc_sources < TSC_SOURCES", add_source(&f, "cpuid-16h", 1e9, true));
}
