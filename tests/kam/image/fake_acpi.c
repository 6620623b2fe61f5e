/* SPDX-License-Identifier: MIT */
/*
 * ACPI's tables (ACPI 6.5, chapter 5): root pointer, XSDT and RSDT, MADT of all processors, FADT
 * with timer and reset register, HPET. All checksums are right.
 */
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/acpi_maker.h"
#include "tests/kam/image/fake_efi.h"
#include "tests/kam/image/full_system_others.h"

enum { SUM_AT = 9, ROOT_SUM_AT = 8, ROOT_FULL_SUM_AT = 32, ROOT_BYTES = 36 };
enum { SPACE_MEMORY = 0, SPACE_PORT = 1 };

static uint8_t *root(struct full_system *w)
{
	return ram_at(&w->ram, ACPI_AT, ROOT_BYTES);
}

static void sum_up(uint8_t *data, size_t n, size_t at)
{
	uint8_t sum = 0;
	size_t i;

	data[at] = 0;
	for (i = 0; i < n; i++)
		sum = (uint8_t)(sum + data[i]);
	data[at] = (uint8_t)-sum;
}

static uint32_t length_of(const uint8_t *table)
{
	uint32_t length;

	memcpy(&length, table + 4, 4);
	return length;
}

void acpi_put(uint8_t *table, uint32_t at, uint64_t value, size_t n)
{
	memcpy(table + at, &value, n);
	sum_up(table, length_of(table), SUM_AT);
}

void acpi_sum_root(struct full_system *w)
{
	sum_up(root(w), 20, ROOT_SUM_AT);
	sum_up(root(w), ROOT_BYTES, ROOT_FULL_SUM_AT);
}

/* The table that is being made, behind those that are there. */
static uint64_t end_of_tables(struct full_system *w)
{
	uint64_t at = ACPI_AT + 64;
	const uint8_t *t;

	for (;; at += (length_of(t) + 63) & ~63u) {
		t = ram_at(&w->ram, at, ROOT_BYTES);
		if (!length_of(t))
			return at;
	}
}

uint8_t *acpi_make(struct full_system *w, const char *signature, uint32_t length)
{
	uint64_t at = end_of_tables(w);
	uint8_t *t;

	if (at + length + 64 > ACPI_END)
		fatal("no room for ACPI's table %s", signature);
	t = ram_at(&w->ram, at, length);
	memset(t, 0, length);
	memcpy(t, signature, 4);
	memcpy(t + 4, &length, 4);
	memcpy(t + 10, "known ", 6);
	sum_up(t, length, SUM_AT);
	return t;
}

uint64_t acpi_address(struct full_system *w, const uint8_t *table)
{
	return (uint64_t)(table - (uint8_t *)ram_at(&w->ram, 0, 1));
}

uint8_t *acpi_table(struct full_system *w, const char *signature)
{
	uint64_t at = ACPI_AT + 64, end = end_of_tables(w);
	uint8_t *t, *found = NULL;

	for (; at < end; at += (length_of(t) + 63) & ~63u) {
		t = ram_at(&w->ram, at, ROOT_BYTES);
		if (!memcmp(t, signature, 4))
			found = t; /* the latest made */
	}
	return found;
}

static void put_address(uint8_t *table, uint32_t at, unsigned space, unsigned bits,
	uint64_t address)
{
	acpi_put(table, at, space | bits << 8, 4);
	acpi_put(table, at + 4, address, 8);
}

static void make_fadt(struct full_system *w)
{
	uint8_t *t = acpi_make(w, "FACP", 276);

	acpi_put(t, 8, 6, 1); /* revision */
	acpi_put(t, 48, w->cpu->smi.port, 4);
	acpi_put(t, 52, w->cpu->smi.enable, 1);
	acpi_put(t, 53, w->cpu->smi.disable, 1);
	acpi_put(t, 54, w->cpu->smi.s4bios, 1);
	acpi_put(t, 55, w->cpu->smi.pstate, 1);
	acpi_put(t, 95, w->cpu->smi.cst, 1);
	acpi_put(t, 76, ACPI_TIMER_PORT, 4);
	acpi_put(t, 91, 4, 1);
	acpi_put(t, 112, 1 << 8 | 1 << 10, 4); /* a timer of 32 bits; RESET_REG is there */
	put_address(t, 116, SPACE_PORT, 8, ACPI_RESET_PORT);
	acpi_put(t, 128, ACPI_RESET_VALUE, 1);
	put_address(t, 208, SPACE_PORT, 32, ACPI_TIMER_PORT);
}

static void make_hpet(struct full_system *w)
{
	uint8_t *t = acpi_make(w, "HPET", 56);

	put_address(t, 40, SPACE_MEMORY, 64, HPET_AT);
}

/* Entry i: a local APIC with that id. */
void acpi_put_cpu(uint8_t *madt, unsigned i, unsigned id, unsigned flags)
{
	uint32_t at = MADT_ENTRIES + i * MADT_ENTRY_BYTES;

	acpi_put(madt, at, 0 | MADT_ENTRY_BYTES << 8 | (uint64_t)i << 16 | (uint64_t)id << 24, 4);
	acpi_put(madt, at + 4, flags, 4);
}

void acpi_list(struct full_system *w, const uint64_t *tables, unsigned n)
{
	uint8_t *wide = acpi_make(w, "XSDT", 36 + 8 * n), *narrow;
	uint64_t at;
	unsigned i;

	for (i = 0; i < n; i++)
		acpi_put(wide, 36 + 8 * i, tables[i], 8);
	narrow = acpi_make(w, "RSDT", 36 + 4 * n);
	for (i = 0; i < n; i++)
		acpi_put(narrow, 36 + 4 * i, tables[i], 4);
	at = acpi_address(w, wide);
	memcpy(root(w) + 24, &at, 8);
	at = acpi_address(w, narrow);
	memcpy(root(w) + 16, &at, 4);
	acpi_sum_root(w);
}

void acpi_list_all(struct full_system *w)
{
	static const char *const all[] = { "FACP", "APIC", "HPET", "SPCR" };
	uint64_t at[sizeof(all) / sizeof(*all)];
	unsigned i, n = 0;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (acpi_table(w, all[i]))
			at[n++] = acpi_address(w, acpi_table(w, all[i]));
	acpi_list(w, at, n);
}

void acpi_open(struct full_system *w)
{
	static const EFI_GUID acpi2 = { 0x8868e871, 0xe4f1, 0x11d3,
		{ 0xbc, 0x22, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81 } };
	unsigned i, cpus = w->request->cpus;
	uint8_t *madt;

	memset(ram_at(&w->ram, ACPI_AT, ACPI_END - ACPI_AT), 0, ACPI_END - ACPI_AT);
	memcpy(root(w), "RSD PTR ", 8);
	root(w)[15] = 2;
	root(w)[20] = ROOT_BYTES;
	make_fadt(w);
	madt = acpi_make(w, "APIC", MADT_ENTRIES + cpus * MADT_ENTRY_BYTES);
	acpi_put(madt, 36, APIC_AT, 4);
	for (i = 0; i < cpus; i++)
		acpi_put_cpu(madt, i, others_id(w, i), MADT_ENABLED);
	make_hpet(w);
	acpi_list_all(w);
	efi_configure(w, acpi2, ACPI_AT);
}
