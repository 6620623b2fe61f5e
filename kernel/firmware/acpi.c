/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "kernel/firmware/acpi.h"
#include "kernel/cpu/safe.h"
#include "kernel/console/console.h"

#define TABLE_MAX (1 << 20) /* bytes; a longer table is taken as broken */
#define LIMIT_32  (1ULL << 32)
#define PAGE      4096ULL

struct rsdp {
	char signature[8];
	uint8_t checksum;
	char oem[6];
	uint8_t revision;
	uint32_t rsdt;
	uint32_t length; /* this and the following members exist with revision 2 */
	uint64_t xsdt;
	uint8_t full_checksum, pad[3];
} __attribute__((packed));

struct generic_address { /* generic address structure, ACPI 6.5, 5.2.3.2 */
	uint8_t space, bits, offset, access;
	uint64_t address;
} __attribute__((packed));

enum { SPACE_MEMORY = 0, SPACE_PORT = 1 };

_Static_assert(sizeof(struct rsdp) == 36, "RSDP");
_Static_assert(sizeof(struct acpi_table) == 36, "table header");
_Static_assert(sizeof(struct generic_address) == 12, "generic address structure");

static uint8_t sum(const void *data, size_t n)
{
	const uint8_t *p = data;
	uint8_t s = 0;

	while (n--)
		s += *p++;
	return s;
}

static const struct memory_map *known; /* NULL: any address may be memory */

void acpi_use_map(const struct memory_map *map)
{
	known = map;
}

/*
 * Returns false above 4 GiB unless the map describes the address: devices and tables lie below, or
 * in memory that the map describes.
 */
static bool is_described(uint64_t at)
{
	const struct memory_entry *e;

	if (!known || at < LIMIT_32)
		return true;
	for (size_t i = 0; i + known->entry_bytes <= known->bytes; i += known->entry_bytes) {
		e = (const struct memory_entry *)(known->entries + i);
		if (at >= e->base && (at - e->base) / PAGE < e->pages)
			return true;
	}
	return false;
}

/* Returns true if n > 0 bytes can be read: an address in a table may be anything. */
static bool is_readable(uint64_t at, uint64_t n)
{
	uint32_t word;

	if (!at || n > UINT64_MAX - at)
		return false;
	for (uint64_t page = at & -PAGE; page < at + n; page += PAGE) {
		uint64_t first = page < at ? at & -(uint64_t)sizeof word : page;

		if (!is_described(first) || safe_read32((const void *)first, &word))
			return false;
	}
	return true;
}

/* The table at an address, if it can be a table with that signature; its checksum may be wrong. */
static const struct acpi_table *table_at(uint64_t at, const char *signature)
{
	const struct acpi_table *t = (const struct acpi_table *)at;

	if (!is_readable(at, sizeof *t) || memcmp(t->signature, signature, 4) ||
		t->length < sizeof *t || t->length > TABLE_MAX || !is_readable(at, t->length))
		return NULL;
	return t;
}

static const struct rsdp *check_root(uint64_t at)
{
	const struct rsdp *r = (const struct rsdp *)at;

	if (!is_readable(at, sizeof *r) || memcmp(r->signature, "RSD PTR ", 8) || sum(r, 20))
		return NULL;
	return r;
}

/*
 * Returns true if the root pointer has its second part (revision 2) and the checksum over all is
 * right.
 */
static bool has_xsdt(const struct rsdp *r)
{
	return r->revision >= 2 && r->length >= sizeof *r && r->length <= 4096 &&
		is_readable((uint64_t)r, r->length) && sum(r, r->length) == 0;
}

/* The XSDT, or the RSDT if the XSDT is missing or broken. *width: bytes of an entry. */
static const struct acpi_table *find_index(uint64_t rsdp, size_t *width)
{
	const struct rsdp *root = check_root(rsdp);
	const struct acpi_table *index = NULL;

	if (root && has_xsdt(root))
		index = table_at(root->xsdt, "XSDT");
	*width = index ? 8 : 4;
	if (root && !index)
		index = table_at(root->rsdt, "RSDT");
	return index;
}

const struct acpi_table *acpi_find(uint64_t rsdp, const char *signature)
{
	size_t width;
	const struct acpi_table *index = find_index(rsdp, &width);

	for (size_t at = sizeof *index; index && at + width <= index->length; at += width) {
		const struct acpi_table *t;
		uint64_t address = 0;

		memcpy(&address, (const char *)index + at, width);
		t = table_at(address, signature); /* some firmware leaves zero entries in between */
		if (t)
			return t;
	}
	return NULL;
}

/* Returns true if the bytes of a table that was found sum up to 0. */
static bool acpi_sum_is_right(const struct acpi_table *t)
{
	return sum(t, t->length) == 0;
}

/* A field of `n` bytes at `offset`; 0 if the table is too short for it. */
static uint64_t field(const struct acpi_table *t, uint32_t offset, size_t n)
{
	uint64_t v = 0;

	if (offset + n <= t->length)
		memcpy(&v, (const char *)t + offset, n);
	return v;
}

