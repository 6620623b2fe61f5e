/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/cpu/tsc.h"
#include "lib/ensure.h"
#include "lib/stats.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/x86.h"
#include "kernel/console/console.h"
#include "kernel/cpu/safe.h"
#include "kernel/firmware/acpi.h"
#include "kernel/firmware/firmware_calls.h"
#include "engine/claims.h"
#include "engine/room_cpuid.h"

/* Free-running counters of known rate. Any of them may stand still, so every wait has a limit. */

#define WINDOWS 7

struct counter {
	const char *name;
	double hz; /* 0: absent, or not to be used */
	unsigned bits;
	uint64_t (*read)(const struct counter *);
	struct acpi_address io;
	double rates[WINDOWS]; /* rate of the TSC in each window, by this counter */
};

/* Two registers of an HPET. */
struct hpet {
	uint32_t period; /* femtoseconds: 100 ns at most (IA-PC HPET 1.0a, 2.3.4) */
	uint32_t configuration;
};

#define CONFIRM_PPM 500

static double off_ppm(double a, double b)
{
	double d = a > b ? a - b : b - a;

	return d / b * 1e6;
}

static bool is_timed(const struct tsc_source *s)
{
	return !s->claimed && s->hz > 0;
}

static bool is_delay(const struct tsc_source *s)
{
	return strcmp(s->name, "stall") == 0;
}

/* The timed source of median value; of two, the first: sources are in order of precision. */
static const struct tsc_source *middle_timed(const struct facts *f)
{
	const struct tsc_source *first = NULL;
	double values[TSC_SOURCES];
	unsigned n = 0;

	for (unsigned i = 0; i < f->tsc_sources; i++) {
		if (is_timed(&f->tsc[i])) {
			values[n++] = f->tsc[i].hz;
			first = first ? first : &f->tsc[i];
		}
	}
	if (n < 3)
		return first;
	stats_sort(values, n);
	for (unsigned i = 0;; i++)
		if (is_timed(&f->tsc[i]) && f->tsc[i].hz == values[n / 2])
			return &f->tsc[i];
}

/*
 * The largest disagreement of a timed source with tsc_hz. A delay is coarse compared with a
 * counter: it counts only if there are fewer than two counters.
 */
static double disagreement(const struct facts *f)
{
	double largest = 0, off;
	unsigned counters = 0;

	for (unsigned i = 0; i < f->tsc_sources; i++)
		counters += is_timed(&f->tsc[i]) && !is_delay(&f->tsc[i]);
	for (unsigned i = 0; i < f->tsc_sources; i++) {
		if (!is_timed(&f->tsc[i]) || (counters >= 2 && is_delay(&f->tsc[i])))
			continue;
		off = off_ppm(f->tsc[i].hz, f->tsc_hz);
		largest = off > largest ? off : largest;
	}
	return largest;
}

/*
 * Choose among f->tsc: a claimed rate if a timed source confirms it within 500 ppm, because then it
 * is exact; else the timed source of median value; else a claim. Fills tsc_hz, tsc_source and
 * tsc_disagree_ppm. Returns false if there is no source.
 */
static bool tsc_choose(struct facts *f)
{
	const struct tsc_source *timed = middle_timed(f), *chosen = timed;

	for (unsigned i = f->tsc_sources; i-- > 0;) {
		const struct tsc_source *s = &f->tsc[i];

		if (s->claimed && s->hz > 0 && (!timed || off_ppm(s->hz, timed->hz) < CONFIRM_PPM))
			chosen = s;
	}
	if (!chosen)
		return false;
	f->tsc_hz = chosen->hz;
	f->tsc_source = chosen->name;
	f->tsc_disagree_ppm = disagreement(f);
	return true;
}

#define MOVE_TICKS    200000
#define MOVE_READINGS 1000
#define WAIT_TICKS    (1ULL << 33) /* of the TSC: 1.4 s at 6 GHz, 8 s at 1 GHz */

#define PERIOD_MIN 1000000 /* femtoseconds */
#define PERIOD_MAX 100000000

/* Ticks of a counter of `bits` bits from `first` to `last`, wrapping at most once. */
static uint64_t counter_elapsed(uint64_t first, uint64_t last, unsigned bits)
{
	return (last - first) & (bits == 64 ? ~0ULL : (1ULL << bits) - 1);
}

