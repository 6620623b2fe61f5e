/* SPDX-License-Identifier: MIT */
/*
 * The ports that are there: COM1 (National PC16550D), which takes the text for people; a debug
 * console at 402h as QEMU has it, which takes the result's lines; channel 2 of the timer (Intel
 * 8254). All others read as ones. Only the timer takes time: the rest is no part of what is timed.
 */
#include "tests/kam/image/full_system.h"

enum { TIMER_DATA = 0x42, TIMER_CONTROL = 0x43, TIMER_GATE = 0x61, COM1 = 0x3f8, DEBUG = 0x402 };
enum { LINE = 3, STATUS = 5, SCRATCH = 7 };

#define DIVISOR_LATCH 0x80
#define CAN_SEND      0x60
#define LATCH_TWO     0x80 /* channel 2, latch */

#define TIMER_NS     500 /* of an access over the slow bus */
#define TIMER_HZ_X10 11931818ull

/* Counts down from 65536, again and again. */
static uint16_t timer_count(struct full_system *w)
{
	uint64_t ticks = system_tsc(w) - w->ports.started;

	return (uint16_t) -
		(uint64_t)((unsigned __int128)ticks * TIMER_HZ_X10 / (10 * w->cpu->tsc_hz));
}

static uint32_t timer_read(struct full_system *w)
{
	w->ports.high = !w->ports.high;
	return w->ports.high ? w->ports.latched & 0xff : w->ports.latched >> 8;
}

static uint32_t on_in(uc_engine *uc, uint32_t port, int bytes, void *priv)
{
	struct full_system *w = priv;

	(void)uc;
	if (port == TIMER_DATA || port == TIMER_GATE)
		system_pass_time(w, TIMER_NS);
	switch (port) {
	case TIMER_DATA:
		return timer_read(w);
	case TIMER_GATE:
		return 0;
	case COM1 + LINE:
		return w->ports.line;
	case COM1 + STATUS:
		return CAN_SEND;
	case COM1 + SCRATCH:
		return w->ports.scratch;
	case DEBUG:
		return 0xe9;
	}
	return bytes == 4 ? 0xffffffff : bytes == 2 ? 0xffff : 0xff;
}

static void timer_command(struct full_system *w, uint32_t command)
{
	system_pass_time(w, TIMER_NS);
	w->ports.high = false;
	if (command == LATCH_TWO)
		w->ports.latched = timer_count(w);
	else
		w->ports.started = system_tsc(w);
}

static void on_out(uc_engine *uc, uint32_t port, int bytes, uint32_t value, void *priv)
{
	struct full_system *w = priv;

	(void)uc;
	(void)bytes;
	switch (port) {
	case TIMER_CONTROL:
		timer_command(w, value);
		break;
	case COM1:
		if (!(w->ports.line & DIVISOR_LATCH))
			fputc((int)value, w->said.to);
		break;
	case COM1 + LINE:
		w->ports.line = (uint8_t)value;
		break;
	case COM1 + SCRATCH:
		w->ports.scratch = (uint8_t)value;
		break;
	case DEBUG:
		fputc((int)value, w->results.to);
		break;
	}
}

void system_ports_init(struct full_system *w)
{
	uc_hook h;

	unicorn_check(uc_hook_add(w->uc, &h, UC_HOOK_INSN, (void *)on_in, w, 1, 0, UC_X86_INS_IN),
		"adding a hook");
	unicorn_check(uc_hook_add(w->uc, &h, UC_HOOK_INSN, (void *)on_out, w, 1, 0, UC_X86_INS_OUT),
		"adding a hook");
}
