/* SPDX-License-Identifier: MIT */
#include "kernel/console/serial.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/x86.h"

/* 16550 registers (PC16550D data sheet, table II). */
enum { DATA = 0, INTERRUPTS = 1, FIFO = 2, LINE = 3, MODEM = 4, STATUS = 5, SCRATCH = 7 };
enum { STATUS_RECEIVED = 1 << 0, STATUS_CAN_SEND = 1 << 5 };

#define COM1       0x3f8
#define DEBUG_PORT 0x402      /* reads as e9 where QEMU has isa-debugcon */
#define HYPERVISOR (1U << 31) /* CPUID 1 ECX */
#define SEND_TRIES 100000

static struct acpi_address port;
static bool set_up_line; /* false: the firmware has set it up, because it is SPCR's */
static bool debug;

static uint8_t port_read(unsigned reg)
{
	if (port.memory)
		return *(volatile uint8_t *)(port.address + reg);
	return in8((uint16_t)(port.address + reg));
}

static void port_write(unsigned reg, uint8_t value)
{
	if (port.memory)
		*(volatile uint8_t *)(port.address + reg) = value;
	else
		out8((uint16_t)(port.address + reg), value);
}

/* Then its firmware has set the speed, perhaps not to 115200, and somebody listens at that. */
static bool spcr_names(struct acpi_address chosen, struct acpi_address spcr)
{
	return spcr.present && spcr.memory == chosen.memory && spcr.address == chosen.address;
}

bool serial_sets_speed(void)
{
	return set_up_line;
}

uint64_t serial_choose(enum serial_choice choice, struct acpi_address spcr)
{
	port = (struct acpi_address){ 0 };
	set_up_line = false;
	if (choice == SERIAL_OFF)
		return 0;
	if (choice != SERIAL_COM1 && spcr.present)
		port = spcr;
	else if (choice != SERIAL_SPCR)
		port = (struct acpi_address){ true, false, COM1 };
	set_up_line = port.present && !spcr_names(port, spcr);
	return port.memory ? port.address : 0;
}

/* A port that is not there reads all ones, and its scratch register holds nothing. */
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

void serial_open(void)
{
	/* On a machine of its own the port may be anything, and reading it may do anything. */
	debug = (cpu_leaf(&this_cpu, 1).ecx & HYPERVISOR) && in8(DEBUG_PORT) == 0xe9;
	if (!port.present)
		return;
	port.present = answers();
	if (port.present && set_up_line)
		set_up();
	if (port.present)
		port_write(INTERRUPTS, 0);
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
	uint8_t status = port.present ? port_read(STATUS) : 0;

	if (!(status & STATUS_RECEIVED) || status == 0xff)
		return false;
	*byte = port_read(DATA);
	return true;
}

static void send(uint8_t byte)
{
	for (unsigned i = 0; i < SEND_TRIES && !(port_read(STATUS) & STATUS_CAN_SEND); i++)
		pause();
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
