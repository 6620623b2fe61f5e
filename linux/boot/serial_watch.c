/* SPDX-License-Identifier: MIT */
#include "linux/boot/serial_watch.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linux/boot/whole_file.h"
#include "linux/sysfs.h"

#define SPCR "/sys/firmware/acpi/tables/SPCR"

/* Microsoft, "Serial Port Console Redirection Table": offsets. */
enum { SPACE = 40, ADDRESS = 44, SPCR_BYTES = 59 };

static void say_port(FILE *out, const unsigned char *spcr, size_t n)
{
	uint64_t address = 0;

	if (n < SPCR_BYTES) {
		fputs("No SPCR table: the image writes to COM1, I/O port 3F8h, 115200 8N1.\n", out);
		return;
	}
	memcpy(&address, spcr + ADDRESS, sizeof(address));
	fprintf(out, "The image writes to the port of the SPCR table: %s %llXh.\n",
		spcr[SPACE] == 1 ? "I/O port" : "memory at", (unsigned long long)address);
}

void serial_watch_text(FILE *out, const unsigned char *spcr, size_t n, const char *command_line)
{
	bool said = false;

	say_port(out, spcr, n);
	for (const char *at = command_line; (at = strstr(at, "console=ttyS")); said = true) {
		at += strlen("console=");
		fprintf(out, "Linux's console: %.*s.\n", (int)(strcspn(at, " \n") % 60), at);
	}
	if (!said)
		fputs("Linux has no console on a serial line (console=ttyS...).\n", out);
	fputs("Through a BMC: ipmitool -I lanplus -H BMC -U USER sol activate | tee serial.log\n"
	      "Then: anechoic import --serial serial.log\n",
		out);
}

void serial_watch_say(FILE *out)
{
	char line[4096];
	size_t n = 0;
	char *spcr = file_bytes(SPCR, &n);

	read_line("/proc/cmdline", line, sizeof(line));
	serial_watch_text(out, (unsigned char *)spcr, spcr ? n : 0, line);
	free(spcr);
}
