/* SPDX-License-Identifier: MIT */
/*
 * The ACPI tables that the image reads. The input: a byte of flags, then for each table a byte of
 * its kind, two with the length of its body, and the body. Each table ends where a page begins that
 * cannot be read. Its header's length is true: one that is not is told from memory that is not
 * there by nothing but the fault.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel/firmware/acpi.h"
#include "tests/fuzz/fuzz.h"

#define TABLES 6
#define SLOT   (64 * 1024) /* bytes for one table, and then a page that faults */
#define GUARD  4096

enum { NARROW = 1, SUMS_AS_THEY_ARE = 2, GAPS = 4 };

static const char signatures[8][5] = { "APIC", "FACP", "HPET", "SPCR", "SRAT", "SLIT", "SSDT",
	"APIC" };
static unsigned char *slots;

/* Below 4 GiB, because the RSDT has addresses of 32 bits. */
static void make_slots(void)
{
	slots = mmap(NULL, (TABLES + 2) * (SLOT + GUARD), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (slots == MAP_FAILED)
		abort();
	for (unsigned i = 0; i < TABLES + 2; i++)
		mprotect(slots + i * (SLOT + GUARD) + SLOT, GUARD, PROT_NONE);
}

static unsigned char *end_of_slot(unsigned i, size_t n)
{
	return slots + i * (SLOT + GUARD) + SLOT - n;
}

static void sum_up(unsigned char *data, size_t n, size_t at)
{
	unsigned char sum = 0;

	data[at] = 0;
	for (size_t i = 0; i < n; i++)
		sum += data[i];
	data[at] = (unsigned char)-sum;
}

static unsigned char *make(unsigned slot, const char *signature, uint8_t revision,
	const uint8_t *body, size_t n)
{
	uint32_t length = (uint32_t)(sizeof(struct acpi_table) + n);
	unsigned char *t = end_of_slot(slot, length);

	memset(t, 0, sizeof(struct acpi_table));
	memcpy(t, signature, 4);
	memcpy(t + 4, &length, 4);
	t[8] = revision;
	if (n)
		memcpy(t + sizeof(struct acpi_table), body, n);
	return t;
}

static unsigned make_tables(const uint8_t *data, size_t n, bool sums, uint64_t out[TABLES])
{
	unsigned made = 0;

	while (n >= 3 && made < TABLES) {
		size_t body = data[1] | (size_t)data[2] << 8;

		body = body < n - 3 ? body : n - 3;
		if (body > SLOT / 2)
			body = SLOT / 2;
		unsigned char *t = make(made, signatures[*data & 7], *data >> 3, data + 3, body);
		if (sums)
			sum_up(t, sizeof(struct acpi_table) + body, 9);
		out[made++] = (uintptr_t)t;
		data += 3 + body;
		n -= 3 + body;
	}
	return made;
}

static uint64_t make_root(uint8_t flags, const uint64_t *tables, unsigned n)
{
	unsigned char entries[2 * TABLES * 8] = { 0 }, *root = end_of_slot(TABLES, 36);
	size_t width = flags & NARROW ? 4 : 8, at = 0;

	for (unsigned i = 0; i < n; i++) {
		memcpy(entries + at, &tables[i], width);
		at += width * (flags & GAPS ? 2 : 1);
	}
	unsigned char *index = make(TABLES + 1, flags & NARROW ? "RSDT" : "XSDT", 1, entries, at);
	uint64_t address = (uintptr_t)index;
	sum_up(index, sizeof(struct acpi_table) + at, 9);
	memset(root, 0, 36);
	memcpy(root, "RSD PTR ", 8);
	root[15] = flags & NARROW ? 0 : 2;
	root[20] = 36;
	memcpy(root + (flags & NARROW ? 16 : 24), &address, width);
	sum_up(root, 20, 8);
	sum_up(root, 36, 32);
	return (uintptr_t)root;
}

/* Every entry lies within its table: it is read whole. */
static void read_entries(const struct acpi_table *t)
{
	const uint8_t *e;
	volatile uint8_t last __attribute__((unused));

	for (uint32_t at = 0; t && (e = acpi_entry(t, &at));) {
		if (e < (const uint8_t *)t || e + e[1] > (const uint8_t *)t + t->length)
			abort();
		last = e[e[1] - 1];
	}
}

static void read_nodes(uint64_t rsdp)
{
	const struct acpi_table *srat = acpi_find(rsdp, "SRAT"), *slit = acpi_find(rsdp, "SLIT");
	struct node_range range;

	read_entries(srat);
	for (uint32_t id = 0; id < 4; id++)
		srat_cpu_node(srat, id);
	for (uint32_t at = 0; srat_memory(srat, &at, &range);)
		if (range.base + range.bytes < range.base)
			abort();
	for (uint32_t i = 0; i < 16; i++)
		slit_distance(slit, i / 4, i % 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint64_t tables[TABLES];
	unsigned bits;

	if (!n)
		return 0;
	if (!slots)
		make_slots();
	unsigned made = make_tables(data + 1, n - 1, !(*data & SUMS_AS_THEY_ARE), tables);
	uint64_t rsdp = make_root(*data, tables, made);
	for (unsigned i = 0; i < 8; i++) {
		const struct acpi_table *t = acpi_find(rsdp, signatures[i]);

		if (t && memcmp(t, signatures[i], 4))
			abort();
	}
	read_entries(acpi_find(rsdp, "APIC"));
	read_nodes(rsdp);
	acpi_pm_timer(rsdp, &bits);
	acpi_hpet(rsdp);
	acpi_serial(rsdp);
	return 0;
}
