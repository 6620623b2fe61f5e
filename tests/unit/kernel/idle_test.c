/* SPDX-License-Identifier: MIT */
/* The way in which a processor waits for work, from CPUID's claims about MWAIT. */
#include "kernel/smp/idle.c"
#include "tests/unit/msr_double.h"
#include "tests/unit/test.h"

#define STEADY_TSC                                                                                 \
	{ 0x80000000, { 0x80000008, 0, 0, 0 } },                                                   \
	{                                                                                          \
		0x80000007,                                                                        \
		{                                                                                  \
			0, 0, 0, 1 << 8                                                            \
		}                                                                                  \
	}

/* A processor of family 6 with this signature, MONITOR or not, and CPUID 5's ECX and EDX. */
static struct idle of(uint32_t signature, uint32_t features, uint32_t ecx, uint32_t edx,
	enum idle_choice asked)
{
	const struct cpuid_answer answers[] = { INTEL, { 1, { signature, 0, features, 0 } },
		{ 5, { 0x40, 0x40, ecx, edx } }, STEADY_TSC };
	static const struct value none[] = { { 0x10, 0, 0 } };

	MACHINE(answers, none);
	return idle_choose(&test_cpu, asked);
}

static void expect(struct idle i, enum idle_way way, uint32_t hint, const char *why)
{
	bool nmi = way == IDLE_WAY_HALT || way == IDLE_WAY_IO ||
		(why && strstr(why, "NMIs end it") != NULL);

	if (i.way != way || i.hint != hint || i.nmi != nmi)
		fail_msg("expected way %d, hint %#x, nmi %d, got %d, %#x, %d", way, hint, nmi,
			i.way, i.hint, i.nmi);
	if (why)
		assert_string_equal(why, i.why);
	else
		assert_null(i.why);
}

#define SKYLAKE_SP   0x50654
#define ALDER_LAKE   0x90672
#define ICE_LAKE_SP  0x606a6
#define ICE_LAKE_D   0x606c1
#define APOLLO_LAKE  0x506c9
#define LUNAR_LAKE   0xb06d1
#define DUNNINGTON   0x106d1
#define NEHALEM_EX   0x206e6
#define WESTMERE_EX  0x206f2
#define MONITOR_BIT  8
#define NOT_FAMILY_6 0xf6a

/* The hints of Linux's intel_idle for C6 on Skylake-SP and for C10 on Alder Lake. */
TEST(deepest_state)
{
	expect(of(SKYLAKE_SP, MONITOR_BIT, 3, 0x2020, IDLE_DEEP), IDLE_WAY_DEEP, 0x20, NULL);
	expect(of(ALDER_LAKE, MONITOR_BIT, 3, 0x10102020, IDLE_DEEP), IDLE_WAY_DEEP, 0x60, NULL);
	expect(of(SKYLAKE_SP, MONITOR_BIT, 3, 0x2020, IDLE_MWAIT), IDLE_WAY_MWAIT, 0, NULL);
	expect(of(SKYLAKE_SP, MONITOR_BIT, 3, 0x2020, IDLE_PAUSE), IDLE_WAY_PAUSE, 0, NULL);
}

TEST(no_deeper_state)
{
	const char *why = "CPUID lists no state beyond C1";

	expect(of(SKYLAKE_SP, MONITOR_BIT, 3, 0x22, IDLE_DEEP), IDLE_WAY_MWAIT, 0, why);
	expect(of(SKYLAKE_SP, MONITOR_BIT, 2, 0x2020, IDLE_DEEP), IDLE_WAY_MWAIT, 0, why);
	expect(of(SKYLAKE_SP, 0, 3, 0x2020, IDLE_DEEP), IDLE_WAY_HALT, 0, "no mwait here");
	expect(of(SKYLAKE_SP, 0, 3, 0x2020, IDLE_MWAIT), IDLE_WAY_HALT, 0, "no mwait here");
}

