/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "kernel/kernel_room.h"

#include "engine/doubts.h"
#include "kernel/console/console.h"
#include "kernel/console/keys.h"
#include "kernel/cpu/cpu_controls.h"
#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/fault.h"
#include "kernel/cpu/machine_check.h"
#include "kernel/cpu/safe.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/firmware/acpi.h"
#include "kernel/firmware/usb.h"
#include "kernel/guarded_call.h"
#include "kernel/journal.h"
#include "kernel/memory/address_space.h"
#include "kernel/memory/arena.h"
#include "kernel/result/result_log.h"
#include "kernel/smp/processors.h"
#include "kernel/smp/smp.h"
#include "kernel/watchdog/watchdog.h"
#include "lib/exception.h"
#include "lib/jsonl_write.h"
#include "lib/text.h"
#include "version.h"

#define SCI_ENABLED 1 /* ACPI 6.5, 4.8.3.2.1: events are interrupts of ACPI, not SMIs */

#define CHECKS_PER_SECOND 100 /* the banks of machine checks are read at most this often */

/* The run in the current room. */
static struct {
	const struct machine *machine;
	const struct config *config;
	bool esc;                 /* pressed: it ends before its next row */
	unsigned machine_checks;  /* that came in it */
	uint64_t checks_interval; /* TSC ticks */
	uint64_t checked;         /* TSC at the last look at the banks */
	uint64_t gdt;             /* of the measuring CPU */
	uint16_t pm1_control;     /* port; 0: none */
} current;

/*
 * Returns true on the measuring CPU, whose banks were opened and whose counters were started: other
 * CPUs have banks of their own, and look for gaps in their time. Each has a GDT of its own.
 */
static bool measures_here(void)
{
	struct table_register gdt;

	store_gdt(&gdt);
	return gdt.base == current.gdt;
}

static void esc_poll(void)
{
	if (!current.esc && keys_read() == KEY_ESC)
		current.esc = true;
}

bool kernel_room_ended(void)
{
	return current.esc;
}

static void *code_open(struct room *room, size_t bytes)
{
	const struct span *code = &address_space.layout.code;

	if (bytes > code->bytes)
		return NULL;
	page_map(&address_space.tables, code->base, code->bytes, ACCESS_READ | ACCESS_WRITE,
		PAGE_4K);
	address_space_flush();
	return (void *)code->base;
}

static int code_seal(struct room *room)
{
	const struct span *code = &address_space.layout.code;

	page_map(&address_space.tables, code->base, code->bytes, ACCESS_READ | ACCESS_EXECUTE,
		PAGE_4K);
	address_space_flush();
	return 0;
}

static unsigned table_entries(struct room *room, uint64_t address, uint64_t *entries[TABLE_LEVELS])
{
	return page_entries(&address_space.tables, address, entries);
}

static struct timed call(struct room *room, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	return loop(a[0], a[1], a[2], a[3], a[4], a[5]);
}

static int attempt(struct room *room, loop_fn *loop, const uint64_t args[LOOP_ARGS],
	const uint32_t *msrs, const char **why)
{
	struct msr_journal *journal = cpu_controls_journal();
	struct timed t;

	for (const uint32_t *msr = msrs; msr && *msr; msr++) {
		enum msr_result kept = msr_keep(journal, *msr);

		if (kept != MSR_CHANGED)
			return *why = msr_why(kept), -1;
	}
	const struct escape *e = fault_try(loop, args, &t);

	*why = e ? exception_name(e->vector) : NULL;
	for (const uint32_t *msr = msrs; *why && msr && *msr; msr++)
		msr_undo(journal, *msr);
	return *why ? -1 : 0;
}

static const struct {
	uint32_t known;
	size_t offset;
} counted[COUNTS] = {
	[COUNT_CYCLES] = { EVENT_CORE_CYCLES, offsetof(struct event_counts, core_cycles) },
	[COUNT_INSTRUCTIONS] = { EVENT_INSTRUCTIONS, offsetof(struct event_counts, instructions) },
	[COUNT_MISPREDICTS] = { EVENT_MISPREDICTS, offsetof(struct event_counts, mispredicts) },
	[COUNT_SMIS] = { EVENT_SMIS, offsetof(struct event_counts, smis) },
};

