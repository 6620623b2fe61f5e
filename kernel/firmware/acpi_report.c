/* SPDX-License-Identifier: MIT */
#include "kernel/firmware/acpi_report.h"

#include "kernel/console/console.h"
#include "kernel/firmware/acpi.h"

static const char *const used[] = { "APIC", "FACP", "HPET", "SPCR", "SRAT", "SLIT" };

void acpi_report(uint64_t rsdp)
{
	unsigned found = 0;

	for (unsigned i = 0; i < sizeof used / sizeof *used; i++) {
		const struct acpi_table *t = acpi_find(rsdp, used[i]);

		found += t != NULL;
		if (t && !acpi_sum_is_right(t))
			console_printf(
				"ACPI: the checksum of %s is wrong: it is used all the same\n",
				used[i]);
	}
	if (rsdp && !found)
		console_printf("ACPI: there is a root, and no table can be read\n");
}
