/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/smp/processors.h"
#include "kernel/console/console.h"
#include "kernel/cpu/cpu_features.h"
#include "kernel/firmware/madt.h"
#include "kernel/firmware/srat.h"
#include "kernel/memory/address_space.h"
#include "kernel/smp/apic.h"
#include "kernel/smp/topology.h"

#define STACK     (16 * KIB)
#define IST_STACK (4 * KIB)

struct processors processors;

/* Whether the id is in the list already: firmware lists some processors in both ways. */
static bool listed(const struct processors *p, uint32_t id)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->list[i].id == id)
			return true;
	return false;
}

static unsigned count(const struct acpi_table *madt)
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

/* Guard page, main stack, stacks of the ISTs. */
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

static void add(struct processors *p, uint32_t id, const struct acpi_table *srat, size_t stack)
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

/* The id that the APIC of this processor answers to; CPUID's where the APIC is off. */
static uint32_t own_id(void)
{
	uint32_t id;

	return apic_id(&id) ? id : topology_id(&this_cpu);
}

/* As processors_open numbers them, but for what there is no memory for. */
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

void processors_open(const struct machine *m, bool skip_last, uint64_t measures)
{
	const struct acpi_table *madt = acpi_find(m->rsdp, "APIC");
	const struct acpi_table *srat = acpi_find(m->rsdp, "SRAT");
	struct processors *p = &processors;
	unsigned max = count(madt);
	const uint8_t *e;
	uint32_t id;

	p->skip_last = skip_last;
	p->list = (struct processor *)take_page_aligned(max * sizeof *p->list);
	p->topology = work_memory_take(max * sizeof *p->topology);
	p->ready = work_memory_take(max * sizeof *p->ready);
	if (!p->list || !p->topology || !p->ready) {
		p->list = NULL;
		return;
	}
	add(p, own_id(), srat, 0);
	processor_init(&p->list[0]);
	for (uint32_t at = 0; madt && (e = acpi_entry(madt, &at));)
		if (madt_processor(e, &id) && !listed(p, id))
			add(p, id, srat, p->n == measures ? STACK_BYTES : STACK);
	address_space_flush();
}

void processor_init(struct processor *p)
{
	uint32_t node = p->location.node;

	cpu_serialise_lfence();
	p->location = topology_of(&this_cpu);
	p->location.node = node;
	p->state = PROCESSOR_READY;
}
