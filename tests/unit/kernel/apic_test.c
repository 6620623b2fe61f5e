/* SPDX-License-Identifier: MIT */
/* The entries of a local vector table after it is masked; an APIC whose registers are memory. */
#include "kernel/cpu/x86.h"

static _Alignas(4096) uint32_t registers[1024];

/* Of the instructions that a process may not execute only the base register's matters. */
#define rdmsr(msr)    ((uint64_t)registers | APIC_ENABLED)
#define in8(port)     0
#define out8(port, v) ((void)0)
#define read_cr8()    0
#define write_cr8(v)  ((void)0)
#define sti()         ((void)0)
#define cli()         ((void)0)
#include "kernel/smp/apic.c"
#include "tests/unit/test.h"

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

/* The spurious-interrupt register has it off: no entry can be unmasked (SDM vol. 3A, 11.4.7.2). */
TEST(the_alarm_rings_where_the_firmware_left_it_off)
{
	registers[SPURIOUS / 4] = 0xff;
	registers[TIMER / 4] = MASKED;
	alarm.rate = 1;
	assert_true(apic_alarm_set(1000));
	assert_int_equal(registers[SPURIOUS / 4], 0xff | APIC_LISTENS);
	assert_int_equal(registers[TIMER / 4], ALARM_VECTOR);
	apic_alarm_clear();
	assert_int_equal(registers[SPURIOUS / 4], 0xff);
	assert_int_equal(registers[TIMER / 4], MASKED);
}
