/* SPDX-License-Identifier: MIT */
#include "kernel/smp/lvt.h"

#define MASKED        (1U << 16)
#define DELIVERY_MODE 0x700
#define DELIVERY_SMI  0x200

enum { TIMER = 0x320, THERMAL = 0x330, COUNTERS = 0x340, LINT0 = 0x350, ERROR = 0x370 };

/* max: the smallest "max LVT entry" of the version register, bits 23:16, with which it is there. */
static const struct {
	uint16_t offset;
	uint8_t max;
} lvt[LVTS] = {
	{ TIMER, 0 },
	{ THERMAL, 5 },
	{ COUNTERS, 4 },
	{ LINT0, 0 },
	{ ERROR, 0 },
};

uint16_t lvt_offset(unsigned i)
{
	return lvt[i].offset;
}

bool lvt_exists(unsigned i, uint32_t version)
{
	return (version >> 16 & 0xff) >= lvt[i].max;
}

uint32_t lvt_in_bare(uint16_t offset, uint32_t entry)
{
	return offset == THERMAL && (entry & DELIVERY_MODE) == DELIVERY_SMI ? entry
									    : entry | MASKED;
}
