/* SPDX-License-Identifier: MIT */
/*
 * Read the settings that a loader, and above all a Linux before it, left in the processor and its
 * devices; nothing is changed. docs/format.md, "door", has the meanings.
 */
#include <string.h>

#include "door/door.h"

#define PCI_ADDRESS 0xcf8
#define PCI_DATA    0xcfc
#define PCI_ENABLED 0x80000000U

#define BUS_MASTER   0x4 /* of the command register */
#define CLASS_BRIDGE 0x06

static struct machine *machine;

static void note(const char *name, uint64_t value)
{
	if (machine->nfound < MACHINE_FOUND)
		machine->found[machine->nfound++] = (struct found){ name, value };
}

/* The last third of the processor's maker. */
static uint32_t maker_of(void)
{
	uint32_t eax = 0, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return ecx;
}

/* --- model-specific registers; one that is refused is skipped --- */

#define GENERAL_PROTECTION 13
#define GATE               0x8e00ULL

/* A fault of the only instruction that may: it has two bytes, and the value is lost. */
__asm__(".text\n"
	"skip_rdmsr:\n"
	"	lea 8(%rsp), %rsp\n"
	"	addq $2, (%rsp)\n"
	"	xor %ecx, %ecx\n"
	"	iretq\n");
extern const unsigned char skip_rdmsr[];

bool found_msr(uint32_t msr, uint64_t *value)
{
	static uint64_t idt[GENERAL_PROTECTION + 1][2];
	struct {
		uint16_t limit;
		uint64_t base;
	} __attribute__((packed)) table = { sizeof idt - 1, (uint64_t)idt };
	uint64_t to = (uint64_t)skip_rdmsr;
	uint32_t low, high, known = msr;
	uint16_t code;

	__asm__ volatile("mov %%cs, %0" : "=r"(code));
	idt[GENERAL_PROTECTION][0] =
		(to & 0xffff) | (uint64_t)code << 16 | GATE << 32 | (to >> 16 & 0xffff) << 48;
	idt[GENERAL_PROTECTION][1] = to >> 32;
	__asm__ volatile("lidt %0" ::"m"(table) : "memory");
	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high), "+c"(known)::"memory");
	*value = (uint64_t)high << 32 | low;
	return known == msr;
}

/* Registers that change what is measured, as Intel and AMD name them. */
static void find_registers(void)
{
	static const struct {
		const char *name;
		uint32_t msr;
		bool intel, amd;
	} registers[] = {
		{ "apic_base", 0x1b, true, true },
		{ "spec_ctrl", 0x48, true, true },
		{ "misc_enable", 0x1a0, true, false },
		{ "prefetch_control", 0x1a4, true, false },
		{ "energy_bias", 0x1b0, true, false },
		{ "pm_enable", 0x770, true, false },
		{ "hwp_request", 0x774, true, false },
		{ "hwcr", 0xc0010015, false, true },
		{ "prefetch_control", 0xc0000108, false, true },
	};
	uint32_t maker = maker_of();
	bool intel = maker == 0x6c65746e, amd = maker == 0x444d4163; /* "ntel", "cAMD" */
	uint64_t value;

	for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++)
		if (((intel && registers[i].intel) || (amd && registers[i].amd)) &&
			found_msr(registers[i].msr, &value))
			note(registers[i].name, value);
}

/* --- devices --- */

static uint32_t pci_read(unsigned device, unsigned at)
{
	uint32_t value;

	__asm__ volatile("outl %0, %w1" ::"a"(PCI_ENABLED | device << 8 | at), "d"(PCI_ADDRESS));
	__asm__ volatile("inl %w1, %0" : "=a"(value) : "d"(PCI_DATA));
	return value;
}

static void find_masters(void)
{
	unsigned masters = 0;

	for (unsigned device = 0; device < 0x10000; device++) {
		if (pci_read(device, 0) == UINT32_MAX) {
			device |= device & 7 ? 0 : 7; /* no function 0: none at all */
			continue;
		}
		masters += (pci_read(device, 4) & BUS_MASTER) &&
			pci_read(device, 8) >> 24 != CLASS_BRIDGE;
		if (!(device & 7) && !(pci_read(device, 0xc) & 0x800000))
			device |= 7; /* it has one function */
	}
	note("bus_masters", masters);
}

/* Find an ACPI table; NULL: there is none. */
static const unsigned char *acpi_table(const char *name)
{
	const unsigned char *root = (const void *)machine->rsdp;
	bool wide = root && root[15] >= 2;
	const unsigned char *list =
		root ? (const void *)number_at(root + (wide ? 24 : 16), wide ? 8 : 4) : NULL;
	unsigned n = list ? (unsigned)number_at(list + 4, 4) : 0, bytes = wide ? 8 : 4;

	for (unsigned at = 36; at + bytes <= n && n < 4096; at += bytes) {
		const unsigned char *table = (const void *)number_at(list + at, bytes);

		if ((uint64_t)table < given.mapped && !memcmp(table, name, 4))
			return table;
	}
	return NULL;
}

/*
 * Count units that translate the addresses of devices: Intel VT-d 10.4.5, the global status
 * register's bit 31, of each structure of type 0 in DMAR (8.3); AMD I/O virtualization, the
 * control register's bit 0, of each of types 10h, 11h and 40h in IVRS (5.2).
 */
static void find_iommus(void)
{
	const unsigned char *intel = acpi_table("DMAR"), *amd = acpi_table("IVRS");
	const unsigned char *table = intel ? intel : amd;
	unsigned n = table ? (unsigned)number_at(table + 4, 4) : 0, on = 0, bytes;

	for (unsigned at = 48; at + 16 <= n; at += bytes) {
		const unsigned char *unit = table + at;
		unsigned kind = intel ? (unsigned)number_at(unit, 2) : unit[0];

		bytes = (unsigned)number_at(unit + 2, 2);
		if (bytes < 16)
			break;
		uint64_t base = number_at(unit + 8, 8);
		if (!base || base >= given.mapped)
			continue;
		if (intel && kind == 0)
			on += *(volatile uint32_t *)(base + 0x1c) >> 31;
		if (amd && (kind == 0x10 || kind == 0x11))
			on += *(volatile uint32_t *)(base + 0x18) & 1;
	}
	note("iommus_on", on);
}

void found_open(struct machine *m)
{
	uint64_t cr4;

	machine = m;
	__asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
	note("cr4", cr4);
	find_registers();
	find_iommus();
	find_masters();
}
