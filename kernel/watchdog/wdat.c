/* SPDX-License-Identifier: MIT */
/*
 * ACPI's watchdog action table: the firmware says which registers to write for each action.
 * Microsoft, "Hardware Watchdog Timers Design Specification", 2006; names and numbers as in Linux
 * (include/acpi/actbl3.h, drivers/watchdog/wdat_wdt.c).
 */
#include <string.h>

#include "kernel/firmware/acpi.h"
#include "kernel/watchdog/watchdog_device.h"

struct entry {
	uint8_t action, instruction;
	uint16_t reserved;
	uint8_t space, bits, offset, access; /* a generic address (ACPI 6.5, 5.2.3.2) */
	uint64_t address;
	uint32_t value, mask;
} __attribute__((packed));

struct wdat_head {
	struct acpi_table table;
	uint32_t bytes;
	uint16_t pci[4];
	uint32_t period, most, least; /* ms of a count; counts */
	uint8_t flags, reserved[3];
	uint32_t entries;
} __attribute__((packed));

_Static_assert(sizeof(struct entry) == 24 && sizeof(struct wdat_head) == 68, "WDAT");

enum {
	FEED = 1,
	GET_COUNT = 5,
	SET_COUNT = 6,
	IS_RUNNING = 8,
	RUN = 9,
	HALT = 11,
	RESET_ON = 17,
	HAS_FIRED = 32,
	FORGET = 33
};

enum { READ_VALUE, READ_COUNT, WRITE_VALUE, WRITE_COUNT, PRESERVE = 0x80 };

#define ENABLED 1
#define RTC_FIRST                                                                                  \
	0x70 /* Linux (acpi_watchdog_uses_rtc): such a table is wrong, and harms the clock */
#define RTC_LAST 0x77

static const struct register_calls *calls;
static const struct wdat_head *head;
static uint32_t count_before;
static bool ran_before;

static const struct entry *entry_at(uint32_t i)
{
	return (const struct entry *)(head + 1) + i;
}

static struct register_address address_of(const struct entry *e)
{
	unsigned bytes = e->access ? 1U << (e->access - 1) : e->bits / 8;

	return (struct register_address){ (enum register_space)e->space, bytes, e->address };
}

static uint32_t read(const struct entry *e)
{
	return calls->read(address_of(e)) >> e->offset & e->mask;
}

static void write(const struct entry *e, uint32_t value)
{
	uint32_t mask = e->instruction & PRESERVE ? e->mask << e->offset : UINT32_MAX;
	uint32_t bits = (value & e->mask) << e->offset;

	if (e->instruction & PRESERVE)
		register_change(calls, address_of(e), mask, bits);
	else
		calls->write(address_of(e), bits);
}

static bool has(uint8_t action)
{
	for (uint32_t i = 0; i < head->entries; i++)
		if (entry_at(i)->action == action)
			return true;
	return false;
}

/*
 * Execute an action. Returns the last value that was read; for an action that compares, 1 if equal.
 */
static uint32_t act(uint8_t action, uint32_t count)
{
	uint32_t result = 0;

	for (uint32_t i = 0; i < head->entries; i++) {
		const struct entry *e = entry_at(i);

		if (e->action != action)
			continue;
		switch (e->instruction & ~PRESERVE) {
		case READ_VALUE:
			result = read(e) == e->value;
			break;
		case READ_COUNT:
			result = read(e);
			break;
		case WRITE_VALUE:
			write(e, e->value);
			break;
		case WRITE_COUNT:
			write(e, count);
			break;
		}
	}
	return result;
}

static const char *start(unsigned seconds)
{
	uint64_t count = (uint64_t)seconds * 1000 / head->period;

	ran_before = act(IS_RUNNING, 0);
	count_before = act(GET_COUNT, 0);
	act(SET_COUNT, (uint32_t)count);
	act(RESET_ON, 0);
	act(FEED, 0);
	act(RUN, 0);
	return has(IS_RUNNING) && !act(IS_RUNNING, 0) ? "it does not start" : NULL;
}

static void feed(void)
{
	act(FEED, 0);
}

/* Stop it. A timer that ran before goes on as before: somebody waits for it. */
static void stop(void)
{
	if (!ran_before)
		act(HALT, 0);
	if (has(GET_COUNT))
		act(SET_COUNT, count_before);
	if (ran_before)
		act(FEED, 0);
}

static bool fired(void)
{
	bool did = act(HAS_FIRED, 0);

	if (did)
		act(FORGET, 0);
	return did;
}

static bool is_usable(const struct entry *e)
{
	struct register_address a = address_of(e);

	if (e->space > IN_PORT || (a.bytes != 1 && a.bytes != 2 && a.bytes != 4) || !a.at ||
		e->offset > 31 || (e->instruction & ~PRESERVE) > WRITE_COUNT)
		return false;
	if (e->space == IN_MEMORY)
		return a.at >= LOW_RAM_END && a.at % a.bytes == 0;
	return a.at <= UINT16_MAX && (a.at < RTC_FIRST || a.at > RTC_LAST);
}

static bool is_whole(const struct wdat_head *h)
{
	return h->table.length >= sizeof *h && (h->flags & ENABLED) && h->period && h->most &&
		h->least <= h->most &&
		h->entries <= (h->table.length - sizeof *h) / sizeof(struct entry);
}

const struct watchdog_device *wdat_find(const struct register_calls *c, uint64_t rsdp)
{
	static struct watchdog_device device = {
		.name = "ACPI's WDAT", .start = start, .feed = feed, .stop = stop, .fired = fired
	};

	calls = c;
	head = (const struct wdat_head *)acpi_find(rsdp, "WDAT");
	if (!head || !is_whole(head))
		return NULL;
	for (uint32_t i = 0; i < head->entries; i++)
		if (!is_usable(entry_at(i)))
			return NULL;
	if (!has(FEED) || !has(RUN) || !has(HALT) || !has(SET_COUNT))
		return NULL;
	for (uint32_t i = 0; i < head->entries; i++)
		if (entry_at(i)->space == IN_MEMORY)
			calls->map(entry_at(i)->address & ~0xfffULL, 0x1000);
	device.shortest = (unsigned)(((uint64_t)head->least * head->period + 999) / 1000);
	device.longest = (unsigned)((uint64_t)head->most * head->period / 1000);
	return &device;
}
