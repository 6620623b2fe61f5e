/* SPDX-License-Identifier: MIT */
/*
 * The TCO timer of Intel's chipsets. Up to the 9 series its registers are found by the LPC bridge's
 * ACPI base, from the 300 series on by the SMBus controller's own. Between the two (100, 200
 * series) the bit that lets it reset lies behind a hidden device: those chipsets are not used.
 * Sources: Intel, ICH9 datasheet (316972) chapter 13.9 and 10.1.75, 400 series datasheet vol. 2
 * (620855), "TCO"; for the devices Linux's lpc_ich.c, i2c-i801.c (FEATURE_TCO_CNL) and iTCO_wdt.c,
 * versions 2 and 6.
 */
#include "kernel/watchdog/watchdog_device.h"

#define INTEL      0x8086
#define LPC        (0x1fU << 11)
#define SMBUS      (0x1fU << 11 | 4U << 8)
#define ACPI_BASE  0x40 /* of the LPC bridge; bits 15:7 */
#define ACPI_ON    0x44 /* bit 7 */
#define ROOT_BASE  0xf0 /* bits 31:14; bit 0: enabled */
#define TCO_OFFSET 0x60 /* from the ACPI base */
#define GENERAL    0x3410
#define TCO_BASE   0x50 /* of the SMBus controller; bits 15:5 */
#define TCO_ON     0x54 /* bit 8 */

enum { RELOAD = 0, STATUS_1 = 4, STATUS_2 = 6, CONTROL = 8, TIME = 0x12 };

#define TIMED_OUT       (1U << 3)  /* status 1, cleared by writing 1 */
#define TIMED_OUT_TWICE (1U << 1)  /* status 2, cleared by writing 1 */
#define HALTED          (1U << 11) /* control */
#define TIME_MASK       0x3ffU
#define GENERAL_NO      (1U << 5) /* no reboot, in the general control register */
#define CONTROL_NO      (1U << 0) /* the same in the control register, from the 300 series on */

struct ids {
	uint16_t first, last;
};

static const struct ids bridges[] = {
	{ 0x2640, 0x2642 },                     /* ICH6 */
	{ 0x2670, 0x267f },                     /* 631xESB, 632xESB */
	{ 0x27b0, 0x27b0 },                     /* ICH7 */
	{ 0x27b8, 0x27bd }, { 0x2810, 0x2815 }, /* ICH8 */
	{ 0x2912, 0x2919 },                     /* ICH9 */
	{ 0x3a14, 0x3a1a },                     /* ICH10 */
	{ 0x3b00, 0x3b16 },                     /* 5 series */
	{ 0x1c41, 0x1c5f },                     /* 6 series */
	{ 0x1d40, 0x1d41 },                     /* C600 */
	{ 0x1e40, 0x1e5f },                     /* 7 series */
	{ 0x8c40, 0x8c5f },                     /* 8 series */
	{ 0x9c40, 0x9c47 },                     /* the same, low power */
	{ 0x8d40, 0x8d5f },                     /* C610 */
	{ 0x8cc1, 0x8cc6 },                     /* 9 series */
	{ 0x9cc1, 0x9cc9 },                     /* the same, low power */
};

static const uint16_t controllers[] = {
	0xa323, /* Cannon Lake-H: 300 series */
	0x9da3, /* Cannon Lake-LP */
	0x34a3, /* Ice Lake-LP */
	0x38a3, /* Ice Lake-N */
	0x02a3, /* Comet Lake */
	0x06a3, /* Comet Lake-H: 400 series */
	0x4b23, /* Elkhart Lake */
	0xa0a3, /* Tiger Lake-LP */
	0x43a3, /* Tiger Lake-H: 500 series */
	0x4da3, /* Jasper Lake */
	0x7aa3, /* Alder Lake-S: 600 series */
	0x51a3, /* Alder Lake-P */
	0x54a3, /* Alder Lake-M */
	0x7a23, /* Raptor Lake-S: 700 series */
	0x7e22, /* Meteor Lake-P */
	0xae22, /* Meteor Lake-S */
	0x7f23, /* Meteor Lake's chipset */
	0x7722, /* Arrow Lake-H */
};

