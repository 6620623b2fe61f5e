/* SPDX-License-Identifier: MIT */
#include "kernel/finish.h"

#include "kernel/console/console.h"
#include "kernel/cpu/x86.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/reset_guard.h"
#include "kernel/reset_ladder.h"

static const struct machine *machine;
static uint64_t ticks_per_second; /* 0: not known yet */

void finish_open(const struct machine *m)
{
	machine = m;
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
	halt_forever();
}

void finish_undelivered(void)
{
	console_printf("\nthis screen is the result: photograph it; only then switch off\n");
	halt_forever();
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

/* What may be done of what is wanted; a reset is counted when this returns. */
static enum finish decide(enum finish wanted, const char **why)
{
	const struct variable_store *store = &machine->store;
	uint64_t started = utc_seconds(machine->started_utc);
	struct reset_request r = { wanted, boot_services_active(), NULL, 0 };

	if (!store->usable || !store->usable_at_runtime)
		r.not_counted = store->why_not;
	else if (is_reset(wanted))
		r.before = resets_in_a_row(&firmware_storage, started);
	enum finish allowed = reset_guard(&r, why);

	if (!is_reset(allowed) && r.before < RESETS_MAX)
		return allowed;
	if (resets_record(&firmware_storage, *why ? 0 : r.before + 1, seconds_now(started)))
		return allowed;
	r.not_counted = "the firmware does not store a variable";
	return reset_guard(&r, why);
}

static void finish(enum finish wanted)
{
	const char *why;
	enum finish allowed = decide(wanted, &why);

	if (why)
		console_printf("\nno %s, because the machine might start this program again and "
			       "again:\n  %s\n",
			wanted == FINISH_RESET ? "reset" : "power-off", why);
	if (allowed == FINISH_POWEROFF)
		reset_machine(RESET_SHUTDOWN);
	if (allowed == FINISH_RESET)
		reset_machine(RESET_WARM);
	if (allowed == FINISH_HALT)
		stop();
}

void finish_after_fault(const struct config *c)
{
	if (c->fault == FAULT_NEXT)
		return;
	if (c->fault == FAULT_RESET)
		finish(FINISH_RESET);
	stop();
}

#define WAIT_SECONDS 60

static void wait_for_key(void)
{
	console_printf("\nback to the firmware in %u s, or with any key\n", WAIT_SECONDS);
	while (firmware_key())
		;
	for (unsigned i = 0; i < 10 * WAIT_SECONDS && !firmware_key(); i++)
		firmware_stall(100000);
}

void finish_run(const struct config *c)
{
	finish((enum finish)c->finish);
	wait_for_key();
}
