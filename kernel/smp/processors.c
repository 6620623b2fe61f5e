/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/firmware/acpi.h"
#include "kernel/console/console.h"
#include "kernel/cpu/cpu_features.h"
#include "kernel/smp/processors.h"
#include "kernel/smp/topology.h"
#include "kernel/cpu/world.h"

#define STACK       (16 * KIB)
#define IST_STACK   (4 * KIB)
#define RUN_SECONDS 30 /* longest function; several figures' worth of streaming */

enum { MADT_LOCAL_APIC = 0, MADT_LOCAL_X2APIC = 9, MADT_ENABLED = 1 };
enum { SRAT_LOCAL_APIC = 0, SRAT_LOCAL_X2APIC = 2, SRAT_ENABLED = 1 };

struct processors processors;

static uint32_t read32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof v);
	return v;
}

/* The id of an enabled processor entry of the MADT (ACPI 6.5, 5.2.12.2 and .12). */
static bool madt_processor(const uint8_t *e, uint32_t *id)
{
	if (e[0] == MADT_LOCAL_APIC && e[1] >= 8) {
		*id = e[3];
		return e[3] != 0xff && (read32(e + 4) & MADT_ENABLED);
	}
	if (e[0] == MADT_LOCAL_X2APIC && e[1] >= 16) {
		*id = read32(e + 4);
		return *id != UINT32_MAX && (read32(e + 8) & MADT_ENABLED);
	}
	return false;
}

/* The NUMA node of a processor by the SRAT (ACPI 6.5, 5.2.16), UINT32_MAX: not told. */
static uint32_t node_of(const struct acpi_table *srat, uint32_t id)
{
	const uint8_t *e;

	for (uint32_t at = 0; srat && (e = acpi_entry(srat, &at));) {
		if (e[0] == SRAT_LOCAL_APIC && e[1] >= 16 && e[3] == id &&
			(read32(e + 4) & SRAT_ENABLED))
			return e[2] | (uint32_t)e[9] << 8 | (uint32_t)e[10] << 16 |
				(uint32_t)e[11] << 24;
		if (e[0] == SRAT_LOCAL_X2APIC && e[1] >= 24 && read32(e + 8) == id &&
			(read32(e + 12) & SRAT_ENABLED))
			return read32(e + 4);
	}
	return UINT32_MAX;
}

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

static unsigned char *take_pages(size_t bytes)
{
	unsigned char *at = world_take(bytes + PAGE_4K);

	return at ? (unsigned char *)(((uint64_t)at + PAGE_4K - 1) & -PAGE_4K) : NULL;
}

/* Guard page, main stack, stacks of the ISTs. */
static bool furnish(struct processor *p)
{
	unsigned char *at = take_pages(PAGE_4K + STACK + (ISTS - 1) * IST_STACK);
	uint64_t top[ISTS] = { 0 };

	if (!at)
		return false;
	page_map(&world.tables, (uint64_t)at, PAGE_4K, ACCESS_NONE, PAGE_4K);
	p->stack_top = at + PAGE_4K + STACK;
	for (unsigned i = 1; i < ISTS; i++)
		top[i] = (uint64_t)p->stack_top + i * IST_STACK;
	descriptors_make(&p->descriptors, top);
	return true;
}

static void add(struct processors *p, uint32_t id, const struct acpi_table *srat)
{
	struct processor *new = &p->list[p->n];

	memset(new, 0, sizeof *new);
	new->id = id;
	if (p->n && !furnish(new)) {
		console_printf("no memory for CPU with APIC id %u: it is left alone\n", id);
		return;
	}
	new->place = (struct cpu_location){
		.id = id,
		.package = UINT32_MAX,
		.die = UINT32_MAX,
		.core = UINT32_MAX,
		.thread = UINT32_MAX,
		.node = node_of(srat, id),
	};
	p->n++;
}

static struct cpuid ask(uint32_t leaf, uint32_t subleaf)
{
	return cpuid(leaf, subleaf);
}

