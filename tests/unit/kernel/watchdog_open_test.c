/* SPDX-License-Identifier: MIT */
/* Which timers the start looks for and feeds: those of a machine that is made up. */
#include <stdarg.h>
#include <stdio.h>

#include "kernel/watchdog/watchdog.c"
#include "tests/unit/test.h"

static unsigned looked, fed, fired_asked;
static unsigned seconds_left; /* of a management controller's timer */
static bool chipset, controller;
static char said[1024];

void console_printf(const char *format, ...)
{
	size_t used = strlen(said);
	va_list args;

	va_start(args, format);
	vsnprintf(said + used, sizeof said - used, format, args);
	va_end(args);
}

static unsigned runs(void)
{
	return seconds_left;
}

static void feed_it(void)
{
	fed++;
}

static const char *start_it(unsigned seconds)
{
	return NULL;
}

static bool fired_it(void)
{
	fired_asked++;
	return false;
}

static const struct watchdog_device of_chipset = {
	.name = "a chipset's", .shortest = 1, .longest = 600, .fired = fired_it
};
static const struct watchdog_device of_controller = { .name = "a controller's",
	.shortest = 1,
	.longest = 600,
	.running = runs,
	.start = start_it,
	.feed = feed_it,
	.fired = fired_it };

const struct watchdog_device *wdat_find(const struct register_calls *c, uint64_t rsdp)
{
	looked++;
	return NULL;
}

const struct watchdog_device *tco_find(const struct register_calls *c)
{
	looked++;
	return chipset ? &of_chipset : NULL;
}

const struct watchdog_device *fch_find(const struct register_calls *c)
{
	looked++;
	return NULL;
}

const struct watchdog_device *kcs_find(const struct register_calls *c, const void *smbios, size_t n)
{
	looked++;
	return controller ? &of_controller : NULL;
}

static void open_with(uint64_t choice)
{
	static unsigned char logs[2 * PAGE_4K];
	static struct machine m;
	const struct config c = { .watchdog = choice };

	m.logs = (struct span){ (uint64_t)logs, sizeof logs };
	memset(&watchdog, 0, sizeof watchdog);
	looked = fed = fired_asked = 0;
	said[0] = 0;
	tsc_per_second = 1000;
	watchdog_open(&m, &c);
}

/* The switch for somebody whose timer does harm: no register is even read. */
TEST(off_touches_no_timer)
{
	chipset = controller = true;
	open_with(WATCHDOG_OFF);
	assert_int_equal(looked, 0);
	assert_int_equal(fired_asked, 0);
	assert_non_null(strstr(said, "no watchdog (watchdog = off)"));
}

/* A server's "OS boot" timer, which nobody stops before the system, ends a long run. */
TEST(a_controllers_timer_that_runs_is_fed_beside_another)
{
	chipset = controller = true;
	seconds_left = 8;
	open_with(WATCHDOG_AUTO);
	assert_ptr_equal(watchdog.device, &of_chipset);
	assert_non_null(strstr(said, "a controller's runs already, with a limit of 8 s"));
	assert_int_equal(fed, 1);
	watchdog.beside_fed -= 1000; /* a second ago */
	watchdog_feed();
	assert_int_equal(fed, 2);
	tsc_per_second = 1ULL << 60;
	watchdog_feed();
	assert_int_equal(fed, 2);
	seconds_left = 0;
	open_with(WATCHDOG_AUTO);
	assert_int_equal(fed, 0);
	assert_null(watchdog.beside);
	chipset = false;
	seconds_left = 8;
	open_with(WATCHDOG_AUTO); /* it is the only one: fed until a run starts it itself */
	assert_ptr_equal(watchdog.device, &of_controller);
	assert_ptr_equal(watchdog.beside, &of_controller);
	assert_int_equal(fed, 1);
	assert_null(start_device());
	assert_null(watchdog.beside);
}
