/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "kernel/smp/smp.h"
#include "kernel/console/console.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/cpu_features.h"
#include "kernel/memory/address_space.h"
#include "kernel/smp/apic.h"
#include "kernel/smp/processors.h"
#include "kernel/smp/wake_up.h"
#include "kernel/journal.h"
#include "kernel/cpu/context.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/cpu/x86.h"
#include "kernel/finish.h"
#include "lib/jsonl_write.h"
#include "lib/result_keys.h"
#include "lib/exception.h"
#include "lib/text.h"
#include "kernel/machine.h"

/* --- After ExitBootServices: by INIT-SIPI-SIPI. --- */

/*
 * INIT, 10 ms, SIPI, 200 us, SIPI: Intel SDM vol. 3A 9.4.4. The second SIPI only if it is needed.
 */
#define INIT_SECONDS     0.010
#define RETRY_SECONDS    0.0002
#define RESPONSE_SECONDS 3 /* an emulator's processor may not get to run for a long time */

#define PE_PG 0x80000011ULL /* CR0: protection, paging, and the bit that is always 1 */

extern const unsigned char ap_start[], ap_long[], ap_end[];

/* Data in the page after the code; offsets as in kernel/smp/ap_trampoline.S. */
struct start {
	struct table_register gdt_register __attribute__((aligned(8)));
	uint32_t far_offset __attribute__((aligned(16)));
	uint16_t far_selector;
	uint32_t cr0 __attribute__((aligned(16)));
	uint32_t cr3, cr4, efer, allow_no_execute;
	uint64_t gdt[3] __attribute__((aligned(8)));
	struct starting *list;
	uint64_t n, fn;
};

_Static_assert(offsetof(struct start, far_offset) == 0x10, "START_FAR");
_Static_assert(offsetof(struct start, cr0) == 0x20, "START_CR0");
_Static_assert(offsetof(struct start, allow_no_execute) == 0x30, "START_ALLOW");
_Static_assert(offsetof(struct start, list) == 0x50, "START_LIST");
_Static_assert(offsetof(struct start, fn) == 0x60, "START_FN");

enum { CODE_PAGE, START_PAGE, ROOT_PAGE, PAGES };

static void wait_seconds(double seconds, double tsc_hz)
{
	uint64_t since = rdtsc(), ticks = (uint64_t)(seconds * tsc_hz);

	while (rdtsc() - since < ticks)
		pause();
}

/*
 * Request a call of a processor of the table. Announce the NMI before it is sent, so that it is
 * awaited.
 */
static void request(struct processor *p)
{
	p->nmi_sent = p->idle.way == IDLE_WAY_HALT;
	p->requested++;
	if (p->idle.way == IDLE_WAY_HALT)
		apic_send_nmi(p->id);
}

/*
 * Wait for the NMI of this call. A processor that halts gets one NMI for each call, and waits for
 * it even if it has seen the call before: the NMI must neither disturb the next measurement nor
 * come to the firmware.
 */
static void take_nmi(const struct processor *p)
{
	while (p->idle.way == IDLE_WAY_HALT && p->nmi_sent)
		pause();
}

/*
 * Choose as idle_choose; but only a processor that the APIC reaches may halt, and a processor that
 * a store did not wake keeps its way.
 */
static struct idle idle_of(const struct processor *p)
{
	struct idle i = idle_choose(&this_cpu, processors.idle);

	if (p->kicked)
		return p->idle;
	if (i.way == IDLE_WAY_HALT && !apic_reaches(p->id))
		i = (struct idle){ IDLE_WAY_PAUSE, 0, "no mwait here, and no APIC" };
	return i;
}

/* On a processor of the table: wait for calls and do them, until one with fn NULL. */
static void ap_serve(struct processor *p)
{
	for (;;) {
		idle_wait(&p->idle, &p->requested, &p->completed);
		take_nmi(p);
		p->accepted = p->requested;
		if (!p->fn)
			break;
		write_cr3(boot_cpu.kernel.cr3); /* memory may have other pages than before */
		p->fn(p->arg);
		p->completed = p->requested;
	}
	p->completed = p->requested;
}