enum { PRIV_COUNTERS, PRIV_INTERRUPTS = COUNTS, PRIV_NMIS };

/* Interrupts are off in the kernel's state; the counts prove that none came. */
static void timed_begin(struct room *room, struct event_counts *q)
{
	const struct pmu_counter *c = cpu_controls_counters()->of;
	bool here = measures_here();

	q->known = EVENT_INTERRUPTS | EVENT_NMIS;
	if (here && machine_checks_known())
		q->known |= EVENT_MACHINE_CHECKS;
	q->priv[PRIV_INTERRUPTS] = fault_counts.interrupts;
	q->priv[PRIV_NMIS] = fault_counts.nmis;
	for (unsigned i = 0; i < COUNTS; i++) {
		if (!c[i].msr || (!here && i != COUNT_SMIS))
			continue;
		q->known |= counted[i].known;
		q->priv[PRIV_COUNTERS + i] = rdmsr(c[i].msr);
	}
}

static unsigned new_machine_checks(void)
{
	unsigned n = machine_checks_poll();

	current.checked = rdtsc();
	current.machine_checks += n;
	return n;
}

static void timed_end(struct room *room, struct event_counts *q)
{
	const struct pmu_counter *c = cpu_controls_counters()->of;

	for (unsigned i = 0; i < COUNTS; i++)
		if (q->known & counted[i].known)
			*(uint64_t *)((char *)q + counted[i].offset) =
				(rdmsr(c[i].msr) - q->priv[PRIV_COUNTERS + i]) & c[i].mask;
	q->interrupts = fault_counts.interrupts - q->priv[PRIV_INTERRUPTS];
	q->nmis = fault_counts.nmis - q->priv[PRIV_NMIS];
	if ((q->known & EVENT_MACHINE_CHECKS) &&
		rdtsc() - current.checked > current.checks_interval)
		q->machine_checks = new_machine_checks();
}

static int read_msr(struct room *room, uint32_t msr, uint64_t *value)
{
	return safe_rdmsr(msr, value);
}

static uint64_t now(struct room *room)
{
	return rdtsc();
}

static void write(struct room *room, const char *line, size_t n)
{
	const char *text;
	size_t bytes;

	results_add(line, n);
	watchdog_feed();
	text = results_text(&bytes);
	dashboard_line(text, bytes, n);
	esc_poll(); /* nothing is timed here: a row has ended */
}

static void say_text(struct room *room, const char *text, size_t n)
{
	console_write(text, n);
}

/* Show "row 3, at most 9 s left to measure: latency flushed 1M", and keep it for a fault report. */
static void progress(struct room *room, const char *text, size_t n, double part)
{
	static char row[80];

	text_format(row, sizeof row, "%.*s", (int)n, text);
	fault_during(row);
	watchdog_during(row);
	watchdog_feed();
	console_progress(text, n);
	dashboard_progress(text, n, part);
}

/* Called between samples, too: it looks for no key. */
static bool esc_pressed(struct room *room)
{
	watchdog_feed();
	return current.esc;
}

/* Write how this program was started, and what it found set. */
static void describe_door(const struct machine *m, struct jsonl *l)
{
	jsonl_string(l, "door", m->door);
	jsonl_string(l, "loader", m->loader);
	if (*m->after)
		jsonl_string(l, "after", m->after);
	jsonl_object(l, "found");
	for (unsigned i = 0; i < m->nfound; i++)
		jsonl_integer(l, m->found[i].name, m->found[i].value);
	jsonl_object_end(l);
}

static void describe(struct room *room, struct jsonl *l)
{
	const struct machine *m = current.machine;
	const struct config *c = current.config;
	unsigned listed = c->errors < CONFIG_ERRORS ? c->errors : CONFIG_ERRORS;

	if (m->started_utc[0])
		jsonl_string(l, "time_utc", m->started_utc);
	if (m->door)
		describe_door(m, l);
	jsonl_object(l, "firmware");
	jsonl_string(l, "vendor", m->firmware_vendor);
	jsonl_integer(l, "revision", m->firmware_revision);
	jsonl_integer(l, "uefi_revision", m->uefi_revision);
	if (current.pm1_control)
		jsonl_bool(l, "acpi_mode", in16(current.pm1_control) & SCI_ENABLED);
	jsonl_object_end(l);
	jsonl_array(l, "config_errors");
	for (unsigned i = 0; i < listed; i++)
		jsonl_string(l, NULL, c->error[i]);
	jsonl_array_end(l);
	jsonl_integer(l, "measured_on", processors.measuring);
	arena_describe(l, smp_other_memory_types());
	smp_describe_idle(room->kind, c, l);
	if (room->kind == ROOM_BARE)
		usb_describe_handoff(c, l);
}

