/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/memory/memory_types.h"

enum {
	MTRR_CAPABILITIES = 0xfe,
	MTRR_BASE0 = 0x200, /* its mask follows, then the next pair */
	MTRR_DEFAULT = 0x2ff,
	AMD_SYSCFG = 0xc0010010,
	AMD_TOP_MEM2 = 0xc001001d, /* bits 51:23, the first byte beyond memory */
};

#define ABOVE_4G  (1ULL << 32)
#define TOM2_ON   (1 << 21) /* of AMD_SYSCFG: MtrrTom2En, */
#define TOM2_BACK (1 << 22) /* Tom2ForceMemTypeWB */
#define TOM2_BITS 0x000fffffff800000ULL

#define MTRRS_ON (1 << 11)
#define VALID    (1 << 11)

struct memory_types boot_memory_types;

/*
 * The end of the memory above 4 GiB that is write-back by default, whatever MTRR_DEFAULT says; 0:
 * none (AMD64 APM vol. 2, 3.2.1, "Tom2ForceMemTypeWB"). The variable ranges still override it.
 */
static uint64_t top_of_write_back(const struct cpu_ops *cpu)
{
	uint64_t config, top;

	if (!cpuid_is_amd_design(cpu_vendor(cpu)) || cpu->read(AMD_SYSCFG, &config) ||
		!(config & TOM2_ON) || !(config & TOM2_BACK) || cpu->read(AMD_TOP_MEM2, &top))
		return 0;
	return top & TOM2_BITS;
}

static void read_ranges(const struct cpu_ops *cpu, unsigned n, struct memory_types *t)
{
	uint64_t base, mask;

	for (uint32_t i = 0; i < n && i < MEMORY_RANGES; i++)
		if (cpu->read(MTRR_BASE0 + 2 * i, &base) == 0 &&
			cpu->read(MTRR_BASE0 + 2 * i + 1, &mask) == 0 && (mask & VALID)) {
			t->range[t->ranges].base = base;
			t->range[t->ranges++].mask = mask & ~0xfffULL;
		}
}

void memory_types_read(const struct cpu_ops *cpu, struct memory_types *t)
{
	uint64_t capabilities, defaults, pat;

	memset(t, 0, sizeof *t);
	t->pat0 = cpu->read(PAGE_ATTRIBUTES, &pat) ? TYPE_UNKNOWN : pat & 7;
	if (cpu->read(MTRR_CAPABILITIES, &capabilities) || cpu->read(MTRR_DEFAULT, &defaults) ||
		!capabilities)
		return;
	t->known = true;
	t->on = defaults & MTRRS_ON;
	t->otherwise = defaults & 0xff;
	t->top = top_of_write_back(cpu);
	read_ranges(cpu, capabilities & 0xff, t);
}

bool memory_types_differ(void)
{
	struct memory_types here;

	if (cpu_leaf(&this_cpu, 1).ecx & CPUID_HYPERVISOR)
		return false;
	memory_types_read(&this_cpu, &here);
	return memcmp(&here, &boot_memory_types, sizeof here) != 0;
}

/* The type that holds if two ranges cover one address: uncached wins, then write-through. */
static unsigned stronger(unsigned a, unsigned b)
{
	if (a == TYPE_UNKNOWN || a == b)
		return b;
	if (a == TYPE_UNCACHED || b == TYPE_UNCACHED)
		return TYPE_UNCACHED;
	return a + b == TYPE_WRITE_THROUGH + TYPE_WRITE_BACK ? TYPE_WRITE_THROUGH : TYPE_MIXED;
}

/* The type of an address that no range covers. *end: lowered to where the type changes. */
static unsigned default_type(const struct memory_types *t, uint64_t at, uint64_t *end)
{
	if (t->top <= ABOVE_4G || at >= t->top)
		return (unsigned)t->otherwise;
	uint64_t change = at < ABOVE_4G ? ABOVE_4G : t->top;

	if (change < *end)
		*end = change;
	return at < ABOVE_4G ? (unsigned)t->otherwise : TYPE_WRITE_BACK;
}

unsigned mtrr_type_at(const struct memory_types *t, uint64_t at, uint64_t *end)
{
	unsigned type = TYPE_UNKNOWN;

	if (!t->known)
		return TYPE_UNKNOWN;
	if (!t->on)
		return TYPE_UNCACHED;
	for (unsigned i = 0; i < t->ranges; i++) {
		uint64_t mask = t->range[i].mask, start = t->range[i].base & mask;
		uint64_t size = mask & -mask;

		if ((at & mask) == start)
			type = stronger(type, t->range[i].base & 0xff);
		if (start > at && start < *end)
			*end = start;
		if (start + size > at && start + size < *end)
			*end = start + size;
	}
	return type == TYPE_UNKNOWN ? default_type(t, at, end) : type;
}

unsigned mtrr_type(const struct memory_types *t, uint64_t base, uint64_t bytes)
{
	uint64_t last = base + bytes, end;
	unsigned type = TYPE_UNKNOWN;

	for (uint64_t at = base; at < last; at = end) {
		end = last;
		unsigned here = mtrr_type_at(t, at, &end);

		if (at != base && here != type)
			return TYPE_MIXED;
		type = here;
	}
	return type;
}

bool may_be_back(unsigned type)
{
	return type == TYPE_WRITE_BACK || type == TYPE_UNKNOWN;
}

const char *type_name(unsigned type)
{
	switch (type) {
	case TYPE_UNCACHED:
		return "uncached";
	case TYPE_WRITE_COMBINING:
		return "write-combining";
	case TYPE_WRITE_THROUGH:
		return "write-through";
	case TYPE_WRITE_PROTECTED:
		return "write-protected";
	case TYPE_WRITE_BACK:
		return "write-back";
	case TYPE_MIXED:
		return "mixed";
	default:
		return "unknown";
	}
}
