/* SPDX-License-Identifier: MIT */
/* From the firmware's call to the end; each step is one call. */
#include <string.h>

#include "engine/doubts.h"
#include "engine/plan.h"
#include "engine/run_text.h"
#include "kernel/config.h"
#include "kernel/console/console.h"
#include "kernel/console/keys.h"
#include "kernel/console/serial.h"
#include "kernel/cpu/context.h"
#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/fault.h"
#include "kernel/cpu/tsc.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/finish.h"
#include "kernel/firmware/acpi.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/guarded_call.h"
#include "kernel/journal.h"
#include "kernel/memory/address_space.h"
#include "kernel/memory/arena.h"
#include "kernel/prompt.h"
#include "kernel/result/bare_result.h"
#include "kernel/result/last_run.h"
#include "kernel/result/result_log.h"
#include "kernel/result/stick_page.h"
#include "kernel/series.h"
#include "kernel/smp/apic.h"
#include "kernel/smp/processors.h"
#include "kernel/smp/smp.h"
#include "kernel/watchdog/watchdog.h"
#include "lib/exception.h"
#include "lib/text.h"
#include "page/picture/font.h"
#include "version.h"
#include "kernel/cpu/cpu_controls.h"
#include "kernel/cpu/machine_check.h"
#include "kernel/cpu/safe.h"
#include "kernel/firmware/usb.h"
#include "lib/jsonl_write.h"

static struct config config;

/* Esc was pressed in this room: it ends before its next row. */
static bool esc;

static void esc_poll(void)
{
	if (!esc && keys_read() == KEY_ESC)
		esc = true;
}

/* --- the rooms as the measuring code sees them --- */

#define CHECKS_PER_SECOND 100 /* the banks of machine checks are read at most this often */

/* State of the run in the current room. */
static struct {
	const struct machine *machine;
	unsigned machine_checks;  /* number that came in this room */
	uint64_t checks_interval; /* TSC ticks */
	uint64_t checked;         /* TSC at the last look at the banks */
} current;

static void *code_open(struct room *room, size_t bytes)
{
	const struct span *code = &address_space.layout.code;

	(void)room;
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

	(void)room;
	page_map(&address_space.tables, code->base, code->bytes, ACCESS_READ | ACCESS_EXECUTE,
		PAGE_4K);
	address_space_flush();
	return 0;
}

static unsigned table_entries(struct room *room, uint64_t address, uint64_t *entries[TABLE_LEVELS])
{
	(void)room;
	return page_entries(&address_space.tables, address, entries);
}

static struct timed call(struct room *room, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	(void)room;
	return loop(a[0], a[1], a[2], a[3], a[4], a[5]);
}

