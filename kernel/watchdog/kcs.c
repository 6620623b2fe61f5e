/* SPDX-License-Identifier: MIT */
/*
 * The watchdog timer of a management controller (BMC), by IPMI's keyboard controller style (KCS)
 * interface, if SMBIOS lists one. Intel, HP, NEC, Dell, "IPMI 2.0", chapters 9 (KCS) and 27
 * (watchdog timer); DMTF DSP0134, 7.39 (SMBIOS type 38).
 */
#include <string.h>

#include "kernel/firmware/acpi.h"
#include "kernel/watchdog/watchdog_device.h"
#include "lib/smbios.h"

enum { IPMI_DEVICE = 38, TYPE_AT = 4, BASE_AT = 8, MODIFIER_AT = 16, LENGTH = 17, IS_KCS = 1 };

enum { IDLE = 0, READ = 1, WRITE = 2, ERROR = 3 }; /* status 7:6 */
enum { WRITE_START = 0x61, WRITE_END = 0x62, NEXT = 0x68, ABORT = 0x60 };
#define OUTPUT_FULL  1
#define INPUT_FULL   2
#define PATIENCE     1000000 /* us for a byte, at least: some controllers need long */
#define MESSAGE_MOST 16

enum { APPLICATION = 6 << 2, RESPONSE = 1 << 2 };
enum { RESET_TIMER = 0x22, SET_TIMER = 0x24, GET_TIMER = 0x25 };
#define USE_OS       0x04
#define USE_RUNNING  0x40
#define RESET_SYSTEM 0x01
#define EXPIRED_OS   0x10

static const struct register_calls *calls;
static struct register_address data, command; /* command: the same register reads as the status */
static uint8_t before[6];                     /* the timer's setting, as SET_TIMER takes it */
static bool known;                            /* `before` was read */

static uint8_t status(void)
{
	return (uint8_t)calls->read(command);
}

/*
 * Wait until the bits `mask` of the status are `value`. Returns false if they do not become that.
 */
static bool wait_for(uint8_t mask, uint8_t value)
{
	for (unsigned i = 0; i < PATIENCE; i++) {
		if ((status() & mask) == value)
			return true;
		calls->wait();
	}
	return false;
}

static void take(void)
{
	if (status() & OUTPUT_FULL)
		calls->read(data);
}

/*
 * Write a byte and wait until the controller has taken it. Returns false if it is not in `state`
 * then.
 */
static bool put(struct register_address to, uint8_t byte, unsigned state)
{
	calls->write(to, byte);
	if (!wait_for(INPUT_FULL, 0) || (unsigned)status() >> 6 != state)
		return false;
	take();
	return true;
}

static bool send(const uint8_t *message, size_t n)
{
	if (!wait_for(INPUT_FULL, 0))
		return false;
	take();
	if (!put(command, WRITE_START, WRITE))
		return false;
	for (size_t i = 0; i + 1 < n; i++)
		if (!put(data, message[i], WRITE))
			return false;
	if (!put(command, WRITE_END, WRITE))
		return false;
	calls->write(data, message[n - 1]);
	return true;
}

/* Receive an answer. Returns its bytes; 0: none. */
static size_t receive(uint8_t out[MESSAGE_MOST])
{
	for (size_t n = 0;; n++) {
		if (!wait_for(INPUT_FULL, 0) || (status() >> 6 != READ && status() >> 6 != IDLE) ||
			!wait_for(OUTPUT_FULL, OUTPUT_FULL))
			return 0;
		bool last = status() >> 6 == IDLE;
		uint8_t byte = (uint8_t)calls->read(data);

		if (last)
			return n;
		if (n == MESSAGE_MOST)
			return 0;
		out[n] = byte;
		calls->write(data, NEXT);
	}
}

/*
 * Send a request. answer: the bytes behind the completion code, at least `want`. Returns false if
 * it failed.
 */