/*
 * Returns true if the counter moves, within 200 000 ticks of the TSC, as Linux demands of an HPET
 * (hpet_counting), or within 1000 readings, if they take longer: a counter on a slow bus or under
 * an emulator needs that.
 */
static bool counter_moves(const struct counter *c)
{
	uint64_t first = c->read(c), since = rdtsc();

	for (unsigned i = 0; i < MOVE_READINGS || rdtsc() - since < MOVE_TICKS; i++)
		if (c->read(c) != first)
			return true;
	return false;
}

/* Wait this long by the counter; some seconds at most. Returns false if the counter has stopped. */
static bool counter_wait(const struct counter *c, double microseconds)
{
	uint64_t first = c->read(c), since = rdtsc();
	double wanted = c->hz * microseconds / 1e6;

	for (unsigned i = 0; i < MOVE_READINGS || rdtsc() - since < WAIT_TICKS; i++) {
		if ((double)counter_elapsed(first, c->read(c), c->bits) >= wanted)
			return true;
		pause();
	}
	return false;
}

/* Returns true if the registers can be an HPET's; all ones: the device is off. */
static bool hpet_is_plausible(const struct hpet *h)
{
	return h->period >= PERIOD_MIN && h->period <= PERIOD_MAX && h->configuration != UINT32_MAX;
}

/*
 * All counters are read side by side over the same windows. A window's rate is wrong when something
 * (an SMI, a hypervisor) comes between the two readings of one stamp, so each stamp is the tightest
 * of several, and each source's rate is the median over the windows.
 */

#define WINDOW_US   25000.0 /* less than half the time in which the PIT wraps (54.9 ms) */
#define STAMP_TRIES 5
#define STALLS      5
#define STALL_US    20000

#define PM_HZ  3579545.0
#define PIT_HZ 1193181.8

struct tsc_stamp {
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
	out8(0x43, 0x80);
	uint8_t low = in8(0x42);
	return (uint16_t)(0 - (low | in8(0x42) << 8));
}

/* Register 0 holds the period in femtoseconds above bit 32; register 10h bit 0: running. */
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

/* Set channel 2: gate on, speaker off, mode 2, full count. It is there only if the count moves. */
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

/* Read the counter and the TSC at the same moment: the closest of several tries. */
static struct tsc_stamp take_stamp(const struct counter *c)
{
	struct tsc_stamp best = { 0, 0 };
	uint64_t closest = UINT64_MAX;

	for (unsigned i = 0; i < STAMP_TRIES; i++) {
		uint64_t before = rdtsc(), count = c->read(c), after = rdtsc();

		if (after - before < closest) {
			closest = after - before;
			best = (struct tsc_stamp){ before + (after - before) / 2, count };
		}
	}
	return best;
}

/* Wait about WINDOW_US by the first counter that runs; give up counters that stop. */
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
	struct tsc_stamp first[3], last;

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
	ensure(f->tsc_sources < TSC_SOURCES);
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
 * Time the firmware's own delay. It is never shorter than requested, but longer by its timer tick
 * and by the switch to the firmware's state, so the shortest of several counts.
 */
static void time_stall(struct facts *f)
{
	double shortest = 0;

	/* U-Boot's first call takes far longer. */
	if (!boot_services_active() || !firmware_stall(100))
		return;
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

/* Intel since Nehalem: maximum non-turbo ratio; 0 if an emulator ignores the MSR. */
static void claim_platform_info(struct room *room)
{
	struct facts *f = &room->facts;
	uint64_t v = 0;

	if (room_cpu_vendor(room) != VENDOR_INTEL || f->hypervisor[0] ||
		safe_rdmsr(MSR_PLATFORM_INFO, &v))
		v = 0;
	add_source(f, "msr-ceh", (double)(v >> 8 & 0xff) * identity_bus_hz(room), true);
}

bool tsc_rate_measure(struct room *room, uint64_t rsdp)
{
	struct facts *f = &room->facts;

	f->tsc_sources = 0;
	claim_cpuid(room);
	claim_platform_info(room);
	time_counters(rsdp, f);
	time_stall(f);
	if (!tsc_choose(f))
		return false;
	tsc_per_second = (uint64_t)f->tsc_hz;
	return true;
}
