/* SPDX-License-Identifier: MIT */
#include "kernel/console/keys.h"

#include <stddef.h>

#include "kernel/console/serial.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/x86.h"
#include "kernel/firmware/firmware_calls.h"

#define PS2_DATA   0x60
#define PS2_STATUS 0x64

enum { PS2_FULL = 1 << 0, PS2_MOUSE = 1 << 5, PS2_RELEASED = 1 << 7 };
enum { PS2_NONE = 0xff }; /* read from a port where no device answers */

#define BYTES_AT_ONCE 16 /* most bytes per call: a broken controller may never run empty */
#define KEY_PART      50 /* 1/KEY_PART of a second */

static bool ps2;

/*
 * The key of a byte from the PS/2 controller (IBM PC AT Technical Reference, 8042): the status
 * register, then the data byte. After ExitBootServices only Esc is distinguished from the other
 * keys, in scan code sets 1 (01h) and 2 (76h). KEY_NONE: no byte, a released key, or the mouse's.
 */
static unsigned ps2_key(uint8_t status, uint8_t data)
{
	if (status == PS2_NONE || !(status & PS2_FULL) || (status & PS2_MOUSE) ||
		(data & PS2_RELEASED))
		return KEY_NONE;
	return data == 0x01 || data == 0x76 ? KEY_ESC : KEY_OTHER;
}

static unsigned ps2_read(void)
{
	unsigned last = KEY_NONE;

	for (unsigned i = 0; ps2 && i < BYTES_AT_ONCE; i++) {
		uint8_t status = in8(PS2_STATUS);
		unsigned key;

		if (status == PS2_NONE || !(status & PS2_FULL))
			break;
		key = ps2_key(status, in8(PS2_DATA));
		last = key ? key : last;
	}
	return last;
}

/*
 * The key of the n bytes that have come over the serial line since the last look.
 *
 * A terminal sends Esc as one byte, and other keys as several that begin with it; noise on the line
 * may hold it, too. So Esc counts only if it came alone, once or twice.
 */
static unsigned serial_key(const uint8_t *bytes, unsigned n)
{
	unsigned last = KEY_NONE, escapes = 0;

	for (unsigned i = 0; i < n; i++) {
		escapes += bytes[i] == KEY_ESC;
		last = bytes[i] && bytes[i] != KEY_ESC ? bytes[i] : last;
	}
	return last || !escapes || escapes > 2 ? last : KEY_ESC;
}

/* Wait for the whole key: the bytes after the first arrive within some milliseconds. */
static unsigned serial_read(void)
{
	uint8_t bytes[BYTES_AT_ONCE];
	unsigned n = 0;

	for (uint64_t since = rdtsc(); n < BYTES_AT_ONCE;)
		if (serial_receive(&bytes[n]))
			n++;
		else if (!n || rdtsc() - since > tsc_per_second / KEY_PART)
			break;
	return serial_key(bytes, n);
}

unsigned keys_read(void)
{
	if (boot_services_active())
		return firmware_key();
	unsigned from_serial = serial_read(), from_ps2 = ps2_read();

	return from_ps2 ? from_ps2 : from_serial;
}

void keys_take_over(void)
{
	ps2 = in8(PS2_STATUS) != PS2_NONE;
	keys_read();
}

const char *keys_work(void)
{
	if (boot_services_active())
		return firmware_has_keys() ? "any key" : NULL;
	if (ps2)
		return serial_receives() ? "a key of a PS/2 keyboard or the serial line"
					 : "a key of a PS/2 keyboard";
	return serial_receives() ? "a key of the serial line" : NULL;
}
