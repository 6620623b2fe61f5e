/* SPDX-License-Identifier: MIT */
/* Timers and the serial line. */
#include "tests/kam/image/acpi_maker.h"
#include "tests/kam/image/hostile.h"

/* --- timers --- */

#define SMIS_AFTER   3          /* one of so many readings is left alone */
#define SMIS_GROW_NS 100000000u /* four windows of kernel/cpu/tsc.c, then from 0 again */

static unsigned hpet_start, line_start;
static uint64_t (*hpet_before)(struct full_system *, uint64_t offset);
static uint64_t hpet_reads, smi_us;

static uint64_t hpet_frozen(struct full_system *w, uint64_t offset)
{
	return offset == HPET_COUNT ? 0x12345 : hpet_before(w, offset);
}

static void freeze_hpet(struct full_system *w, uint64_t n)
{
	hostile_alone(w, &hpet_start, "the HPET");
	hpet_before = w->hpet_read;
	w->hpet_read = hpet_frozen;
}

/*
 * Read all ones, as if the chipset did not decode the HPET's addresses; only the period is right.
 */
static uint64_t hpet_all_ones(struct full_system *w, uint64_t offset)
{
	return offset == HPET_PERIOD ? hpet_before(w, offset) : UINT64_MAX;
}

static void fill_hpet(struct full_system *w, uint64_t n)
{
	hostile_alone(w, &hpet_start, "the HPET");
	hpet_before = w->hpet_read;
	w->hpet_read = hpet_all_ones;
}

/* Longer and longer ones: equal ones at both ends of a window would change nothing. */
static uint64_t hpet_interrupted(struct full_system *w, uint64_t offset)
{
	uint64_t value = hpet_before(w, offset);
	uint64_t now = (uint64_t)((double)system_tsc(w) / (double)w->cpu->tsc_hz * 1e9);

	if (offset == HPET_COUNT && ++hpet_reads % SMIS_AFTER)
		system_pass_time(w, now % SMIS_GROW_NS * smi_us * 1000 / SMIS_GROW_NS);
	return value;
}

static void interrupt_hpet(struct full_system *w, uint64_t n)
{
	hostile_alone(w, &hpet_start, "the HPET");
	hpet_before = w->hpet_read;
	w->hpet_read = hpet_interrupted;
	hpet_reads = 0;
	smi_us = n;
}

static uint32_t pit_stands(struct full_system *w, uint32_t port)
{
	system_pass_time(w, 500);
	return 0;
}

static void stop_pit(struct full_system *w, uint64_t n)
{
	system_add_port(w, (struct port_range){ TIMER_DATA, TIMER_CONTROL, pit_stands, NULL });
}

enum { FADT_TIMER = 76, FADT_TIMER_BYTES = 91, FADT_X_TIMER = 208 };

static void remove_timer(struct full_system *w, uint64_t n)
{
	uint8_t *fadt = acpi_table(w, "FACP");

	acpi_put(fadt, FADT_TIMER, 0, 4);
	acpi_put(fadt, FADT_TIMER_BYTES, 0, 1);
	acpi_put(fadt, FADT_X_TIMER, 0, 4);
	acpi_put(fadt, FADT_X_TIMER + 4, 0, 8);
	system_add_port(w, (struct port_range){ ACPI_TIMER_PORT, ACPI_TIMER_PORT, NULL, NULL });
}

/* --- the serial line --- */

#define BYTE_NS   87000ull
#define STATUS_NS 1000ull
#define CAN_SEND  0x60u
#define BAUD_9600 12 /* the divisor */
#define SPCR_9600 3  /* the same in the table */

static const struct port_range *line_before;
static uint64_t free_at; /* TSC when the byte that was written last has been sent */

static uint32_t slow_in(struct full_system *w, uint32_t port)
{
	if (port - COM1 != STATUS)
		return line_before->in(w, port);
	system_pass_time(w, STATUS_NS);
	return system_tsc(w) < free_at ? 0 : CAN_SEND;
}

static void slow_out(struct full_system *w, uint32_t port, uint32_t value)
{
	if (port == COM1 && !(w->ports.line & DIVISOR_LATCH)) {
		if (system_tsc(w) < free_at)
			system_wrong(w, "a byte is written while the line is busy");
		free_at = system_tsc(w) + w->cpu->tsc_hz / 1000000 * BYTE_NS / 1000;
	}
	line_before->out(w, port, value);
}

static void slow_line(struct full_system *w, uint64_t n)
{
	free_at = 0;
	hostile_alone(w, &line_start, "the serial line");
	line_before = system_port(w, COM1);
	system_add_port(w, (struct port_range){ COM1, COM1 + SCRATCH, slow_in, slow_out });
}

