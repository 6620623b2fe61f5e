/* SPDX-License-Identifier: MIT */
/*
 * The TSC under Linux: whether it can be used, and its rate: a claim counts only where the kernel's
 * clock agrees with it.
 */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "linux/clocks.c"
#include "linux/hosted.h"
#include "tests/unit/test.h"

#define TSC_HZ 2e9
#define MHZ    1000000u

static struct hosted h;
static char err[200];
static unsigned claimed; /* MHz, by CPUID leaf 15h; 0: it says nothing */

/* The kernel's clocks, by which the TSC has 2 GHz whatever it really has. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
	if (clock != CLOCK_MONOTONIC_RAW && clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, t);
	double ns = (double)__rdtsc() / TSC_HZ * 1e9;
	t->tv_sec = (time_t)(ns / 1e9);
	t->tv_nsec = (long)(ns - (double)t->tv_sec * 1e9);
	return 0;
}

/* A kernel that has nothing against the TSC. */
FILE *fopen(const char *path, const char *mode)
{
	static char flags[] = "flags : constant_tsc nonstop_tsc\n", clocks[] = "tsc hpet\n";

	if (!strcmp(path, "/proc/cpuinfo"))
		return fmemopen(flags, strlen(flags), "r");
	return strstr(path, "/available_clocksource") ? fmemopen(clocks, strlen(clocks), "r")
						      : NULL;
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

TEST(test_tsc_verdict)
{
	struct tsc_state w = {
		.flags_known = true,
		.constant = true,
		.nonstop = true,
		.clocks_known = true,
		.offered = true,
		.seen = true,
	};
	assert_null(tsc_verdict(&w));
	w.offered = false;
	assert_non_null(strstr(tsc_verdict(&w), "unstable"));
	w.seen = false; /* it was told so */
	assert_null(tsc_verdict(&w));
	w.seen = true;
	w.clocks_known = false;
	assert_null(tsc_verdict(&w));
	w.nonstop = false;
	assert_non_null(strstr(tsc_verdict(&w), "nonstop_tsc"));
	w.hypervisor = true;
	assert_null(tsc_verdict(&w));
	w.constant = false;
	assert_non_null(strstr(tsc_verdict(&w), "not constant"));
}

TEST(a_source_has_a_place)
{
	struct facts f = { 0 };

	for (unsigned i = 0; i < TSC_SOURCES; i++)
		add_source(&f, "cpuid-15h", 1e9, true);
	expect_broken("f->tsc_sources < TSC_SOURCES", add_source(&f, "cpuid-16h", 1e9, true));
}
