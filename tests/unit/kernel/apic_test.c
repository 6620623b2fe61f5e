/* SPDX-License-Identifier: MIT */
/*
 * The entries of a local vector table after it is masked; and what a wait or an alarm changes is as
 * before when it has ended. The APIC is a page of memory, or MSRs.
 */
#include "kernel/cpu/msr.h"
#include "kernel/cpu/x86.h"
#include "tests/unit/test.h"

#define TSC_HZ 2000000000ULL

/* What is read and written of the machine. */
struct apic_machine {
	uint32_t page[1024];
	uint64_t deadline, class;
	uint8_t port[256];
	bool x2, off;
};

static struct apic_machine has __attribute__((aligned(4096)));
static uint64_t tsc;
static unsigned taken; /* times that interrupts were let in, */
static bool rang;      /* and one of them ended the attempt */

static uint64_t get_msr(uint32_t msr)
{
	if (msr == MSR_APIC_BASE)
		return (uint64_t)(uintptr_t)has.page | (has.off ? 0 : 1 << 11) |
			(has.x2 ? 1 << 10 : 0);
	assert_in_range(msr, 0x800, 0x8ff);
	return has.page[(msr - 0x800) * 4];
}

static void set_msr(uint32_t msr, uint64_t value)
{
	if (msr == MSR_TSC_DEADLINE) {
		has.deadline = value;
		return;
	}
	assert_in_range(msr, 0x800, 0x8ff);
	has.page[(msr - 0x800) * 4] = (uint32_t)value;
}

static uint8_t get_port(uint16_t port)
{
	return has.port[port];
}

static void set_port(uint16_t port, uint8_t value)
{
	has.port[port] = value;
}

static uint64_t get_class(void)
{
	return has.class;
}

static void set_class(uint64_t value)
{
	has.class = value;
}

static uint64_t get_tsc(void)
{
	return tsc += 1000;
}

#define rdmsr          get_msr
#define wrmsr          set_msr
#define in8            get_port
#define out8           set_port
#define read_cr8       get_class
#define write_cr8      set_class
#define rdtsc          get_tsc
#define sti()          (taken++, rang |= apic_alarm_rings())
#define cli()          (void)0
#define tsc_per_second TSC_HZ
#include "kernel/smp/apic.c"

TEST(thermal_smi_stays)
{
	assert_int_equal(lvt_in_bare(0x330, 0x200), 0x200);
	assert_int_equal(lvt_in_bare(0x330, 0x200 | MASKED), 0x200 | MASKED);
	assert_int_equal(lvt_in_bare(0x330, 0xfa), 0xfa | MASKED);   /* an interrupt */
	assert_int_equal(lvt_in_bare(0x330, 0x400), 0x400 | MASKED); /* an NMI */
	assert_int_equal(lvt_in_bare(0x340, 0x200), 0x200 | MASKED); /* a counter's, like Linux */
}

/* An old APIC has neither a thermal entry nor the counters'. */
TEST(only_what_is_there)
{
	unsigned n[7] = { 0 };

	for (unsigned max = 3; max < 7; max++)
		for (unsigned i = 0; i < LVTS; i++)
			n[max] += lvt_exists(i, 0x80000014 | max << 16);
	assert_int_equal(n[3], 3);
	assert_int_equal(n[4], 4);
	assert_int_equal(n[5], 5);
	assert_int_equal(n[6], 5);
}

/* As a firmware has left it: its own timer runs, all PICs listen to something. */
static void found(bool x2)
{
	memset(&has, 0, sizeof has);
	has.x2 = x2;
	has.page[TIMER / 4] = 0x20020; /* periodic */
	has.page[DIVIDE / 4] = 0xb;
	has.page[INITIAL_COUNT / 4] = 12345;
	has.page[LINT0 / 4] = 0x700;
	has.page[SPURIOUS / 4] = 0xf;
	has.class = 3;
	has.port[0x21] = 0xb8;
	has.port[0xa1] = 0x8e;
	taken = 0;
	alarm.rate = 0;
}

static struct apic_machine was;

/* But for registers that only take commands. */
static void expect_as_found(void)
{
	has.page[EOI / 4] = was.page[EOI / 4];
	has.page[CURRENT_COUNT / 4] = was.page[CURRENT_COUNT / 4];
	for (unsigned i = 0; i < 1024; i++)
		if (has.page[i] != was.page[i])
			fail_msg("APIC register %#x: expected %#x, came %#x", 4 * i, was.page[i],
				has.page[i]);
	assert_memory_equal(&was, &has, sizeof was);
}

TEST(after_an_alarm_all_is_as_before)
{
	for (unsigned x2 = 0; x2 < 2; x2++) {
		found(x2);
		was = has;
		has.page[CURRENT_COUNT / 4] = UINT32_MAX - 12500; /* of 1/2000 s: 25 MHz */
		assert_true(apic_alarm_set(TSC_HZ / 10));
		assert_int_equal(ALARM_VECTOR, has.page[TIMER / 4]); /* once, and not masked */
		/* The firmware had it off: no entry could be unmasked (SDM 3A, 11.4.7.2). */
		assert_int_equal(0xf | APIC_LISTENS, has.page[SPURIOUS / 4]);
		assert_in_range(has.page[INITIAL_COUNT / 4], 2490000, 2510000);
		assert_int_equal(ALARM_CLASS - 1, has.class);
		assert_true(has.page[LINT0 / 4] & MASKED);
		assert_int_equal(0xff, has.port[0x21]);
		assert_int_equal(0xff, has.port[0xa1]);
		assert_int_equal(0, taken);
		has.page[CURRENT_COUNT / 4] = 1;
		assert_false(apic_alarm_rings()); /* of what is left of the time */
		has.page[CURRENT_COUNT / 4] = 0;
		assert_true(apic_alarm_rings());
		rang = false;
		apic_alarm_clear(); /* the alarm comes just now: too late to end anything */
		assert_int_equal(1, taken);
		assert_false(rang);
		assert_false(apic_alarm_rings());
		expect_as_found();
	}
}

/* A timer that did not run is not started. */
TEST(a_timer_that_stood_still)
{
	found(false);
	has.page[INITIAL_COUNT / 4] = 0;
	was = has;
	assert_true(apic_alarm_set(1ULL << 60));
	assert_int_equal(UINT32_MAX, has.page[INITIAL_COUNT / 4]);
	apic_alarm_clear();
	expect_as_found();
}

TEST(no_alarm_without_a_timer_of_counts)
{
	found(false);
	has.off = true;
	was = has;
	assert_false(apic_alarm_set(1000));
	expect_as_found();
	found(false);
	has.page[TIMER / 4] = BY_DEADLINE | 0x20;
	was = has;
	assert_false(apic_alarm_set(1000));
	expect_as_found();
}

TEST(after_a_wait_all_is_as_before)
{
	struct apic_listener l;

	for (unsigned i = 0; i < 8; i++) {
		found(i & 1);
		was = has;
		apic_listen(&l);
		assert_int_equal(LAST_CLASS - 1, has.class);
		assert_int_equal(0x10f, has.page[SPURIOUS / 4]);
		if (i & 2) {
			apic_deadline_set(&l, 0xf2, 777);
			assert_int_equal(BY_DEADLINE | 0xf2, has.page[TIMER / 4]);
			assert_int_equal(777, has.deadline);
		}
		has.page[EOI / 4] = 1;
		apic_listen_end(&l, i & 4);
		assert_int_equal(i & 4 ? 0 : 1, has.page[EOI / 4]);
		expect_as_found();
	}
}
