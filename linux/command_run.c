/* SPDX-License-Identifier: MIT */
/* anechoic run: measures in room `hosted`. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/bench.h"
#include "linux/sysfs.h"
#include "linux/abandon.h"
#include "linux/commands.h"
#include "linux/hosted.h"
#include "linux/command_line.h"
#include "linux/run_options.h"
#include "engine/infer/card.h"
#include "engine/plan_trial.h"
#include "engine/options.h"
#include "lib/published.h"
#include "linux/cgroup_limits.h"

/*
 * Measures that would make a run better, shown before it begins; each missing one is a line of
 * advice.
 */
struct advice {
	bool root, isolated, large_pages, fixed_clock; /* true: it is so, or cannot be had */
	bool thp_there;                                /* the kernel has transparent huge pages */
	bool shared;  /* nice values count only within the session's group */
	unsigned cpu; /* the measuring CPU, by Linux's number */
};

#define ADVICE_LINES 5
#define ADVICE_LINE  104 /* bytes, with the NUL; 80 columns with any CPU number */

#define THP_ENABLED "/sys/kernel/mm/transparent_hugepage/enabled"
#define POOL_2M     "/proc/sys/vm/nr_hugepages"

#define PATH_BYTES 4096

static bool is_listed(const char *root, const char *file, unsigned cpu)
{
	char path[PATH_BYTES];
	bool listed;
	snprintf(path, sizeof(path), "%s" CPU_DIR "%s", root, file);
	return read_list_has(path, cpu, &listed) && listed;
}

/* Returns true if turbo is on: intel_pstate has no_turbo, others boost. */
static bool turbo_is_on(const char *root)
{
	char path[PATH_BYTES];
	uint64_t value;
	snprintf(path, sizeof(path), "%s" CPU_DIR "intel_pstate/no_turbo", root);
	if (read_number(path, &value))
		return !value;
	snprintf(path, sizeof(path), "%s" CPU_DIR "cpufreq/boost", root);
	return read_number(path, &value) && value;
}

/*
 * Returns true if the clock is fixed, or cannot be set at all, as in a virtual machine: no advice
 * then.
 */
static bool clock_is_fixed(const char *root, unsigned cpu)
{
	char path[PATH_BYTES];
	uint64_t low, high;
	snprintf(path, sizeof(path), "%s" CPU_DIR "cpu%u/cpufreq/scaling_min_freq", root, cpu);
	if (!read_number(path, &low))
		return true;
	snprintf(path, sizeof(path), "%s" CPU_DIR "cpu%u/cpufreq/scaling_max_freq", root, cpu);
	return read_number(path, &high) && low == high && !turbo_is_on(root);
}

/* Read the CPU's isolation and clock from the files below `root` ("": /proc, /sys). */
static void advice_read(struct advice *a, const char *root)
{
	char path[PATH_BYTES];
	a->isolated = is_listed(root, "isolated", a->cpu) && is_listed(root, "nohz_full", a->cpu);
	a->fixed_clock |= clock_is_fixed(root, a->cpu);
	snprintf(path, sizeof(path), "%s" THP_ENABLED, root);
	a->thp_there = access(path, F_OK) == 0;
}

/* Write at most ADVICE_LINES lines; return how many. */
static unsigned advice_lines(const struct advice *a, char out[ADVICE_LINES][ADVICE_LINE])
{
	unsigned n = 0;
	if (!a->root)
		snprintf(out[n++], ADVICE_LINE,
			"root would add: priority (nice -20), locked memory, SMI counts (sudo)");
	if (a->shared)
		snprintf(out[n++], ADVICE_LINE,
			"other sessions have equal shares: --scheduler fifo, a cpuset or "
			"systemd-run");
	if (!a->isolated && !a->cpu) /* nohz_full leaves out the boot CPU */
		snprintf(out[n++], ADVICE_LINE,
			"CPU 0 has Linux's own work: boot with isolcpus=N nohz_full=N, then --cpu "
			"N");
	else if (!a->isolated)
		snprintf(out[n++], ADVICE_LINE,
			"isolation would keep others off CPU %u: boot with isolcpus=%u "
			"nohz_full=%u",
			a->cpu, a->cpu, a->cpu);
	if (!a->large_pages)
		snprintf(out[n++], ADVICE_LINE, "no 2 MiB pages: echo %s",
			a->thp_there ? "madvise >" THP_ENABLED : "2048 >" POOL_2M);
	if (!a->fixed_clock)
		snprintf(out[n++], ADVICE_LINE,
			"a fixed clock would make times repeat: --clock fixed (as root)");
	return n;
}

