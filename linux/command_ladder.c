/* SPDX-License-Identifier: MIT */
/*
 * anechoic ladder: its knowledge from before the restart: the file /var/lib/anechoic/ladder, and a
 * systemd unit that goes on by itself. Functions that return int return 0, or -1 with the reason in
 * err[REASON_BYTES].
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/options.h"
#include "linux/boot/unit.h"
#include "linux/boot/whole_file.h"
#include "linux/sysfs.h"
#include "linux/report/allocate.h"
#include "linux/boot/send.h"
#include "linux/boot/esp.h"
#include "linux/command_line.h"
#include "linux/commands.h"

#define LADDER_STATE STATE_FOLDER "/ladder"
#define LADDER_UNIT  "anechoic-ladder.service"
#define LADDER_WORDS 64

struct ladder_run {
	char out[PATH_MAX]; /* the folder of the results, absolute */
	/*
	 * The boot (random/boot_id) from which the machine was sent away; "": not yet in this run.
	 */
	char boot[40];
	unsigned runs, run; /* number of runs wanted; the current one, from 1 */
	bool reboot;        /* restart the machine without asking */
	bool kexec;         /* by `anechoic bare`, not by the firmware: two rooms */
	size_t nwords;
	char *words[LADDER_WORDS]; /* arguments of `anechoic boot`; owned */
};

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

/*
 * Read a line: "out FOLDER", "boot ID", "run 2 of 3", "reboot", "kexec"; "word WORD" for each
 * argument.
 */
static void take_line(struct ladder_run *l, const char *line)
{
	if (!strncmp(line, "out ", 4))
		snprintf(l->out, sizeof(l->out), "%s", line + 4);
	else if (!strncmp(line, "boot ", 5))
		snprintf(l->boot, sizeof(l->boot), "%s", line + 5);
	else if (!strncmp(line, "run ", 4))
		sscanf(line, "run %u of %u", &l->run, &l->runs);
	else if (!strcmp(line, "reboot"))
		l->reboot = true;
	else if (!strcmp(line, "kexec"))
		l->kexec = true;
	else if (!strncmp(line, "word ", 5) && l->nwords < LADDER_WORDS)
		l->words[l->nwords++] = copy_text(line + 5);
}

/* Returns 0; 1: there is no state; -1 with the reason. */
static int ladder_read(struct ladder_run *l, const char *path, char *err)
{
	size_t n;

	*l = (struct ladder_run){ .runs = 1, .run = 1 };
	char *text = file_bytes(path, &n);
	if (!text)
		return errno == ENOENT ? 1 : give_reason(err, "%s: %s", path, strerror(errno));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		take_line(l, line);
	free(text);
	return *l->out ? 0 : give_reason(err, "%s is no state of a ladder: delete it", path);
}

static int ladder_write(const struct ladder_run *l, const char *path, char *err)
{
	char *text;
	size_t n;
	FILE *to = text_stream(&text, &n);

	fprintf(to, "out %s\nboot %s\nrun %u of %u\n%s%s", l->out, l->boot, l->run, l->runs,
		l->reboot ? "reboot\n" : "", l->kexec ? "kexec\n" : "");
	for (size_t i = 0; i < l->nwords; i++)
		fprintf(to, "word %s\n", l->words[i]);
	fclose(to);
	int bad = file_replace(path, text, n, err);
	free(text);
	return bad;
}

static void ladder_free(struct ladder_run *l)
{
	for (size_t i = 0; i < l->nwords; i++)
		free(l->words[i]);
	l->nwords = 0;
}

/* Note the identity of this boot. */
static void ladder_note_boot(struct ladder_run *l)
{
	read_line(BOOT_ID, l->boot, sizeof(l->boot));
}

/* Returns true if the machine has not restarted since it was sent away. */
static bool ladder_same_boot(const struct ladder_run *l)
{
	struct ladder_run now = { 0 };

	ladder_note_boot(&now);
	return !strcmp(now.boot, l->boot);
}

