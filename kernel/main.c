/* SPDX-License-Identifier: MIT */
/* From the hand-over to the end; each step is one call. */
#include "kernel/firmware/acpi.h"
#include "kernel/smp/apic.h"
#include "kernel/console/banner.h"
#include "kernel/cpu/tsc_rate.h"
#include "kernel/config.h"
#include "kernel/console/console.h"
#include "kernel/result/delivery.h"
#include "kernel/result/end.h"
#include "kernel/kernel_env.h"
#include "kernel/cpu/fault.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/smp/processors.h"
#include "kernel/result/result_log.h"
#include "kernel/rooms.h"
#include "kernel/console/screen.h"
#include "kernel/console/serial.h"
#include "kernel/cpu/world.h"

static struct config config;
static struct env env;

static void say_line(const char *line)
{
	console_printf("%s\n", line);
}

static void run_firmware(const struct machine *m)
{
	if (config.rooms == ROOMS_BARE)
		return;
	end_after(room_run(&env, ROOM_FIRMWARE, m, &config), &config);
}

static void run_bare(struct machine *m)
{
	if (config.rooms == ROOMS_FIRMWARE || !delivery_prepare(m, &config))
		return;
	console_printf("leaving the firmware: no interrupts, nobody else\n");
	if (firmware_exit()) {
		console_printf("the firmware refuses to exit: no room bare\n");
		return;
	}
	apic_mask();
	console_own();
	banner_name();
	enum left left = room_run(&env, ROOM_BARE, m, &config);
	delivery_send(m); /* resets if the result could be stored */
	end_after(left, &config);
}

static void measure(struct machine *m)
{
	enum arrival arrival = delivery_receive(m);

	if (arrival == ARRIVAL_HOME)
		return;
	results_name(m);
	run_firmware(m); /* with the firmware alive but shut out */
	if (arrival == ARRIVAL_NONE)
		run_bare(m); /* with nobody */
}

/* On our stack, in our world. */
static void run(void *machine)
{
	struct machine *m = machine;

	processors_open(m, config.provoke == PROVOKE_CPU); /* what others there are */
	env_open(&env, m, &config);                        /* what this processor is */
	if (clock_measure(&env, m->rsdp)) {                /* how fast its TSC runs */
		console_printf("no source for the rate of the TSC: nothing can be measured\n");
	} else {
		console_pace(env.facts.tsc_hz);
		end_pace(env.facts.tsc_hz);
		banner_machine(m, &env.facts);
		measure(m);
	}
	end_finish(&config);
}

/* On the firmware's stack and tables. */
void kernel_main(struct machine *m)
{
	const char *why;
	uint64_t serial;

	firmware_use(m);
	end_open(m);
	banner_name();
	config_parse(&config, &m->config, &m->options, say_line);
	serial = serial_choose(config.serial, acpi_serial(m->rsdp));
	why = world_open(m, serial); /* our page tables and descriptor tables */
	if (why) {
		console_printf("cannot take the machine: %s\n", why);
		return;
	}
	console_start(&m->screen, world_take(screen_memory(&m->screen)), config.screen == SCREEN_ON,
		config.serial != SERIAL_OFF);
	fault_open(&m->image, end_of_all);
	world_enter_ours();
	on_stack((void *)(world.layout.stack[0].base + world.layout.stack[0].bytes), run, m);
	world_enter_firmware();
}
