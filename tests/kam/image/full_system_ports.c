/* SPDX-License-Identifier: MIT */
/*
 * The ports that are there: COM1 (National PC16550D), which takes the text for people; a debug
 * console at 402h as QEMU has it, which takes the result's lines; channel 2 of the timer (Intel
 * 8254). All others read as ones. Only the timer takes time: the rest is no part of what is timed.
 */
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/full_system.h"

#define CAN_SEND  0x60
#define LATCH_TWO 0x80 /* channel 2, latch */

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

static uint32_t timer_in(struct full_system *w, uint32_t port)
{
	system_pass_time(w, TIMER_NS);
	return port == TIMER_DATA ? timer_read(w) : 0;
}

static uint32_t com1_in(struct full_system *w, uint32_t port)
{
	switch (port - COM1) {
	case LINE:
		return w->ports.line;
	case STATUS:
		return CAN_SEND;
	case SCRATCH:
		return w->ports.scratch;
	}
	return 0xff;
}

static uint32_t debug_in(struct full_system *w, uint32_t port)
{
	return 0xe9;
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

static void timer_out(struct full_system *w, uint32_t port, uint32_t value)
{
	if (port == TIMER_CONTROL)
		timer_command(w, value);
}

static void com1_out(struct full_system *w, uint32_t port, uint32_t value)
{
	bool divisor = w->ports.line & DIVISOR_LATCH;

	switch (port - COM1) {
	case DATA:
		if (divisor)
			w->ports.divisor = (uint16_t)((w->ports.divisor & 0xff00) | value);
		else
			fputc((int)value, w->said.to);
		break;
	case DIVISOR_HIGH:
		if (divisor)
			w->ports.divisor = (uint16_t)((w->ports.divisor & 0xff) | value << 8);
		break;
	case LINE:
		w->ports.line = (uint8_t)value;
		break;
	case SCRATCH:
		w->ports.scratch = (uint8_t)value;
		break;
	}
	system_progress(w);
}

static void debug_out(struct full_system *w, uint32_t port, uint32_t value)
{
	fputc((int)value, w->results.to);
	system_progress(w);
}

void system_add_port(struct full_system *w, struct port_range p)
{
	if (w->ports.n == PORT_RANGES)
		fatal("more than %d ranges of ports", PORT_RANGES);
	w->ports.range[w->ports.n++] = p;
}

const struct port_range *system_port(struct full_system *w, uint32_t port)
{
	const struct ports *p = &w->ports;
	unsigned i;

	for (i = p->n; i--;)
		if (port >= p->range[i].first && port <= p->range[i].last)
			return &p->range[i];
	return NULL;
}

static uint32_t on_in(uc_engine *uc, uint32_t port, int bytes, void *priv)
{
	struct full_system *w = priv;
	const struct port_range *p = system_port(w, port);

	if (p && p->in)
		return p->in(w, port);
	return bytes == 4 ? 0xffffffff : bytes == 2 ? 0xffff : 0xff;
}

static void on_out(uc_engine *uc, uint32_t port, int bytes, uint32_t value, void *priv)
{
	struct full_system *w = priv;
	const struct port_range *p = system_port(w, port);

	if (p && p->out)
		p->out(w, port, value);
}

void system_ports_init(struct full_system *w)
{
	static const struct port_range standard[] = {
		{ TIMER_DATA, TIMER_CONTROL, timer_in, timer_out },
		{ TIMER_GATE, TIMER_GATE, timer_in, NULL },
		{ COM1, COM1 + SCRATCH, com1_in, com1_out },
		{ DEBUG, DEBUG, debug_in, debug_out },
	};
	unsigned i;
	uc_hook h;

	for (i = 0; i < sizeof(standard) / sizeof(*standard); i++)
		system_add_port(w, standard[i]);

	unicorn_check(uc_hook_add(w->uc, &h, UC_HOOK_INSN, (void *)on_in, w, 1, 0, UC_X86_INS_IN),
		"adding a hook");
	unicorn_check(uc_hook_add(w->uc, &h, UC_HOOK_INSN, (void *)on_out, w, 1, 0, UC_X86_INS_OUT),
		"adding a hook");
}
