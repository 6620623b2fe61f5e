/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_FIRMWARE_ACPI_REPORT_H
#define KERNEL_FIRMWARE_ACPI_REPORT_H

#include <stdint.h>

/* Says on the console which of the tables that are used here are not as they should be. */
void acpi_report(uint64_t rsdp);

#endif
