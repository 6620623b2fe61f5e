/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/smp/smp.h"

#include "kernel/console/console.h"
#include "kernel/cpu/x86.h"
#include "kernel/finish.h"
#include "kernel/journal.h"
#include "kernel/smp/apic.h"
#include "kernel/smp/calls.h"
#include "kernel/smp/processors.h"
#include "kernel/smp/start_bare.h"
#include "kernel/smp/start_by_firmware.h"
#include "kernel/smp/wake_up.h"
#include "lib/jsonl_write.h"
#include "lib/result_keys.h"
#include "lib/text.h"

static void list_one(struct processors *p, unsigned i)
{
	p->topology[p->nready] = p->list[i].location;
	p->ready[p->nready++] = i;
}

/* Compare APIC ids, so that a sibling that was never started is found, too. */
static bool is_sibling(const struct processor *p)
{
	const struct processor *measuring = &processors.list[processors.measuring];

	return p != measuring &&
		p->id >> processors.core_shift == measuring->id >> processors.core_shift;
}

/* The waiting of the sibling that shares most with the measuring processor. */
static const char *siblings_wait(void)
{
	enum { NONE, NOT_STARTED, DEEP, IO, MWAIT, HALT, UNKNOWN, PAUSE };
	static const char *const names[] = { "none", "not started", "deep", "io", "mwait", "halt",
		"unknown", SIBLINGS_PAUSE };
	static const unsigned by_way[] = { DEEP, MWAIT, HALT, IO, PAUSE };
	unsigned most = processors.list ? NONE : UNKNOWN;

	for (unsigned i = 0; i < processors.n; i++) {
		const struct processor *p = &processors.list[i];
		unsigned this = p->state == PROCESSOR_READY    ? by_way[p->idle.way]
			: p->state == PROCESSOR_FAULTED        ? HALT
			: p->state == PROCESSOR_WAITS_FOR_SIPI ? NOT_STARTED
							       : UNKNOWN;

		if (is_sibling(p) && this > most)
			most = this;
	}
	return names[most];
}

static void stop_siblings(void)
{
	for (unsigned i = 1; i < processors.n; i++) {
		struct processor *p = &processors.list[i];

		if (!is_sibling(p) || p->state != PROCESSOR_READY || p->requested != p->completed)
			continue;
		apic_send_init(p->id);
		p->state = PROCESSOR_WAITS_FOR_SIPI;
	}
}

static void start_stopped(const struct room *room)
{
	bool any = false;

	for (unsigned i = 1; i < processors.n; i++)
		any |= processors.list[i].state == PROCESSOR_WAITS_FOR_SIPI;
	if (!any)
		return;
	start_bare_again(room->facts.tsc_hz);
	processors.restarts++;
	processors_failed();
}

void smp_start_siblings(struct room *room, bool start)
{
	if (!room->start_siblings)
		return;
	if (start)
		start_stopped(room);
	else
		stop_siblings();
}

/* List the measuring processor first, then the others in the list's order. */
static void list_ready(struct room *room)
{
	struct processors *p = &processors;

	p->nready = 0;
	list_one(p, p->measuring);
	for (unsigned i = 0; i < p->n; i++) {
		if (i == p->measuring)
			continue;
		if (p->list[i].state == PROCESSOR_READY)
			list_one(p, i);
	}
	processors_failed();
	room->facts.cpus = p->nready;
	room->facts.topology = p->topology;
	room->run_on = p->nready > 1 ? processor_run_on : NULL;
	room->run_wait = p->nready > 1 ? processor_run_wait : NULL;
	room->wake = room->kind == ROOM_BARE ? wake : NULL;
	room->start_siblings = NULL;
	if (room->kind == ROOM_BARE && start_bare_done() && p->stop_siblings)
		room->start_siblings = smp_start_siblings;
}

static void nothing(void *arg)
{
}

/*
 * Wake each once, so that a processor which mwait does not wake is known before anything is
 * measured.
 */
static void wake_each(struct room *room)
{
	for (unsigned cpu = 1; cpu < room->facts.cpus; cpu++)
		if (processor_run_on(room, cpu, nothing, NULL) == 0)
			processor_run_wait(room, cpu);
}

/* The reason why the other processors are not used in a room; NULL: they are. */
static const char *not_used(enum room_kind kind, const struct config *config)
{
	if (config->cpus == 1)
		return "cpus = 1";
	if (kind == ROOM_FIRMWARE && config->mp_services == MP_SERVICES_OFF)
		return "mp_services = off";
	return step_hung(kind == ROOM_FIRMWARE ? "mp-services" : "cpus");
}

static void choose_most(enum room_kind kind, const struct config *config)
{
	struct processors *p = &processors;
	const char *why = not_used(kind, config);

	p->most = why ? 1 : config->cpus && config->cpus < p->n ? (unsigned)config->cpus : p->n;
	if (why && p->n > 1)
		console_printf("the other CPUs are not started in this room:\n  %s\n", why);
	else if (p->most < p->n)
		console_printf("cpus = %u: the other %u CPUs are not used\n", p->most,
			p->n - p->most);
}