static const struct register_calls *calls;
static uint16_t base;                     /* of the timer's ports */
static struct register_address no_reboot; /* the register with no_bit */
static uint32_t no_bit;                   /* the bit that forbids the reset */
static struct {
	uint32_t time, control, no_reboot;
} before;

static uint32_t config(uint32_t device, uint32_t offset)
{
	return calls->read((struct register_address){ IN_PCI, 4, device | offset });
}

static struct register_address port(unsigned offset)
{
	return (struct register_address){ IN_PORT, 2, base + offset };
}

static void set_halted(bool halted)
{
	register_change(calls, port(CONTROL), HALTED, halted ? HALTED : 0);
}

static void feed(void)
{
	calls->write(port(STATUS_1), TIMED_OUT); /* both timeouts begin anew */
	calls->write(port(RELOAD), 1);
}

/*
 * Restore the timer's old setting. A timer that could not reset the machine before, and cannot now,
 * stays halted, as in Linux: running on would only set the bit that says that it has reset the
 * machine.
 */
static void stop(void)
{
	set_halted(true);
	register_change(calls, no_reboot, no_bit, before.no_reboot);
	register_change(calls, port(TIME), TIME_MASK, before.time);
	if (before.no_reboot & no_bit)
		return;
	calls->write(port(RELOAD), 1);
	set_halted(before.control & HALTED);
}

static const char *start(unsigned seconds)
{
	before.control = calls->read(port(CONTROL));
	before.no_reboot = register_change(calls, no_reboot, no_bit, 0);
	if (calls->read(no_reboot) & no_bit)
		return "the board forbids its reset";
	set_halted(true);
	before.time = register_change(calls, port(TIME), TIME_MASK, seconds * 10 / 6);
	feed();
	set_halted(false);
	if (!(calls->read(port(CONTROL)) & HALTED))
		return NULL;
	stop();
	return "it does not start";
}

static bool fired(void)
{
	bool did = calls->read(port(STATUS_2)) & TIMED_OUT_TWICE;

	if (did)
		calls->write(port(STATUS_2), TIMED_OUT_TWICE);
	return did;
}

static bool is_bridge(uint32_t id)
{
	for (size_t i = 0; i < sizeof bridges / sizeof *bridges; i++)
		if ((id & 0xffff) == INTEL && id >> 16 >= bridges[i].first &&
			id >> 16 <= bridges[i].last)
			return true;
	return false;
}

static bool is_controller(uint32_t id)
{
	for (size_t i = 0; i < sizeof controllers / sizeof *controllers; i++)
		if ((id & 0xffff) == INTEL && id >> 16 == controllers[i])
			return true;
	return false;
}

static bool by_bridge(void)
{
	uint32_t root = config(LPC, ROOT_BASE);

	if (!is_bridge(config(LPC, 0)) || !(config(LPC, ACPI_ON) & 1 << 7) || !(root & 1))
		return false;
	base = (uint16_t)((config(LPC, ACPI_BASE) & 0xff80) + TCO_OFFSET);
	no_reboot = (struct register_address){ IN_MEMORY, 4, (root & ~0x3fffU) + GENERAL };
	no_bit = GENERAL_NO;
	calls->map(no_reboot.at & ~0xfffULL, 0x1000);
	return base > TCO_OFFSET;
}

static bool by_controller(void)
{
	if (!is_controller(config(SMBUS, 0)) || !(config(SMBUS, TCO_ON) & 1 << 8))
		return false;
	base = config(SMBUS, TCO_BASE) & 0xffe0;
	no_reboot = port(CONTROL);
	no_bit = CONTROL_NO;
	return base != 0;
}

const struct watchdog_device *tco_find(const struct register_calls *c)
{
	static const struct watchdog_device device = {
		.name = "the chipset's TCO timer",
		.shortest = 3,
		.longest = 613, /* 1023 ticks of 0.6 s */
		.twice = true,
		.start = start,
		.feed = feed,
		.stop = stop,
		.fired = fired,
	};

	calls = c;
	return by_bridge() || by_controller() ? &device : NULL;
}
