/* SPDX-License-Identifier: MIT */
#include "kernel/console/serial.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/x86.h"
#include "lib/text.h"

/* 16550 registers (PC16550D data sheet, table II). */
enum { DATA = 0, INTERRUPTS = 1, FIFO = 2, LINE = 3, MODEM = 4, STATUS = 5, SCRATCH = 7 };
enum { STATUS_RECEIVED = 1 << 0, STATUS_WRONG = 7 << 2, STATUS_CAN_SEND = 1 << 5 };

#define COM1       0x3f8
#define DEBUG_PORT 0x402  /* reads as e9 where QEMU has isa-debugcon */
#define SEND_TRIES 100000 /* of a microsecond or so, which is 100 bytes of a line of 9600 baud */
#define STUCK_MOST 20     /* bytes in a row */
#define BYTES_MOST 16     /* most bytes with errors dropped at once: a FIFO's size */

static struct acpi_address port;
static bool set_up_line; /* false: SPCR names the port, so the firmware has set it up */
static bool debug;
static bool may_be_com1; /* try COM1 if the chosen port is dead */
static unsigned stuck;   /* bytes in a row that the port did not take */

static uint8_t port_read(unsigned reg)
{
	uint64_t at = port.address + (uint64_t)reg * port.stride;

	if (!port.memory)
		return in8((uint16_t)at);
	return port.width == 4    ? (uint8_t) * (volatile uint32_t *)at
		: port.width == 2 ? (uint8_t) * (volatile uint16_t *)at
				  : *(volatile uint8_t *)at;
}

static void port_write(unsigned reg, uint8_t value)
{
	uint64_t at = port.address + (uint64_t)reg * port.stride;

	if (!port.memory)
		out8((uint16_t)at, value);
	else if (port.width == 4)
		*(volatile uint32_t *)at = value;
	else if (port.width == 2)
		*(volatile uint16_t *)at = value;
	else
		*(volatile uint8_t *)at = value;
}

/* Then the firmware has set the speed, perhaps not to 115200, and a listener uses that speed. */
static bool spcr_names(struct acpi_address chosen, struct acpi_address spcr)
{
	return spcr.present && spcr.memory == chosen.memory && spcr.address == chosen.address;
}

static const struct acpi_address com1 = { true, false, COM1, 1, 1 };

uint64_t serial_choose(enum serial_choice choice, struct acpi_address spcr)
{
	port = (struct acpi_address){ 0 };
	set_up_line = false;
	if (choice == SERIAL_OFF)
		return 0;
	if (choice != SERIAL_COM1 && spcr.present)
		port = spcr;
	else if (choice != SERIAL_SPCR)
		port = com1;
	may_be_com1 = choice == SERIAL_AUTO && !spcr_names(com1, spcr);
	set_up_line = port.present && !spcr_names(port, spcr);
	return port.memory ? port.address : 0;
}

/* An absent port reads as all ones, and its scratch register holds nothing. */
static bool answers(void)
{
	port_write(SCRATCH, 0x5a);
	if (port_read(SCRATCH) != 0x5a)
		return false;
	port_write(SCRATCH, 0xa5);
	return port_read(SCRATCH) == 0xa5;
}

static void set_up(void)
{
	port_write(LINE, 0x80); /* the divisor's registers */
	port_write(DATA, 1);    /* 115200 */
	port_write(INTERRUPTS, 0);
	port_write(LINE, 0x03);  /* 8N1 */
	port_write(FIFO, 0x07);  /* on, empty */
	port_write(MODEM, 0x03); /* DTR, RTS */
}

/* Send a line feed and see that it leaves: a listener sees it as an empty line. */
static bool sends(void)
{
	unsigned i = 0;

	while (i < SEND_TRIES && !(port_read(STATUS) & STATUS_CAN_SEND))
		i++;
	port_write(DATA, '\n');
	while (i < SEND_TRIES && !(port_read(STATUS) & STATUS_CAN_SEND))
		i++;
	return i < SEND_TRIES;
}

/* Returns NULL, or why the port is not used. */
static const char *try_port(void)
{
	if (!answers())
		return "does not answer";
	if (set_up_line)
		set_up();
	port_write(INTERRUPTS, 0);
	return sends() ? NULL : "sends nothing";
}

const char *serial_open(void)
{
	static char said[80];
	const char *why;

	/*
	 * Only under a hypervisor: on real hardware any device may be there, and reading it may do
	 * anything.
	 */
	debug = (cpu_leaf(&this_cpu, 1).ecx & CPUID_HYPERVISOR) && in8(DEBUG_PORT) == 0xe9;
	stuck = 0;
	if (!port.present)
		return NULL;
	why = try_port();
	port.present = !why;
	if (!why || set_up_line) /* set_up_line: this was COM1, which need not exist */
		return NULL;
	text_format(said, sizeof said, "the SPCR's serial port %llx %s%s",
		(unsigned long long)port.address, why, may_be_com1 ? ": COM1 instead" : "");
	if (may_be_com1) {
		port = com1;
		set_up_line = true;
		port.present = !try_port();
	}
	return said;
}

bool serial_present(void)
{
	return port.present || debug;
}

bool serial_receives(void)
{
	return port.present;
}

bool serial_receive(uint8_t *byte)
{
	for (unsigned i = 0; port.present && i < BYTES_MOST; i++) {
		uint8_t status = port_read(STATUS); /* of the byte that is read next */

		if (!(status & STATUS_RECEIVED) || status == 0xff)
			return false;
		*byte = port_read(DATA);
		if (!(status & STATUS_WRONG))
			return true;
	}
	return false;
}

static void send(uint8_t byte)
{
	unsigned i = 0;

	for (; i < SEND_TRIES && !(port_read(STATUS) & STATUS_CAN_SEND); i++)
		pause();
	stuck = i < SEND_TRIES ? 0 : stuck + 1;
	port.present = stuck < STUCK_MOST;
	port_write(DATA, byte);
}

static void send_debug(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out8(DEBUG_PORT, (uint8_t)text[i]);
}

void serial_write(const char *text, size_t n)
{
	if (!port.present && debug)
		send_debug(text, n);
	for (size_t i = 0; port.present && i < n; i++) {
		if (text[i] == '\n')
			send('\r');
		send((uint8_t)text[i]);
	}
}

void serial_result(const char *line, size_t n)
{
	if (debug)
		send_debug(line, n);
	else
		serial_write(line, n);
}

bool serial_loses_bytes(void)
{
	return !debug;
}