/* Write one line for each limit; return how many. */
static unsigned limit_lines(const struct cgroup_limits *l, char out[ADVICE_LINES][ADVICE_LINE])
{
	unsigned n = 0;
	if (l->cpus > 0)
		snprintf(out[n++], ADVICE_LINE,
			"control group: at most %.4g CPUs' time, so that a run may be throttled",
			l->cpus);
	if (l->cpuset)
		snprintf(out[n++], ADVICE_LINE, "control group: CPUs %.40s%s only", l->cpuset,
			strlen(l->cpuset) > 40 ? "..." : "");
	if (l->memory_bytes)
		snprintf(out[n++], ADVICE_LINE, "control group: %" PRIu64 " MiB of memory",
			l->memory_bytes >> 20);
	return n;
}

#define ME               "run"
#define EXIT_INTERRUPTED 130

static const char *const profile_names[] = { "smoke", "default", "full" };

static void list_probes(void)
{
	printf("%-11s %-11s %s\n", "probe", "sources", "what it measures");
	for (unsigned i = 0; i < probe_count; i++)
		printf("%-11s %-11s %s\n", probes[i].name, probes[i].sources, probes[i].what);
	printf("\n%-11s %s\n", "profile", "what it answers, beside what shorter ones do");
#define ANSWER(symbol, profile, what) printf("%-11s %s\n", profile_names[PROFILE_##profile], what);
#define CORE_ANSWER                   ANSWER
#include "engine/answers.inc"
#undef CORE_ANSWER
#undef ANSWER
}

static void on_signal(int number)
{
	if (!stop_signal)
		stop_signal = number;
	abandon_soon();
}

/*
 * The first signal ends the measuring: the current row takes only the samples that a row must have,
 * and is abandoned if that takes long; no other row is begun, and the result is finished and
 * closed. A second signal of the same kind ends the process at once, since SA_RESETHAND has
 * restored the default action; the keeper (linux/sysfs.h) restores what was changed.
 */
static void catch_signals(void)
{
	struct sigaction stop = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	(void)abandon_init(); /* if it fails, rows are ended by themselves */
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGHUP, &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL); /* a closed pipe is a failed write, reported as such, */
	sigaction(SIGXFSZ, &ignore, NULL); /* and so does a file that `ulimit -f` limits */
}

/* Check the selection before anything is measured: a name that no row has is a mistake. */
static int check_selection(struct hosted *h, const struct options *settings)
{
	struct unplanned u = selection_unplanned(&h->room, settings);
	if (!u.name)
		return EXIT_OK;
	return command_error(ME,
		"probe = '%.*s': this profile has no variant of that name here; "
		"see `anechoic explain`",
		(int)u.n, u.name);
}

static void say_lines(struct hosted *h, char lines[ADVICE_LINES][ADVICE_LINE], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		hosted_note(h, "%s\n", lines[i]);
}

/* Print the advice, and the limits of the process. */
static void say_advice(struct hosted *h)
{
	char lines[ADVICE_LINES][ADVICE_LINE];
	struct advice a = {
		.root = geteuid() == 0,
		.large_pages = h->room.facts.pages & PAGE_2M,
		.fixed_clock = h->clock.wanted && !h->clock.not_set,
		.shared = *h->scheduling.autogroup.why != '\0',
		.cpu = h->scheduling.cpu,
	};
	advice_read(&a, "");
	if (h->tsc_doubt)
		hosted_note(h,
			"Linux does not trust the TSC (%s);\n"
			"timed here, asleep and at work, its rate is steady to %.0f ppm\n",
			h->tsc_doubt, h->tsc_steady_ppm);
	say_lines(h, lines, advice_lines(&a, lines));
	say_lines(h, lines, limit_lines(&h->limits, lines));
}

static int measure_hosted(struct hosted *h, const struct options *settings)
{
	char err[256];
	if (hosted_open(h, settings, err, sizeof(err)))
		return command_error(ME, "%s", err);
	int code = check_selection(h, settings);
	if (code) {
		hosted_close(h);
		return code;
	}
	const struct card_beside beside = { .core_of = published_core_of,
		.saved = output_saved(&h->output) };
	h->room.beside = &beside;
	if (settings->runs > 1)
		hosted_note(h, "\nrun %u of %u: %s\n", settings->run, (unsigned)settings->runs,
			h->output.results_name);
	if (h->scheduling.fifo_why)
		hosted_note(h, "scheduler: other, not fifo: %s\n", h->scheduling.fifo_why);
	say_advice(h);
	code = bench_run(&h->room, settings);
	hosted_close(h);
	h->room.beside = NULL;
	if (code == 1 && !h->output.text)
		command_error(ME, "a row failed its proof: it has no number");
	return code;
}

/*
 * Measure once. The result is opened, and so locked, before measure() may make the process
 * SCHED_FIFO. In the other order, on a CPU where another run writes the same file, it would get the
 * lock only after that run has ended, and would then overwrite its result instead of refusing.
 */
