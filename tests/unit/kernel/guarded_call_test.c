/* SPDX-License-Identifier: MIT */
/*
 * What user's code leaves changed is as before after the call, however it ended. The processor is a
 * structure: its instructions read and write that, and refuse what the real one would.
 */
#include "kernel/guarded_call.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/fault.h"
#include "kernel/cpu/msr.h"
#include "kernel/smp/apic.h"
#include "tests/unit/test.h"

#define CONFINED  0x7000
#define CR4_PCIDE 0x20000

/* What the processor has, and what is set around the call. */
struct processor {
	struct cpu_state state;
	uint32_t mxcsr; /* with the x87's state and the direction of strings: reset together */
	bool alarm;
};

static struct {
	struct processor now;
	bool has_alarm, confines, ends_early;
	enum { NOTHING, GDT_BASE, GDT_LIMIT } leaves; /* as it was, of all that the code changes */
	bool saw_alarm, saw_interrupts;               /* of the code */
	uint64_t saw_cr3, ticks;
} p;

static const struct processor usual = {
	.state = { { 0x80000033, 0x1000, 0x40620, 7 }, { 0x7ff, 0x2000 }, { 0xfff, 0x3000 },
		{ 8, 0x10, 0x10, 0x10 }, 0x7f0, false },
	.mxcsr = 0x1f80,
};

/* C's own instructions are exceptions with CR0.TS set, and end the machine without our IDT. */
static void expect_safe(void)
{
	assert_int_equal(usual.state.control.cr0, p.now.state.control.cr0);
	assert_memory_equal(&usual.state.idt, &p.now.state.idt, sizeof usual.state.idt);
}

static void set_cr0(uint64_t v)
{
	p.now.state.control.cr0 = v;
}

static void set_idt(const struct table_register *r)
{
	p.now.state.idt = *r;
}

static void set_cr3(uint64_t v)
{
	assert_false(p.now.state.control.cr4 & CR4_PCIDE); /* would keep entries of other tables */
	expect_safe();
	p.now.state.control.cr3 = v;
}

static void set_cr4(uint64_t v)
{
	expect_safe();
	p.now.state.control.cr4 = v;
}

static void set_gdt(const struct table_register *r)
{
	expect_safe();
	p.now.state.gdt = *r;
}

/* Each is read from the GDT that is loaded. */
static void set_segments(struct segments s)
{
	assert_memory_equal(&usual.state.gdt, &p.now.state.gdt, sizeof usual.state.gdt);
	p.now.state.segments = s;
}

static void set_xcr0(uint64_t v)
{
	assert_true(p.now.state.control.cr4 & CR4_OSXSAVE);
	p.now.state.control.xcr0 = v;
}

static void reset_vectors(void)
{
	expect_safe();
	p.now.mxcsr = 0x1f80;
}

static void set_interrupts(bool on)
{
	p.now.state.interrupts = on;
}

static void read_state(struct cpu_state *s)
{
	*s = p.now.state;
}

static uint64_t apic_base(uint32_t msr)
{
	assert_int_equal(MSR_APIC_BASE, msr);
	return 0xfee00900;
}

static uint64_t confine(const struct span *memory, uint64_t page_bytes, uint64_t apic)
{
	assert_int_equal(0x100000, memory->base);
	assert_int_equal(0x200000, memory->bytes);
	assert_int_equal(4096, page_bytes);
	assert_int_equal(0xfee00000, apic);
	return p.confines ? CONFINED : 0;
}

static bool set_alarm(uint64_t ticks)
{
	p.ticks = ticks;
	p.now.alarm = p.has_alarm;
	return p.has_alarm;
}

static void clear_alarm(void)
{
	assert_true(p.now.alarm);
	assert_false(p.now.state.interrupts);
	expect_safe();
	p.now.alarm = false;
}

/* The user's code: it changes all that it can. */
static const struct escape *run_code(loop_fn *loop, const uint64_t args[LOOP_ARGS], struct timed *t)
{
	static const struct escape escape = { .vector = 6, .at = 0x1234 };

	p.saw_alarm = p.now.alarm;
	p.saw_interrupts = p.now.state.interrupts;
	p.saw_cr3 = p.now.state.control.cr3;
	p.now.state = (struct cpu_state){ { 0x8000003b, 0x5000, 0x60660, 3 }, { 0x17, 0x6000 },
		{ 0, 0x6100 }, { 8, 0, 0, 0x18 }, 0x7f0, true };
	if (p.leaves == GDT_BASE)
		p.now.state.gdt.base = usual.state.gdt.base;
	if (p.leaves == GDT_LIMIT)
		p.now.state.gdt.limit = usual.state.gdt.limit;
	p.now.mxcsr = 0;
	*t = (struct timed){ args[0], 1 };
	return p.ends_early ? &escape : NULL;
}

#define write_cr0             set_cr0
#define write_cr3             set_cr3
#define write_cr4             set_cr4
#define load_idt              set_idt
#define load_gdt              set_gdt
#define load_segments         set_segments
#define cpu_set_xcr0          set_xcr0
#define reset_floating_point  reset_vectors
#define cli()                 set_interrupts(false)
#define sti()                 set_interrupts(true)
#define rdmsr                 apic_base
#define cpu_state_read        read_state
#define address_space_confine confine
#define apic_alarm_set        set_alarm
#define apic_alarm_clear      clear_alarm
#define fault_try             run_code
#define tsc_per_second        2000000000ULL
#include "kernel/guarded_call.c"

/* In each of the two rooms; with and without an alarm, and tables that confine. */
TEST(what_the_code_changes_is_put_back)
{
	const struct arena writable = {
		.base = (void *)0x100000, .bytes = 0x200000, .page_bytes = 4096
	};
	const uint64_t args[LOOP_ARGS] = { 42 };

	for (unsigned i = 0; i < 48; i++) {
		struct room room = { .kind = i & 1 ? ROOM_BARE : ROOM_FIRMWARE };
		struct escape escape = { 0 };
		struct timed t;

		memset(&p, 0, sizeof p);
		p.now = usual;
		p.has_alarm = i & 2;
		p.confines = i & 4;
		p.ends_early = i & 8;
		p.leaves = i / 16;
		assert_int_equal(p.ends_early ? -1 : 0,
			guard(&room, NULL, args, 1e9, &writable, &t, &escape));
		assert_int_equal(42, t.value);
		assert_int_equal(p.ends_early ? 0x1234 : 0, escape.at);
		assert_int_equal(2000000000, p.ticks); /* a second */
		assert_int_equal(p.has_alarm, p.saw_alarm);
		assert_int_equal(p.has_alarm, p.saw_interrupts);
		assert_int_equal(p.confines ? CONFINED : 0x1000, p.saw_cr3);
		assert_memory_equal(&usual.state, &p.now.state, offsetof(struct cpu_state, task));
		assert_false(p.now.state.interrupts);
		assert_int_equal(usual.mxcsr, p.now.mxcsr);
		assert_false(p.now.alarm);
	}
}