void processors_open(const struct machine *m, bool silence_last)
{
	const struct acpi_table *madt = acpi_find(m->rsdp, "APIC");
	const struct acpi_table *srat = acpi_find(m->rsdp, "SRAT");
	struct processors *p = &processors;
	unsigned most = count(madt);
	const uint8_t *e;
	uint32_t id;

	p->silence_last = silence_last;
	p->list = (struct processor *)take_pages(most * sizeof *p->list);
	p->places = world_take(most * sizeof *p->places);
	p->ready = world_take(most * sizeof *p->ready);
	if (!p->list || !p->places || !p->ready) {
		p->list = NULL;
		return;
	}
	add(p, topology_id(ask), srat);
	processor_settle(&p->list[0]);
	for (uint32_t at = 0; madt && (e = acpi_entry(madt, &at));)
		if (madt_processor(e, &id) && !listed(p, id))
			add(p, id, srat);
	world_flush();
}

void processor_settle(struct processor *p)
{
	uint32_t node = p->place.node;

	cpu_serialise_lfence();
	p->place = topology_of(ask);
	p->place.node = node;
	p->state = PROCESSOR_READY;
}

static struct processor *ready(unsigned cpu)
{
	return cpu && cpu < processors.nready ? &processors.list[processors.ready[cpu]] : NULL;
}

static int run_on(struct env *env, unsigned cpu, void (*fn)(void *), void *arg)
{
	struct processor *p = ready(cpu);

	if (!p || p->state != PROCESSOR_READY || p->asked != p->done)
		return -1;
	p->fn = fn;
	p->arg = arg;
	if (env->room == ROOM_FIRMWARE)
		return processor_call_firmware(p);
	p->asked++;
	return 0;
}

static void tell(struct processor *p, unsigned cpu)
{
	if (p->told)
		return;
	p->told = true;
	if (p->state == PROCESSOR_FAULTED)
		console_printf("CPU %u (APIC id %u): exception %llu at %016llx, address %016llx\n",
			cpu, p->id, (unsigned long long)p->fault.vector,
			(unsigned long long)p->fault.rip, (unsigned long long)p->fault_address);
	else
		console_printf("CPU %u (APIC id %u) does not answer: it is left alone\n", cpu,
			p->id);
}

static int run_wait(struct env *env, unsigned cpu)
{
	struct processor *p = ready(cpu);
	uint64_t since = rdtsc(), patience = (uint64_t)(RUN_SECONDS * env->facts.tsc_hz);

	if (!p)
		return -1;
	while (p->state == PROCESSOR_READY && p->asked != p->done && rdtsc() - since < patience)
		pause();
	if (p->asked == p->done && (env->room == ROOM_BARE || processor_wait_firmware(p)))
		return 0;
	if (p->state == PROCESSOR_READY)
		p->state = PROCESSOR_SILENT;
	tell(p, cpu);
	return -1;
}

bool processors_fault(const struct frame *f)
{
	struct table_register gdt;

	store_gdt(&gdt);
	for (unsigned i = 1; i < processors.n; i++) {
		struct processor *p = &processors.list[i];

		if (gdt.base != (uint64_t)p->descriptors.gdt)
			continue;
		p->fault = *f;
		p->fault_address = read_cr2();
		msr_restore(&p->knobs.journal, 0);
		p->state = PROCESSOR_FAULTED;
		return true;
	}
	return false;
}

static void collect(struct env *env)
{
	struct processors *p = &processors;

	p->nready = 0;
	for (unsigned i = 0; i < p->n; i++) {
		if (p->list[i].state == PROCESSOR_READY) {
			p->places[p->nready] = p->list[i].place;
			p->ready[p->nready++] = i;
		} else if (i) {
			tell(&p->list[i], i);
		}
	}
	env->facts.cpus = p->nready;
	env->facts.topology = p->places;
	env->run_on = p->nready > 1 ? run_on : NULL;
	env->run_wait = p->nready > 1 ? run_wait : NULL;
}

void processors_enter(struct env *env, enum room which, const struct machine *m)
{
	if (!processors.list)
		return;
	for (unsigned i = 1; i < processors.n; i++)
		if (processors.list[i].state != PROCESSOR_FAULTED)
			processors.list[i].state = PROCESSOR_UNKNOWN;
	if (which == ROOM_FIRMWARE)
		processors_meet(m);
	else
		processors_start(&m->low, env->facts.tsc_hz);
	collect(env);
}
