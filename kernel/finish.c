/* SPDX-License-Identifier: MIT */
/* The end: the last screen of a room with the card, its pictures and the QR code. */
#include "kernel/finish.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernel/console/console.h"
#include "kernel/console/keys.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/x86.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/journal.h"
#include "kernel/prompt.h"
#include "kernel/reset.h"
#include "kernel/result/result_log.h"
#include "kernel/series.h"
#include "kernel/watchdog/watchdog.h"
#include "lib/math.h"
#include "lib/qr_card.h"
#include "lib/stored_result.h"
#include "lib/text.h"

/*
 * Guards against a reset loop. A machine that resets, or whose power-off is a reset (U-Boot's),
 * boots the same medium again and would measure for ever. So each reset or power-off at the end of
 * a run is counted in a variable first; after RESETS_MAX of them in a row, or if nothing can be
 * counted, the run stops instead and says why. Below, "reset" stands for both. finish resets
 * counted boot services then firmware - active back to the firmware firmware - ended halt halt - -
 * halt poweroff, reset fewer than 3 - poweroff, reset poweroff, reset 3 or more - halt; counting
 * begins again poweroff, reset not possible active back to the firmware poweroff, reset not
 * possible ended halt reset perhaps in vain - halt setup as reset; where no start can be made to
 * enter it, as firmware Some firmware forgets its variables with every reset, so the count is noted
 * in a file too. That is done while boot services are active, so before room bare if the run may
 * end there (finish_before_exit). The reset after a result was stored is bounded by the count of
 * entries of room bare (both: kernel/journal.h). Resets between the runs of a series are bounded by
 * the number of runs (kernel/series.h); they carry the earlier count on, however long a run takes.
 * A start cannot see whether a person started the machine or a power-off acted as a reset: the time
 * since then may be the same, and memory may be kept or lost with both. A person says so: Enter at
 * the opening prompt begins the count anew, and the start after RESETS_MAX asks for it
 * (kernel/prompt.h). If there is no place for that file, the variable alone counts, and a reset may
 * clear it: the count is perhaps in vain. It is not in vain once a start finds the variable of an
 * earlier start. Until then a reset is not done; a power-off is, because it can loop only if it
 * acts as a reset. A reset into the setup is counted as any other: a firmware may accept
 * OsIndications and not follow it.
 */
struct reset_request {
	enum finish wanted;      /* as configured */
	bool goes_on;            /* boot services are active, or something comes next */
	const char *not_counted; /* reason why resets cannot be counted; NULL: they can */
	unsigned before;         /* resets in a row before this one */
	bool in_vain;            /* a reset may clear the count: nothing shows that it lasts */
	const char *no_setup;    /* why no start can enter the setup; NULL: one can */
};

#define DOT_WELL     4   /* pixels of a module that a photograph shows without care */
#define TURN         20  /* seconds for which the code, and then the whole last screen, is shown */
#define HELD_SECONDS 600 /* length of a countdown that a key holds */
#define LINE_REST    54  /* columns left behind "the result is NOT stored: " */

static const struct machine *machine;
static const struct config *config;
static struct code_dots dots;          /* module sizes of the code on the last screen */
static const struct qr_modules *shown; /* the code on the last screen; NULL: none */

/* Decide how the run may end. *why: the reason if that differs from the wanted end; else NULL. */
static enum finish reset_guard(const struct reset_request *r, const char **why)
{
	enum finish stop = r->goes_on ? FINISH_FIRMWARE : FINISH_HALT;

	*why = NULL;
	if (r->wanted == FINISH_HALT)
		return FINISH_HALT;
	if (r->wanted == FINISH_FIRMWARE)
		return stop;
	if (r->wanted == FINISH_SETUP && r->no_setup) {
		*why = r->no_setup;
		return stop;
	}
	if (r->not_counted) {
		*why = r->not_counted;
		return stop;
	}
	if (r->before >= RESETS_MAX) {
		*why = "the last 3 runs ended so, and the machine started the program again";
		return FINISH_HALT;
	}
	if (r->wanted != FINISH_POWEROFF && r->in_vain) {
		*why = "no file can be written, and variables are not known to outlive a reset";
		return FINISH_HALT;
	}
	return r->wanted;
}

