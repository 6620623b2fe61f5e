/* SPDX-License-Identifier: MIT */
#include "kernel/prompt.h"

#include "kernel/console/console.h"
#include "kernel/console/keys.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/x86.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/journal.h"
#include "kernel/result/result_log.h"
#include "kernel/series.h"
#include "kernel/watchdog/watchdog.h"
#include "lib/math.h"
#include "lib/text.h"

/*
 * The effect of a key at the opening prompt: p and r select the next profile and the next rooms,
 * but not while a series is under way.
 */
enum prompt_answer { PROMPT_GO_ON, PROMPT_START, PROMPT_LEAVE };

#define AFTER_A_KEY 60 /* seconds: a person who pressed a key reads */

static const char *const profile_words[] = { "smoke", "default", "full" };
static const char *const rooms_words[] = { "firmware, then bare", "firmware only", "bare only" };

static void wait_tenth(void)
{
	uint64_t since = rdtsc();

	watchdog_feed();
	if (boot_services_active() && firmware_stall(100000))
		return;
	while (rdtsc() - since < tsc_per_second / 10)
		pause();
}

unsigned prompt_wait(unsigned seconds, const char *what)
{
	for (unsigned i = 0; i < 10 * seconds; i++) {
		char line[80];
		unsigned key = keys_read();

		if (key)
			return key;
		if (i % 10 == 0) {
			int n = text_format(line, sizeof line, "%s in %u s", what,
				seconds - i / 10);
			console_progress(line, (size_t)n);
		}
		wait_tenth();
	}
	return KEY_NONE;
}

void prompt_pause(void)
{
	for (unsigned i = 0; i < 10; i++) {
		wait_tenth();
		keys_read();
	}
}

static enum prompt_answer prompt_key(struct config *c, unsigned key)
{
	bool under_way = c->options.run;

	switch (key) {
	case 'p':
	case 'P':
		if (!under_way)
			c->options.profile = (c->options.profile + 1) % 3;
		return PROMPT_GO_ON;
	case 'r':
	case 'R':
		if (!under_way)
			c->rooms = (c->rooms + 1) % 3;
		return PROMPT_GO_ON;
	case KEY_ENTER:
		return PROMPT_START;
	case KEY_ESC:
		return PROMPT_LEAVE;
	default:
		return PROMPT_GO_ON;
	}
}

static const char *results_go_to(const struct machine *m)
{
	return m->file_absent           ? "no file"
		: m->next               ? m->next
		: results_at_server(m)  ? "the boot server"
		: m->boot_volume_absent ? "\\results\\ of another volume"
					: "\\results\\ of this medium";
}

static void show(const struct machine *m, const struct config *c)
{
	console_printf("profile %s: %.0f s a room; rooms: %s\n", profile_words[c->options.profile],
		expected_seconds(&c->options), rooms_words[c->rooms]);
	console_printf("results go to %s%s\n", results_go_to(m),
		c->rooms == ROOMS_FIRMWARE || m->files_stay || !m->store.usable
			? ""
			: "; after room bare the machine resets");
	series_say(0);
}

/* Ask whether a person is there if the end of this run would halt. Returns true if it asked. */
static bool asks(const struct config *c, uint64_t started)
{
	bool off = c->finish == FINISH_POWEROFF;

	if (c->finish == FINISH_FIRMWARE || c->finish == FINISH_HALT ||
		resets_before(started) < RESETS_MAX)
		return false;
	console_printf("\nThe last %u runs ended in a %s, and each time the machine started again "
		       "soon.\nIf a person does that: Enter. Else this run ends by halting.\n",
		RESETS_MAX, off ? "power-off" : "reset");
	return true;
}

bool prompt_open(const struct machine *m, struct config *c)
{
	uint64_t started = utc_seconds(m->started_utc);
	unsigned seconds = (unsigned)c->prompt;
	enum prompt_answer answer = PROMPT_GO_ON;

	console_printf("\n");
	show(m, c);
	if (!seconds || !firmware_has_keys())
		return true;
	if (asks(c, started))
		seconds = AFTER_A_KEY;
	console_printf("keys: %sEnter start now, Esc %s\n",
		c->options.run ? "" : "p another profile, r other rooms, ",
		c->options.run ? "ends the series" : "leave");
	while (answer == PROMPT_GO_ON) {
		unsigned key = prompt_wait(seconds, "without a key it starts");

		if (!key)
			break;
		answer = prompt_key(c, key);
		if (answer == PROMPT_GO_ON)
			show(m, c);
		seconds = AFTER_A_KEY;
	}
	if (answer == PROMPT_START && resets_before(started))
		resets_record(0, started);
	console_printf("%s\n", answer == PROMPT_LEAVE ? "leaving: nothing is measured" : "");
	return answer != PROMPT_LEAVE;
}
