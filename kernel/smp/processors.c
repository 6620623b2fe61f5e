/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/smp/processors.h"
#include "kernel/console/console.h"
#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/safe.h"
#include "kernel/firmware/acpi.h"
#include "kernel/memory/address_space.h"
#include "kernel/memory/memory_types.h"
#include "kernel/smp/apic.h"

enum topology_level { LEVEL_END = 0, LEVEL_SMT = 1, LEVEL_CORE = 2, LEVEL_DIE = 5 };

enum { CACHE_END = 0, CACHE_INSTRUCTION = 2, CACHE_UNIFIED = 3 };

#define LEVELS_MAX 8
#define CACHES_MAX 16

/* Numbers of low bits of the APIC id that distinguish parts within a unit. */
struct shifts {
	unsigned core; /* bits that distinguish the threads of a core */
	unsigned die;  /* ... of a die; equal to `package` if CPUID describes no dies */
	unsigned package;
};

/* The APIC id of the processor that executes this: leaf 0Bh, else leaf 1. */
static uint32_t topology_id(const struct cpu_ops *cpu)
{
	if (cpu_has_leaf(cpu, 0x0b) && cpu->cpuid(0x0b, 0).ebx & 0xffff)
		return cpu->cpuid(0x0b, 0).edx;
	return cpu->cpuid(1, 0).ebx >> 24;
}

/* Leaves 1Fh and 0Bh: shifting by a level's shift leaves the number of the unit of that level. */
static bool by_extended_leaf(const struct cpu_ops *cpu, uint32_t leaf, struct shifts *s)
{
	unsigned below = 0, shift = 0;

	if (!cpu_has_leaf(cpu, leaf) || !(cpu->cpuid(leaf, 0).ebx & 0xffff))
		return false;
	*s = (struct shifts){ 0, UINT32_MAX, 0 };
	for (unsigned i = 0; i < LEVELS_MAX; i++) {
		struct cpuid c = cpu->cpuid(leaf, i);
		unsigned level = c.ecx >> 8 & 0xff;

		if (level == LEVEL_END)
			break;
		below = shift;
		shift = c.eax & 31;
		if (level == LEVEL_SMT)
			s->core = shift;
		if (level == LEVEL_DIE)
			s->die = below;
		s->package = shift;
	}
	if (s->die == UINT32_MAX)
		s->die = s->package;
	return true;
}

/* The number of bits that can distinguish n things. */
static unsigned bits_for(unsigned n)
{
	unsigned bits = 0;

	while (n > 1U << bits)
		bits++;
	return bits;
}

/* AMD, 80000008h ECX: the id's bits within a package, or how many processors a package has. */
static unsigned package_bits(const struct cpu_ops *cpu)
{
	uint32_t sizes = cpu->cpuid(0x80000008, 0).ecx;

	return sizes >> 12 & 15 ? sizes >> 12 & 15 : bits_for((sizes & 0xff) + 1);
}

/* AMD without leaf 0Bh: threads of a core by 8000001Eh, threads of a package by 80000008h. */
static bool by_amd_leaves(const struct cpu_ops *cpu, struct shifts *s)
{
	if (!cpu_has_leaf(cpu, 0x8000001e) || !(cpu->cpuid(0x80000001, 0).ecx & 1 << 22))
		return false;
	s->core = bits_for((cpu->cpuid(0x8000001e, 0).ebx >> 8 & 0xff) + 1);
	s->package = s->die = package_bits(cpu);
	return true;
}

#define CMP_LEGACY (1U << 1) /* 80000001h ECX: what leaf 1 counts are cores */

/*
 * AMD before 8000001Eh: cores of a package by 80000008h, of one thread each (APM volume 3, appendix
 * E, "Legacy Method").
 */
static bool by_core_count(const struct cpu_ops *cpu, struct shifts *s)
{
	if (!cpuid_is_amd_design(cpu_vendor(cpu)) ||
		!(cpu_leaf(cpu, 0x80000001).ecx & CMP_LEGACY) || !cpu_has_leaf(cpu, 0x80000008))
		return false;
	s->core = 0;
	s->package = s->die = package_bits(cpu);
	return true;
}