/* The code of a started processor from then on. */
static void ap_main(void *arg) __attribute__((noreturn));
static void ap_main(void *arg)
{
	struct processor *p = arg;

	write_cr3(boot_cpu.kernel.cr3);
	descriptors_load(&p->descriptors);
	cpu_set_xcr0(boot_cpu.kernel.xcr0);
	p->idle = idle_of(p);
	apic_copy_thermal();
	processor_init(p);
	for (;;)
		ap_serve(p);
}

/*
 * Prepare the pages for the start. The first is made executable after the copy, the second stays
 * data. The root of our page tables may lie above 4 GiB, and CR3 cannot point there from real mode:
 * a copy of it lies in the third.
 */
static struct start *prepare_trampoline(const struct span *low)
{
	uint64_t code = low->base, data = code + START_PAGE * PAGE_4K;
	struct start *s = (struct start *)data;

	memset(s, 0, sizeof *s);
	memcpy((void *)code, ap_start, (size_t)(ap_end - ap_start));
	memcpy((void *)(code + ROOT_PAGE * PAGE_4K), address_space.tables.root, PAGE_4K);
	memcpy(s->gdt, boot_cpu.descriptors.gdt, sizeof s->gdt);
	s->gdt_register = (struct table_register){ sizeof s->gdt - 1, (uint64_t)s->gdt };
	s->far_offset = (uint32_t)(code + (uint64_t)(ap_long - ap_start));
	s->far_selector = SELECT_CODE;
	s->cr0 = (uint32_t)(boot_cpu.kernel.cr0 | PE_PG);
	s->cr3 = (uint32_t)(code + ROOT_PAGE * PAGE_4K);
	s->cr4 = (uint32_t)boot_cpu.kernel.cr4;
	s->efer = EFER_LME | (address_space.tables.has.no_execute ? (uint32_t)EFER_NXE : 0);
	s->allow_no_execute = no_execute_can_be_off(&this_cpu);
	s->fn = (uint64_t)ap_main;
	page_map(&address_space.tables, code, PAGE_4K, ACCESS_READ | ACCESS_EXECUTE, PAGE_4K);
	address_space_flush();
	return s;
}

static bool all_respond(const struct start *s)
{
	for (uint64_t i = 0; i < s->n; i++)
		if (((struct processor *)s->list[i].arg)->state != PROCESSOR_READY)
			return false;
	return true;
}

static void wait_for_all(const struct start *s, double seconds, double tsc_hz)
{
	uint64_t since = rdtsc(), ticks = (uint64_t)(seconds * tsc_hz);

	while (!all_respond(s) && rdtsc() - since < ticks)
		pause();
}

/* Send SIPI to those that have not responded yet. */
static void send_sipi(const struct start *s, uint64_t page)
{
	for (uint64_t i = 0; i < s->n; i++)
		if (((struct processor *)s->list[i].arg)->state != PROCESSOR_READY)
			apic_send_sipi(s->list[i].id, page);
}

/* List the processors that are not started. Returns how many cannot be reached. */
static unsigned list_all(struct start *s)
{
	unsigned unreachable = 0;

	s->list = processors.starting;
	s->n = 0;
	for (unsigned i = 1; i < processors.most; i++) {
		struct processor *p = &processors.list[i];

		if (p->state != PROCESSOR_NOT_STARTED && p->state != PROCESSOR_WAITS_FOR_SIPI)
			continue;
		p->state = PROCESSOR_UNRESPONSIVE; /* until it reports that it is ready */
		p->failure_reported |= !apic_reaches(p->id);
		if (!apic_reaches(p->id))
			unreachable++;
		else
			s->list[s->n++] = (struct starting){ p->id, 0, p->stack_top, p };
	}
	return unreachable;
}

/* Start all CPUs, then wait once: many that do not respond cost no more time than one. */
static void start_all(const struct start *s, double tsc_hz)
{
	uint64_t page = (uint64_t)s - START_PAGE * PAGE_4K;

	for (uint64_t i = 0; i < s->n; i++)
		apic_send_init(s->list[i].id);
	wait_seconds(INIT_SECONDS, tsc_hz);
	send_sipi(s, page);
	wait_for_all(s, RETRY_SECONDS, tsc_hz);
	send_sipi(s, page);
	wait_for_all(s, RESPONSE_SECONDS, tsc_hz);
}

