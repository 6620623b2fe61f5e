/* SPDX-License-Identifier: MIT */
#include "kernel/console/console.h"
#include "kernel/result/end.h"
#include "kernel/result/ending.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/cpu/x86.h"

static const struct machine *machine;
static uint64_t ticks_per_second; /* 0: not known yet */

static void halt_forever(void) __attribute__((noreturn));
static void halt_forever(void)
{
	cli();
	for (;;)
		halt();
}

void end_open(const struct machine *m)
{
	machine = m;
}

void end_pace(double tsc_hz)
{
	ticks_per_second = (uint64_t)tsc_hz;
}

void end_of_all(void)
{
	static const char text[] = "nothing is left to go on with: switch the machine off\n";

	console_emergency(text, sizeof text - 1);
	halt_forever();
}

void end_reset(enum reset_kind kind)
{
	firmware_reset(kind);
	console_printf("the firmware does not reset the machine: switch it off\n");
	halt_forever();
}

static void stop(void) __attribute__((noreturn));
static void stop(void)
{
	console_printf("\nthat is all: halted; switch the machine off or reset it\n");
	halt_forever();
}

static uint64_t seconds_now(uint64_t started)
{
	if (!started || !ticks_per_second)
		return 0;
	return started + (rdtsc() - machine->entry_ticks) / ticks_per_second;
}

/* What to do; an end by ourselves is counted by then. */
static enum ending choose(enum finish finish, const char **why)
{
	const struct store_calls *calls = &store_firmware_calls;
	const struct variable_store *store = &machine->store;
	uint64_t started = ending_seconds(machine->started_utc);
	struct circumstances c = { finish, firmware_lives(), NULL, 0 };

	if (!store->usable || !store->usable_at_runtime)
		c.uncounted = store->why_not;
	else if (finish == FINISH_POWEROFF || finish == FINISH_RESET)
		c.before = ends_before(calls, started);
	enum ending ending = ending_choose(&c, why);

	if (ending != ENDING_POWEROFF && ending != ENDING_RESET && c.before < ENDS_MOST)
		return ending;
	if (ends_keep(calls, *why ? 0 : c.before + 1, seconds_now(started)))
		return ending;
	c.uncounted = "the firmware does not keep a variable";
	return ending_choose(&c, why);
}

static void finish_by(enum finish finish)
{
	const char *why;
	enum ending ending = choose(finish, &why);

	if (why)
		console_printf(
			"\nno %s: the machine might come back to this stick for ever:\n  %s\n",
			finish == FINISH_RESET ? "reset" : "power-off", why);
	if (ending == ENDING_POWEROFF)
		end_reset(RESET_SHUTDOWN);
	if (ending == ENDING_RESET)
		end_reset(RESET_WARM);
	if (ending == ENDING_HALT)
		stop();
}

void end_after(enum left left, const struct config *c)
{
	if (left != LEFT_FAULTED || c->fault == FAULT_NEXT)
		return;
	if (c->fault == FAULT_RESET)
		finish_by(FINISH_RESET);
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

void end_finish(const struct config *c)
{
	finish_by((enum finish)c->finish);
	wait_for_key();
}