static int run_hosted(const struct run_options *o)
{
	char err[512];
	struct hosted *h = calloc(1, sizeof(*h));
	if (!h)
		return command_error(ME, "no memory");
	int code = EXIT_FAILED;
	if (output_open(h, o->out, o->force, o->quiet, err, sizeof(err))) {
		command_error(ME, "%s", err);
	} else {
		catch_signals();
		h->scheduling.fifo_asked = o->fifo;
		code = measure_hosted(h, &o->settings);
		*err = 0;
		bool lost = output_close(h, err, sizeof(err)) != 0;
		if (*err)
			command_error(ME, "%s", err);
		if (lost) {
			code = EXIT_FAILED;
		} else if (stop_signal) {
			code = EXIT_INTERRUPTED;
		}
	}
	free(h);
	return code;
}

/*
 * Several runs, each in a process of its own: nothing of a run carries over to the next, neither
 * memory nor its CPU affinity.
 */

static pid_t run_process;

/*
 * Pass the signal on as another one. A terminal sends a signal to that process as well; a different
 * signal also stops it, while a second one of the same kind would end it at once (catch_signals).
 */
static void pass_signal(int number)
{
	stop_signal = number;
	if (run_process > 0)
		kill(run_process, number == SIGHUP ? SIGTERM : SIGHUP);
}

/*
 * The file name of a run: "linux.ndjson" becomes "linux-2.ndjson" for run 2, "linux-02.ndjson" with
 * ten or more; an output that is not a file takes all runs. The caller frees it.
 */
static char *name_of_run(const char *name, unsigned run, unsigned runs)
{
	const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.'), *end = strchr(name, 0);
	char *out = NULL;
	struct stat st;

	if (!strcmp(name, "-") || (!stat(name, &st) && !S_ISREG(st.st_mode)))
		return strdup(name);
	if (!dot || (slash && dot < slash))
		dot = end;
	if (asprintf(&out, "%.*s-%0*u%s", (int)(dot - name), name, runs < 10 ? 1 : 2, run, dot) < 0)
		return NULL;
	return out;
}

/* Measure a run in a process of its own. Returns its exit code. */
static int run_apart(const struct run_options *all, const char *name, unsigned run)
{
	struct run_options o = *all;
	int status = 0;

	o.out = name_of_run(name, run, (unsigned)o.settings.runs);
	o.settings.run = run;
	o.settings.later_s = (double)(o.settings.runs - run) * expected_seconds(&o.settings);
	run_process = 0; /* the child has none to pass signals to */
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		exit(run_hosted(&o));
	run_process = pid;
	free((char *)o.out);
	if (pid < 0)
		return command_error(ME, "no process for run %u: %s", run, strerror(errno));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	run_process = 0;
	return WIFEXITED(status)
		? WEXITSTATUS(status)
		: command_error(ME, "run %u was ended: %s", run, strsignal(WTERMSIG(status)));
}

/* Check all names before the first run: else the last run would be in vain. */
static int check_names(const struct run_options *o, const char *name)
{
	unsigned runs = (unsigned)o->settings.runs;
	bool there = false;

	for (unsigned run = 1; run <= runs && !there; run++) {
		char *one = name_of_run(name, run, runs);
		there = strcmp(one, name) && !o->force && !access(one, F_OK);
		if (there)
			command_error(ME,
				"cannot write '%s': it exists; --force overwrites it, --out names "
				"another one",
				one);
		free(one);
	}
	return there ? EXIT_FAILED : EXIT_OK;
}

static int run_series(const struct run_options *o)
{
	const struct sigaction pass = { .sa_handler = pass_signal };
	unsigned runs = (unsigned)o->settings.runs, run = 0;
	char own_base[OUTPUT_NAME];
	int worst = EXIT_OK, code;

	if (!o->out)
		output_name(own_base);
	const char *name = o->out ? o->out : own_base;
	if (check_names(o, name))
		return EXIT_FAILED;
	sigaction(SIGINT, &pass, NULL);
	sigaction(SIGTERM, &pass, NULL);
	sigaction(SIGHUP, &pass, NULL);
	do {
		code = run_apart(o, name, ++run);
		worst = code > worst ? code : worst;
	} while (run < runs && code < EXIT_FAILED && !stop_signal);
	if (code < EXIT_FAILED && run == runs)
		return worst;
	command_error(ME, "ended in run %u of %u: %u complete", run, runs,
		run - (code >= EXIT_FAILED));
	return stop_signal ? EXIT_INTERRUPTED : worst;
}

static int run_main(int argc, char **argv)
{
	struct run_options o;
	char err[384]; /* can hold the names of all probes */
	if (run_options_parse(argc, argv, &o, err, sizeof(err)))
		return command_error(ME, "%s", err);
	if (o.help) {
		run_options_help(o.help_all);
		return finish_output(ME, stdout, EXIT_OK);
	}
	if (o.list) {
		list_probes();
		return finish_output(ME, stdout, EXIT_OK);
	}
	if (!o.cpu_chosen)
		o.settings.cpu = first_cpu();
	return o.settings.runs > 1 ? run_series(&o) : run_hosted(&o);
}

const struct command command_run = { "run", run_main, "measures this machine under Linux" };