/* Set once processors were started by it, and kept for processors that are started again. */
static struct start *trampoline;

/*
 * Start each processor of the table: it is then ready or unresponsive; it stays in the kernel and
 * waits for calls. Enters the step "cpus", which the caller leaves. low: memory below 1 MiB for the
 * trampoline.
 */
static void ap_startup_all(const struct span *low, double tsc_hz)
{
	unsigned unreachable;

	if (low->bytes < PAGES * PAGE_4K) {
		console_printf("no memory below 1 MiB: the other CPUs cannot be started\n");
		return;
	}
	step_enter("cpus");
	trampoline = prepare_trampoline(low);
	unreachable = list_all(trampoline);
	if (unreachable)
		console_printf("%u CPUs have APIC ids that this APIC mode does not reach: they are "
			       "not used\n",
			unreachable);
	start_all(trampoline, tsc_hz);
}

/*
 * --- Before ExitBootServices. The firmware's MP Services call a function on each processor, once
 * in the room: it switches to the kernel's state and waits there for work, asleep, so that no loop
 * of the firmware spins beside a measurement; at the end of the room it switches back and returns.
 */

#define START_PAUSES 3000000 /* an emulator takes tens of microseconds for each */
#define LEAVE_STALLS 10000   /* of 100 us */

/* On its own stack: signal that it is ready, and serve calls. */
static void serve(void *arg)
{
	struct processor *p = arg;

	p->idle = idle_of(p);
	processor_init(p);
	ap_serve(p);
}

/*
 * Runs on the other processor, called by the firmware; interrupts are off and stay so. Some
 * firmware leaves EFER.NXE off there, and then our page tables would fault at once.
 */
static void ap_procedure(void *arg)
{
	struct processor *p = arg;
	struct no_execute found;
	struct cpu_state firmware;

	cpu_state_read(&firmware);
	no_execute_enable(&this_cpu, &found);
	cpu_state_enter_kernel(&boot_cpu.kernel, &p->descriptors);
	on_stack(p->stack_top, serve, p);
	cpu_state_restore(&firmware);
	no_execute_restore(&this_cpu, &found);
}

static bool give_work(struct processor *p)
{
	if (firmware_cpu_start(p->mp_number, ap_procedure, p))
		return false;
	p->inside = true;
	for (unsigned i = 0; i < START_PAUSES && p->state != PROCESSOR_READY; i++)
		pause();
	return p->state == PROCESSOR_READY;
}

/* Find each processor's number in MP Services. Returns false if the firmware has none. */
static bool number_all(const struct machine *m)
{
	unsigned n = firmware_cpus();

	for (unsigned k = 1; k < n; k++)
		for (unsigned i = 1; i < processors.n; i++)
			if (processors.list[i].id == m->cpu_id(k))
				processors.list[i].mp_number = k;
	return n > 1;
}

static void give_each_work(void)
{
	for (unsigned i = 1; i < processors.most; i++) {
		struct processor *p = &processors.list[i];

		if (!p->mp_number || p->inside || !give_work(p))
			p->state = PROCESSOR_UNRESPONSIVE;
	}
}

/* Call it on each processor of the table: it is then ready or unresponsive. */
static void ap_firmware_start_all(const struct machine *m)
{
	step_enter("mp-services");
	console_printf("starting the other CPUs by the firmware's MP Services\n");
	if (number_all(m))
		give_each_work();
	else
		console_printf("the firmware has no MP Services for the other CPUs: one is used\n");
	step_left();
}

/*
 * Let a processor return to the firmware. After a fault of the boot processor it may still be at
 * work.
 */
static void leave(struct processor *p)
{
	bool asked = false;

	for (unsigned i = 0; i < LEAVE_STALLS && p->inside && p->state == PROCESSOR_READY; i++) {
		if (!asked && p->requested == p->completed) {
			asked = true;
			p->fn = NULL;
			request(p);
		}
		p->inside = !firmware_cpu_done(p->mp_number);
		if (p->inside)
			firmware_stall(100);
	}
}