static bool ask(uint8_t what, const uint8_t *with, size_t n, uint8_t *answer, size_t want)
{
	uint8_t message[MESSAGE_MOST] = { APPLICATION, what }, back[MESSAGE_MOST];

	if (n)
		memcpy(message + 2, with, n);
	if (!send(message, n + 2))
		return false;
	size_t got = receive(back);

	if (got < 3 + want || back[0] != (APPLICATION | RESPONSE) || back[1] != what || back[2])
		return false;
	if (want)
		memcpy(answer, back + 3, want);
	return true;
}

static void feed(void)
{
	ask(RESET_TIMER, NULL, 0, NULL, 0);
}

/* Restore the timer's old setting; if it was running, let it run again. */
static void stop(void)
{
	uint8_t off[6] = { USE_OS, 0, 0, 0, 0, 0 };

	ask(SET_TIMER, off, sizeof off, NULL, 0);
	if (!known)
		return;
	before[3] = 0; /* clear no flag of an earlier expiry */
	ask(SET_TIMER, before, sizeof before, NULL, 0);
	if (before[0] & USE_RUNNING)
		feed();
}

static const char *start(unsigned seconds)
{
	uint8_t now[8],
		set[6] = { USE_OS, RESET_SYSTEM, 0, EXPIRED_OS, (uint8_t)(seconds * 10),
			(uint8_t)(seconds * 10 >> 8) };

	known = ask(GET_TIMER, NULL, 0, now, sizeof now);
	memcpy(before, now, sizeof before);
	if (!known || !ask(SET_TIMER, set, sizeof set, NULL, 0))
		return "it does not answer";
	if (ask(RESET_TIMER, NULL, 0, NULL, 0) && ask(GET_TIMER, NULL, 0, now, sizeof now) &&
		(now[0] & USE_RUNNING))
		return NULL;
	stop();
	return "it does not start";
}

/* Its action, in bits 2:0 of byte 1, is 0 where it would do nothing (IPMI 2.0, 27.7). */
static unsigned running(void)
{
	uint8_t now[8];

	if (!ask(GET_TIMER, NULL, 0, now, sizeof now) || !(now[0] & USE_RUNNING) || !(now[1] & 7))
		return 0;
	unsigned seconds = (now[4] | (unsigned)now[5] << 8) / 10;

	return seconds ? seconds : 1;
}

static bool fired(void)
{
	uint8_t now[8];

	return ask(GET_TIMER, NULL, 0, now, sizeof now) && (now[3] & EXPIRED_OS);
}

const struct watchdog_device *kcs_find(const struct register_calls *c, const void *smbios, size_t n)
{
	static const struct watchdog_device device = {
		.name = "the management controller's timer",
		.shortest = 1,
		.longest = 6553,
		.start = start,
		.feed = feed,
		.stop = stop,
		.running = running,
		.fired = fired,
	};
	static const uint8_t spacing[] = { 1, 4, 16, 0 };
	const uint8_t *s = smbios_structure(smbios, n, IPMI_DEVICE);
	uint64_t base;

	if (!s || s[1] <= BASE_AT + sizeof base || s[TYPE_AT] != IS_KCS)
		return NULL;
	memcpy(&base, s + BASE_AT, sizeof base);
	uint8_t modifier = s[1] > MODIFIER_AT ? s[MODIFIER_AT] : 0;
	/* Many boards state a port without its bit (Linux, ipmi_dmi.c). */
	bool port = base & 1 || base < LOW_RAM_END;
	uint64_t at = (base & ~1ULL) | (modifier >> 4 & 1);

	if (!at || !spacing[modifier >> 6] || (port && at > 0xfff0))
		return NULL;
	calls = c;
	data = (struct register_address){ port ? IN_PORT : IN_MEMORY, 1, at };
	command = (struct register_address){ data.space, 1, at + spacing[modifier >> 6] };
	if (!port)
		calls->map(at & ~0xfffULL, 0x1000);
	return status() == 0xff ? NULL : &device;
}