/*
 * Find the program that a unit of systemd would start. Returns 0; or -1 with the reason why there
 * can be no unit.
 */
static int ladder_program(const struct ladder_run *l, char program[PATH_MAX], char *err)
{
	for (size_t i = 0; i < l->nwords; i++)
		if (!strncmp(l->words[i], "--image=", 8) && path_of_root(l->words[i] + 8, err))
			return -1;
	return unit_program(program, err);
}

/*
 * Make the unit that runs `anechoic ladder --resume`. If that run measures, it waits until
 * everything else has been started and has settled.
 */
static int ladder_unit_write(const char *program, bool measures, char *err)
{
	const struct unit unit = { .name = LADDER_UNIT,
		.description = "anechoic ladder: fetches the results and compares the rooms",
		.words = "ladder --resume",
		.waits = measures };

	return unit_write(&unit, program, err);
}

/*
 * anechoic ladder: all three rooms of this machine with one command. Each step is another command
 * of this program, and each can be repeated.
 */

#define ME    "ladder"
#define WORDS (3 * RUNS_MAX + 8) /* more than LADDER_WORDS + 8 */

#define WAITING "results of an earlier boot wait: anechoic fetch"

extern char **environ;

static const struct command_help command = {
	.name = ME,
	.usage = "Usage: anechoic ladder [OPTION...] [KEY=VALUE...]\n"
		 "       anechoic ladder --resume\n\n"
		 "Measures this machine in all three rooms: under Linux, then by `anechoic boot`\n"
		 "in firmware and bare, and compares them when Linux is back. The keys are those\n"
		 "of anechoic.cfg; the run under Linux takes those that it has, too.\n"
		 "With --kexec in two, hosted and bare, without a start of the firmware.\n"
		 "Three runs of each room, unattended: sudo anechoic ladder --reboot --runs 3",
	.notes = "Where systemd runs, a unit of its own goes on after the restart.\n\n"
		 "Exit code: 0 done, or on its way; 1 there is nothing to resume, or no result\n"
		 "came; 2 failed.\n\n"
		 "Example: sudo anechoic ladder --reboot profile=full",
};

struct ladder_arguments {
	const char *out, *runs, *esp, *image, *key, *cert;
	bool reboot, resume, kexec;
};

static int parse_ladder(int argc, char **argv, struct ladder_arguments *a)
{
	const struct command_option options[] = {
		{ .name = "reboot",
			.argument = "",
			.flag = &a->reboot,
			.help = "restarts the machine after each run under Linux" },
		{ .name = "kexec",
			.argument = "",
			.flag = &a->kexec,
			.help = "by `anechoic bare`: Linux and bare, without the firmware" },
		{ .name = "resume",
			.argument = "",
			.flag = &a->resume,
			.help = "goes on where it was: fetches, compares, cleans up" },
		{ .name = "runs",
			.argument = " N",
			.value = &a->runs,
			.help = "so many runs, the rooms in turn: Linux, firmware, bare, "
				"Linux, firmware, ... (default: 1)" },
		{ .name = "out",
			.letter = 'o',
			.argument = " DIR",
			.value = &a->out,
			.help = "where the results go (default: a new folder of " STATE_FOLDER
				")" },
		{ .name = "esp", .argument = " WHERE", .value = &a->esp, .help = "as for boot" },
		{ .name = "image", .argument = " FILE", .value = &a->image, .help = "as for boot" },
		{ .name = "key", .argument = " FILE", .value = &a->key, .help = "as for boot" },
		{ .name = "cert", .argument = " FILE", .value = &a->cert, .help = "as for boot" },
	};

	return parse_options(&command, options, sizeof(options) / sizeof(*options), argc, argv);
}