static int attempt(struct room *room, loop_fn *loop, const uint64_t args[LOOP_ARGS],
	const uint32_t *msrs, const char **why)
{
	struct msr_journal *journal = cpu_controls_journal();
	struct timed t;

	(void)room;
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

	(void)room;
	q->known = EVENT_INTERRUPTS | EVENT_NMIS;
	if (machine_checks_known())
		q->known |= EVENT_MACHINE_CHECKS;
	q->priv[PRIV_INTERRUPTS] = fault_counts.interrupts;
	q->priv[PRIV_NMIS] = fault_counts.nmis;
	for (unsigned i = 0; i < COUNTS; i++) {
		if (!c[i].msr)
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

	(void)room;
	for (unsigned i = 0; i < COUNTS; i++)
		if (c[i].msr)
			*(uint64_t *)((char *)q + counted[i].offset) =
				(rdmsr(c[i].msr) - q->priv[PRIV_COUNTERS + i]) & c[i].mask;
	q->interrupts = fault_counts.interrupts - q->priv[PRIV_INTERRUPTS];
	q->nmis = fault_counts.nmis - q->priv[PRIV_NMIS];
	if (machine_checks_known() && rdtsc() - current.checked > current.checks_interval)
		q->machine_checks = new_machine_checks();
}

static int read_msr(struct room *room, uint32_t msr, uint64_t *value)
{
	(void)room;
	return safe_rdmsr(msr, value);
}

static uint64_t now(struct room *room)
{
	(void)room;
	return rdtsc();
}

static void write(struct room *room, const char *line, size_t n)
{
	const char *text;
	size_t bytes;

	(void)room;
	results_add(line, n);
	watchdog_feed();
	text = results_text(&bytes);
	dashboard_line(text, bytes, n);
	esc_poll(); /* nothing is timed here: a row has ended */
}

static void say_text(struct room *room, const char *text, size_t n)
{
	(void)room;
	console_write(text, n);
}

/* Show "[3/80] at most 9 s left: latency random-lines 32 KiB", and keep it for a fault report. */
static void progress(struct room *room, const char *text, size_t n, double part)
{
	static char row[80];

	(void)room;
	text_format(row, sizeof row, "%.*s", (int)n, text);
	fault_during(row);
	watchdog_during(row);
	watchdog_feed();
	console_progress(text, n);
	dashboard_progress(text, n, part);
}

/* Called between samples too, where reading keys would disturb: look at the flag only. */
static bool stop(struct room *room)
{
	(void)room;
	watchdog_feed();
	return esc;
}

static void describe(struct room *room, struct jsonl *l)
{
	const struct machine *m = current.machine;
	unsigned listed = config.errors < CONFIG_ERRORS ? config.errors : CONFIG_ERRORS;

	if (m->started_utc[0])
		jsonl_string(l, "time_utc", m->started_utc);
	jsonl_object(l, "firmware");
	jsonl_string(l, "vendor", m->firmware_vendor);
	jsonl_integer(l, "revision", m->firmware_revision);
	jsonl_integer(l, "uefi_revision", m->uefi_revision);
	jsonl_object_end(l);
	jsonl_array(l, "config_errors");
	for (unsigned i = 0; i < listed; i++)
		jsonl_string(l, NULL, config.error[i]);
	jsonl_array_end(l);
	jsonl_integer(l, "measured_on", processors.measuring);
	arena_describe(l);
	smp_describe_idle(&config, l);
	if (room->kind == ROOM_BARE)
		usb_describe_handoff(&config, l);
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

/* Print the machine checks that were kept, below a line that says when they came. */
static void show_machine_checks(unsigned n, const char *when)
{
	char text[MACHINE_CHECKS_KEPT * MACHINE_CHECK_TEXT];

	if (!n)
		return;
	console_printf("%u machine check(s) %s:\n", n, when);
	console_write(text, machine_checks_text(text, sizeof text));
}

/* Show machine checks from before this start; the banks keep them for the system that logs. */
static void show_earlier_machine_checks(void)
{
	unsigned n = machine_checks_open(&this_cpu);

	machine_checks_take();
	show_machine_checks(n, "from before this start");
}

/* CPUID for struct room. */
static struct cpuid cpu_room_cpuid(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	(void)room;
	return cpuid(leaf, subleaf);
}

/* Fill the members that both rooms share, and the facts of the machine, in the kernel's state. */
static void room_open(struct room *room, const struct machine *m)
{
	const struct acpi_table *fadt = acpi_find(m->rsdp, "FACP");

	memset(room, 0, sizeof *room);
	current.machine = m;
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
		.stop = stop,
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
	room->smi = (struct smi_request){ config.smi_ask > 0, .value = (uint8_t)config.smi_ask };
	room->smi.why = acpi_smi_port(fadt, room->smi.value, &room->smi.port);
	arena_open(room, m, &config);
	show_earlier_machine_checks();
}

/* Prepare a room: start the other processors. */
static void room_enter(struct room *room, enum room_kind which)
{
	room->kind = which;
	keys_read();
	esc = false;
	fault_counts = (struct fault_counts){ 0, 0, 0 };
	smp_enter_room(room, which, current.machine, &config);
	if (which == ROOM_BARE) {
		usb_take_over(&config);
		step_left();
	}
}

/* On the processor that measures: apply the CPU controls. */
static void room_begin(struct room *room)
{
	machine_checks_open(&this_cpu);
	current.machine_checks = 0;
	current.checks_interval = (uint64_t)(room->facts.tsc_hz / CHECKS_PER_SECOND);
	cpu_controls_apply(room, &config);
	smp_start_siblings(room, false);
}

/* On the same: restore what was changed on the processors and the arena; also after a fault. */
static void room_leave(struct room *room)
{
	fault_during(NULL);
	watchdog_during(NULL);
	show_machine_checks(current.machine_checks, "came while this room measured");
	arena_leave();
	smp_start_siblings(room, true);
	cpu_controls_restore(room);
}

/* --- a start --- */

#define LINE_COLUMNS  79
#define PICTURE_BYTES (2 * MIB) /* for the live curve of a probe */

static struct room room;

/* Print a word in letters seven lines high; at most 13 letters fit into 80 columns. */
static void say_large(const char *word)
{
	for (unsigned y = 0; y < 7; y++) {
		char line[80];
		unsigned n = 0;

		for (const char *p = word; *p && n + 7 < sizeof line; p++)
			for (unsigned x = 0; x < 6; x++)
				line[n++] = font_dots((unsigned char)*p, y) & 0x80 >> (x + 1) ? '#'
											      : ' ';
		line[n++] = '\n';
		console_write(line, n);
	}
}

static void say_sources(const struct facts *f)
{
	char off[SOURCES_OFF_TEXT];

	tsc_sources_off(f, off);
	console_printf("TSC %.6f MHz by %s; sources differ by %.0f ppm%s:\n%s", f->tsc_hz / 1e6,
		f->tsc_source, f->tsc_disagree_ppm, off,
		f->tsc_invariant ? "" : "  (CPUID does not call it invariant)\n");
	for (unsigned i = 0; i < f->tsc_sources; i++)
		if (f->tsc[i].hz > 0)
			console_printf("  %-16s %12.6f MHz %s\n", f->tsc[i].name,
				f->tsc[i].hz / 1e6, f->tsc[i].claimed ? "(claimed)" : "");
}

/* The first lines: the program's name, the machine; in large letters if it is not real hardware. */
static void banner_name(void)
{
	console_printf("\nanechoic " VERSION ": an anechoic chamber for processors\n");
}

static void banner_machine(const struct machine *m, const struct facts *f)
{
	if (*facts_mark(f)) {
		console_printf("\n");
		say_large(facts_mark(f));
	}
	if (f->emulated || f->hypervisor[0])
		console_printf("\n%s (%s): %s\n\n",
			f->emulated ? "an emulator executes this" : "a hypervisor is present",
			f->hypervisor,
			*facts_mark(f) == 'S' ? "its timings are those of the stated processor"
				: f->emulated ? "its timings mean nothing"
					      : "its timings include what it does");
	if (f->may_be)
		console_printf("\nthis may be %s although CPUID does not say so:\n",
			f->may_be == DOUBT_EMULATED ? "an emulator" : "a virtual machine");
	for (const char *at = f->may_be_why; *at;) {
		const char *reason = at;

		console_printf("  %.*s\n", (int)text_clause(&at), reason);
	}
	console_printf("firmware %s revision %x, UEFI %u.%u, memory %llu MiB, arena %llu MiB\n",
		m->firmware_vendor, m->firmware_revision, m->uefi_revision >> 16,
		(m->uefi_revision & 0xffff) / 10, (unsigned long long)(f->memory_bytes / MIB),
		(unsigned long long)(m->arena.bytes / MIB));
	if (m->arena_node != UINT32_MAX)
		console_printf("the arena lies on node %u, memory of %u more node(s) beside it\n",
			m->arena_node, m->nbeside);
	say_sources(f);
	console_printf("%.2f s since the image was entered\n",
		(double)(rdtsc() - m->entry_ticks) / f->tsc_hz);
}

static void report_fault(void)
{
	static char text[2048];
	size_t n = fault_text(text, sizeof text);

	room_leave(&room);
	dashboard_close();
	console_write(text, n);
	bench_faulted(&room, fault_summary());
}

/*
 * Check the configured probes. A name that no row has is reported, and the others are measured; if
 * no name fits, all probes are. Nobody can be asked again.
 */
static void check_selection(struct options *opt)
{
	struct unplanned u = selection_unplanned(&room, opt);

	if (!u.name)
		return;
	console_printf("probes = '%.*s': this profile has no variant of that name here\n"
		       "(`anechoic explain` under Linux lists the variants); %s\n",
		(int)u.n, u.name, u.any ? "the others are measured" : "all probes are measured");
	if (!u.any)
		opt->probes[0] = 0;
}

/* Measure in this room. A fault ends the run but not the program: returns false then. */
static bool run_guarded(void)
{
	static struct context back;
	static struct options opt;

	if (context_save(&back)) {
		report_fault();
		return false;
	}
	fault_recover_to(&back);
	opt = config.options;
	check_selection(&opt);
	bench_run(&room, &opt); /* it reports errors itself */
	fault_recover_to(NULL);
	return true;
}

struct room_run {
	const struct machine *machine;
	bool completed;
};

/* Runs on the measuring processor. */
static void run_here(void *arg)
{
	struct room_run *r = arg;

	room_begin(&room);
	results_open(r->machine, room.kind, room.facts.tsc_hz);
	r->completed = run_guarded();
	room_leave(&room);
	size_t n;
	const char *text = results_text(&n);

	last_run_show(room.kind, text, n, console_say, NULL);
	results_close();
}

/* The number of characters for a line of `most` columns: up to a space, if there is one. */
static unsigned fitting(const char *text, unsigned most)
{
	unsigned n = (unsigned)strlen(text);

	if (n <= most)
		return n;
	for (n = most; n && text[n] != ' '; n--)
		;
	return n ? n : most;
}

static void say_line(const char *line)
{
	for (const char *indent = ""; *line; indent = "  ") {
		unsigned n = fitting(line, LINE_COLUMNS - (unsigned)strlen(indent));

		console_printf("%s%.*s\n", indent, (int)n, line);
		line += n;
		line += *line == ' ';
	}
}

static unsigned number_of(enum room_kind kind)
{
	return kind == ROOM_BARE ? config_rooms(&config) : 1;
}

/* Print "room 2 of 2, bare: ...". */
static void say_room(enum room_kind kind)
{
	const char *keys = keys_work();

	console_printf("\n");
	series_say(number_of(kind) - 1);
	console_printf("room %u of %u, %s: about %.0f s%s\n", number_of(kind),
		config_rooms(&config), room_names[kind], expected_seconds(&config.options),
		!keys                           ? "; no key can end it"
			: kind == ROOM_FIRMWARE ? "; Esc ends it"
						: "; Esc ends it (not of a USB keyboard)");
}

static void show_page(const struct machine *m)
{
	const char *file = results_filed();
	size_t n;

	if (file) {
		const char *text = results_text(&n);
		stick_page(m, &config, file, text, n);
	}
}

/* Store room bare's result and reset. Returns if no reset brings it home, and none was promised. */
static void bring_home(const struct machine *m)
{
	const char *not_stored = store_and_reset(m);
	bool off_by_user = config.store == STORE_OFF;
	size_t n;

	results_text(&n);
	if (!n)
		console_printf("no result is stored: %s\n", not_stored);
	if (!n || off_by_user)
		return;
	series_end("its result is not stored");
	steps_end();
	finish_undelivered(not_stored);
}

static void measure_in(enum room_kind kind, const struct machine *m)
{
	static char title[32];

	text_format(title, sizeof title, "room %s, %u of %u", room_names[kind], number_of(kind),
		config_rooms(&config));
	config.options.later_s = series_seconds(number_of(kind));
	say_room(kind);
	dashboard_open(title);
	struct room_run run = { .machine = m };

	room_enter(&room, kind);
	smp_measure_on(&room, config.options.cpu, run_here, &run);
	if (kind == ROOM_FIRMWARE) {
		show_page(m);
		results_send();
	}
	if (esc) {
		console_printf("\nEsc ended this room early: its result says interrupted\n");
		series_end("Esc");
	}
	if (kind == ROOM_BARE)
		bring_home(m);
	if (!run.completed)
		finish_after_fault();
}

/*
 * Make screen writes combining. Much firmware leaves the framebuffer uncached, where a scroll on a
 * large screen takes a second. Its pages are mapped as write-combining (layout_map), which takes
 * effect here. It is never set back: the machine ends in a reset.
 */
static void combine_screen_writes(void)
{
	static struct msr_journal for_good = { .cpu = &this_cpu };

	pat_prepare(&for_good);
}

/* Say where the run can be watched. If the display needs the firmware, these lines stay on it. */
static void say_what_is_seen(const struct framebuffer *f)
{
	const char *why = config.screen == SCREEN_OFF ? "screen = off" : f->absent;

	console_printf("leaving the firmware: from here on without interrupts\n");
	if (config.screen == SCREEN_ON && f->span.bytes)
		return;
	console_printf("The display shows nothing new from here on (%s).\n"
		       "Room bare takes about %.0f s%s\n",
		why, expected_seconds(&config.options),
		config.serial == SERIAL_OFF
			? ", and the serial line shows nothing either."
			: "; follow it on the serial line, where there is one.");
}

/* End boot services and take over the firmware's tasks. */
static bool leave_firmware(const struct machine *m)
{
	say_what_is_seen(&m->screen);
	step_enter("exit");
	if (firmware_exit_boot_services()) {
		step_left();
		console_printf("the firmware does not end its boot services: no room bare\n");
		return false;
	}
	if (step_hung("runtime"))
		firmware_forbid_variables();
	apic_mask();
	combine_screen_writes();
	console_take_over();
	keys_take_over();
	step_left(); /* this sets a variable: only from here on can a failure of it be reported */
	banner_name();
	return true;
}

/* Returns false if the exit would hang, as in an earlier start or because of a CPU that is lost. */
static bool bare_is_safe(void)
{
	const char *hung = step_hung("exit"), *blocked = smp_blocks_exit();

	if (blocked)
		console_printf("\nno room bare: %s\nfor it for ever as its boot services end\n",
			blocked);
	else if (hung)
		console_printf("\nno room bare this once: leaving the firmware may hang:\n  %s\n"
			       "store = off and state = clear: enter it always, for the screen\n",
			hung);
	return !blocked && !hung;
}

/* Find the last run of each room, while files can be read. */
static void find_last_runs(const struct machine *m)
{
	char line[MACHINE_LINE], own[STORED_RESULT_FILE];
	struct line machine =
		last_run_machine(&room, config.options.identity != IDENTITY_OFF, line);

	for (enum room_kind kind = ROOM_FIRMWARE; kind <= ROOM_BARE; kind++) {
		results_file(own, kind);
		last_run_find(&firmware_storage, machine, kind, own, &m->arena);
	}
}

/* Measure one run, except rooms whose result an interrupted start has stored already. */
static void measure_rooms(struct machine *m)
{
	bool there = config.options.runs > 1 && results_there(ROOM_FIRMWARE);

	find_last_runs(m);
	watchdog_start(config_rooms(&config) * expected_seconds(&config.options));
	if (config.rooms != ROOMS_BARE && !there)
		measure_in(ROOM_FIRMWARE, m);
	if (config.rooms == ROOMS_FIRMWARE)
		return;
	if (esc)
		console_printf("\nEsc was pressed: room bare is left out\n");
	else if (bare_is_safe() && bare_result_prepare(m, &config) && leave_firmware(m))
		measure_in(ROOM_BARE, m);
}

/* Measure one run of a series. Returns false if the user cancelled at the prompt. */
static bool measure_run(struct machine *m)
{
	series_open(m, &config);
	if (bare_result_harvest(m, &config) && !series_next())
		return true;
	if (!prompt_open(m, &config)) {
		series_end("Esc");
		return false;
	}
	if (!series_begin())
		return true;
	measure_rooms(m);
	if (series_next()) /* room bare was left out, or not wanted */
		finish_between();
	return true;
}

/* Everything on the kernel's stack, in the kernel's state. */
static void on_kernel_stack(void *machine)
{
	struct machine *m = machine;
	bool leaves = false;

	journal_open(m, &config); /* steps that the last start did not come back from */
	acpi_report(m->rsdp);
	/* list the processors */
	processors_open(m, config.options.cpu);
	room_open(&room, m);                     /* the facts of this processor */
	if (!tsc_rate_measure(&room, m->rsdp)) { /* the rate of its TSC */
		console_printf("no source for the rate of the TSC: nothing can be measured\n");
	} else {
		doubts_of_machine(&room);
		banner_machine(m, &room.facts);
		watchdog_open(m, &config);
		leaves = !measure_run(m);
	}
	steps_end();
	watchdog_stop();
	if (!leaves)
		finish_run();
	console_give_back();
}

/* Choose memory and build page tables and stacks in it. Returns NULL, or why it cannot be done. */
static const char *take_memory(struct machine *m)
{
	uint64_t measures = config.rooms == ROOMS_FIRMWARE ? 0 : config.options.cpu;
	const char *why = encrypted_guest(&this_cpu);
	uint64_t serial;

	if (why)
		return why;
	acpi_use_map(&m->map);
	serial = serial_choose(config.serial, acpi_serial(m->rsdp));
	console_choose_serial(config.serial != SERIAL_OFF);
	if (!memory_choose(m, processors_id(m, measures)))
		return "too little memory to work in";
	return address_space_build(m, serial);
}

/* Runs on the firmware's stack, in the firmware's state. */
void kernel_main(struct machine *m)
{
	static const struct fault_handlers handlers = { smp_fault, runtime_mend, apic_alarm_rings,
		smp_nmi, console_emergency, stop_after_fatal_fault };
	const struct span *stack = address_space.layout.stack;
	const char *why;

	firmware_use(m, say_line);
	finish_open(m, &config);
	banner_name();
	config_parse(&config, &m->config, &m->options, say_line);
	why = take_memory(m);
	if (why) {
		console_printf("the program cannot run here: %s\n", why);
		return;
	}
	boot_cpu_open(&address_space.layout, (uint64_t)address_space.tables.root);
	const struct span pictures = { (uint64_t)work_memory_take(PICTURE_BYTES), PICTURE_BYTES };

	dashboard_setup(&pictures, &m->arena);
	last_run_setup(work_memory_take(LAST_RUN_BYTES));
	console_setup(&m->screen, work_memory_take(console_memory(&m->screen)),
		config.screen == SCREEN_ON);
	fault_open(&m->image, &handlers);
	switch_to_kernel();
	on_stack((void *)(stack->base + stack->bytes), on_kernel_stack, m);
	switch_to_firmware();
}
