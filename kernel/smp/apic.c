/* SPDX-License-Identifier: MIT */
#include "kernel/smp/apic.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/x86.h"

/*
 * The entries of the local vector table of an APIC that room bare changes (SDM vol. 3A 11.5.1).
 * LINT1, the NMI's entry, is not touched.
 */

#define LVTS 5

#define MASKED        (1U << 16)
#define DELIVERY_MODE 0x700
#define DELIVERY_SMI  0x200

enum { TIMER = 0x320, THERMAL = 0x330, COUNTERS = 0x340, LINT0 = 0x350, ERROR = 0x370 };

/* max: an entry exists if "max LVT entry" of the version register, bits 23:16, is at least this. */
static const struct {
	uint16_t offset;
	uint8_t max;
} lvt[LVTS] = {
	{ TIMER, 0 },
	{ THERMAL, 5 },
	{ COUNTERS, 4 },
	{ LINT0, 0 },
	{ ERROR, 0 },
};

/* The register of entry i < LVTS. */
static uint16_t lvt_offset(unsigned i)
{
	return lvt[i].offset;
}

/*
 * Returns true if an APIC with that version register has the entry: reading an absent one may
 * fault.
 */
static bool lvt_exists(unsigned i, uint32_t version)
{
	return (version >> 16 & 0xff) >= lvt[i].max;
}

/*
 * The value of an entry in room bare: masked. But a thermal entry that raises an SMI stays as it
 * is: the firmware then manages the temperature by it, and masking it would take that away (Linux,
 * commit 9a90ed065a15, "x86/thermal: Fix LVT thermal setup for SMI delivery mode").
 */
static uint32_t lvt_in_bare(uint16_t offset, uint32_t entry)
{
	return offset == THERMAL && (entry & DELIVERY_MODE) == DELIVERY_SMI ? entry
									    : entry | MASKED;
}

#define PIC_MASTER_MASK 0x21
#define PIC_SLAVE_MASK  0xa1

#define APIC_ENABLED (1 << 11)
#define APIC_X2      (1 << 10)

#define APIC_ID      0x20
#define APIC_VERSION 0x30
#define LVT_THERMAL  0x330

enum { EOI = 0xb0, SPURIOUS = 0xf0 };

#define APIC_LISTENS 0x100 /* of SPURIOUS */

#define ICR_LOW     0x300
#define ICR_HIGH    0x310
#define ICR_PENDING (1 << 12)
#define SEND_NMI    0x4400 /* NMI, assert */
#define SEND_INIT   0x4500 /* INIT, assert */
#define SEND_SIPI   0x4600 /* start-up, assert; the low byte is the page number */

static uint32_t thermal; /* the boot processor's entry, as the firmware left it; 0: none */

static bool is_x2(void)
{
	return rdmsr(MSR_APIC_BASE) & APIC_X2;
}

static volatile uint32_t *in_memory(uint16_t offset)
{
	return (volatile uint32_t *)((rdmsr(MSR_APIC_BASE) & 0xfffffffff000) + offset);
}

static uint32_t apic_read(uint16_t offset)
{
	return is_x2() ? (uint32_t)rdmsr(0x800 + offset / 16) : *in_memory(offset);
}

static void apic_write(uint16_t offset, uint32_t value)
{
	if (is_x2())
		wrmsr(0x800 + offset / 16, value);
	else
		*in_memory(offset) = value;
}

static bool is_on(void)
{
	return rdmsr(MSR_APIC_BASE) & APIC_ENABLED;
}

bool apic_id(uint32_t *id)
{
	if (!is_on())
		return false;
	*id = is_x2() ? apic_read(APIC_ID) : apic_read(APIC_ID) >> 24;
	return true;
}

void apic_mask(void)
{
	uint32_t version;

	out8(PIC_MASTER_MASK, 0xff);
	out8(PIC_SLAVE_MASK, 0xff);
	if (!is_on())
		return;
	version = apic_read(APIC_VERSION);
	for (unsigned i = 0; i < LVTS; i++) {
		if (!lvt_exists(i, version))
			continue;
		uint32_t entry = apic_read(lvt_offset(i));

		if (lvt_offset(i) == LVT_THERMAL)
			thermal = entry;
		apic_write(lvt_offset(i), lvt_in_bare(lvt_offset(i), entry));
	}
}

/*
 * INIT has switched the APIC off by its spurious-interrupt register; until that is set again no
 * entry can be unmasked (SDM vol. 3A, 11.4.7.2 and 11.4.7.3).
 */
void apic_copy_thermal(void)
{
	if (!is_on() || !thermal || lvt_in_bare(LVT_THERMAL, thermal) != thermal)
		return;
	apic_write(SPURIOUS, apic_read(SPURIOUS) | APIC_LISTENS);
	apic_write(LVT_THERMAL, thermal);
}

bool apic_reaches(uint32_t id)
{
	return is_on() && (is_x2() || id < 255);
}

/*
 * Send a command. In x2APIC mode the write is no fence: earlier writes for the other processor
 * might arrive after it (SDM vol. 3A 11.12.3).
 */
static void send(uint32_t id, uint32_t command)
{
	if (is_x2()) {
		__asm__ volatile("mfence; lfence" ::: "memory");
		wrmsr(0x800 + ICR_LOW / 16, (uint64_t)id << 32 | command);
		return;
	}
	apic_write(ICR_HIGH, id << 24);
	apic_write(ICR_LOW, command);
	for (unsigned i = 0; i < 1000000 && (apic_read(ICR_LOW) & ICR_PENDING); i++)
		pause();
}

void apic_send_init(uint32_t id)
{
	send(id, SEND_INIT);
}

void apic_send_sipi(uint32_t id, uint64_t page)
{
	send(id, SEND_SIPI | (uint32_t)(page >> 12));
}