static struct acpi_address read_address(const struct acpi_table *t, uint32_t offset)
{
	struct generic_address a = { 0 };

	if (offset + sizeof a <= t->length)
		memcpy(&a, (const char *)t + offset, sizeof a);
	bool memory = a.space == SPACE_MEMORY;

	return (struct acpi_address){ memory ? a.address >= LOW_RAM_END
					     : a.address && a.space == SPACE_PORT,
		memory, a.address, 1, 1 };
}

enum { FADT_PM_TIMER = 76, FADT_PM_LENGTH = 91, FADT_FLAGS = 112, FADT_X_PM_TIMER = 208 };

struct acpi_address acpi_pm_timer(uint64_t rsdp, unsigned *bits)
{
	const struct acpi_table *t = acpi_find(rsdp, "FACP");
	struct acpi_address p = { 0 };

	if (!t || field(t, FADT_PM_LENGTH, 1) != 4)
		return p;
	*bits = field(t, FADT_FLAGS, 4) & 1 << 8 ? 32 : 24; /* TMR_VAL_EXT */
	p = read_address(t, FADT_X_PM_TIMER);
	if (!p.present) {
		p.memory = false;
		p.address = field(t, FADT_PM_TIMER, 4);
		p.present = p.address != 0;
	}
	return p;
}

enum { HPET_ADDRESS = 40 };

struct acpi_address acpi_hpet(uint64_t rsdp)
{
	const struct acpi_table *t = acpi_find(rsdp, "HPET");
	struct acpi_address p = t ? read_address(t, HPET_ADDRESS) : (struct acpi_address){ 0 };

	p.present = p.present && p.memory;
	return p;
}

enum { SPCR_KIND = 36, SPCR_ADDRESS = 40 };
enum { SPCR_WITH_WIDTH = 0x12 }; /* 0 and 1 are 16550s as well */

/* The value if it is 1, 2 or 4, else 1. */
static unsigned power_of_two(unsigned bytes)
{
	return bytes == 2 || bytes == 4 ? bytes : 1;
}

struct acpi_address acpi_serial(uint64_t rsdp)
{
	const struct acpi_table *t = acpi_find(rsdp, "SPCR");
	uint64_t kind = t ? field(t, SPCR_KIND, 1) : 0xff;
	bool wide = kind == SPCR_WITH_WIDTH;

	if (kind > 1 && !wide)
		return (struct acpi_address){ 0 };
	struct acpi_address a = read_address(t, SPCR_ADDRESS);
	unsigned bytes = (unsigned)field(t, SPCR_ADDRESS + 1, 1) / 8; /* of a register */
	unsigned access = (unsigned)field(t, SPCR_ADDRESS + 3, 1);    /* 1: a byte, 2, 3: four */

	a.width = access >= 1 && access <= 3 ? 1U << (access - 1)
		: access                     ? 1
					     : power_of_two(bytes);
	a.stride = wide ? power_of_two(bytes) : a.width;
	return a;
}

static uint32_t first_entry(const struct acpi_table *t)
{
	return memcmp(t->signature, "APIC", 4) == 0 ? 44 : 48;
}

const uint8_t *acpi_entry(const struct acpi_table *t, uint32_t *at)
{
	const uint8_t *e;

	if (*at == 0)
		*at = first_entry(t);
	e = (const uint8_t *)t + *at;
	if (*at + 2 > t->length || e[1] < 2 || *at + e[1] > t->length)
		return NULL;
	*at += e[1];
	return e;
}

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

enum { FADT_RESET_REGISTER = 116, FADT_RESET_VALUE = 128 };

#define RESET_REG_SUP (1 << 10)
#define HW_REDUCED    (1 << 20)
#define PCI_CONFIG    (1ULL << 31)

/* Convert from bus 0, device 47:32, function 31:16, offset 15:0 to the word for port cf8h. */
static uint64_t pci_address(uint64_t acpi)
{
	return PCI_CONFIG | (acpi >> 32 & 31) << 11 | (acpi >> 16 & 7) << 8 | (acpi & 0xff);
}

/*
 * Read the reset register. Its width and offset are ignored, as Windows ignores them, so firmware
 * may have anything there (drivers/acpi/reboot.c in Linux).
 */
static void read_register(const uint8_t *table, struct fadt_reset *r)
{
	uint8_t space = table[FADT_RESET_REGISTER];
	uint64_t address;

	memcpy(&address, table + FADT_RESET_REGISTER + 4, sizeof address);
	r->register_present =
		address && space <= RESET_PCI && (space != RESET_PORT || address <= UINT16_MAX);
	r->space = (enum reset_space)space;
	r->address = space == RESET_PCI ? pci_address(address) : address;
	r->value = table[FADT_RESET_VALUE];
}

struct fadt_reset fadt_reset(uint64_t rsdp)
{
	const struct acpi_table *t = acpi_find(rsdp, "FACP");
	struct fadt_reset r = { 0 };
	uint32_t flags;

