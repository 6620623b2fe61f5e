/* SPDX-License-Identifier: MIT */
#include "kernel/memory/memory_type.h"

enum {
	MTRR_CAPABILITIES = 0xfe,
	MTRR_BASE0 = 0x200, /* its mask follows, then the next pair */
	PAGE_ATTRIBUTES = 0x277,
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

/* The variable range i; false: it is not in use. */
static bool range(const struct cpu_ops *cpu, unsigned i, uint64_t *base, uint64_t *mask)
{
	return cpu->read(MTRR_BASE0 + 2 * i, base) == 0 &&
		cpu->read(MTRR_BASE0 + 2 * i + 1, mask) == 0 && (*mask & VALID);
}

/* Of two ranges over one address: uncached wins, then write-through. */
static unsigned stronger(unsigned a, unsigned b)
{
	if (a == TYPE_UNKNOWN || a == b)
		return b;
	if (a == TYPE_UNCACHED || b == TYPE_UNCACHED)
		return TYPE_UNCACHED;
	return a + b == TYPE_WRITE_THROUGH + TYPE_WRITE_BACK ? TYPE_WRITE_THROUGH : TYPE_MIXED;
}

/*
 * The end of the memory above 4 GiB that is write-back by default, whatever MTRR_DEFAULT says; 0:
 * none (AMD64 APM vol. 2, 3.2.1, "Tom2ForceMemTypeWB"). The variable ranges still override it.
 */
static uint64_t top_of_write_back(const struct cpu_ops *cpu)
{
	enum cpu_vendor vendor = cpu_vendor(cpu);
	uint64_t config, top;

	if ((vendor != VENDOR_AMD && vendor != VENDOR_HYGON) || cpu->read(AMD_SYSCFG, &config) ||
		cpu->read(AMD_TOP_MEM2, &top))
		return 0;
	return (config & TOM2_ON) && (config & TOM2_BACK) ? top & TOM2_BITS : 0;
}

/* The type where no range is in use. *end: as below. */
static unsigned default_type(const struct cpu_ops *cpu, unsigned otherwise, uint64_t at,
	uint64_t *end)
{
	uint64_t top = top_of_write_back(cpu);

	if (top <= ABOVE_4G || at >= top)
		return otherwise;
	uint64_t change = at < ABOVE_4G ? ABOVE_4G : top;

	if (change < *end)
		*end = change;
	return at < ABOVE_4G ? otherwise : TYPE_WRITE_BACK;
}

/* The type at one address. *end: lowered to where another type may begin. */
static unsigned type_at(const struct cpu_ops *cpu, unsigned ranges, unsigned otherwise, uint64_t at,
	uint64_t *end)
{
	unsigned type = TYPE_UNKNOWN;
	uint64_t base, mask;

	for (unsigned i = 0; i < ranges; i++) {
		if (!range(cpu, i, &base, &mask))
			continue;
		mask &= ~0xfffULL;
		uint64_t start = base & mask, size = mask & -mask;

		if ((at & mask) == start)
			type = stronger(type, base & 0xff);
		if (start > at && start < *end)
			*end = start;
		if (start + size > at && start + size < *end)
			*end = start + size;
	}
	return type == TYPE_UNKNOWN ? default_type(cpu, otherwise, at, end) : type;
}

unsigned mtrr_type(const struct cpu_ops *cpu, uint64_t base, uint64_t bytes)
{
	uint64_t capabilities, defaults, last = base + bytes, end;
	unsigned type = TYPE_UNKNOWN;

	if (cpu->read(MTRR_CAPABILITIES, &capabilities) || cpu->read(MTRR_DEFAULT, &defaults) ||
		!capabilities || !bytes)
		return TYPE_UNKNOWN;
	if (!(defaults & MTRRS_ON))
		return TYPE_UNCACHED;
	for (uint64_t at = base; at < last; at = end) {
		end = last;
		unsigned here = type_at(cpu, capabilities & 0xff, defaults & 0xff, at, &end);

		if (at != base && here != type)
			return TYPE_MIXED;
		type = here;
	}
	return type;
}

unsigned pat_type(const struct cpu_ops *cpu, unsigned index)
{
	uint64_t pat;

	return cpu->read(PAGE_ATTRIBUTES, &pat) ? TYPE_UNKNOWN : pat >> 8 * index & 7;
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

const char *pat_prepare(struct msr_journal *j)
{
	enum msr_result r = msr_change(j, PAGE_ATTRIBUTES, 0xff00ff00, TYPE_WRITE_COMBINING << 8);

	return r == MSR_CHANGED ? NULL : msr_why(r);
}

void pat_undo(struct msr_journal *j)
{
	msr_undo(j, PAGE_ATTRIBUTES);
}
