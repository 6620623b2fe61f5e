/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/safe.h"
#include "kernel/cpu/msr.h"

void cpu_state_read(struct cpu_state *s)
{
	s->control.cr0 = read_cr0();
	s->control.cr3 = read_cr3();
	s->control.cr4 = read_cr4();
	s->control.xcr0 = s->control.cr4 & CR4_OSXSAVE ? xgetbv(0) : 0;
	store_gdt(&s->gdt);
	store_idt(&s->idt);
	s->segments = read_segments();
	s->task = store_task();
	s->interrupts = read_flags() & FLAG_IF;
}

#define CPUID_MCE (1 << 7) /* of leaf 1, EDX */

/*
 * Bits that stay as the firmware has them: they change nothing here, or cannot be cleared (LA57 in
 * long mode, VMXE in VMX operation). All others are off, known or not: SMEP, SMAP and LASS concern
 * user pages or addresses, PKE and PKS use keys that we do not set; there is no shadow stack (CET);
 * FRED would not use our IDT; LAM would ignore address bits; PCIDE and PGE would keep TLB entries
 * when CR3 is loaded.
 */
#define CR4_KEPT (CR4_PSE | CR4_PCE | CR4_UMIP | CR4_LA57 | CR4_VMXE | CR4_SMXE | CR4_FSGSBASE)

/*
 * MCE is set on every processor that has it: without it a machine check shuts the processor down.
 */
static struct control_registers cpu_kernel_control(const struct cpu_state *found, uint64_t cr3,
	uint64_t xcr0)
{
	struct control_registers c = { .cr3 = cr3, .xcr0 = xcr0 };

	c.cr0 = (found->control.cr0 | CR0_MP | CR0_NE | CR0_WP) &
		~(uint64_t)(CR0_EM | CR0_TS | CR0_AM | CR0_CD | CR0_NW);
	c.cr4 = (found->control.cr4 & CR4_KEPT) | CR4_PAE | CR4_DE | CR4_OSFXSR | CR4_OSXMMEXCPT;
	if (cpuid(1, 0).edx & CPUID_MCE)
		c.cr4 |= CR4_MCE;
	if (xcr0)
		c.cr4 |= CR4_OSXSAVE;
	return c;
}

void cpu_set_xcr0(uint64_t xcr0)
{
	if (xcr0)
		safe_xsetbv(0, xcr0);
}

/* Load GDT, segments, task register and IDT again. */
static void load_tables(const struct cpu_state *s)
{
	load_gdt(&s->gdt);
	load_segments(s->segments);
	if (s->task) { /* most firmware has no task loaded */
		((uint64_t *)s->gdt.base)[s->task / 8] &= ~TASK_BUSY;
		load_task(s->task);
	}
	load_idt(&s->idt);
}

void cpu_state_enter_rest(const struct control_registers *kernel)
{
	write_cr0(kernel->cr0);
	write_cr3(kernel->cr3);
	cpu_set_xcr0(kernel->xcr0);
}

void cpu_state_restore_begin(const struct cpu_state *s)
{
	write_cr3(s->control.cr3 & ~0xfffULL); /* setting PCIDE demands PCID 0 */
	write_cr0(s->control.cr0);
}

void cpu_state_restore_rest(const struct cpu_state *s)
{
	write_cr3(s->control.cr3);
	cpu_set_xcr0(s->control.xcr0);
	load_tables(s);
	if (s->interrupts)
		sti();
}

extern const unsigned char isr_entries[];

#define CODE_64 0x00af9b000000ffffULL /* present, ring 0, execute and read, long mode */
#define DATA    0x00cf93000000ffffULL /* present, ring 0, read and write */
#define RING_3  0x0000600000000000ULL /* added to either of them */
#define TASK    0x0000890000000000ULL /* present, available 64-bit TSS */
#define GATE    0x8e00ULL             /* present, ring 0, 64-bit interrupt gate */

#define INTERRUPTS 32 /* number of the entry that all vectors from here on share */

#define TSS_RSP0   4 /* offsets, SDM vol. 3A figure 8-11 */
#define TSS_IST1   36
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
	d->gdt[SELECT_DATA_3 / 8] = DATA | RING_3;
	d->gdt[SELECT_CODE_3 / 8] = CODE_64 | RING_3;
	d->gdt[GDT_TASK] = TASK | limit | (tss & 0xffffff) << 16 | (tss >> 24 & 0xff) << 56;
	d->gdt[GDT_TASK + 1] = tss >> 32;
	/* Stack for an exception in ring 3; ring 3 is not resumed after one. */
	memcpy(d->tss + TSS_RSP0, stack_top + IST_DOUBLE_FAULT, sizeof *stack_top);
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

struct boot_cpu boot_cpu;

_Static_assert(LAYOUT_STACKS == ISTS, "a stack for each IST, and the main one");

#define EARLY_STACK 4096

/* A shadow stack (CET) would not allow a handler to return to another place. */
void cpu_with_handlers(void (*fn)(void))
{
	unsigned char stack[EARLY_STACK] __attribute__((aligned(16)));
	uint64_t stack_top[ISTS], top = (uint64_t)(stack + sizeof stack);
	struct cpu_state *firmware = &boot_cpu.firmware;

	for (unsigned i = 0; i < ISTS; i++)
		stack_top[i] = top;
	cpu_state_read(firmware);
	descriptors_make(&boot_cpu.descriptors, stack_top);
	cli();
	write_cr4(firmware->control.cr4 & ~(uint64_t)CR4_CET);
	descriptors_load(&boot_cpu.descriptors);
	fn();
	load_tables(firmware);
	write_cr4(firmware->control.cr4);
	if (firmware->interrupts)
		sti();
}

#define XSAVE   (1 << 26) /* CPUID 1 ECX */
#define AVX     (1 << 28)
#define AVX512F (1 << 16) /* CPUID 7 EBX */

#define XCR0_SSE    0x3ULL /* x87 and SSE */
#define XCR0_AVX    0x4ULL
#define XCR0_AVX512 0xe0ULL /* opmask, upper halves, upper registers */

/*
 * The XCR0 to set: x87 and SSE, AVX and AVX-512 each only where CPUID.Dh offers the state and
 * CPUID.1 or CPUID.7 the instructions (QEMU 7.2 offers AVX-512 state without the instructions).
 * 0: no XSAVE.
 */
static uint64_t cpu_vector_state(void)
{
	uint32_t instructions = cpu_leaf(&this_cpu, 1).ecx;
	struct cpuid states = cpu_leaf(&this_cpu, 0xd);
	uint64_t chosen = XCR0_SSE, offered = (uint64_t)states.edx << 32 | states.eax;

	if (!(instructions & XSAVE) || !cpu_has_leaf(&this_cpu, 0xd))
		return 0;
	if ((instructions & AVX) && (offered & XCR0_AVX))
		chosen |= XCR0_AVX;
	if ((chosen & XCR0_AVX) && (cpu_leaf(&this_cpu, 7).ebx & AVX512F) &&
		(offered & XCR0_AVX512) == XCR0_AVX512)
		chosen |= XCR0_AVX512;
	return chosen;
}

void boot_cpu_open(const struct memory_layout *l, uint64_t page_table_root)
{
	struct boot_cpu *b = &boot_cpu;
	uint64_t stack_top[ISTS] = { 0 };

	for (unsigned i = 1; i < ISTS; i++)
		stack_top[i] = l->stack[i].base + l->stack[i].bytes;
	b->kernel = cpu_kernel_control(&b->firmware, page_table_root, cpu_vector_state());
	descriptors_make(&b->descriptors, stack_top);
	b->boot_services = true;
}