void apic_send_nmi(uint32_t id)
{
	send(id, SEND_NMI);
}

/* --- a processor that is woken: SDM vol. 3A, 11.4.7.3, 11.9 --- */

#define SEND_FIXED  0x4000 /* an interrupt, assert; the low byte is its vector */
#define LAST_CLASS  15     /* vectors from F0h on */
#define BY_DEADLINE (2U << 17)

struct apic_command apic_command(uint32_t id, uint8_t vector)
{
	uint32_t command = vector == VECTOR_NMI ? SEND_NMI : SEND_FIXED | vector;

	if (is_x2())
		return (struct apic_command){ loop_wake_wrmsr, 0x800 + ICR_LOW / 16,
			(uint64_t)id << 32 | command };
	apic_write(ICR_HIGH, id << 24);
	return (struct apic_command){ loop_wake_store, (uint64_t)in_memory(ICR_LOW), command };
}

void apic_listen(struct apic_listener *l)
{
	l->spurious = apic_read(SPURIOUS);
	l->class = read_cr8();
	l->deadline = false;
	write_cr8(LAST_CLASS - 1);
	apic_write(SPURIOUS, l->spurious | APIC_LISTENS);
}

void apic_deadline_set(struct apic_listener *l, uint8_t vector, uint64_t tsc)
{
	l->timer = apic_read(TIMER);
	l->deadline = true;
	apic_write(TIMER, BY_DEADLINE | vector);
	__asm__ volatile("mfence" ::: "memory"); /* set the mode before the deadline */
	wrmsr(MSR_TSC_DEADLINE, tsc);
}

void apic_listen_end(const struct apic_listener *l, bool interrupt)
{
	if (l->deadline) {
		wrmsr(MSR_TSC_DEADLINE, 0);
		apic_write(TIMER, l->timer);
	}
	if (interrupt)
		apic_write(EOI, 0);
	apic_write(SPURIOUS, l->spurious);
	write_cr8(l->class);
}

/* --- the alarm: SDM vol. 3A, 11.5.4 --- */

enum { INITIAL_COUNT = 0x380, CURRENT_COUNT = 0x390, DIVIDE = 0x3e0 };

#define ALARM_VECTOR 0xf1
#define ALARM_CLASS  (ALARM_VECTOR >> 4) /* vectors below it wait */
#define BY_16        3
#define TIMER_MODE   (3U << 17)
#define RATE_PART    2000 /* the timer's rate is measured for 1/RATE_PART of a second */

static struct {
	bool set, ends;
	double rate; /* counts per TSC tick; 0: not measured */
	uint32_t spurious, timer, divide, initial, lint0;
	uint8_t pic[2];
	uint64_t class;
} alarm;

static double alarm_rate(void)
{
	uint64_t since = rdtsc(), now, last = (uint64_t)(tsc_per_second / RATE_PART);

	apic_write(INITIAL_COUNT, UINT32_MAX);
	while ((now = rdtsc()) - since < last)
		;
	return (double)(UINT32_MAX - apic_read(CURRENT_COUNT)) / (double)(now - since);
}

bool apic_alarm_set(uint64_t tsc_ticks)
{
	if (!is_on())
		return false;
	alarm.spurious = apic_read(SPURIOUS);
	alarm.timer = apic_read(TIMER);
	if ((alarm.timer & TIMER_MODE) == BY_DEADLINE)
		return false;
	alarm.divide = apic_read(DIVIDE);
	alarm.initial = apic_read(INITIAL_COUNT);
	alarm.lint0 = apic_read(LINT0);
	alarm.pic[0] = in8(PIC_MASTER_MASK);
	alarm.pic[1] = in8(PIC_SLAVE_MASK);
	alarm.class = read_cr8();
	out8(PIC_MASTER_MASK, 0xff);
	out8(PIC_SLAVE_MASK, 0xff);
	apic_write(LINT0, alarm.lint0 | MASKED);
	write_cr8(ALARM_CLASS - 1);
	apic_write(TIMER, MASKED | ALARM_VECTOR);
	/* A firmware may leave it off by this register, and then no entry can be unmasked. */
	apic_write(SPURIOUS, alarm.spurious | APIC_LISTENS);
	apic_write(DIVIDE, BY_16);
	if (!(alarm.rate > 0))
		alarm.rate = alarm_rate();
	double count = (double)tsc_ticks * alarm.rate;

	alarm.ends = false;
	alarm.set = true;
	apic_write(INITIAL_COUNT, 0);
	apic_write(TIMER, ALARM_VECTOR);
	apic_write(INITIAL_COUNT, count < UINT32_MAX ? (uint32_t)count + 1 : UINT32_MAX);
	return true;
}

/* Clear the alarm. An alarm that came meanwhile is taken now, so that it disturbs nobody else. */
void apic_alarm_clear(void)
{
	alarm.ends = true;
	apic_write(INITIAL_COUNT, 0);
	apic_write(TIMER, MASKED | ALARM_VECTOR);
	sti();
	pause();
	cli();
	alarm.set = false;
	apic_write(DIVIDE, alarm.divide);
	apic_write(TIMER, alarm.timer);
	if (alarm.initial)
		apic_write(INITIAL_COUNT, alarm.initial);
	write_cr8(alarm.class);
	apic_write(LINT0, alarm.lint0);
	apic_write(SPURIOUS, alarm.spurious);
	out8(PIC_MASTER_MASK, alarm.pic[0]);
	out8(PIC_SLAVE_MASK, alarm.pic[1]);
}

bool apic_alarm_rings(void)
{
	if (!alarm.set)
		return false;
	apic_write(EOI, 0);
	return !alarm.ends && !apic_read(CURRENT_COUNT);
}