static bool dark(const void *of, unsigned column, unsigned row)
{
	return qr_dark(of, column, row);
}

/* Returns the card's code; NULL: there is none, and *why says the reason. */
static const struct qr_modules *make_code(bool *left_out, const char **why)
{
	static struct qr q;
	static struct qr_modules code = { .dark = dark, .of = &q };
	size_t n;
	const char *text = dashboard_lines(&n);

	*why = qr_of_card(&q, text, n, left_out);
	code.side = q.side;
	return *why ? NULL : &code;
}

/*
 * Send the code's text as a line of the serial port: a cloud's console may keep no more than that.
 */
static void send_card(void)
{
	static char text[QR_CARD_TEXT];
	size_t n, length = 0;
	const char *lines = dashboard_lines(&n);

	for (unsigned part = QR_CARD_WHOLE; part <= QR_CARD_RESOLVED && !length && n; part++)
		length = qr_card_write(lines, n, part, text, sizeof text - 1);
	if (!length)
		return;
	text[length] = '\n';
	console_serial("\n", 1); /* end the line that the firmware may have left open */
	console_serial(text, length + 1);
}

/*
 * Show the end screen, and say what the code is for. Returns false if there is no display, or no
 * result.
 */
static bool end_screen(void)
{
	const char *why;
	bool left_out;

	shown = make_code(&left_out, &why);
	send_card();
	if (!dashboard_end(shown, &dots))
		return false;
	if (!shown)
		console_printf("no QR code of the card: %s\n", why);
	else if (dots.shown)
		console_printf("QR code: the card%s; `anechoic import --qr` reads a photograph\n",
			left_out ? "'s resolved values" : "");
	return true;
}

static char saved[STORED_RESULT_FILE];

void finish_names(const char *file)
{
	text_format(saved, sizeof saved, "%s", file);
}

/* Say again that the result is safe: the line that said it first has scrolled away. */
static void say_saved(void)
{
	size_t measured;

	results_text(&measured);
	const char *file = measured ? results_filed() : *saved ? saved : NULL;

	if (file)
		console_printf("the result is safe: %s%s%s\n", machine->file_prefix, file,
			results_place(machine));
}

/* Wait one turn between the last screen and the code alone. */
static void wait_turn(void)
{
	for (uint64_t since = rdtsc(); rdtsc() - since < TURN * tsc_per_second;)
		pause();
}

void finish_open(const struct machine *m, const struct config *c)
{
	machine = m;
	config = c;
	reset_open(m);
}

void stop_after_fatal_fault(void)
{
	static const char text[] = "the program cannot continue: switch the machine off\n";

	console_emergency(text, sizeof text - 1);
	halt_forever();
}

/*
 * Halt. If the code on the last screen is small, show the screen and the code alone, which is
 * larger, in turn for ever.
 */
static void stop(void) __attribute__((noreturn));
static void stop(void)
{
	bool turns = shown && dots.shown < DOT_WELL && dots.alone > dots.shown && tsc_per_second;

	console_printf("\nfinished and halted: switch the machine off or reset it\n");
	if (turns)
		console_printf("in turn, %u s each: this screen, and its QR code for `anechoic "
			       "import --qr`\n",
			TURN);
	while (turns) {
		wait_turn();
		dashboard_code_alone();
		wait_turn();
		dashboard_end(shown, &dots);
	}
	halt_forever();
}

static const char *not_finished(void)
{
	return config->finish == FINISH_POWEROFF ? "no power-off: "
		: config->finish == FINISH_RESET ? "no reset: "
		: config->finish == FINISH_SETUP ? "no setup: "
						 : "";
}