/* Run this program with these words, its output to a file (NULL: ours); returns its exit code. */
static int self(char *const *words, const char *file)
{
	posix_spawn_file_actions_t actions;
	int status = 0;
	pid_t pid;

	fflush(stdout);
	posix_spawn_file_actions_init(&actions);
	if (file) {
		unlink(file);
		posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, file,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
	}
	int error = posix_spawn(&pid, "/proc/self/exe", &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		return command_error(ME, "%s: %s", words[1], strerror(error));
	if (waitpid(pid, &status, 0) < 0)
		return command_error(ME, "%s: %s", words[1], strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

/*
 * Run `anechoic boot`, or `bare`, with the arguments of the state; dry: only its checks. This
 * ladder's own unit fetches.
 */
static int boot(const struct ladder_run *l, bool dry)
{
	char *words[WORDS] = { "anechoic", l->kexec ? "bare" : "boot" };
	size_t n = 2;

	if (dry)
		words[n++] = "--dry-run";
	else if (l->reboot)
		words[n++] = l->kexec ? "--yes" : "--reboot";
	if (l->kexec)
		words[n++] = "--no-unit";
	memcpy(words + n, l->words, l->nwords * sizeof(*words));
	return self(words, NULL);
}

static bool is_of_run(const char *word)
{
	for (size_t i = 0; i < option_settings_count; i++) {
		size_t n = strlen(option_settings[i].name);
		if (!strncmp(word, option_settings[i].name, n) && word[n] == '=')
			return true;
	}
	return false;
}

/*
 * Write "bare.ndjson", or "bare-2.ndjson" for several runs: `anechoic compare` takes them for one
 * set.
 */
static const char *name_of_run(const struct ladder_run *l, const char *room, char name[32])
{
	if (l->runs < 2)
		snprintf(name, 32, "%s.ndjson", room);
	else
		snprintf(name, 32, "%s-%0*u.ndjson", room, l->runs < 10 ? 1 : 2, l->run);
	return name;
}

/* Measure under Linux, with the keys that both have; the others concern the image only. */
static int run_hosted(const struct ladder_run *l)
{
	char out[PATH_MAX], name[32];
	char *words[WORDS] = { "anechoic", "run", "--force", "--out", out };
	size_t n = 5, own = n;

	path_of(out, l->out, name_of_run(l, "hosted", name));
	for (size_t i = 0; i < l->nwords; i++)
		if (is_of_run(l->words[i]) && asprintf(&words[n], "--%s", l->words[i]) > 0)
			n++;
	int code = self(words, NULL);
	while (n-- > own)
		free(words[n]);
	return code;
}

/* Keep an option with its whole path: after the restart it is resolved from another folder. */
static void keep_option(struct ladder_run *l, const char *name, const char *value)
{
	char *path = value ? realpath(value, NULL) : NULL;

	if (value && asprintf(&l->words[l->nwords], "--%s=%s", name, path ? path : value) > 0)
		l->nwords++;
	free(path);
}

static int choose_out(struct ladder_run *l, const char *given, char *err)
{
	time_t now = time(NULL);
	char name[64];

	strftime(name, sizeof(name), STATE_FOLDER "/%Y%m%dT%H%M%SZ", gmtime(&now));
	given = given ? given : name;
	if ((mkdir(STATE_FOLDER, 0755) && errno != EEXIST) ||
		(mkdir(given, 0755) && errno != EEXIST) || !realpath(given, l->out))
		return give_reason(err, "%s: %s", given, strerror(errno));
	return 0;
}

/*
 * Write the state, then send the machine away: after any interruption, --resume knows how far it
 * is.
 */
static int send_away(struct ladder_run *l)
{
	char err[REASON_BYTES], why[REASON_BYTES], program[PATH_MAX];
	bool unit = !ladder_program(l, program, why);

	ladder_note_boot(l);
	if (ladder_write(l, LADDER_STATE, err) ||
		(unit && ladder_unit_write(program, l->run < l->runs, err)))
		return command_error(ME, "%s", err);
	if (unit)
		puts("after the restart: it goes on by itself (" LADDER_UNIT ")");
	else
		printf("after the restart: sudo anechoic ladder --resume\n(not by itself: %s)\n",
			why);
	return boot(l, false);
}

static void say_run(const struct ladder_run *l)
{
	char *keys[LADDER_WORDS], err[REASON_BYTES];
	size_t n = 0;

	for (size_t i = 0; i < l->nwords; i++)
		if (strncmp(l->words[i], "--", 2))
			keys[n++] = l->words[i];
	if (l->kexec)
		keys[n++] = "rooms=bare";
	char *text = l->runs > 1 ? boot_config_text(keys, n, err) : NULL;
	if (text) {
		struct boot_course course = boot_config_course(text);
		printf("\nrun %u of %u; about %.0f s left of all, without the restarts\n", l->run,
			l->runs, (l->runs - l->run + 1) * (course.rooms + 1) * course.room_seconds);
	}
	free(text);
}

/* Begin a run: measure under Linux first. */
static int begin_run(struct ladder_run *l)
{
	say_run(l);
	int code = run_hosted(l);
	return code ? code : send_away(l);
}

/*
 * Returns true if results wait, even if the partition is not mounted: they would be compared as
 * results of this ladder.
 */
static bool results_wait(const char *where)
{
	char err[REASON_BYTES], folder[PATH_MAX];
	struct esp esp;

	if (esp_find(&esp, where, false, err))
		return false; /* cannot fail here: `boot` has found it */
	size_t n = boot_results_count(path_of(folder, esp.root, BOOT_FOLDER "/" BOOT_RESULTS));
	esp_close(&esp);
	return n;
}

static int choose_runs(struct ladder_run *l, const struct ladder_arguments *a, char **words,
	size_t n, char *err)
{
	struct options o = { .runs = 1 };

	for (size_t i = 0; i < n; i++)
		if (!strncmp(words[i], "runs=", 5))
			return give_reason(err, "%s: --runs N, so that the rooms come in turn",
				words[i]);
	if (a->runs &&
		settings_set(option_settings, option_settings_count, &o, "runs", a->runs, err,
			REASON_BYTES))
		return -1;
	l->runs = (unsigned)o.runs;
	l->run = 1;
	l->reboot = a->reboot;
	l->kexec = a->kexec;
	return 0;
}

static int start_ladder(struct ladder_run *l, const struct ladder_arguments *a, char **words,
	size_t n)
{
	char err[REASON_BYTES], program[PATH_MAX];

	if (!ladder_read(l, LADDER_STATE, err))
		return command_error(ME, "one is under way: anechoic ladder --resume");
	if (collect_waiting())
		return command_error(ME, WAITING);
	if (n + 4 > LADDER_WORDS)
		return command_error(ME, "too many words");
	if (choose_runs(l, a, words, n, err))
		return command_error(ME, "%s", err);
	keep_option(l, "esp", a->esp);
	keep_option(l, "image", a->image);
	keep_option(l, "key", a->key);
	keep_option(l, "cert", a->cert);
	for (size_t i = 0; i < n; i++)
		l->words[l->nwords++] = copy_text(words[i]);
	/* without systemd a person goes on by --resume, as without --reboot */
	if (l->reboot && l->runs > 1 && systemd_runs() && ladder_program(l, program, err))
		return command_error(ME,
			"several runs by themselves: %s\n`sudo make install` puts it where that is "
			"possible",
			err);
	int code = boot(l, true); /* finds errors before anything is measured */
	if (code)
		return code;
	if (!l->kexec && results_wait(a->esp))
		return command_error(ME, WAITING);
	if (choose_out(l, a->out, err))
		return command_error(ME, "%s", err);
	return begin_run(l);
}

/* Add the files of a room to the words. */
static size_t add_room(char **words, size_t n, const char *out, const char *room)
{
	char pattern[PATH_MAX], name[64];
	glob_t found;

	snprintf(name, sizeof(name), "*%s*.ndjson", room);
	if (!glob(path_of(pattern, out, name), 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && n < WORDS - 1; i++)
			words[n++] = copy_text(found.gl_pathv[i]);
	globfree(&found);
	return n;
}

static int compare_rooms(const struct ladder_run *l)
{
	char *words[WORDS] = { "anechoic", "compare" }, file[PATH_MAX], *text;
	size_t n = 2, bytes;

	n = add_room(words, n, l->out, "bare");
	n = add_room(words, n, l->out, "firmware");
	if (n == 2) {
		command_error(ME,
			"the machine came back without a result; what Linux gave is in %s", l->out);
		return EXIT_NO;
	}
	n = add_room(words, n, l->out, "hosted");
	int code = self(words, path_of(file, l->out, "compare.txt"));
	while (n-- > 2)
		free(words[n]);
	text = file_bytes(file, &bytes);
	if (text)
		fputs(text, stdout);
	free(text);
	printf("\nresults and this comparison: %s\n", l->out);
	return code;
}

/* Run `boot --undo` or `fetch`, which take no argument of the state but --esp. */
static int without_words(const struct ladder_run *l, const char *name, const char *option,
	const char *value)
{
	char *words[8] = { "anechoic", (char *)name, (char *)option, (char *)value };
	size_t n = value ? 4 : 3;

	for (size_t i = 0; i < l->nwords; i++)
		if (!strncmp(l->words[i], "--esp=", 6))
			words[n++] = l->words[i];
	return self(words, NULL);
}

/* Rename the fetched results by this run: the image's names differ in their time. */
static void name_results(const struct ladder_run *l)
{
	static const char *const rooms[] = { "firmware", "bare" };

	for (size_t i = 0; i < 2 && l->runs > 1; i++) {
		char pattern[PATH_MAX], to[PATH_MAX], name[32];
		glob_t found;

		snprintf(name, sizeof(name), "*-%s.ndjson", rooms[i]);
		path_of(pattern, l->out, name);
		path_of(to, l->out, name_of_run(l, rooms[i], name));
		if (!glob(pattern, 0, NULL, &found))
			rename(found.gl_pathv[0], to);
		globfree(&found);
	}
}

static int next_run(struct ladder_run *l)
{
	char err[REASON_BYTES];

	l->run++;
	*l->boot = 0;
	if (ladder_write(l, LADDER_STATE, err))
		return command_error(ME, "%s", err);
	return begin_run(l);
}

static int resume(struct ladder_run *l, bool reboots)
{
	char err[REASON_BYTES];
	int found = ladder_read(l, LADDER_STATE, err);

	if (found > 0) {
		unit_remove(LADDER_UNIT);
		command_error(ME, "none is under way");
		return EXIT_NO;
	}
	if (found < 0)
		return command_error(ME, "%s", err);
	l->reboot |= reboots;
	if (!*l->boot) /* it was interrupted under Linux */
		return begin_run(l);
	if (ladder_same_boot(l)) /* not restarted yet */
		return send_away(l);
	int fetched = without_words(l, "fetch", "--out", l->out);
	if (fetched == EXIT_FAILED)
		return fetched;
	name_results(l);
	if (l->run < l->runs)
		return next_run(l);
	int code = compare_rooms(l);
	if (!l->kexec && without_words(l, "boot", "--undo", NULL) == EXIT_FAILED)
		return EXIT_FAILED;
	unlink(LADDER_STATE);
	unit_remove(LADDER_UNIT);
	return code;
}

static int ladder_main(int argc, char **argv)
{
	struct ladder_run l = { 0 };
	struct ladder_arguments a = { 0 };
	int code = parse_ladder(argc, argv, &a);

	if (code >= 0)
		return code;
	if (a.kexec && (a.esp || a.key || a.cert))
		return command_error(ME,
			"--esp, --key and --cert are for the firmware, not --kexec");
	if (a.resume &&
		(optind < argc || a.kexec || a.out || a.runs || a.esp || a.image || a.key ||
			a.cert))
		return command_error(ME, "--resume goes with --reboot only");
	code = a.resume ? resume(&l, a.reboot)
			: start_ladder(&l, &a, argv + optind, (size_t)(argc - optind));
	ladder_free(&l);
	return code;
}

const struct command command_ladder = { "ladder", ladder_main,
	"all three rooms in one go: runs, boots, fetches, compares" };
