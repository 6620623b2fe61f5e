/* SPDX-License-Identifier: MIT */
#include "kernel/series.h"

#include <string.h>

#include "kernel/console/console.h"
#include "kernel/journal.h"
#include "kernel/result/result_log.h"
#include "lib/crc32.h"

static const struct machine *machine;
static struct config *config;
static struct run_series *now; /* in the journal; runs 0: there is none */

static uint32_t checksum(void)
{
	const struct text *file = &machine->config, *words = &machine->options;
	uint32_t sum = crc32_of(0, file->data, file->data ? file->bytes : 0);

	return crc32_of(sum, words->data, words->data ? words->bytes : 0);
}

void series_end(const char *why)
{
	if (!now->runs)
		return;
	console_printf("the series of %u runs ends, in run %u: %s\n", now->runs, now->run, why);
	*now = (struct run_series){ .runs = 0 };
	series_note();
}

void series_open(const struct machine *m, struct config *c)
{
	machine = m;
	config = c;
	now = &journal_counts()->series;
	if (now->of != checksum())
		series_end("the configuration is another one");
	if (!now->runs)
		return;
	c->options.run = now->run;
	c->options.profile = now->profile;
	c->rooms = now->rooms;
}

/* Note the new run. If that fails the series ends: a start after the reset would begin anew. */
static void keep(void)
{
	const char *why = series_note();

	config->options.run = now->run;
	if (why)
		series_end(why);
}

double series_seconds(unsigned done)
{
	const struct options *o = &config->options;
	unsigned runs = (unsigned)o->runs - (o->run ? o->run - 1 : 0);

	return (double)(runs * config_rooms(config) - done) * expected_seconds(o);
}

void series_say(unsigned done)
{
	const struct options *o = &config->options;

	if (o->runs > 1)
		console_printf("run %u of %u; about %.0f s left of all\n", o->run ? o->run : 1,
			(unsigned)o->runs, series_seconds(done));
}

bool series_goes_on(void)
{
	return now->run < now->runs;
}

bool series_next(void)
{
	if (!now->runs)
		return false;
	console_printf("\nrun %u of %u is over\n", now->run, now->runs);
	if (!series_goes_on()) {
		*now = (struct run_series){ .runs = 0 };
		series_note();
		return false;
	}
	now->run++;
	now->starts = 0;
	keep();
	return now->runs;
}

bool series_begin(void)
{
	static char stem[SERIES_STEM]; /* names this run's files, also when the series has ended */
	struct options *o = &config->options;
	enum room_kind last = config->rooms == ROOMS_FIRMWARE ? ROOM_FIRMWARE : ROOM_BARE;

	memcpy(stem, now->stem, sizeof stem);
	results_name(machine, o, stem);
	if (o->runs < 2)
		return true;
	if (!now->runs) {
		*now = (struct run_series){ .of = checksum(),
			.runs = (uint32_t)o->runs,
			.run = 1,
			.profile = (uint32_t)o->profile,
			.rooms = (uint32_t)config->rooms };
		memcpy(now->stem, stem, sizeof stem);
		o->run = 1;
	}
	while (results_there(last)) { /* the power failed before this was noted */
		entries_forget();
		if (!series_next())
			return false;
	}
	if (now->starts == STARTS_MAX) {
		console_printf("%u starts did not bring run %u to its end: it is left out\n",
			now->starts, now->run);
		if (!series_next())
			return false;
	}
	now->starts++;
	keep();
	return true;
}