	if (!t || t->length < FADT_FLAGS + sizeof flags)
		return r;
	memcpy(&flags, (const uint8_t *)t + FADT_FLAGS, sizeof flags);
	r.hardware_reduced = flags & HW_REDUCED;
	if ((flags & RESET_REG_SUP) && t->length > FADT_RESET_VALUE) /* ACPI 1.0's is shorter */
		read_register((const uint8_t *)t, &r);
	return r;
}

enum { FADT_SMI_COMMAND = 48, FADT_PM1A_CONTROL = 64, FADT_X_PM1A_CONTROL = 172 };

uint16_t acpi_pm1_control(const struct acpi_table *fadt)
{
	struct acpi_address extended;

	if (!fadt || (field(fadt, FADT_FLAGS, 4) & HW_REDUCED))
		return 0;
	extended = read_address(fadt, FADT_X_PM1A_CONTROL);
	if (extended.present)
		return extended.memory ? 0 : (uint16_t)extended.address;
	return (uint16_t)field(fadt, FADT_PM1A_CONTROL, 4);
}

const char *acpi_smi_port(const struct acpi_table *fadt, uint8_t value, uint16_t *port)
{
	/* ACPI_ENABLE, ACPI_DISABLE, S4BIOS_REQ, PSTATE_CNT, CST_CNT */
	static const uint8_t named[] = { 52, 53, 54, 55, 95 };
	uint64_t at = fadt ? field(fadt, FADT_SMI_COMMAND, 4) : 0;

	if (!at || at > UINT16_MAX || (field(fadt, FADT_FLAGS, 4) & HW_REDUCED))
		return "no FADT names a port for it (SMI_CMD)";
	for (unsigned i = 0; i < sizeof named; i++)
		if (field(fadt, named[i], 1) == value)
			return "the FADT gives this value a meaning";
	*port = (uint16_t)at;
	return NULL;
}

enum { MADT_LOCAL_APIC = 0, MADT_LOCAL_X2APIC = 9, MADT_ENABLED = 1 };

static uint32_t read32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof v);
	return v;
}

bool madt_processor(const uint8_t *e, uint32_t *id)
{
	if (e[0] == MADT_LOCAL_APIC && e[1] >= 8) {
		*id = e[3];
		return e[3] != 0xff && (read32(e + 4) & MADT_ENABLED);
	}
	if (e[0] == MADT_LOCAL_X2APIC && e[1] >= 16) {
		*id = read32(e + 4);
		return *id != UINT32_MAX && (read32(e + 8) & MADT_ENABLED);
	}
	return false;
}

enum { LOCAL_APIC = 0, MEMORY = 1, LOCAL_X2APIC = 2 };
enum { ENABLED = 1, HOT_PLUGGABLE = 2, NON_VOLATILE = 4 };

#define SLIT_COUNT  36  /* 64 bits: the number of rows, and of columns */
#define SLIT_MATRIX 44  /* bytes */
#define SLIT_NONE   255 /* no way from one node to the other */

static uint64_t read64(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof v);
	return v;
}

/* Revision 1 has nodes of 8 bits; the bytes after them need not be 0 (Linux: srat.c). */
static uint32_t node_number(const struct acpi_table *srat, uint32_t node)
{
	return srat->revision < 2 ? node & 0xff : node;
}

uint32_t srat_cpu_node(const struct acpi_table *srat, uint32_t id)
{
	const uint8_t *e;

	for (uint32_t at = 0; srat && (e = acpi_entry(srat, &at));) {
		if (e[0] == LOCAL_APIC && e[1] >= 16 && e[3] == id && (read32(e + 4) & ENABLED))
			return node_number(srat,
				e[2] | (uint32_t)e[9] << 8 | (uint32_t)e[10] << 16 |
					(uint32_t)e[11] << 24);
		if (e[0] == LOCAL_X2APIC && e[1] >= 24 && read32(e + 8) == id &&
			(read32(e + 12) & ENABLED))
			return read32(e + 4);
	}
	return UINT32_MAX;
}

bool srat_memory(const struct acpi_table *srat, uint32_t *at, struct node_range *out)
{
	const uint8_t *e;

	while (srat && (e = acpi_entry(srat, at))) {
		if (e[0] != MEMORY || e[1] < 40)
			continue;
		uint32_t flags = read32(e + 28);

		*out = (struct node_range){ node_number(srat, read32(e + 2)), read64(e + 8),
			read64(e + 16) };
		if ((flags & (ENABLED | HOT_PLUGGABLE | NON_VOLATILE)) == ENABLED && out->bytes &&
			out->bytes <= UINT64_MAX - out->base)
			return true;
	}
	return false;
}

uint32_t slit_distance(const struct acpi_table *slit, uint32_t from, uint32_t to)
{
	const uint8_t *table = (const uint8_t *)slit;
	uint64_t n;

	if (!slit || slit->length < SLIT_MATRIX)
		return UINT32_MAX;
	n = read64(table + SLIT_COUNT);
	if (from >= n || to >= n || n > slit->length || n * n > slit->length - SLIT_MATRIX)
		return UINT32_MAX;
	uint8_t distance = table[SLIT_MATRIX + from * n + to];

	return distance == SLIT_NONE ? UINT32_MAX : distance;
}
