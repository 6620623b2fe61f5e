/* SPDX-License-Identifier: MIT */
/* anechoic run: measures in room `hosted`. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "linux/commands.h"
#include "linux/hosted.h"
#include "linux/command_line.h"
#include "linux/run_advice.h"
#include "linux/run_options.h"
#include "engine/plan.h"

#define ME               "run"
#define EXIT_INTERRUPTED 130

static void list_probes(void)
{
	printf("%-11s %-9s %s\n", "probe", "sources", "what it measures");
	for (unsigned i = 0; i < probe_count; i++)
		printf("%-11s %-9s %s\n", probes[i].name, probes[i].sources, probes[i].what);
}

static void on_signal(int number)
{
	stop_signal = number;
}

/*
 * The first signal ends the measuring: the row at hand takes the fewest samples that a row must
 * have, no other row is begun, and the result is finished and closed. A second signal of the same
 * kind ends the process at once, since SA_RESETHAND has restored the default action.
 */
static void catch_signals(void)
{
	struct sigaction stop = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGHUP, &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL); /* a closed pipe is a failed write, reported as such */
}

/* A name that no row has is a mistake, before anything is measured. */
static int check_selection(struct hosted *h, const struct options *settings)
{
	struct unplanned u = selection_unplanned(&h->room, settings);
	if (!u.name)
		return EXIT_OK;
	return command_error(ME,
		"probe = '%.*s': this profile has no variant of that name here; docs/method.md "
		"names the variants",
		(int)u.n, u.name);
}

static void say_lines(struct hosted *h, char lines[ADVICE_LINES][ADVICE_LINE], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		output_note(h, "%s\n", lines[i]);
}

/* What would make it better, and what limits it. */
static void say_advice(struct hosted *h)
{
	char lines[ADVICE_LINES][ADVICE_LINE];
	struct advice a = {
		.root = geteuid() == 0,
		.large_pages = h->room.facts.pages & PAGE_2M,
		.fixed_clock = h->clock.wanted && !h->clock.not_set,
		.cpu = h->scheduling.cpu,
	};
	advice_read(&a, "");
	if (h->tsc_steady_ppm > 0)
		output_note(h,
			"the kernel does not offer the TSC as a clock (tsc=unstable);\n"
			"timed here, its rate is steady to %.0f ppm\n",
			h->tsc_steady_ppm);
	say_lines(h, lines, advice_lines(&a, lines));
	say_lines(h, lines, limit_lines(&h->limits, lines));
}

static int measure(struct hosted *h, const struct options *settings)
{
	char err[256];
	if (hosted_open(h, settings, err, sizeof(err))) {
		output_abandon(h);
		return command_error(ME, "%s", err);
	}
	int code = check_selection(h, settings);
	if (code) {
		output_abandon(h);
		hosted_close(h);
		return code;
	}
	output_begin(h);
	if (h->scheduling.fifo_why)
		output_note(h, "scheduler: other, not fifo: %s\n", h->scheduling.fifo_why);
	if (h->clock.not_set)
		output_note(h, "clock: %u CPU(s) stay as found: %s\n", h->clock.not_set,
			h->clock.why);
	say_advice(h);
	code = bench_run(&h->room, settings);
	hosted_close(h);
	return code;
}

/*
 * The result is opened, and so locked, before measure() may make the process SCHED_FIFO. The other
 * way round, on a CPU where another run writes the same file, it would get to the lock only after
 * that run has ended, and would then overwrite its result instead of refusing to.
 */
static int run(const struct run_options *o)
{
	char err[512];
	struct hosted *h = calloc(1, sizeof(*h));
	if (!h)
		return command_error(ME, "no memory");
	int code = EXIT_FAILED;
	if (output_open(h, o->out, o->force, err, sizeof(err))) {
		command_error(ME, "%s", err);
	} else {
		catch_signals();
		h->scheduling.fifo_asked = o->fifo;
		code = measure(h, &o->settings);
		if (output_close(h, err, sizeof(err))) {
			command_error(ME, "%s", err);
			code = EXIT_FAILED;
		} else if (stop_signal) {
			code = EXIT_INTERRUPTED;
		}
	}
	free(h);
	return code;
}

int run_main(int argc, char **argv)
{
	struct run_options o;
	char err[256];
	if (run_options_parse(argc, argv, &o, err, sizeof(err)))
		return command_error(ME, "%s", err);
	if (o.help) {
		run_options_help();
		return finish_output(ME, stdout, EXIT_OK);
	}
	if (o.list) {
		list_probes();
		return finish_output(ME, stdout, EXIT_OK);
	}
	if (!o.cpu_chosen)
		o.settings.cpu = first_cpu();
	return run(&o);
}