static void conclude(struct room *room, struct jsonl *l)
{
	if (room->start_siblings)
		jsonl_integer(l, "siblings_started", processors.restarts);
	jsonl_integer(l, "interrupts", fault_counts.interrupts);
	jsonl_integer(l, "nmis", fault_counts.nmis);
	jsonl_integer(l, "exceptions", fault_counts.exceptions);
	new_machine_checks();
	if (machine_checks_known())
		jsonl_integer(l, "machine_checks", current.machine_checks);
}

/* Say the machine checks that were kept, below a line that says when they came. */
static void show_machine_checks(unsigned n, const char *when)
{
	char text[MACHINE_CHECKS_KEPT * MACHINE_CHECK_TEXT];

	if (!n)
		return;
	console_printf("%u machine check(s) %s:\n", n, when);
	console_write(text, machine_checks_text(text, sizeof text));
}

/* The banks keep them, for the system that logs them. */
static void show_earlier_machine_checks(void)
{
	unsigned n = machine_checks_open(&this_cpu);

	machine_checks_take();
	show_machine_checks(n, "from before this start");
}

/* CPUID for struct room. */
static struct cpuid cpu_room_cpuid(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	return cpuid(leaf, subleaf);
}

void kernel_room_open(struct room *room, const struct machine *m, const struct config *c)
{
	const struct acpi_table *fadt = acpi_find(m->rsdp, "FACP");

	current.machine = m;
	current.config = c;
	*room = (struct room){
		.work = (unsigned char *)address_space.layout.work.base,
		.work_bytes = address_space.layout.work.bytes,
		.code_open = code_open,
		.code_seal = code_seal,
		.table_entries = table_entries,
		.call = call,
		.attempt = attempt,
		.guard = guard,
		.timed_begin = timed_begin,
		.timed_end = timed_end,
		.cpuid = cpu_room_cpuid,
		.now = now,
		.read_msr = read_msr,
		.write = write,
		.say = say_text,
		.progress = progress,
		.stop = esc_pressed,
		.describe = describe,
		.conclude = conclude,
	};
	cpu_describe(room, boot_cpu.kernel.xcr0);
	room->facts.build = VERSION;
	room->facts.cpus = 1;
	room->facts.table_levels = address_space.tables.has.levels;
	room->facts.memory_bytes = layout_memory(&m->map);
	room->facts.host = m->host;
	if (fadt)
		doubts_acpi_maker(&room->facts, fadt);
	current.pm1_control = acpi_pm1_control(fadt);
	room->smi = (struct smi_request){ c->smi_ask > 0, .value = (uint8_t)c->smi_ask };
	room->smi.why = acpi_smi_port(fadt, room->smi.value, &room->smi.port);
	arena_open(room, m, c);
	show_earlier_machine_checks();
}

void kernel_room_enter(struct room *room, enum room_kind which)
{
	room->kind = which;
	keys_read();
	current.esc = false;
	fault_counts = (struct fault_counts){ 0, 0, 0 };
	smp_enter_room(room, which, current.machine, current.config);
	if (which == ROOM_BARE) {
		usb_take_over(current.config);
		step_left();
	}
}

void kernel_room_begin(struct room *room)
{
	struct table_register gdt;

	store_gdt(&gdt);
	current.gdt = gdt.base;
	machine_checks_open(&this_cpu);
	current.machine_checks = 0;
	current.checks_interval = (uint64_t)(room->facts.tsc_hz / CHECKS_PER_SECOND);
	cpu_controls_apply(room, current.config);
	smp_start_siblings(room, false);
}

void kernel_room_leave(struct room *room)
{
	fault_during(NULL);
	watchdog_during(NULL);
	show_machine_checks(current.machine_checks, "came while this room measured");
	arena_leave();
	smp_start_siblings(room, true);
	cpu_controls_restore(room);
}
