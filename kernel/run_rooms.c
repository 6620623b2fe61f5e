/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/run_rooms.h"

#include "engine/plan_trial.h"
#include "engine/run_text.h"
#include "kernel/banner.h"
#include "kernel/console/console.h"
#include "kernel/console/keys.h"
#include "kernel/console/serial.h"
#include "kernel/cpu/context.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/fault.h"
#include "kernel/cpu/msr.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/finish.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/journal.h"
#include "kernel/kernel_room.h"
#include "kernel/memory/arena.h"
#include "kernel/prompt.h"
#include "kernel/result/bare_result.h"
#include "kernel/result/last_run.h"
#include "kernel/result/result_log.h"
#include "kernel/result/stick_page.h"
#include "kernel/series.h"
#include "kernel/smp/apic.h"
#include "kernel/smp/smp.h"
#include "kernel/watchdog/watchdog.h"
#include "lib/text.h"

/* A run of rooms, in this start. */
struct start_run {
	struct room *room;
	struct machine *machine;
	struct config *config;
	bool completed; /* no fault ended the last room */
};

static void report_fault(struct room *room)
{
	static char text[2048];
	size_t n = fault_text(text, sizeof text);

	kernel_room_leave(room);
	dashboard_close();
	console_write(text, n);
	bench_faulted(room, fault_summary());
}

/*
 * Check the configured probes. A name that no row has is reported, and the others are measured; if
 * no name fits, all probes are. Nobody can be asked again.
 */
static void check_selection(struct room *room, struct options *opt)
{
	struct unplanned u = selection_unplanned(room, opt);

	if (!u.name)
		return;
	console_printf("probes = '%.*s': this profile has no variant of that name here\n"
		       "(`anechoic explain` under Linux lists the variants); %s\n",
		(int)u.n, u.name, u.any ? "the others are measured" : "all probes are measured");
	if (!u.any)
		opt->probes[0] = 0;
}

/* Measures in this room. Returns false if a fault ended the room; the program goes on. */
static bool run_guarded(struct room *room, const struct options *options)
{
	static const char over[] = "this room has ended; its results are on their way";
	static struct context back;
	static struct options opt;

	if (context_save(&back)) {
		report_fault(room);
		return false;
	}
	fault_recover_to(&back);
	opt = *options;
	check_selection(room, &opt);
	bench_run(room, &opt); /* says itself what was wrong */
	dashboard_progress(over, sizeof over - 1, 1);
	fault_recover_to(NULL);
	return true;
}

/* On the measuring processor. */
static void run_here(void *arg)
{
	struct start_run *run = arg;
	struct room *room = run->room;

	kernel_room_begin(room);
	results_open(run->machine, room->kind, room->facts.tsc_hz);
	run->completed = run_guarded(room, &run->config->options);
	kernel_room_leave(room);
	size_t n;
	const char *text = results_text(&n);

	last_run_show(room->kind, text, n, console_say, NULL);
	results_close();
}

static unsigned number_of(const struct config *c, enum room_kind kind)
{
	return kind == ROOM_BARE ? config_rooms(c) : 1;
}

/* "room 2 of 2, bare: ..." */
static void say_room(const struct config *c, enum room_kind kind)
{
	const char *keys = keys_work();

	console_printf("\n");
	series_say(number_of(c, kind) - 1);
	console_printf("room %u of %u, %s: about %.0f s%s\n", number_of(c, kind), config_rooms(c),
		room_names[kind], expected_seconds(&c->options),
		!keys                           ? "; no key can end it"
			: kind == ROOM_FIRMWARE ? "; Esc ends it"
						: "; Esc ends it (not of a USB keyboard)");
}

static void show_page(const struct machine *m, const struct config *c)
{
	const char *file = results_filed();
	size_t n;

	if (file) {
		const char *text = results_text(&n);
		stick_page(m, c, file, text, n);
	}
}