/* Leaf 1: logical processors of a package; leaf 4: cores of a package. */
static void by_legacy_leaves(const struct cpu_ops *cpu, struct shifts *s)
{
	struct cpuid one = cpu->cpuid(1, 0);
	unsigned threads = one.edx & 1 << 28 ? one.ebx >> 16 & 0xff : 1, cores = 1;

	if (cpu_has_leaf(cpu, 4) && cpu->cpuid(4, 0).eax & 31)
		cores = (cpu->cpuid(4, 0).eax >> 26) + 1;
	s->package = bits_for(threads);
	s->core = s->package - (bits_for(cores) < s->package ? bits_for(cores) : s->package);
	s->die = s->package;
}

static uint32_t low_bits(uint32_t id, unsigned n)
{
	return n >= 32 ? id : id & ((1U << n) - 1);
}

/* Leaves 4 and 8000001Dh: the highest level's EAX[25:14], how many APIC ids may share it. */
static bool last_cache(const struct cpu_ops *cpu, uint32_t leaf, unsigned *shift)
{
	unsigned highest = 0;

	for (uint32_t i = 0; cpu_has_leaf(cpu, leaf) && i < CACHES_MAX; i++) {
		uint32_t a = cpu->cpuid(leaf, i).eax, type = a & 31, level = a >> 5 & 7;

		if (type == CACHE_END || type > CACHE_UNIFIED)
			break;
		if (type == CACHE_INSTRUCTION || level < highest)
			continue;
		highest = level;
		*shift = bits_for((a >> 14 & 0xfff) + 1);
	}
	return highest > 0;
}

/* The number of a CPU's last cache: the ids of the CPUs that share it differ in low bits only. */
static uint32_t last_cache_of(const struct cpu_ops *cpu, uint32_t id)
{
	bool amd = cpu_has_leaf(cpu, 0x80000001) && cpu->cpuid(0x80000001, 0).ecx & 1 << 22;
	unsigned shift;

	if (!(amd && last_cache(cpu, 0x8000001d, &shift)) && !last_cache(cpu, 4, &shift))
		return UINT32_MAX;
	return id >> shift;
}

static struct shifts shifts_of(const struct cpu_ops *cpu)
{
	struct shifts s;

	if (!by_extended_leaf(cpu, 0x1f, &s) && !by_extended_leaf(cpu, 0x0b, &s) &&
		!by_amd_leaves(cpu, &s) && !by_core_count(cpu, &s))
		by_legacy_leaves(cpu, &s);
	return s;
}

/*
 * Location of a processor, by CPUID on it, except the NUMA node (ACPI's SRAT has it): leaves 1Fh,
 * 0Bh (Intel, AMD), else AMD 8000001Eh, 80000008h, else leaves 1 and 4; the last cache by
 * 8000001Dh, else 4; core type by 1Ah. SDM vol. 3A 9.9; AMD APM vol. 3 appendix E.
 */
static struct cpu_location topology_of(const struct cpu_ops *cpu)
{
	struct cpu_location p = { .id = topology_id(cpu), .node = UINT32_MAX };
	struct shifts s = shifts_of(cpu);

	p.package = s.package >= 32 ? 0 : p.id >> s.package;
	p.die = s.die >= 32 ? 0 : low_bits(p.id, s.package) >> s.die;
	p.core = low_bits(p.id, s.package) >> s.core;
	p.thread = low_bits(p.id, s.core);
	p.l3 = last_cache_of(cpu, p.id);
	p.core_type = cpuid_core_type(cpu->cpuid);
	return p;
}

#define STACK     (16 * KIB)
#define IST_STACK (4 * KIB)

struct processors processors;

/* Returns true if the id is in the list already: firmware lists some processors in both ways. */
static bool listed(const struct processors *p, uint32_t id)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->list[i].id == id)
			return true;
	return false;
}

static unsigned count_processors(const struct acpi_table *madt)
{
	unsigned n = 1;
	const uint8_t *e;
	uint32_t id;

	for (uint32_t at = 0; madt && (e = acpi_entry(madt, &at));)
		n += madt_processor(e, &id);
	return n;
}

static unsigned char *take_page_aligned(size_t bytes)
{
	unsigned char *at = work_memory_take(bytes + PAGE_4K);

	return at ? (unsigned char *)(((uint64_t)at + PAGE_4K - 1) & -PAGE_4K) : NULL;
}