TEST(errata)
{
	static const uint32_t deaf[] = { ICE_LAKE_SP, APOLLO_LAKE, LUNAR_LAKE, DUNNINGTON,
		NEHALEM_EX, WESTMERE_EX };
	const char *why = "an erratum of this model's mwait: NMIs end it";

	for (size_t i = 0; i < sizeof deaf / sizeof *deaf; i++) {
		expect(of(deaf[i], MONITOR_BIT, 3, 0x2020, IDLE_DEEP), IDLE_WAY_DEEP, 0x20, why);
		expect(of(deaf[i], MONITOR_BIT, 3, 0x2020, IDLE_MWAIT), IDLE_WAY_MWAIT, 0, why);
		assert_true(of(deaf[i], MONITOR_BIT, 3, 2, IDLE_DEEP).nmi);
	}
	expect(of(ICE_LAKE_D, MONITOR_BIT, 3, 0x2020, IDLE_DEEP), IDLE_WAY_DEEP, 0x20, NULL);
	expect(of(NOT_FAMILY_6, MONITOR_BIT, 3, 0x2020, IDLE_DEEP), IDLE_WAY_DEEP, 0x20, NULL);
}

TEST(a_tsc_that_may_stop)
{
	static const struct cpuid_answer old[] = { INTEL, { 1, { 0x106a5, 0, MONITOR_BIT, 0 } },
		{ 5, { 0x40, 0x40, 3, 0x1120 } } };
	static const struct value none[] = { { 0x10, 0, 0 } };

	MACHINE(old, none);
	expect(idle_choose(&test_cpu, IDLE_DEEP), IDLE_WAY_MWAIT, 0,
		"its TSC may stop in such a state");
}

/* Zen: CPUID 5 lists C1 only; the firmware has put the ports of the deep states at `base`. */
static struct idle of_amd(uint64_t base, uint32_t steady, enum idle_choice asked)
{
	const struct cpuid_answer answers[] = { { 0, { 0x10, 0x68747541, 0x444d4163, 0x69746e65 } },
		{ 1, { 0x00870f10, 0, MONITOR_BIT, 0 } }, { 5, { 0x40, 0x40, 3, 0x11 } },
		{ 0x80000000, { 0x80000008, 0, 0, 0 } }, { 0x80000007, { 0, 0, 0, steady } } };
	const struct value registers[] = { { 0xc0010073, base, 0 } };

	MACHINE(answers, registers);
	return idle_choose(&test_cpu, asked);
}

TEST(amds_deep_state_is_behind_a_port)
{
	const char *none = "no port for it in MSR C0010073";

	expect(of_amd(0x813, 1 << 8, IDLE_IO), IDLE_WAY_IO, 0x814, NULL);
	expect(of_amd(0x813, 1 << 8, IDLE_DEEP), IDLE_WAY_MWAIT, 0,
		"CPUID lists no state beyond C1");
	expect(of_amd(0x813, 0, IDLE_IO), IDLE_WAY_HALT, 0, "its TSC may stop in such a state");
	expect(of_amd(0, 1 << 8, IDLE_IO), IDLE_WAY_HALT, 0, none);
	expect(of_amd(0x10000, 1 << 8, IDLE_IO), IDLE_WAY_HALT, 0, none);
	expect(of(SKYLAKE_SP, MONITOR_BIT, 3, 0x2020, IDLE_IO), IDLE_WAY_HALT, 0, none);
}

/* The handler of an NMI leaves each wait at its end, and nothing else. */
TEST(an_nmi_ends_each_wait)
{
	for (unsigned way = 0; way < IDLE_WAYS; way++) {
		uint64_t begin = (uint64_t)until_nmi[way].wait, end = (uint64_t)until_nmi[way].done;

		for (uint64_t rip = begin; begin && rip <= end; rip++) {
			struct frame f = { .rip = rip };

			idle_nmi(&f);
			assert_int_equal(f.rip, end);
		}
	}
	struct frame elsewhere = { .rip = (uint64_t)idle_nmi };

	idle_nmi(&elsewhere);
	assert_int_equal(elsewhere.rip, (uint64_t)idle_nmi);
}

/* A processor does not wait for work that has been requested already. */
TEST(work_is_there)
{
	const struct idle pause = { IDLE_WAY_PAUSE, 0, NULL };
	const volatile uint64_t requested = 4, completed = 3;

	idle_wait(&pause, &requested, &completed);
}
