/* SPDX-License-Identifier: MIT */
/*
 * Raw serial output after ExitBootServices: a 16550 at port 3F8 or at the address in ACPI's SPCR
 * (port or memory), and QEMU's debug console at port 402 if there is one.
 */
#ifndef KERNEL_CONSOLE_SERIAL_H
#define KERNEL_CONSOLE_SERIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/firmware/acpi.h"

enum serial_choice { SERIAL_AUTO, SERIAL_OFF, SERIAL_COM1, SERIAL_SPCR };

/*
 * Decide which port is used; `spcr` comes from acpi_serial. In auto, the SPCR's address is
 * preferred to port 3F8. Returns the address to map if the port is memory-mapped, else 0.
 */
uint64_t serial_choose(enum serial_choice, struct acpi_address spcr);
/*
 * Probe the chosen port and set it up: to 115200 8N1, or, if the SPCR names it, leave its settings.
 * A port that does not answer, or does not send, is not used; with SERIAL_AUTO, COM1 is tried then.
 * The debug console is looked for under a hypervisor only. Returns NULL, or the problem with the
 * SPCR's port as a line without its end.
 */
const char *serial_open(void);
/* Returns true if there is a port or a debug console. */
bool serial_present(void);
/*
 * serial_receives: true if the port could receive (a debug console cannot). serial_receive: fetches
 * a received byte; bytes with a parity or framing error and breaks are dropped.
 */
bool serial_receives(void);
bool serial_receive(uint8_t *byte);
/*
 * Send a result line to the debug console alone if there is one, so that the serial port stays
 * readable for people; else to the port.
 */
void serial_result(const char *line, size_t n);
/* Returns true if result lines go where bytes may be lost: to the port, not to a debug console. */
bool serial_loses_bytes(void);
/*
 * "\n" becomes CR LF. Gives up a byte that the port does not take within some milliseconds, and the
 * port if it refuses STUCK_MOST bytes in a row.
 */
void serial_write(const char *text, size_t n);

#endif
