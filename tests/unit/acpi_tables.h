/* SPDX-License-Identifier: MIT */
/* Makes ACPI tables for tests: each with a right checksum, under a root pointer. */
#ifndef TESTS_UNIT_ACPI_TABLES_H
#define TESTS_UNIT_ACPI_TABLES_H

#include <sys/mman.h>

#include "tests/unit/test.h"

/* Below 4 GiB, because the RSDT has addresses of 32 bits. */
static unsigned char *area;
static size_t area_used;

static void *area_take(size_t n)
{
	void *at = area + area_used;

	area_used += (n + 63) & ~(size_t)63;
	return memset(at, 0, n);
}

static void sum_up(void *data, size_t n, size_t at)
{
	unsigned char *p = data, sum = 0;

	p[at] = 0;
	for (size_t i = 0; i < n; i++)
		sum += p[i];
	p[at] = (unsigned char)-sum;
}

static unsigned char *make(const char *signature, uint32_t length)
{
	unsigned char *t = area_take(length);

	memcpy(t, signature, 4);
	memcpy(t + 4, &length, 4);
	sum_up(t, length, 9);
	return t;
}

static void put(unsigned char *table, uint32_t at, uint64_t value, size_t n)
{
	uint32_t length;

	memcpy(table + at, &value, n);
	memcpy(&length, table + 4, 4);
	sum_up(table, length, 9);
}

static uint64_t make_root(bool wide, unsigned char *const *tables, unsigned n)
{
	unsigned char *root = area_take(36),
		      *index = make(wide ? "XSDT" : "RSDT", 36 + n * (wide ? 8 : 4));

	for (unsigned i = 0; i < n; i++)
		put(index, 36 + i * (wide ? 8 : 4), (uint64_t)tables[i], wide ? 8 : 4);
	memcpy(root, "RSD PTR ", 8);
	uint64_t at = (uint64_t)index;
	if (wide) {
		root[15] = 2;
		root[20] = 36;
		memcpy(root + 24, &at, 8);
	} else {
		memcpy(root + 16, &at, 4);
	}
	sum_up(root, 20, 8);
	if (wide)
		sum_up(root, 36, 32);
	return (uint64_t)root;
}

static void take_area(void)
{
	area = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
		-1, 0);
	assert_ptr_not_equal(area, MAP_FAILED);
}

#endif
