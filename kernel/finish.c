/* SPDX-License-Identifier: MIT */
#include "kernel/finish.h"

#include <string.h>

#include "kernel/console/console.h"
#include "kernel/console/keys.h"
#include "kernel/cpu/x86.h"
#include "kernel/end_screen.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/prompt.h"
#include "kernel/reset_guard.h"
#include "kernel/reset_ladder.h"
#include "kernel/steps.h"
#include "kernel/steps_machine.h"

#define HELD_SECONDS 600
#define LINE_REST    54 /* columns behind "the result is NOT stored: " */

static const struct machine *machine;
static const struct config *config;
static uint64_t ticks_per_second; /* 0: not known yet */

/* Of a run that ends after the exit. */
static struct {
	struct starts noted; /* what the file said before */
	bool failed;         /* it cannot be written */
} before_exit;

void finish_open(const struct machine *m, const struct config *c)
{
	machine = m;
	config = c;
	reset_open(m);
}

void finish_set_tsc_rate(double tsc_hz)
{
	ticks_per_second = (uint64_t)tsc_hz;
	reset_set_tsc_rate(tsc_hz);
}

void stop_after_fatal_fault(void)
{
	static const char text[] = "the program cannot continue: switch the machine off\n";

	console_emergency(text, sizeof text - 1);
	halt_forever();
}

static void stop(void) __attribute__((noreturn));
static void stop(void)
{
	console_printf("\nfinished and halted: switch the machine off or reset it\n");
	end_screen_halt(ticks_per_second);
}

void finish_undelivered(const struct config *c, const char *why)
{
	end_screen(); /* with few rows of text below */
	console_printf("the result is NOT stored:%s%s\n"
		       "%sthis screen is the result: photograph it, and only then switch off\n",
		strlen(why) > LINE_REST ? "\n  " : " ", why,
		c->finish == FINISH_POWEROFF        ? "no power-off: "
			: c->finish == FINISH_RESET ? "no reset: "
						    : "");
	stop();
}

/* Seconds as utc_seconds counts them; 0: unknown. */
static uint64_t seconds_now(uint64_t started)
{
	if (!started || !ticks_per_second)
		return 0;
	return started + (rdtsc() - machine->entry_ticks) / ticks_per_second;
}

static bool is_reset(enum finish f)
{
	return f == FINISH_POWEROFF || f == FINISH_RESET;
}

/* Only while boot services are active can the file be used. */
static bool file_usable(void)
{
	return boot_services_active() && !machine->file_absent;
}

static const struct starts *read_noted(struct starts *noted)
{
	if (file_usable())
		starts_read(&firmware_storage, machine_id(machine), noted);
	else
		*noted = before_exit.noted;
	return noted;
}

void finish_before_exit(void)
{
	uint64_t started = utc_seconds(machine->started_utc), now = seconds_now(started);
	uint64_t room = (uint64_t)profile_seconds(config->options.profile);

	if (file_usable() &&
		(is_reset((enum finish)config->finish) || config->fault == FAULT_RESET))
		before_exit.failed = !resets_note(&firmware_storage, machine_id(machine), started,
			now ? now + room : 0, &before_exit.noted);
}

/* NULL: the count is recorded; else why not. */
static const char *record(const struct starts *s)
{
	if (!resets_record(&firmware_storage, s->resets, s->ended))
		return "the firmware does not store a variable";
	if (before_exit.failed || (file_usable() && !starts_write(&firmware_storage, s)))
		return "the starts cannot be counted in a file";
	return NULL;
}

static void count_before(struct reset_request *r, const struct starts *noted, uint64_t started)
{
	r->before = resets_in_a_row(&firmware_storage, noted, started);
	r->in_vain = machine->file_absent && !resets_recorded(&firmware_storage);
}

/* What may be done of what is wanted; a reset is counted when this returns. */
static enum finish decide(enum finish wanted, const char **why)
{
	const struct variable_store *store = &machine->store;
	uint64_t started = utc_seconds(machine->started_utc);
	struct reset_request r = { .wanted = wanted, .boot_services = boot_services_active() };
	struct starts noted = { 0 };

	if (!store->usable || !store->usable_at_runtime)
		r.not_counted = store->why_not;
	else if (step_hung("setvar"))
		r.not_counted = "setting a variable may hang, as in an earlier start";
	else if (is_reset(wanted))
		count_before(&r, read_noted(&noted), started);
	enum finish allowed = reset_guard(&r, why);

	if (!is_reset(allowed) && r.before < RESETS_MAX && !r.in_vain)
		return allowed;
	noted.resets = *why ? 0 : r.before + 1;
	noted.ended = seconds_now(started);
	r.not_counted = record(&noted);
	if (!r.not_counted)
		return allowed;
	return reset_guard(&r, why);
}

/* The seconds before what ends this screen, so that it can be read. */
static void countdown(const char *what, bool pictures)
{
	const char *keys = keys_work();
	unsigned seconds = config_countdown(config, pictures);

	if (!seconds)
		return;
	console_printf("%s%s\n", keys ? keys : "no key", keys ? " holds it" : " can hold it here");
	keys_read();
	if (!prompt_wait(seconds, what))
		return;
	prompt_pause(); /* a key that is held down is one key */
	console_printf("held: it goes on at the next key, or in %u s\n", HELD_SECONDS);
	prompt_wait(HELD_SECONDS, what);
}

void finish_before_storing_reset(void)
{
	static const char *const then[] = {
		[FINISH_FIRMWARE] = "goes back to the firmware",
		[FINISH_POWEROFF] = "switches the machine off",
		[FINISH_RESET] = "resets the machine",
		[FINISH_HALT] = "halts",
	};

	bool pictures = end_screen();

	console_printf("\nWhat comes next: the machine resets, and this program starts again.\n"
		       "It writes the file, shows the card once more and %s.\n",
		then[config->finish]);
	countdown("reset", pictures);
}

static void finish(enum finish wanted)
{
	const char *why;
	enum finish allowed = decide(wanted, &why);
	bool pictures = end_screen();

	if (why)
		console_printf("\nno %s, because the machine might start this program again and "
			       "again:\n  %s\n",
			wanted == FINISH_RESET ? "reset" : "power-off", why);
	if (allowed == FINISH_POWEROFF) {
		countdown("power-off", pictures);
		reset_machine(RESET_SHUTDOWN);
	}
	if (allowed == FINISH_RESET) {
		countdown("reset", pictures);
		reset_machine(RESET_WARM);
	}
	if (allowed == FINISH_HALT)
		stop();
}

void finish_after_fault(const struct config *c)
{
	if (c->fault == FAULT_NEXT)
		return;
	steps_end();
	if (c->fault == FAULT_RESET)
		finish(FINISH_RESET);
	stop();
}

static void wait_for_key(void)
{
	console_printf("\nfinished. The firmware now takes its next boot entry, or shows its menu;"
		       "\nany key: at once\n");
	keys_read();
	prompt_wait(WAIT_SECONDS, "back to the firmware");
	console_printf("back to the firmware\n");
}

void finish_run(const struct config *c)
{
	finish((enum finish)c->finish);
	wait_for_key();
}
