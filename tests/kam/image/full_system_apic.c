/* SPDX-License-Identifier: MIT */
/* The local APIC (SDM vol. 3A, 11.4): its registers hold what is written, and commands are sent. */
#include "tests/kam/image/acpi_maker.h"
#include "tests/kam/image/full_system_others.h"

#define APIC_BYTES 4096
#define APIC_X2    (1u << 10) /* of MSR 1Bh */
#define MSR_BASE   0x1b
#define LVT_MASKED 0x10000u
#define VERSION    0x60015u /* seven entries of the local vector table */
#define ALL_ONES   0xffffffffu
enum {
	APIC_VERSION = 0x30,
	ICR_LOW = 0x300,
	ICR_HIGH = 0x310,
	LVT_FIRST = 0x320,
	LVT_LAST = 0x370
};

static bool is_x2(struct full_system *w)
{
	return system_msr(w, MSR_BASE)->value & APIC_X2;
}

static uint64_t apic_read(uc_engine *uc, uint64_t offset, unsigned bytes, void *priv)
{
	struct full_system *w = priv;

	(void)uc;
	(void)bytes;
	if (is_x2(w)) {
		system_wrong(w, "the APIC's memory is read in its x2 mode");
		return ALL_ONES;
	}
	return offset / 16 < APIC_REGISTERS ? w->apic[offset / 16] : 0;
}

static void apic_write(uc_engine *uc, uint64_t offset, unsigned bytes, uint64_t value, void *priv)
{
	struct full_system *w = priv;

	(void)uc;
	(void)bytes;
	if (is_x2(w))
		system_wrong(w, "the APIC's memory is written in its x2 mode");
	else if (offset == ICR_LOW) /* sent at once */
		others_command(w, w->apic[ICR_HIGH / 16] >> 24, (uint32_t)value);
	else if (offset / 16 < APIC_REGISTERS)
		w->apic[offset / 16] = (uint32_t)value;
}

void system_apic_init(struct full_system *w)
{
	unsigned at;

	w->apic[APIC_VERSION / 16] = VERSION;
	for (at = LVT_FIRST; at <= LVT_LAST; at += 16)
		w->apic[at / 16] = LVT_MASKED;
	system_apic_attach(w);
}

bool system_apic_command(struct full_system *w, struct msr *m, uint64_t value)
{
	(void)m;
	others_command(w, (uint32_t)(value >> 32), (uint32_t)value);
	return true;
}

void system_apic_attach(struct full_system *w)
{
	unicorn_check(uc_mmio_map(w->uc, APIC_AT, APIC_BYTES, apic_read, w, apic_write, w),
		"mapping the APIC");
}