/* Returns where no reset brings room bare's result home, and none was promised. */
static void bring_home(const struct machine *m, const struct config *c)
{
	const char *not_stored = store_and_reset(m);
	bool off_by_user = c->store == STORE_OFF;
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

static void measure_in(struct start_run *run, enum room_kind kind)
{
	static char title[32];
	struct room *room = run->room;
	struct config *c = run->config;

	text_format(title, sizeof title, "room %s, %u of %u", room_names[kind], number_of(c, kind),
		config_rooms(c));
	c->options.later_s = series_seconds(number_of(c, kind));
	say_room(c, kind);
	dashboard_open(title);
	kernel_room_enter(room, kind);
	smp_measure_on(room, c->options.cpu, run_here, run);
	if (kind == ROOM_FIRMWARE)
		show_page(run->machine, c);
	if (kind == ROOM_FIRMWARE || run->machine->files_stay)
		results_send();
	if (kernel_room_ended()) {
		console_printf("\nEsc ended this room early: its result says interrupted\n");
		series_end("Esc");
	}
	if (kind == ROOM_BARE && !run->machine->files_stay)
		bring_home(run->machine, c);
	if (!run->completed)
		finish_after_fault();
}

/*
 * Much firmware leaves the framebuffer uncached, where a scroll on a large screen takes a second.
 * Its pages are mapped as write-combining (layout_map); from here on that means something. Nobody
 * sets it back: the machine ends in a reset.
 */
static void combine_screen_writes(void)
{
	static struct msr_journal for_good = { .cpu = &this_cpu };

	pat_prepare(&for_good);
}

/* A display that cannot be used without the firmware keeps these lines. */
static void say_what_is_seen(const struct framebuffer *f, const struct config *c)
{
	const char *why = c->screen == SCREEN_OFF ? "screen = off" : f->absent;

	console_printf("leaving the firmware: from here on without interrupts\n");
	if (c->screen == SCREEN_ON && f->span.bytes)
		return;
	console_printf("The display shows nothing new from here on (%s).\n"
		       "Room bare takes about %.0f s%s\n",
		why, expected_seconds(&c->options),
		c->serial == SERIAL_OFF ? ", and the serial line shows nothing either."
					: "; follow it on the serial line, where there is one.");
}

/* Ends boot services and takes over what the firmware did until then. */
static bool leave_firmware(const struct machine *m, const struct config *c)
{
	say_what_is_seen(&m->screen, c);
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
	step_left(); /* sets a variable: what is wrong with that can be said from here on */
	banner_name();
	return true;
}

/* false: the exit would hang, as it did in an earlier start or by a CPU that is lost. */
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

/* While files can be read. */
static void find_last_runs(const struct start_run *run)
{
	char line[MACHINE_LINE], own[STORED_RESULT_FILE];
	struct line machine =
		last_run_machine(run->room, run->config->options.identity != IDENTITY_OFF, line);

	for (enum room_kind kind = ROOM_FIRMWARE; kind <= ROOM_BARE; kind++) {
		results_file(own, kind);
		last_run_find(&firmware_storage, machine, kind, own, &run->machine->arena);
	}
}

/* Measures one run, except rooms whose result an interrupted start has stored already. */
static void measure_rooms(struct start_run *run)
{
	const struct machine *m = run->machine;
	const struct config *c = run->config;
	bool there = c->options.runs > 1 && results_there(ROOM_FIRMWARE);

	find_last_runs(run);
	watchdog_start(config_rooms(c) * expected_seconds(&c->options));
	if (c->rooms != ROOMS_BARE && !there)
		measure_in(run, ROOM_FIRMWARE);
	if (c->rooms == ROOMS_FIRMWARE)
		return;
	if (kernel_room_ended())
		console_printf("\nEsc was pressed: room bare is left out\n");
	else if (bare_is_safe() && bare_result_prepare(m, c) && leave_firmware(m, c))
		measure_in(run, ROOM_BARE);
}

bool run_rooms(struct room *room, struct machine *m, struct config *c)
{
	struct start_run run = { .room = room, .machine = m, .config = c };

	series_open(m, c);
	if (bare_result_harvest(m, c) && !series_next())
		return true;
	if (!prompt_open(m, c)) {
		series_end("Esc");
		return false;
	}
	if (!series_begin())
		return true;
	measure_rooms(&run);
	if (series_next()) /* room bare was left out, or none is wanted */
		finish_between();
	return true;
}
