/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/cpu/descriptors.h"

extern const unsigned char isr_entries[];

#define CODE_64 0x00af9b000000ffffULL /* present, ring 0, execute and read, long mode */
#define DATA    0x00cf93000000ffffULL /* present, ring 0, read and write */
#define TASK    0x0000890000000000ULL /* present, available 64-bit TSS */
#define GATE    0x8e00ULL             /* present, ring 0, 64-bit interrupt gate */

#define INTERRUPTS 32 /* the entry of every vector from there on */

#define TSS_IST1   36 /* offsets, SDM vol. 3A figure 8-11 */
#define TSS_IO_MAP 102

_Static_assert(sizeof(struct table_register) == 10, "operand of lgdt");
_Static_assert(sizeof(((struct descriptors *)0)->tss) == 104, "64-bit TSS");

static enum ist stack_of(unsigned vector)
{
	switch (vector) {
	case 2:
		return IST_NMI;
	case 8:
		return IST_DOUBLE_FAULT;
	case 14:
		return IST_PAGE_FAULT;
	case 18:
		return IST_MACHINE_CHECK;
	default:
		return IST_NONE;
	}
}

static void make_gate(uint64_t gate[2], unsigned vector)
{
	uint64_t to = (uint64_t)(isr_entries + 16 * (vector < INTERRUPTS ? vector : INTERRUPTS));

	gate[0] = (to & 0xffff) | SELECT_CODE << 16 | (uint64_t)stack_of(vector) << 32 |
		GATE << 32 | (to >> 16 & 0xffff) << 48;
	gate[1] = to >> 32;
}

void descriptors_make(struct descriptors *d, const uint64_t stack_top[ISTS])
{
	uint64_t tss = (uint64_t)d->tss, limit = sizeof d->tss - 1;
	uint16_t no_io_map = sizeof d->tss;

	memset(d, 0, sizeof *d);
	d->gdt[1] = CODE_64;
	d->gdt[2] = DATA;
	d->gdt[GDT_TASK] = TASK | limit | (tss & 0xffffff) << 16 | (tss >> 24 & 0xff) << 56;
	d->gdt[GDT_TASK + 1] = tss >> 32;
	memcpy(d->tss + TSS_IST1, stack_top + 1, (ISTS - 1) * sizeof *stack_top);
	memcpy(d->tss + TSS_IO_MAP, &no_io_map, sizeof no_io_map);
	for (unsigned i = 0; i < 256; i++)
		make_gate(d->idt[i], i);
}

void descriptors_load(struct descriptors *d)
{
	struct table_register gdt = { sizeof d->gdt - 1, (uint64_t)d->gdt };
	struct table_register idt = { sizeof d->idt - 1, (uint64_t)d->idt };
	struct segments flat = { SELECT_CODE, SELECT_DATA, SELECT_DATA, SELECT_DATA };

	load_gdt(&gdt);
	load_segments(flat);
	d->gdt[GDT_TASK] &= ~TASK_BUSY;
	load_task(SELECT_TASK);
	load_idt(&idt);
}
