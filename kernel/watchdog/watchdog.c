/* SPDX-License-Identifier: MIT */
#include "kernel/watchdog/watchdog.h"

#include <string.h>

#include "kernel/console/console.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/x86.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/firmware/usb.h"
#include "kernel/journal.h"
#include "kernel/memory/address_space.h"
#include "kernel/watchdog/watchdog_device.h"
#include "lib/crc32.h"
#include "lib/math.h"
#include "lib/text.h"

/* Only a hang goes unfed for this long: linking the largest arena of a slow machine takes less. */
#define AUTO_SECONDS  180
#define LEAST_SECONDS 30 /* seconds; a shorter timer is used only if configured */
#define FEEDS         8  /* times that it is fed within its limit */

/* Note of the row that ran when the machine was reset: most resets leave memory as it is. */
#define NOTE_MAGIC 0x65746f6e676e6168ULL /* "hangnote" */
struct note {
	uint64_t magic;
	char utc[STEP_UTC], what[108]; /* utc: when that start began */
	uint32_t sum;                  /* checksum of all members before it */
};

static struct {
	const struct machine *machine;
	const struct watchdog_device *device; /* NULL: none */
	unsigned seconds;                     /* its limit */
	bool wanted;                          /* the configuration wants it */
	bool by_device, by_firmware;          /* these of the two run */
	uint64_t fed;                         /* TSC */
	const struct watchdog_device *beside; /* another one, which ran before; NULL: none */
	unsigned beside_seconds;
	uint64_t beside_fed;
	unsigned resets; /* resets in a row before this run */
	struct note *note;
} watchdog;

static uint32_t read_register(struct register_address r)
{
	switch (r.space) {
	case IN_PCI:
		return usb_pci_ports.config_read((uint32_t)r.at);
	case IN_PORT:
		return r.bytes == 1    ? in8((uint16_t)r.at)
			: r.bytes == 2 ? in16((uint16_t)r.at)
				       : in32((uint16_t)r.at);
	default:
		return r.bytes == 1    ? *(volatile uint8_t *)r.at
			: r.bytes == 2 ? *(volatile uint16_t *)r.at
				       : *(volatile uint32_t *)r.at;
	}
}

static void write_register(struct register_address r, uint32_t value)
{
	switch (r.space << 4 | r.bytes) {
	case IN_PCI << 4 | 4:
		usb_pci_ports.config_write((uint32_t)r.at, value);
		break;
	case IN_PORT << 4 | 1:
		out8((uint16_t)r.at, (uint8_t)value);
		break;
	case IN_PORT << 4 | 2:
		out16((uint16_t)r.at, (uint16_t)value);
		break;
	case IN_PORT << 4 | 4:
		out32((uint16_t)r.at, value);
		break;
	case IN_MEMORY << 4 | 1:
		*(volatile uint8_t *)r.at = (uint8_t)value;
		break;
	case IN_MEMORY << 4 | 2:
		*(volatile uint16_t *)r.at = (uint16_t)value;
		break;
	case IN_MEMORY << 4 | 4:
		*(volatile uint32_t *)r.at = value;
		break;
	}
}

static void wait_microsecond(void)
{
	in8(0x80); /* about a microsecond, on any chipset */
}

/*
 * Feed a management controller's timer that the firmware has left running ("OS boot"), beside the
 * one that is used: it would reset the machine in the middle of a long run. It runs on afterwards,
 * for the system that is to stop it.
 */
static void feed_too(const struct watchdog_device *controller)
{
	watchdog.beside_seconds = controller ? controller->running() : 0;
	if (!watchdog.beside_seconds)
		return;
	watchdog.beside = controller;
	console_printf("%s runs already, with a limit of %u s: it is fed, and runs on at the end\n",
		controller->name, watchdog.beside_seconds);
	controller->feed();
	watchdog.beside_fed = rdtsc();
}

/*
 * Find the machine's own timer, the more general first, so that the firmware's table is the first;
 * and feed a controller's that runs already, until a run starts it itself.
 */
static void find_all(const struct machine *m)
{
	static struct register_calls calls = { read_register, write_register, NULL,
		wait_microsecond };
	const struct watchdog_device *controller, *found;

	calls.map = usb_pci_ports.map;
	controller = kcs_find(&calls, (const void *)m->smbios.base, m->smbios.bytes);
	feed_too(controller);
	if ((found = wdat_find(&calls, m->rsdp)) || (found = tco_find(&calls)) ||
		(found = fch_find(&calls)))
		watchdog.device = found;
	else
		watchdog.device = controller;
}

/* --- the note of the running row --- */

static uint32_t note_sum(const struct note *n)
{
	return crc32_of(0, n, offsetof(struct note, sum));
}

/* Print the note of the last start, if that did not come to its end and the memory was kept. */
static void say_note(bool fired)
{
	const struct note *n = watchdog.note;
	bool kept = n->magic == NOTE_MAGIC && n->sum == note_sum(n);

	if (fired)
		console_printf("the watchdog has reset the machine: the last start hung\n");
	if (kept)
		console_printf("the start of %.20s ended while this ran:\n  %.75s\n", n->utc,
			n->what);
}

void watchdog_during(const char *what)
{
	struct note *n = watchdog.note;

	if (!n || !watchdog.by_device)
		return;
	memset(n, 0, sizeof *n);
	if (!what)
		return;
	n->magic = NOTE_MAGIC;
	text_format(n->utc, sizeof n->utc, "%s",
		watchdog.machine->started_utc[0] ? watchdog.machine->started_utc
						 : "an unknown time");
	text_format(n->what, sizeof n->what, "%s", what);
	n->sum = note_sum(n);
}