/* Let all ready processors return to the firmware, a second at most for each. */
static void ap_firmware_leave_all(void)
{
	for (unsigned i = 1; i < processors.most; i++)
		leave(&processors.list[i]);
}

/*
 * The number in the list of a processor that has not returned to the firmware, because it faulted
 * or does not respond; 0: none. A firmware may wait for it for ever when its boot services end.
 */
static unsigned ap_firmware_stuck(void)
{
	for (unsigned i = 1; processors.list && i < processors.n; i++)
		if (processors.list[i].inside)
			return i;
	return 0;
}

/*
 * Seconds after which a processor that has not woken for a call is known to sleep on, because of an
 * erratum that we do not know: mwait ends in less than a millisecond, also from the deepest state.
 * A hypervisor's may only be slow; then the NMI does no harm.
 */
#define KICK_SECONDS       0.001
#define KICK_SECONDS_GUEST 0.1

/* A processor that takes longer hangs: a task waits and then works 5 s each at most. */
#define CALL_SECONDS 30

static struct processor *ready(unsigned cpu)
{
	return cpu && cpu < processors.nready ? &processors.list[processors.ready[cpu]] : NULL;
}

static int run_on(struct room *room, unsigned cpu, void (*fn)(void *), void *arg)
{
	struct processor *p = ready(cpu);

	if (!p || p->state != PROCESSOR_READY || p->requested != p->completed)
		return -1;
	p->fn = fn;
	p->arg = arg;
	(void)room;
	request(p);
	return 0;
}

static void report_failure(struct processor *p, unsigned cpu)
{
	if (p->failure_reported)
		return;
	p->failure_reported = true;
	if (p->state == PROCESSOR_FAULTED)
		console_printf("CPU %u (APIC id %u): %s at %llx, address %llx: it is not used\n",
			cpu, p->id, exception_name(p->fault.vector),
			(unsigned long long)p->fault.rip, (unsigned long long)p->fault_address);
	else
		console_printf("CPU %u (APIC id %u) does not respond: it is not used\n", cpu,
			p->id);
}

/*
 * Wake a processor by an NMI, which ends its mwait. From then on it waits in hlt for NMIs: if it
 * spun, its sibling would be measured as half a core.
 */
static void kick(struct processor *p)
{
	p->kicked = true;
	p->idle.why = "mwait missed a store";
	if (!apic_reaches(p->id)) {
		p->idle.way = IDLE_WAY_PAUSE; /* if it ever wakes */
		return;
	}
	p->idle.way = IDLE_WAY_HALT;
	p->nmi_sent = true;
	apic_send_nmi(p->id);
}

static bool sleeps_on(const struct processor *p, double ticks, const struct room *room)
{
	double seconds = room->facts.hypervisor[0] ? KICK_SECONDS_GUEST : KICK_SECONDS;

	return p->accepted != p->requested && p->idle.way < IDLE_WAY_HALT &&
		ticks > seconds * room->facts.tsc_hz;
}

static int run_wait(struct room *room, unsigned cpu)
{
	struct processor *p = ready(cpu);
	uint64_t since = rdtsc(), timeout = (uint64_t)(CALL_SECONDS * room->facts.tsc_hz);

	if (!p)
		return -1;
	while (p->state == PROCESSOR_READY && p->requested != p->completed &&
		rdtsc() - since < timeout) {
		if (sleeps_on(p, (double)(rdtsc() - since), room))
			kick(p);
		pause();
	}
	if (p->requested == p->completed)
		return 0;
	if (p->state == PROCESSOR_READY)
		p->state = PROCESSOR_UNRESPONSIVE;
	report_failure(p, cpu);
	return -1;
}

/*
 * The processor that executes this; NULL: none of the table. Each has descriptor tables of its own,
 * so the base of its GDT identifies it: one instruction that cannot fault, and that needs neither
 * its APIC, nor a segment base, nor its stack.
 */
static struct processor *this_processor(void)
{
	struct table_register gdt;