/* The other end listens at 9600 baud. */
static void other_speed_out(struct full_system *w, uint32_t port, uint32_t value)
{
	if (port == COM1 && !(w->ports.line & DIVISOR_LATCH) && w->ports.divisor != BAUD_9600) {
		system_wrong(w, "the other end of the serial line cannot read it");
		value = '#';
	}
	line_before->out(w, port, value);
}

static uint8_t *name_port(struct full_system *w, uint16_t port)
{
	uint8_t *spcr = acpi_make(w, "SPCR", 80);

	acpi_put(spcr, 40, 1 | 8 << 8, 4); /* a port, of 8 bits */
	acpi_put(spcr, 44, port, 8);
	acpi_list_all(w);
	return spcr;
}

static void set_other_speed(struct full_system *w, uint64_t n)
{
	acpi_put(name_port(w, COM1), 58, SPCR_9600, 1);
	w->ports.divisor = BAUD_9600;
	w->ports.line = 3;
	hostile_alone(w, &line_start, "the serial line");
	line_before = system_port(w, COM1);
	system_add_port(w,
		(struct port_range){ COM1, COM1 + SCRATCH, line_before->in, other_speed_out });
}

#define COM2 0x2f8

/* It has registers, but what is written into it never leaves. */
static uint32_t stuck_in(struct full_system *w, uint32_t port)
{
	system_pass_time(w, STATUS_NS);
	return port - COM2 == SCRATCH ? w->ports.scratch : 0;
}

static void stuck_out(struct full_system *w, uint32_t port, uint32_t value)
{
	if (port - COM2 == SCRATCH)
		w->ports.scratch = (uint8_t)value;
}

/* n 0: there is nothing at the port that the SPCR names. */
static void name_dead_port(struct full_system *w, uint64_t n)
{
	name_port(w, COM2);
	if (n)
		system_add_port(w,
			(struct port_range){ COM2, COM2 + SCRATCH, stuck_in, stuck_out });
}

#define RECEIVED      1u
#define FRAMING_ERROR 8u
#define QUIET         50 /* looks at the port before noise comes again */
#define ESC           0x1b

static unsigned noise_at;

/* In turn: Esc with a framing error; and an arrow key, sound, as a terminal sends it. */
static uint32_t noise_in(struct full_system *w, uint32_t port)
{
	static const char arrow[] = "\x1b[A";
	unsigned turn = noise_at % (2 * QUIET);

	if (port - COM1 == DATA) {
		noise_at++;
		return turn < QUIET ? ESC : (unsigned char)arrow[turn - QUIET];
	}
	if (port - COM1 != STATUS)
		return line_before->in(w, port);
	if (turn == 0)
		return CAN_SEND | RECEIVED | FRAMING_ERROR;
	if (turn >= QUIET && turn < QUIET + sizeof arrow - 1)
		return CAN_SEND | RECEIVED;
	noise_at++;
	return CAN_SEND;
}

static void make_noise(struct full_system *w, uint64_t n)
{
	noise_at = 0;
	hostile_alone(w, &line_start, "the serial line");
	line_before = system_port(w, COM1);
	system_add_port(w, (struct port_range){ COM1, COM1 + SCRATCH, noise_in, line_before->out });
}

/* --- port 402h --- */

static uint32_t reads_e9(struct full_system *w, uint32_t port)
{
	return 0xe9;
}

static void is_written(struct full_system *w, uint32_t port, uint32_t value)
{
	system_wrong(w, "port 402h is written, which is no debug console");
}

static void hide_hypervisor(struct full_system *w, uint32_t leaf, uint32_t subleaf, struct cpuid *c)
{
	if (leaf == 1)
		c->ecx &= ~(1u << 31);
	if (leaf >= 0x40000000 && leaf <= 0x40000010)
		*c = (struct cpuid){ 0 };
}

static void change_port_402(struct full_system *w, uint64_t n)
{
	system_filter_cpuid(w, hide_hypervisor);
	system_add_port(w, (struct port_range){ DEBUG, DEBUG, reads_e9, is_written });
}

const struct misbehaviour hostile_devices[] = {
	{ "hpet-frozen", freeze_hpet, 0 },
	{ "hpet-all-ones", fill_hpet, 0 },
	{ "hpet-smis", interrupt_hpet, 200 },
	{ "pit-gated", stop_pit, 0 },
	{ "pm-timer-absent", remove_timer, 0 },
	{ "serial-slow", slow_line, 0 },
	{ "spcr-other-speed", set_other_speed, 0 },
	{ "spcr-dead", name_dead_port, 0 },
	{ "serial-noise", make_noise, 0 },
	{ "port-402-other", change_port_402, 0 },
	{ 0 },
};