/* Take memory for a guard page, the main stack and the stacks of the ISTs. */
static bool allocate_stacks(struct processor *p, size_t bytes)
{
	unsigned char *at = take_page_aligned(PAGE_4K + bytes + (ISTS - 1) * IST_STACK);
	uint64_t top[ISTS] = { 0 };

	if (!at)
		return false;
	page_map(&address_space.tables, (uint64_t)at, PAGE_4K, ACCESS_NONE, PAGE_4K);
	p->stack_top = at + PAGE_4K + bytes;
	for (unsigned i = 1; i < ISTS; i++)
		top[i] = (uint64_t)p->stack_top + i * IST_STACK;
	descriptors_make(&p->descriptors, top);
	return true;
}

static void add_processor(struct processors *p, uint32_t id, const struct acpi_table *srat,
	size_t stack)
{
	struct processor *new = &p->list[p->n];

	memset(new, 0, sizeof *new);
	new->id = id;
	if (p->n && !allocate_stacks(new, stack)) {
		console_printf("no memory for CPU with APIC id %u: it is not used\n", id);
		return;
	}
	new->location = (struct cpu_location){
		.id = id,
		.package = UINT32_MAX,
		.die = UINT32_MAX,
		.core = UINT32_MAX,
		.thread = UINT32_MAX,
		.node = srat_cpu_node(srat, id),
		.l3 = UINT32_MAX,
	};
	p->n++;
}

/* The id that the APIC of this processor answers to; CPUID's if the APIC is off. */
static uint32_t own_id(void)
{
	uint32_t id;

	return apic_id(&id) ? id : topology_id(&this_cpu);
}

/* Numbers as in processors_open, except processors that there is no memory for. */
uint32_t processors_id(const struct machine *m, uint64_t number)
{
	const struct acpi_table *madt = acpi_find(m->rsdp, "APIC");
	uint32_t boot = own_id(), id;
	const uint8_t *e;

	for (uint32_t at = 0; number && madt && (e = acpi_entry(madt, &at));)
		if (madt_processor(e, &id) && id != boot && --number == 0)
			return id;
	return boot;
}

void processors_open(const struct machine *m, uint64_t measures)
{
	const struct acpi_table *madt = acpi_find(m->rsdp, "APIC");
	const struct acpi_table *srat = acpi_find(m->rsdp, "SRAT");
	struct processors *p = &processors;
	unsigned max = count_processors(madt);
	const uint8_t *e;
	uint32_t id;

	p->list = (struct processor *)take_page_aligned(max * sizeof *p->list);
	p->topology = work_memory_take(max * sizeof *p->topology);
	p->ready = work_memory_take(max * sizeof *p->ready);
	p->starting = work_memory_take(max * sizeof *p->starting);
	if (!p->list || !p->topology || !p->ready || !p->starting) {
		p->list = NULL;
		return;
	}
	p->core_shift = shifts_of(&this_cpu).core;
	add_processor(p, own_id(), srat, 0);
	processor_init(&p->list[0]);
	for (uint32_t at = 0; madt && (e = acpi_entry(madt, &at));)
		if (madt_processor(e, &id) && !listed(p, id))
			add_processor(p, id, srat, p->n == measures ? STACK_BYTES : STACK);
	address_space_flush();
}

#define LFENCE_SERIALISES        (1 << 1) /* in MSR C001_1029 */
#define LFENCE_ALWAYS_SERIALISES (1 << 2) /* CPUID 80000021h EAX */

/*
 * AMD, and Hygon, as Linux and Xen do: make lfence wait for all earlier instructions, as Intel's
 * does: MSR C001_1029[1], unless CPUID 80000021h EAX[2] says that it always does. Call it on each
 * processor; it stays set, as under Linux.
 */
static void cpu_serialise_lfence(void)
{
	uint64_t value;

	if (!cpuid_is_amd_design(cpu_vendor(&this_cpu)) ||
		(cpu_leaf(&this_cpu, 0x80000021).eax & LFENCE_ALWAYS_SERIALISES))
		return;
	if (safe_rdmsr(MSR_AMD_DE_CFG, &value) == 0 && !(value & LFENCE_SERIALISES))
		safe_wrmsr(MSR_AMD_DE_CFG, value | LFENCE_SERIALISES);
}

void processor_init(struct processor *p)
{
	uint32_t node = p->location.node;

	cpu_serialise_lfence();
	p->location = topology_of(&this_cpu);
	p->location.node = node;
	p->memory_types_differ = memory_types_differ();
	p->state = PROCESSOR_READY;
}
