/* SPDX-License-Identifier: MIT */
/*
 * One typed function per instruction, privileged or used only here. Numbers: Intel SDM vol. 3A
 * chapter 2 (control registers), vol. 4 (MSRs).
 */
#ifndef KERNEL_CPU_X86_H
#define KERNEL_CPU_X86_H

#include <stdint.h>

#include "engine/room.h"

enum {
	CR0_MP = 1 << 1,
	CR0_EM = 1 << 2,
	CR0_TS = 1 << 3,
	CR0_NE = 1 << 5,
	CR0_WP = 1 << 16,
	CR0_AM = 1 << 18,
	CR0_NW = 1 << 29,
	CR0_CD = 1 << 30,
};

#define CR4_DE         (1ULL << 3)
#define CR4_PSE        (1ULL << 4)
#define CR4_PAE        (1ULL << 5)
#define CR4_MCE        (1ULL << 6)
#define CR4_PCE        (1ULL << 8)
#define CR4_OSFXSR     (1ULL << 9)
#define CR4_OSXMMEXCPT (1ULL << 10)
#define CR4_UMIP       (1ULL << 11)
#define CR4_LA57       (1ULL << 12)
#define CR4_VMXE       (1ULL << 13)
#define CR4_SMXE       (1ULL << 14)
#define CR4_FSGSBASE   (1ULL << 16)
#define CR4_OSXSAVE    (1ULL << 18)
#define CR4_CET        (1ULL << 23)

enum msr {
	MSR_APIC_BASE = 0x1b,
	MSR_SMI_COUNT = 0x34,
	MSR_MICROCODE = 0x8b,
	MSR_PLATFORM_INFO = 0xce,
	MSR_MPERF = 0xe7,
	MSR_APERF = 0xe8,
	MSR_MISC_ENABLE = 0x1a0,
	MSR_TSC_DEADLINE = 0x6e0,
	MSR_EFER = 0xc0000080,
	MSR_AMD_DE_CFG = 0xc0011029,
};

#define EFER_LME (1ULL << 8)
#define EFER_NXE (1ULL << 11)

#define FLAG_IF (1ULL << 9)

static inline uint64_t read_cr0(void)
{
	uint64_t v;

	__asm__ volatile("mov %%cr0, %0" : "=r"(v));
	return v;
}

static inline void write_cr0(uint64_t v)
{
	__asm__ volatile("mov %0, %%cr0" ::"r"(v) : "memory");
}

static inline uint64_t read_cr2(void)
{
	uint64_t v;

	__asm__ volatile("mov %%cr2, %0" : "=r"(v));
	return v;
}

static inline uint64_t read_cr3(void)
{
	uint64_t v;

	__asm__ volatile("mov %%cr3, %0" : "=r"(v));
	return v;
}

static inline void write_cr3(uint64_t v)
{
	__asm__ volatile("mov %0, %%cr3" ::"r"(v) : "memory");
}

static inline uint64_t read_cr4(void)
{
	uint64_t v;

	__asm__ volatile("mov %%cr4, %0" : "=r"(v));
	return v;
}

static inline void write_cr4(uint64_t v)
{
	__asm__ volatile("mov %0, %%cr4" ::"r"(v) : "memory");
}

/*
 * CR8 holds the priority class, 0 to 15, up to which this processor's APIC holds interrupts back.
 */
static inline uint64_t read_cr8(void)
{
	uint64_t v;

	__asm__ volatile("mov %%cr8, %0" : "=r"(v));
	return v;
}

static inline void write_cr8(uint64_t v)
{
	__asm__ volatile("mov %0, %%cr8" ::"r"(v) : "memory");
}

static inline uint64_t read_flags(void)
{
	uint64_t v;

	__asm__ volatile("pushfq; pop %0" : "=r"(v));
	return v;
}

static inline void cli(void)
{
	__asm__ volatile("cli" ::: "memory");
}

static inline void sti(void)
{
	__asm__ volatile("sti" ::: "memory");
}

static inline void halt(void)
{
	__asm__ volatile("hlt" ::: "memory");
}

/* Write back and empty all caches. */
static inline void wbinvd(void)
{
	__asm__ volatile("wbinvd" ::: "memory");
}