	store_gdt(&gdt);
	for (unsigned i = 0; i < processors.n; i++) {
		struct processor *p = &processors.list[i];

		if (gdt.base == (uint64_t)(i ? &p->descriptors : &boot_cpu.descriptors)->gdt)
			return p;
	}
	return NULL;
}

bool smp_fault(const struct frame *f)
{
	struct processor *p = this_processor();

	if (!p || p == &processors.list[processors.measuring])
		return false;
	p->fault = *f;
	p->fault_address = read_cr2();
	msr_restore(&p->controls.journal, 0);
	p->state = PROCESSOR_FAULTED;
	return true;
}

/*
 * Returns true for the NMI of a call. Any other NMI is a watchdog's, a device's or a machine error:
 * it is counted, and the processor goes on to halt. Two that come together are one (SDM vol. 3A,
 * "Handling Multiple NMIs"), so an NMI that comes while a call is under way is not counted.
 */
bool smp_nmi(struct frame *f)
{
	struct processor *p = this_processor();

	if (!p || !p->nmi_sent)
		return false;
	p->nmi_sent = false;
	idle_nmi(f);
	return true;
}

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
	enum { NONE, NOT_STARTED, DEEP, MWAIT, HALT, UNKNOWN, PAUSE };
	static const char *const names[] = { "none", "not started", "deep", "mwait", "halt",
		"unknown", SIBLINGS_PAUSE };
	static const unsigned by_way[] = { DEEP, MWAIT, HALT, PAUSE };
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
	list_all(trampoline);
	start_all(trampoline, room->facts.tsc_hz);
	processors.restarts++;
	for (unsigned i = 1; i < processors.n; i++)
		if (processors.list[i].state == PROCESSOR_UNRESPONSIVE)
			report_failure(&processors.list[i], i);
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
		else if (p->list[i].state != PROCESSOR_NOT_STARTED)
			report_failure(&p->list[i], i);
	}
	room->facts.cpus = p->nready;
	room->facts.topology = p->topology;
	room->run_on = p->nready > 1 ? run_on : NULL;
	room->run_wait = p->nready > 1 ? run_wait : NULL;
	room->wake = room->kind == ROOM_BARE ? wake : NULL;
	room->start_siblings = NULL;
	if (room->kind == ROOM_BARE && trampoline && p->idle != IDLE_PAUSE)
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
		if (run_on(room, cpu, nothing, NULL) == 0)
			run_wait(room, cpu);
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
	processors.restarts = 0;
	choose_most(kind, config);
	for (unsigned i = 1; i < processors.n; i++)
		if (processors.list[i].state != PROCESSOR_FAULTED)
			processors.list[i].state = PROCESSOR_NOT_STARTED;
	if (processors.most > 1 && kind == ROOM_FIRMWARE)
		ap_firmware_start_all(m);
	else if (processors.most > 1)
		ap_startup_all(&m->low, room->facts.tsc_hz);
	list_ready(room);
	wake_each(room);
	if (!strcmp(siblings_wait(), SIBLINGS_PAUSE))
		console_printf("a thread of the measuring core spins: " HALF_A_CORE "\n");
}

const char *smp_blocks_exit(void)
{
	static char text[80];
	unsigned cpu = ap_firmware_stuck();

	if (!cpu)
		return NULL;
	text_format(text, sizeof text, "CPU %u has not come back to the firmware, which may wait",
		cpu);
	return text;
}

void smp_describe_idle(const struct config *config, struct jsonl *l)
{
	static const char *const ways[] = { "deep", "mwait", "halt", "pause" };
	static const char *const asked[] = { "deep", "mwait", "pause" };
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
	request(boot);
	while (boot->requested != boot->completed)
		if (sleeps_on(boot, (double)(rdtsc() - since), h->room))
			kick(boot);
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
			ap_firmware_leave_all();
		return;
	}
	struct processor *p = &processors.list[cpu];

	processors.list[0].idle = idle_of(&processors.list[0]);
	processors.measuring = (unsigned)cpu;
	list_ready(room);
	p->fn = measure_here;
	p->arg = &h;
	request(p);
	ap_serve(&processors.list[0]);
	processors.measuring = 0;
	list_ready(room);
}
