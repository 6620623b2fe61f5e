/* SPDX-License-Identifier: MIT */
#include "kernel/console.h"
#include "kernel/end.h"
#include "kernel/firmware.h"
#include "kernel/x86.h"

#define RESET_CONTROL 0xcf9 /* ICH and later: 6 = full reset */
#define KEYBOARD      0x64  /* command fe pulses the reset line */
#define READING_TICKS 30000000000ULL /* about ten seconds, without knowing the clock */

static void halt_forever(void) __attribute__((noreturn));
static void halt_forever(void)
{
	cli();
	for (;;)
		halt();
}

void end_of_all(void)
{
	struct table_register nothing = { 0, 0 };

	for (uint64_t start = rdtsc(); rdtsc() - start < READING_TICKS;)
		pause();
	out8(RESET_CONTROL, 2);
	out8(RESET_CONTROL, 6);
	out8(KEYBOARD, 0xfe);
	load_idt(&nothing);
	__asm__ volatile("ud2");
	halt_forever();
}

void end_reset(enum reset_kind kind)
{
	firmware_reset(kind);
	console_printf("the firmware does not reset the machine: switch it off\n");
	halt_forever();
}

void end_after(enum left left, const struct config *c)
{
	if (left != LEFT_FAULTED || c->fault == FAULT_NEXT)
		return;
	if (c->fault == FAULT_RESET)
		end_reset(RESET_WARM);
	halt_forever();
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
	switch (c->finish) {
	case FINISH_POWEROFF:
		end_reset(RESET_SHUTDOWN);
	case FINISH_RESET:
		end_reset(RESET_WARM);
	case FINISH_HALT:
		console_printf("halted\n");
		halt_forever();
	}
	if (firmware_lives()) {
		wait_for_key();
		return;
	}
	/* A reset would start the same stick again, and again. */
	console_printf("\nthat is all: switch the machine off or reset it\n");
	halt_forever();
}
