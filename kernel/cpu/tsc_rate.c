/* SPDX-License-Identifier: MIT */
/*
 * All counters are read side by side over the same windows. A window's rate is wrong when something
 * (an SMI, a hypervisor) comes between the two readings of one stamp, so each stamp is the tightest
 * of several, and each source's rate is the median over the windows.
 */
#include "kernel/cpu/tsc_rate.h"
#include "kernel/console/console.h"
#include "kernel/cpu/safe.h"
#include "kernel/cpu/time_counter.h"
#include "kernel/cpu/tsc_choice.h"
#include "kernel/cpu/x86.h"
#include "kernel/firmware/acpi.h"
#include "kernel/firmware/firmware_calls.h"
#include "engine/cpu_identity.h"
#include "engine/room_cpuid.h"
#include "lib/stats.h"

#define WINDOW_US   25000.0 /* less than half the time in which the PIT wraps (54.9 ms) */
#define STAMP_TRIES 5
#define STALLS      5
#define STALL_US    20000

#define PM_HZ  3579545.0
#define PIT_HZ 1193181.8

struct stamp {
	uint64_t tsc, count;
};

static uint64_t read_pm(const struct counter *c)
{
	uint32_t value = UINT32_MAX;

	if (!c->io.memory)
		return in32((uint16_t)c->io.address);
	safe_read32((const void *)c->io.address, &value);
	return value;
}

static uint64_t read_hpet(const struct counter *c)
{
	return *(volatile uint32_t *)(c->io.address + 0xf0);
}

/* Channel 2 counts down; latch, then low and high byte (Intel 8254 data sheet). */
static uint64_t read_pit(const struct counter *c)
{
	(void)c;
	out8(0x43, 0x80);
	uint8_t low = in8(0x42);
	return (uint16_t)(0 - (low | in8(0x42) << 8));
}

/* Register 0: period in femtoseconds above bit 32; register 10h bit 0: running. */
static void find_hpet(struct counter *c)
{
	struct hpet h;

	if (!c->io.present || safe_read32((void *)(c->io.address + 4), &h.period) ||
		safe_read32((void *)(c->io.address + 0x10), &h.configuration))
		return;
	if (!hpet_is_plausible(&h))
		return;
	if (!(h.configuration & 1))
		*(volatile uint32_t *)(c->io.address + 0x10) = h.configuration | 1;
	if (counter_moves(c))
		c->hz = 1e15 / h.period;
}

/* Channel 2, gate on, speaker off, mode 2, full count; there only if the count moves. */
static void find_pit(struct counter *c)
{
	out8(0x61, (in8(0x61) & 0x0c) | 1);
	out8(0x43, 0xb4);
	out8(0x42, 0);
	out8(0x42, 0);
	if (counter_moves(c))
		c->hz = PIT_HZ;
}

static void find_pm(struct counter *c)
{
	if (c->io.present && counter_moves(c))
		c->hz = PM_HZ;
}

/* The counter and the TSC at the same moment: the closest of several tries. */
static struct stamp take_stamp(const struct counter *c)
{
	struct stamp best = { 0, 0 };
	uint64_t closest = UINT64_MAX;

	for (unsigned i = 0; i < STAMP_TRIES; i++) {
		uint64_t before = rdtsc(), count = c->read(c), after = rdtsc();

		if (after - before < closest) {
			closest = after - before;
			best = (struct stamp){ before + (after - before) / 2, count };
		}
	}
	return best;
}

/* Waits about WINDOW_US by the first counter that is there, and gives up those that stop. */
static void wait_window(struct counter *c, unsigned counters)
{
	for (unsigned i = 0; i < counters; i++) {
		if (!c[i].hz)
			continue;
		if (counter_wait(&c[i], WINDOW_US))
			return;
		console_printf("%s stopped: it is not used\n", c[i].name);
		c[i].hz = 0;
	}
}

static void time_window(struct counter *c, unsigned counters, unsigned window)
{
	struct stamp first[3], last;

	for (unsigned i = 0; i < counters; i++)
		if (c[i].hz)
			first[i] = take_stamp(&c[i]);
	wait_window(c, counters);
	for (unsigned i = 0; i < counters; i++) {
		if (!c[i].hz)
			continue;
		last = take_stamp(&c[i]);
		uint64_t counted = counter_elapsed(first[i].count, last.count, c[i].bits);
		c[i].rates[window] =
			counted ? (double)(last.tsc - first[i].tsc) / (double)counted * c[i].hz : 0;
	}
}

static void add_source(struct facts *f, const char *name, double hz, bool claimed)
{
	if (f->tsc_sources < TSC_SOURCES)
		f->tsc[f->tsc_sources++] = (struct tsc_source){ name, hz, claimed };
}

static void time_counters(uint64_t rsdp, struct facts *f)
{
	unsigned pm_bits = 24;
	struct acpi_address pm = acpi_pm_timer(rsdp, &pm_bits);
	struct counter c[] = {
		{ .name = "hpet", .bits = 32, .read = read_hpet, .io = acpi_hpet(rsdp) },
		{ .name = "pm-timer", .bits = pm_bits, .read = read_pm, .io = pm },
		{ .name = "pit", .bits = 16, .read = read_pit },
	};
	const unsigned n = sizeof c / sizeof *c;

	find_hpet(&c[0]);
	find_pm(&c[1]);
	find_pit(&c[2]);
	for (unsigned i = 0; i < n; i++)
		if (c[i].io.present && !c[i].hz)
			console_printf("%s does not count: it is not used\n", c[i].name);
	for (unsigned w = 0; w < WINDOWS && (c[0].hz || c[1].hz || c[2].hz); w++)
		time_window(c, n, w);
	for (unsigned i = 0; i < n; i++)
		add_source(f, c[i].name, c[i].hz ? stats_median(c[i].rates, WINDOWS) : 0, false);
}

/*
 * The firmware's own delay: never shorter than requested, but longer by its timer tick and by the
 * switch to the firmware's state, so the shortest of several counts.
 */
static void time_stall(struct facts *f)
{
	double shortest = 0;

	if (!boot_services_active())
		return;
	firmware_stall(100); /* U-Boot's first call takes far longer */
	for (unsigned i = 0; i < STALLS; i++) {
		uint64_t start = rdtsc();

		firmware_stall(STALL_US);
		double ticks = (double)(rdtsc() - start);
		if (i == 0 || ticks < shortest)
			shortest = ticks;
	}
	add_source(f, "stall", shortest * (1e6 / STALL_US), false);
}

static void claim_cpuid(struct room *room)
{
	add_source(&room->facts, "cpuid-15h", identity_tsc_15h(room), true);
	add_source(&room->facts, "cpuid-16h", identity_tsc_16h(room), true);
	add_source(&room->facts, "cpuid-40000010h", identity_tsc_40000010h(room), true);
}

/* Intel since Nehalem: maximum non-turbo ratio times 100 MHz; 0 where an emulator ignores it. */
static void claim_platform_info(struct room *room)
{
	struct facts *f = &room->facts;
	uint64_t v = 0;

	if (room_cpu_vendor(room) != VENDOR_INTEL || f->hypervisor[0] ||
		safe_rdmsr(MSR_PLATFORM_INFO, &v))
		v = 0;
	add_source(f, "msr-ceh", (double)(v >> 8 & 0xff) * 100e6, true);
}

bool tsc_rate_measure(struct room *room, uint64_t rsdp)
{
	struct facts *f = &room->facts;

	f->tsc_sources = 0;
	claim_cpuid(room);
	claim_platform_info(room);
	time_counters(rsdp, f);
	time_stall(f);
	return tsc_choose(f);
}
