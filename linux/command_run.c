/* SPDX-License-Identifier: MIT */
/* anechoic run: measures in room `hosted`. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "linux/commands.h"
#include "linux/hosted.h"
#include "linux/reading.h"
#include "linux/run_options.h"
#include "engine/bench.h"

#define EXIT_INTERRUPTED 130

static int complain(const char *what)
{
	fprintf(stderr, "anechoic run: %s\n", what);
	return EXIT_BAD_INPUT;
}

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

/* The first signal lets the sample finish; a second one ends the process as usual. */
static void catch_signals(void)
{
	struct sigaction stop = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGHUP, &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL); /* a closed pipe is a failed write, reported as such */
}

static int check_asked(const struct hosted *h)
{
	size_t n;
	const char *name = asked_missing(&h->asked, &n);
	if (!name)
		return EXIT_OK;
	fprintf(stderr,
		"anechoic run: probe = '%.*s': there is nothing of that name; docs/method.md "
		"names the variants\n",
		(int)n, name);
	return EXIT_BAD_INPUT;
}

static int measure(struct hosted *h, const struct options *settings)
{
	char err[256];
	if (hosted_open(h, settings, err, sizeof(err))) {
		output_abandon(h);
		return complain(err);
	}
	output_begin(h);
	h->asked.list = settings->probes;
	int code = bench_run(&h->env, settings);
	hosted_close(h);
	return code == EXIT_OK && !h->env.stop(&h->env) ? check_asked(h) : code;
}

/* The result is opened first: as SCHED_FIFO we would wait for another run instead of refusing. */
static int run(const struct run_options *o)
{
	char err[512];
	struct hosted *h = calloc(1, sizeof(*h));
	if (!h)
		return complain("no memory");
	int code = EXIT_BAD_INPUT;
	if (output_open(h, o->out, err, sizeof(err))) {
		complain(err);
	} else {
		catch_signals();
		code = measure(h, &o->settings);
		if (output_close(h, err, sizeof(err))) {
			complain(err);
			code = EXIT_BAD_OUTPUT;
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
		return complain(err);
	if (o.help) {
		run_options_help();
		return reading_finish("run", stdout, EXIT_OK);
	}
	if (o.list) {
		list_probes();
		return reading_finish("run", stdout, EXIT_OK);
	}
	if (!o.cpu_chosen)
		o.settings.cpu = first_cpu();
	return run(&o);
}