static inline void pause(void)
{
	__asm__ volatile("pause");
}

/* Watch the line of an address; mwait then waits, in the state of the hint, until it is written. */
static inline void monitor(const void *address)
{
	__asm__ volatile("monitor" ::"a"(address), "c"(0), "d"(0) : "memory");
}

static inline void mwait(uint32_t hint)
{
	__asm__ volatile("mwait" ::"a"(hint), "c"(0) : "memory");
}

static inline void out8(uint16_t port, uint8_t v)
{
	__asm__ volatile("outb %0, %1" ::"a"(v), "Nd"(port));
}

static inline void out16(uint16_t port, uint16_t v)
{
	__asm__ volatile("outw %0, %1" ::"a"(v), "Nd"(port));
}

static inline void out32(uint16_t port, uint32_t v)
{
	__asm__ volatile("outl %0, %1" ::"a"(v), "Nd"(port));
}

static inline uint8_t in8(uint16_t port)
{
	uint8_t v;

	__asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

static inline uint16_t in16(uint16_t port)
{
	uint16_t v;

	__asm__ volatile("inw %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

static inline uint32_t in32(uint16_t port)
{
	uint32_t v;

	__asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

/* Only for registers that are known to exist; for others see kernel/cpu/safe.h. */
static inline uint64_t rdmsr(uint32_t msr)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
	return (uint64_t)high << 32 | low;
}

static inline void wrmsr(uint32_t msr, uint64_t v)
{
	__asm__ volatile("wrmsr" ::"c"(msr), "a"((uint32_t)v), "d"((uint32_t)(v >> 32)) : "memory");
}

/* Set the state that the UEFI specification (2.10, 2.3.4.2) and the C compiler expect at a call. */
static inline void reset_floating_point(void)
{
	const uint32_t mxcsr = 0x1f80;

	__asm__ volatile("cld; fninit; ldmxcsr %0" ::"m"(mxcsr));
}

static inline uint64_t xgetbv(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}

static inline struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid c;

	__asm__ volatile("cpuid"
			 : "=a"(c.eax), "=b"(c.ebx), "=c"(c.ecx), "=d"(c.edx)
			 : "a"(leaf), "c"(subleaf));
	return c;
}

static inline uint64_t rdtsc(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

struct table_register { /* operand of lgdt, lidt, sgdt, sidt */
	uint16_t limit;
	uint64_t base;
} __attribute__((packed));

static inline void store_gdt(struct table_register *r)
{
	__asm__ volatile("sgdt %0" : "=m"(*r));
}

static inline void load_gdt(const struct table_register *r)
{
	__asm__ volatile("lgdt %0" ::"m"(*r) : "memory");
}

static inline void store_idt(struct table_register *r)
{
	__asm__ volatile("sidt %0" : "=m"(*r));
}

static inline void load_idt(const struct table_register *r)
{
	__asm__ volatile("lidt %0" ::"m"(*r) : "memory");
}

static inline uint16_t store_task(void)
{
	uint16_t v;

	__asm__ volatile("str %0" : "=r"(v));
	return v;
}

static inline void load_task(uint16_t selector)
{
	__asm__ volatile("ltr %0" ::"r"(selector) : "memory");
}

/* Selectors of data segments and CS; FS and GS keep theirs, so that their bases stay. */
struct segments {
	uint16_t cs, ds, es, ss;
};

static inline struct segments read_segments(void)
{
	struct segments s;

	__asm__ volatile("mov %%cs, %0; mov %%ds, %1; mov %%es, %2; mov %%ss, %3"
			 : "=r"(s.cs), "=r"(s.ds), "=r"(s.es), "=r"(s.ss));
	return s;
}

static inline void load_segments(struct segments s)
{
	__asm__ volatile("push %q0; lea 1f(%%rip), %%rax; push %%rax; lretq; 1:\n\t"
			 "mov %w1, %%ds; mov %w2, %%es; mov %w3, %%ss" ::"r"((uint64_t)s.cs),
			 "r"(s.ds), "r"(s.es), "r"(s.ss)
			 : "rax", "memory");
}

#endif
