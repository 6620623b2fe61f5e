/* SPDX-License-Identifier: MIT */
#include "kernel/smp/apic.h"
#include "kernel/cpu/x86.h"

#define PIC_MASTER_MASK 0x21
#define PIC_SLAVE_MASK  0xa1

#define APIC_ENABLED (1 << 11)
#define APIC_X2      (1 << 10)
#define LVT_MASKED   (1 << 16)

#define ICR_LOW     0x300
#define ICR_HIGH    0x310
#define ICR_PENDING (1 << 12)
#define SEND_NMI    0x4400 /* NMI, assert */
#define SEND_INIT   0x4500 /* INIT, assert */
#define SEND_SIPI   0x4600 /* start-up, assert; the low byte is the page number */

/* Local vector table entries: timer, thermal, counters, LINT0, error; LINT1 is the NMI's. */
static const uint16_t lvt[] = { 0x320, 0x330, 0x340, 0x350, 0x370 };

static volatile uint32_t *reg(uint16_t offset)
{
	return (volatile uint32_t *)((rdmsr(MSR_APIC_BASE) & 0xfffffffff000) + offset);
}

static bool is_x2(void)
{
	return rdmsr(MSR_APIC_BASE) & APIC_X2;
}

void apic_mask(void)
{
	out8(PIC_MASTER_MASK, 0xff);
	out8(PIC_SLAVE_MASK, 0xff);
	if (!(rdmsr(MSR_APIC_BASE) & APIC_ENABLED))
		return;
	for (unsigned i = 0; i < sizeof lvt / sizeof *lvt; i++) {
		if (is_x2())
			wrmsr(0x800 + lvt[i] / 16, rdmsr(0x800 + lvt[i] / 16) | LVT_MASKED);
		else
			*reg(lvt[i]) |= LVT_MASKED;
	}
}

bool apic_reaches(uint32_t id)
{
	return (rdmsr(MSR_APIC_BASE) & APIC_ENABLED) && (is_x2() || id < 255);
}

static void send(uint32_t id, uint32_t command)
{
	if (is_x2()) {
		wrmsr(0x800 + ICR_LOW / 16, (uint64_t)id << 32 | command);
		return;
	}
	*reg(ICR_HIGH) = id << 24;
	*reg(ICR_LOW) = command;
	for (unsigned i = 0; i < 1000000 && (*reg(ICR_LOW) & ICR_PENDING); i++)
		pause();
}

void apic_send_init(uint32_t id)
{
	send(id, SEND_INIT);
}

void apic_send_sipi(uint32_t id, uint64_t page)
{
	send(id, SEND_SIPI | (uint32_t)(page >> 12));
}

void apic_send_nmi(uint32_t id)
{
	send(id, SEND_NMI);
}