void finish_undelivered(const char *why)
{
	watchdog_stop();
	end_screen(); /* with few rows of text below */
	console_printf("the result is NOT stored:%s%s\n"
		       "%sthis screen is the result: photograph it, and only then switch off\n",
		strlen(why) > LINE_REST ? "\n  " : " ", why, not_finished());
	stop();
}

void finish_kept(const char *why)
{
	watchdog_stop();
	end_screen();
	console_printf("no start makes a file of the result:\n  %s\n"
		       "%sit is in the EFI variables, if these outlive a reset.\n"
		       "Linux on this machine reads it: anechoic import --efivars\n",
		why, not_finished());
	stop();
}

/* Seconds as utc_seconds counts them; 0: unknown. */
static uint64_t seconds_now(uint64_t started)
{
	if (!started || !tsc_per_second)
		return 0;
	return started + (rdtsc() - machine->entry_ticks) / tsc_per_second;
}

static bool is_reset(enum finish f)
{
	return f == FINISH_POWEROFF || f == FINISH_RESET || f == FINISH_SETUP;
}

/* The configured `finish`, or `firmware` for a setup that this firmware does not have. */
static enum finish configured(void)
{
	return config->finish == FINISH_SETUP && !machine->has_setup ? FINISH_FIRMWARE
								     : (enum finish)config->finish;
}

void finish_before_exit(void)
{
	uint64_t started = utc_seconds(machine->started_utc), now = seconds_now(started);
	uint64_t room = (uint64_t)expected_seconds(&config->options);

	if (is_reset(configured()) || config->fault == FAULT_RESET)
		resets_expect(started, now ? now + room : 0);
}

static const char no_setup[] = "the firmware does not say that a program can ask for it",
		  setup_refused[] = "the firmware does not store that it is asked for";

/*
 * Decide how the run may end. When this returns, a reset has been counted and the setup asked for.
 */
static enum finish decide(enum finish wanted, const char **why)
{
	const struct variable_store *store = &machine->store;
	uint64_t started = utc_seconds(machine->started_utc);
	struct reset_request r = { .wanted = wanted,
		.goes_on = boot_services_active() || machine->next };

	if (!machine->has_setup)
		r.no_setup = no_setup;
	if (!store->usable || !store->usable_at_runtime) {
		r.not_counted = store->why_not;
	} else if (step_hung("setvar")) {
		r.not_counted = "setting a variable may hang, as in an earlier start";
	} else if (is_reset(wanted)) {
		r.before = resets_before(started);
		r.in_vain = resets_in_vain();
	}
	enum finish allowed = reset_guard(&r, why);

	if (!is_reset(allowed) && r.before < RESETS_MAX && !r.in_vain)
		return allowed;
	r.not_counted = resets_record(*why ? 0 : r.before + 1, seconds_now(started));
	if (!r.not_counted && allowed == FINISH_SETUP && firmware_storage.setup_next()) {
		r.no_setup = setup_refused;
		resets_record(0, 0); /* the reset was counted, but is not done */
	}
	return reset_guard(&r, why);
}

/*
 * Before a reset between two runs: note anew the resets in a row before the first start, so that
 * they still count at the last one, however long the rooms took.
 */
static void resets_carry(uint64_t started, uint64_t now)
{
	unsigned before = resets_before(started);

	if (before)
		resets_record(before, now);
}

static void carry_resets(void)
{
	uint64_t started = utc_seconds(machine->started_utc);

	if (machine->store.usable_at_runtime && !step_hung("setvar"))
		resets_carry(started, seconds_now(started));
}

/* Seconds of a countdown, 0: none. pictures: a display shows the card and curves meanwhile. */
static unsigned countdown_seconds(const struct config *c, bool pictures)
{
	if (!c->countdown || !pictures || c->screen_seconds < c->countdown)
		return (unsigned)c->countdown;
	return (unsigned)c->screen_seconds;
}

