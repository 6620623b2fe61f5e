/* SPDX-License-Identifier: MIT */
/*
 * A management controller behind KCS, made up: whether its timer runs already, and what it is set
 * to when ours has ended.
 */
#include "kernel/watchdog/kcs.c"
#include "tests/unit/test.h"

#define DATA_PORT 0xca2

static struct {
	unsigned state;
	bool last, full;     /* the next byte ends the request; a byte waits to be read */
	uint8_t request[16]; /* without a checksum, as KCS has none */
	unsigned received, sent;
	uint8_t reply[11];
	unsigned resets; /* RESET_TIMER */
	unsigned sets;   /* SET_TIMER, */
	uint8_t set[6];  /* and the last one's setting */
} bmc;

/* Its answer to GET_TIMER, 8 bytes, behind the head of a reply. */
static uint8_t timer[8];

static void answer(void)
{
	bmc.resets += bmc.request[1] == RESET_TIMER;
	if (bmc.request[1] == SET_TIMER) {
		bmc.sets++;
		memcpy(bmc.set, bmc.request + 2, sizeof bmc.set);
	}
	bmc.reply[0] = APPLICATION | RESPONSE;
	bmc.reply[1] = bmc.request[1];
	memcpy(bmc.reply + 3, timer, sizeof timer);
	bmc.state = READ;
	bmc.sent = 0;
	bmc.full = true;
}

static uint32_t read_port(struct register_address r)
{
	if (r.at != DATA_PORT)
		return bmc.state << 6 | bmc.full;
	bmc.full = false;
	return bmc.sent < sizeof bmc.reply ? bmc.reply[bmc.sent++] : 0;
}

static void write_port(struct register_address r, uint32_t value)
{
	if (r.at != DATA_PORT) {
		bmc.received = value == WRITE_START ? 0 : bmc.received;
		bmc.last = value == WRITE_END;
		bmc.state = WRITE;
	} else if (bmc.state == WRITE) {
		bmc.request[bmc.received++] = (uint8_t)value;
		if (bmc.last)
			answer();
	} else {
		bmc.state = bmc.sent < sizeof bmc.reply ? READ : IDLE;
		bmc.full = true;
	}
}

static void wait_no_time(void)
{
}

static const struct register_calls double_calls = { read_port, write_port, NULL, wait_no_time };

static const uint8_t smbios[] = { IPMI_DEVICE, 18, 0, 0, IS_KCS, 0x20, 0x20, 0,
	(DATA_PORT & 0xff) | 1, DATA_PORT >> 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 127, 4, 0, 0, 0, 0 };

static unsigned seconds_of(uint8_t use, uint8_t action, unsigned tenths)
{
	const struct watchdog_device *d = kcs_find(&double_calls, smbios, sizeof smbios);

	memset(&bmc, 0, sizeof bmc);
	timer[0] = use;
	timer[1] = action;
	timer[4] = (uint8_t)tenths;
	timer[5] = (uint8_t)(tenths >> 8);
	assert_non_null(d);
	return d->running();
}

/* IPMI 2.0, 27.7: use, with the bit "running"; action; the initial countdown in tenths. */
TEST(a_timer_that_the_firmware_left_running)
{
	enum { OS_LOAD = 3, HARD_RESET = 1, NO_ACTION = 0 };

	assert_int_equal(seconds_of(OS_LOAD | USE_RUNNING, HARD_RESET, 6000), 600);
	assert_int_equal(seconds_of(OS_LOAD | USE_RUNNING, HARD_RESET, 5), 1);
	assert_int_equal(seconds_of(OS_LOAD, HARD_RESET, 6000), 0);
	assert_int_equal(seconds_of(OS_LOAD | USE_RUNNING, NO_ACTION, 6000), 0);
	assert_int_equal(bmc.resets, 0); /* asking changes nothing */
	kcs_find(&double_calls, smbios, sizeof smbios)->feed();
	assert_int_equal(bmc.resets, 1);
}

/* Stopped, then set as the firmware had it, but for flags of expiry, which a 1 would clear. */
TEST(what_the_firmware_had_set_is_set_again)
{
	static const uint8_t was[8] = { 3, 1, 2, EXPIRED_OS, 0x70, 0x17, 0, 0 };

	for (unsigned runs = 0; runs < 2; runs++) {
		const struct watchdog_device *d = kcs_find(&double_calls, smbios, sizeof smbios);

		memset(&bmc, 0, sizeof bmc);
		memcpy(timer, was, sizeof timer);
		timer[0] |= runs ? USE_RUNNING : 0;
		assert_true((!d->start(60)) ==
			runs); /* the double's timer runs or not, whatever is set */
		if (runs)
			d->stop();
		assert_int_equal(3, bmc.sets);
		assert_int_equal(1 + runs, bmc.resets);
		const uint8_t again[6] = { timer[0], 1, 2, 0, 0x70, 0x17 };

		assert_memory_equal(again, bmc.set, sizeof again);
	}
}