/* --- the limit --- */

/* Choose the limit of this timer. Returns NULL, or why it cannot be used as configured. */
static const char *choose_seconds(const struct watchdog_device *d, uint64_t wanted)
{
	bool by_itself = wanted == WATCHDOG_AUTO;
	uint64_t seconds = by_itself ? AUTO_SECONDS : wanted;

	if (by_itself && d->longest < LEAST_SECONDS)
		return "its time is too short";
	if (seconds > d->longest)
		seconds = d->longest;
	if (seconds < d->shortest)
		seconds = d->shortest;
	watchdog.seconds = (unsigned)seconds;
	return NULL;
}

static void say_none(const char *why)
{
	console_printf("no watchdog (%s):\n  a hang lasts until the machine is reset\n", why);
}

void watchdog_open(struct machine *m, const struct config *c)
{
	const char *why = "none is known here";

	watchdog.machine = m;
	watchdog.seconds = c->watchdog == WATCHDOG_AUTO || c->watchdog == WATCHDOG_OFF
		? AUTO_SECONDS
		: (unsigned)c->watchdog;
	m->logs.bytes -= PAGE_4K;
	watchdog.note = (struct note *)(m->logs.base + m->logs.bytes);
	if (c->watchdog != WATCHDOG_OFF) /* then no register is touched, not even read */
		find_all(m);
	/* A timer's own report counts only after a run that it guarded and that did not end. */
	say_note(watchdog.device && watchdog.device->fired() &&
		resets_before(utc_seconds(m->started_utc)));
	memset(watchdog.note, 0, sizeof *watchdog.note);
	if (c->watchdog == WATCHDOG_OFF)
		why = "watchdog = off";
	else if (watchdog.device)
		why = choose_seconds(watchdog.device, c->watchdog);
	if (why)
		watchdog.device = NULL;
	if (why)
		say_none(why);
	watchdog.wanted = c->watchdog != WATCHDOG_OFF;
}

/*
 * Count this run as one that ends in a reset, which may come as late as the run's end. Returns
 * NULL, or why the watchdog's reset might repeat for ever.
 */
static const char *count(double run_seconds)
{
	const struct variable_store *store = &watchdog.machine->store;
	uint64_t started = utc_seconds(watchdog.machine->started_utc);

	if (!store->usable)
		return store->why_not;
	if (step_hung("setvar"))
		return "setting a variable may hang";
	if (resets_in_vain())
		return "nothing is known to outlive a reset";
	watchdog.resets = resets_before(started);
	if (watchdog.resets >= RESETS_MAX)
		return "the last 3 runs ended in a reset";
	return resets_record(watchdog.resets + 1, started ? started + (uint64_t)run_seconds : 0);
}

/* Take the count back: the run did not end in a reset. */
static void count_back(void)
{
	resets_record(watchdog.resets, utc_seconds(watchdog.machine->started_utc));
}

static const char *start_device(void)
{
	const struct watchdog_device *d = watchdog.device;
	const char *why = d->start(watchdog.seconds);

	watchdog.by_device = !why;
	if (why) {
		count_back();
		return why;
	}
	if (watchdog.beside == d)
		watchdog.beside = NULL;
	console_printf("watchdog: %s; a hang is a reset after %u to %u s\n", d->name,
		watchdog.seconds, watchdog.seconds * (d->twice ? 2 : 1));
	/* QEMU's registers say in either case that the reset is allowed. */
	if (memcmp(watchdog.machine->host.system, "QEMU", 4) == 0)
		console_printf("(QEMU's only with -global ICH9-LPC.noreboot=false)\n");
	return NULL;
}

void watchdog_start(double run_seconds)
{
	const char *why = watchdog.device ? count(run_seconds) : NULL;

	watchdog.fed = rdtsc();
	if (watchdog.device && !why)
		why = start_device();
	if (why)
		say_none(why);
	/*
	 * A step that hangs is left out after some starts, so the firmware's timer cannot reset for
	 * ever.
	 */
	watchdog.by_firmware =
		watchdog.wanted && steps_noted() && !firmware_watchdog(watchdog.seconds);
}

static bool is_due(uint64_t ticks, unsigned limit)
{
	return ticks >= tsc_per_second * limit / FEEDS;
}

void watchdog_feed(void)
{
	uint64_t now = rdtsc();

	if (watchdog.beside && is_due(now - watchdog.beside_fed, watchdog.beside_seconds)) {
		watchdog.beside_fed = now;
		watchdog.beside->feed();
	}
	if ((!watchdog.by_device && !watchdog.by_firmware) ||
		!is_due(now - watchdog.fed, watchdog.seconds))
		return;
	watchdog.fed = now;
	if (watchdog.by_device)
		watchdog.device->feed();
	if (watchdog.by_firmware && boot_services_active())
		firmware_watchdog(watchdog.seconds);
}

void watchdog_extend(unsigned seconds)
{
	const struct watchdog_device *d = watchdog.device;

	if (!watchdog.by_device || watchdog.seconds >= seconds || watchdog.seconds == d->longest)
		return;
	watchdog.seconds = seconds < d->longest ? seconds : d->longest;
	d->stop();
	watchdog.by_device = !d->start(watchdog.seconds);
	if (!watchdog.by_device)
		count_back();
	watchdog.fed = rdtsc();
}

void watchdog_stop(void)
{
	watchdog_during(NULL);
	if (watchdog.by_device) {
		watchdog.device->stop();
		count_back();
	}
	if (watchdog.by_firmware && boot_services_active())
		firmware_watchdog(0);
	watchdog.by_device = watchdog.by_firmware = false;
}