/* Count down before this screen ends, so that it can be read. */
static void countdown(const char *what, bool pictures)
{
	const char *keys = keys_work();
	unsigned seconds = countdown_seconds(config, pictures);

	if (!seconds)
		return;
	console_printf("%s%s\n", keys ? keys : "no key", keys ? " holds it" : " can hold it here");
	keys_read();
	if (!prompt_wait(seconds, what))
		return;
	prompt_pause(); /* a key that is held down counts as one */
	console_printf("held: it goes on at the next key, or in %u s\n", HELD_SECONDS);
	prompt_wait(HELD_SECONDS, what);
}

void finish_way_home(void)
{
	if (machine->home != HOME_UNKNOWN && firmware_storage.boot_next())
		console_printf("the firmware does not set BootNext:\n"
			       "after the reset, choose this medium again\n");
}

void finish_between(void)
{
	watchdog_stop();
	bool pictures = end_screen();

	console_printf("\nWhat comes next: %sthis program starts again.\n"
		       "It begins with run %u of %u.\n",
		machine->restart ? "" : "the machine resets, and ", config->options.run,
		(unsigned)config->options.runs);
	if (machine->restart)
		machine->restart();
	finish_way_home();
	carry_resets();
	countdown("reset", pictures);
	reset_machine(RESET_WARM);
}

void finish_stored(void)
{
	static const char *const then[] = {
		[FINISH_FIRMWARE] = "goes back to the firmware",
		[FINISH_POWEROFF] = "switches the machine off",
		[FINISH_RESET] = "resets the machine",
		[FINISH_SETUP] = "restarts into the firmware's setup",
		[FINISH_HALT] = "halts",
	};

	watchdog_stop();
	bool pictures = end_screen();

	console_printf("\nWhat comes next: the machine resets, and this program starts again.\n"
		       "It writes the file, ");
	if (series_goes_on())
		console_printf("and begins with run %u of %u.\n", config->options.run + 1,
			(unsigned)config->options.runs);
	else
		console_printf("shows the card once more and %s.\n", then[configured()]);
	carry_resets();
	countdown("reset", pictures);
	reset_machine(RESET_WARM);
}

static void finish(enum finish wanted)
{
	const char *why;

	watchdog_stop(); /* before the count is read */
	enum finish allowed = decide(wanted, &why);
	bool pictures = end_screen();

	say_saved();
	if (why)
		console_printf("\n%s%s:\n  %s\n",
			wanted == FINISH_POWEROFF        ? "no power-off"
				: wanted == FINISH_RESET ? "no reset"
							 : "no setup",
			why == no_setup || why == setup_refused
				? ""
				: ", because the machine might start this program again and again",
			why);
	if (allowed == FINISH_POWEROFF) {
		countdown("power-off", pictures);
		reset_machine(RESET_SHUTDOWN);
	}
	if (allowed == FINISH_RESET || allowed == FINISH_SETUP) {
		countdown(allowed == FINISH_RESET ? "reset" : "the firmware's setup", pictures);
		reset_machine(RESET_WARM);
	}
	if (allowed == FINISH_HALT)
		stop();
}

void finish_after_fault(void)
{
	if (config->fault == FAULT_NEXT)
		return;
	steps_end();
	if (config->fault == FAULT_RESET)
		finish(FINISH_RESET);
	watchdog_stop();
	stop();
}

static void wait_for_key(void)
{
	if (machine->next) {
		console_printf("\nfinished: %s starts\n", machine->next);
		return;
	}
	console_printf("\nfinished. The firmware now takes its next boot entry, or shows its menu;"
		       "\nany key: at once\n");
	keys_read();
	prompt_wait(WAIT_SECONDS, "back to the firmware");
	console_printf("back to the firmware\n");
}

void finish_run(void)
{
	finish((enum finish)config->finish);
	wait_for_key();
}