void smp_enter_room(struct room *room, enum room_kind kind, const struct machine *m,
	const struct config *config)
{
	if (!processors.list)
		return;
	processors.idle = config->idle;
	processors.stop_siblings = config->siblings == SIBLINGS_INIT && config->idle != IDLE_PAUSE;
	processors.restarts = 0;
	choose_most(kind, config);
	for (unsigned i = 1; i < processors.n; i++)
		if (processors.list[i].state != PROCESSOR_FAULTED)
			processors.list[i].state = PROCESSOR_NOT_STARTED;
	if (processors.most > 1 && kind == ROOM_FIRMWARE)
		start_by_firmware(m);
	else if (processors.most > 1)
		start_bare(&m->low, room->facts.tsc_hz);
	list_ready(room);
	wake_each(room);
	if (smp_other_memory_types())
		console_printf("%u CPU(s) have other memory types (MTRRs, PAT) than the boot CPU:\n"
			       "  there the arena may not be cached\n",
			smp_other_memory_types());
	if (!strcmp(siblings_wait(), SIBLINGS_PAUSE))
		console_printf("a thread of the measuring core spins: " HALF_A_CORE "\n");
}

unsigned smp_other_memory_types(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < processors.nready; i++)
		n += processors.list[processors.ready[i]].memory_types_differ;
	return n;
}

const char *smp_blocks_exit(void)
{
	static char text[80];
	unsigned cpu = stuck_in_firmware();

	if (!cpu)
		return NULL;
	text_format(text, sizeof text, "CPU %u has not come back to the firmware, which may wait",
		cpu);
	return text;
}

void smp_describe_idle(enum room_kind room, const struct config *config, struct jsonl *l)
{
	static const char *const ways[] = { "deep", "mwait", "halt", "io", "pause" };
	static const char *const asked[] = { "deep", "mwait", "pause", "io" };
	unsigned n[IDLE_WAYS] = { 0 }, kicked = 0, unresponsive = 0;
	const char *why = NULL;

	for (unsigned i = 1; i < processors.nready; i++) {
		const struct processor *p = &processors.list[processors.ready[i]];

		n[p->idle.way]++;
		kicked += p->kicked;
		why = p->idle.why ? p->idle.why : why;
	}
	for (unsigned i = 0; i < processors.n; i++)
		unresponsive += processors.list[i].state >= PROCESSOR_UNRESPONSIVE;
	jsonl_object(l, "idle");
	jsonl_string(l, "asked", asked[config->idle]);
	for (unsigned i = 0; i < IDLE_WAYS; i++)
		jsonl_integer(l, ways[i], n[i]);
	jsonl_integer(l, "kicked", kicked);
	jsonl_integer(l, "unresponsive", unresponsive);
	if (room == ROOM_FIRMWARE && firmware_refused_cpus())
		jsonl_string(l, "refused", firmware_refused_cpus());
	if (why)
		jsonl_string(l, "why", why);
	jsonl_object_end(l);
	jsonl_string(l, KEY_SIBLINGS, siblings_wait());
}

/* A call on another processor, and the end of the boot processor's service meanwhile. */
struct handed_over {
	struct room *room;
	void (*fn)(void *);
	void *arg;
};

static void measure_here(void *arg)
{
	const struct handed_over *h = arg;
	struct processor *boot = &processors.list[0];

	h->fn(h->arg);
	if (boot->state != PROCESSOR_READY) {
		console_printf("the boot CPU does not respond: nothing can be stored\n");
		stop_after_fatal_fault();
	}
	uint64_t since = rdtsc();

	boot->fn = NULL;
	processor_call(boot);
	while (boot->requested != boot->completed)
		if (processor_sleeps_on(boot, (double)(rdtsc() - since), h->room))
			processor_kick(boot);
}

static bool can_measure(const struct room *room, uint64_t cpu)
{
	if (cpu >= processors.n || processors.list[cpu].state != PROCESSOR_READY) {
		console_printf("cpu = %llu: there is no such CPU, or it does not respond\n",
			(unsigned long long)cpu);
		return false;
	}
	if (room->kind != ROOM_BARE)
		console_printf("cpu = %llu is for room bare: here the boot CPU measures\n",
			(unsigned long long)cpu);
	return room->kind == ROOM_BARE;
}

void smp_measure_on(struct room *room, uint64_t cpu, void (*fn)(void *), void *arg)
{
	struct handed_over h = { room, fn, arg };

	if (!cpu || !processors.list || !can_measure(room, cpu)) {
		fn(arg);
		if (room->kind == ROOM_FIRMWARE && processors.list)
			leave_to_firmware();
		return;
	}
	struct processor *p = &processors.list[cpu];

	processors.list[0].idle = processor_idle(&processors.list[0]);
	processors.measuring = (unsigned)cpu;
	list_ready(room);
	p->fn = measure_here;
	p->arg = &h;
	processor_call(p);
	processor_serve(&processors.list[0]);
	processors.measuring = 0;
	list_ready(room);
}
