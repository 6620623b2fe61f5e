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
 * Decides where the port is; `spcr` is what acpi_serial found. In auto, the SPCR's address is
 * preferred to port 3F8. Returns the address to be mapped of a memory-mapped one, else 0.
 */
uint64_t serial_choose(enum serial_choice, struct acpi_address spcr);
/*
 * Probes the chosen port and sets it up: to 115200 8N1, or, if the SPCR names it, as it was found.
 * One that does not answer, or that no byte leaves, is not used; with SERIAL_AUTO it is COM1 then.
 * The debug console is looked for under a hypervisor only. NULL, or what is wrong with the SPCR's
 * port, as a line without its end.
 */
const char *serial_open(void);
/* Whether there is a port or a debug console. */
bool serial_present(void);
/*
 * Whether the port could receive (a debug console cannot), and a byte that it has received; those
 * with a parity or framing error and breaks are dropped.
 */
bool serial_receives(void);
bool serial_receive(uint8_t *byte);
/*
 * A result line: to the debug console alone if there is one, so that the serial port stays readable
 * for people; else to the port.
 */
void serial_result(const char *line, size_t n);
/* Whether result lines go where bytes may be lost: to the port, not to a debug console. */
bool serial_loses_bytes(void);
/*
 * "\n" becomes CR LF. Gives up on a byte that the port does not take within some milliseconds, and
 * on a port that takes none of many.
 */
void serial_write(const char *text, size_t n);

#endif
