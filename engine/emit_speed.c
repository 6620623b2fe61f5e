/* SPDX-License-Identifier: MIT */
/* The speeds that the processor's registers allow it. */
#include "engine/claims.h"
#include "engine/emit.h"
#include "engine/probe_api.h"
#include "lib/text.h"

enum fact_kind { VALUE, RATIO, FLAG, BITS, BYTES, WATTS, AMD_MHZ };

static const struct fact {
	const char *name;
	uint32_t msr;
	uint8_t vendor, low, bits, kind; /* enum cpu_vendor; enum fact_kind */
} facts[] = {
#define SPEED_FACT(name, vendor, msr, low, bits, kind) { #name, msr, vendor, low, bits, kind },
#include "engine/speed_facts.inc"
#undef SPEED_FACT
};

#define FACTS (sizeof facts / sizeof *facts)

#define POWER_UNIT 0x606 /* [3:0]: a watt is 2^n units */

/*
 * "All existing and future processors will not implement MSRs" in 40000000h to 400000FFh (SDM vol.
 * 4, 2.1): what answers there answers for everything, as an emulator that ignores unknown MSRs
 * does, and its zeros mean nothing.
 */
#define NO_MSR 0x400000ff

static uint64_t field(uint64_t value, const struct fact *f)
{
	return f->bits < 64 ? value >> f->low & ((1ULL << f->bits) - 1) : value;
}

static void put_bits(struct jsonl *l, const char *name, uint64_t value)
{
	char text[20];

	text_format(text, sizeof text, "%llx", (unsigned long long)value);
	jsonl_string(l, name, text);
}

static void put_bytes(struct jsonl *l, const char *name, uint64_t value)
{
	jsonl_array(l, name);
	for (unsigned i = 0; i < 64; i += 8)
		jsonl_integer(l, NULL, value >> i & 0xff);
	jsonl_array_end(l);
}

static void put_watts(struct room *room, struct jsonl *l, const char *name, uint64_t value)
{
	uint64_t units;

	if (room->read_msr(room, POWER_UNIT, &units) == 0 && value)
		jsonl_number(l, name, (double)value / (double)(1 << (units & 15)));
}

/*
 * PstateDef: families 17h to 19h 200 MHz x [7:0] / [13:8]; from 1Ah 5 MHz x [11:0] (PPR, "Core
 * Current Operating Frequency"). Others, and a state that is not valid ([63]): not known.
 */
static void put_amd_mhz(struct room *room, struct jsonl *l, const char *name, uint64_t state)
{
	uint32_t eax = room->cpuid(room, 1, 0).eax;
	unsigned family = (eax >> 8 & 15) + (eax >> 20 & 0xff), divisor = state >> 8 & 0x3f;

	if (!(state >> 63))
		return;
	if (family >= 0x1a)
		jsonl_number(l, name, 5.0 * (double)(state & 0xfff));
	else if (family >= 0x17 && divisor)
		jsonl_number(l, name, 200.0 * (double)(state & 0xff) / divisor);
}

static void put_fact(struct room *room, struct jsonl *l, const struct fact *f, uint64_t msr)
{
	uint64_t value = field(msr, f);

	switch (f->kind) {
	case RATIO:
		if (!value)
			return;
		/* fall through */
	case VALUE:
		jsonl_integer(l, f->name, value);
		return;
	case FLAG:
		jsonl_bool(l, f->name, value);
		return;
	case BITS:
		put_bits(l, f->name, value);
		return;
	case BYTES:
		put_bytes(l, f->name, value);
		return;
	case WATTS:
		put_watts(room, l, f->name, value);
		return;
	case AMD_MHZ:
		put_amd_mhz(room, l, f->name, value);
	}
}

/* Returns true if the last fact before `f` of this vendor is of another MSR. */
static bool is_first(const struct fact *f)
{
	return f == facts || f[-1].msr != f->msr || f[-1].vendor != f->vendor;
}

static void put_facts(struct room *room, struct jsonl *l, enum cpu_vendor vendor)
{
	uint64_t value;

	for (const struct fact *f = facts; f < facts + FACTS; f++)
		if (f->vendor == vendor && room->read_msr(room, f->msr, &value) == 0)
			put_fact(room, l, f, value);
	jsonl_array(l, "absent");
	for (const struct fact *f = facts; f < facts + FACTS; f++)
		if (f->vendor == vendor && is_first(f) && room->read_msr(room, f->msr, &value))
			put_bits(l, NULL, f->msr);
	jsonl_array_end(l);
}

void emit_speed(struct room *room, struct jsonl *l)
{
	enum cpu_vendor vendor = cpuid_vendor(room->cpuid(room, 0, 0));
	uint64_t value;

	jsonl_object(l, "speed");
	if (!room->read_msr)
		jsonl_string(l, "why", room->msr_why ? room->msr_why : "this room reads no MSRs");
	else if (vendor != VENDOR_INTEL && vendor != VENDOR_AMD)
		jsonl_string(l, "why", "not known for this vendor");
	else if (room->read_msr(room, NO_MSR, &value) == 0)
		jsonl_string(l, "why", "this machine answers for MSRs that no processor has");
	else
		put_facts(room, l, vendor);
	jsonl_object_end(l);
}
