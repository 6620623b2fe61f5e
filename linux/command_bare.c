/* SPDX-License-Identifier: MIT */
/* anechoic bare: from Linux into room bare and back, without the firmware. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/text.h"
#include "linux/boot/kexec.h"
#include "linux/boot/send.h"
#include "linux/boot/unit.h"
#include "linux/boot/whole_file.h"
#include "linux/command_line.h"
#include "linux/commands.h"
#include "linux/report/allocate.h"
#include "linux/sysfs.h"

#define ME        "bare"
#define UNIT      "anechoic-fetch.service"
#define IMAGE     "anechoic.bz"
#define LINE_MOST 2000 /* of a command line; Linux takes 2047 characters */
#define WORDS     64

extern char **environ;

static const struct command_help command = {
	.name = ME,
	.usage = "Usage: anechoic bare [OPTION...] [KEY=VALUE...]\n\n"
		 "Leaves Linux for room bare and comes back, without the firmware, in about a\n"
		 "minute: everything that runs here ends, as at a restart. The keys are those of\n"
		 "anechoic.cfg. `anechoic fetch` brings the results, by itself with systemd.",
	.notes = "Exit code: 2 refused or failed: nothing was changed; 0 with --dry-run, or if\n"
		 "the answer is no.\n\n"
		 "Example: sudo anechoic bare --runs 3 profile=full",
};

struct bare_arguments {
	const char *runs, *image, *kernel, *initrd, *command_line, *out;
	bool yes, dry, no_unit;
	char *words[WORDS];
	size_t nwords;
};

static int parse_bare(int argc, char **argv, struct bare_arguments *a)
{
	const struct command_option options[] = {
		{ .name = "runs",
			.argument = " N",
			.value = &a->runs,
			.help = "so many runs before Linux starts again (default: 1)" },
		{ .name = "yes", .argument = "", .flag = &a->yes, .help = "asks nothing" },
		{ .name = "dry-run",
			.argument = "",
			.flag = &a->dry,
			.help = "checks and says everything, and changes nothing" },
		{ .name = "out",
			.argument = " DIR",
			.value = &a->out,
			.help = "where the unit puts the results (default: a new folder "
				"of " STATE_FOLDER ")" },
		{ .name = "no-unit",
			.argument = "",
			.flag = &a->no_unit,
			.help = "makes no unit of systemd that fetches them" },
		{ .name = "kernel",
			.argument = " FILE",
			.value = &a->kernel,
			.help = "the Linux that starts again (default: the running one)" },
		{ .name = "initrd",
			.argument = " FILE",
			.value = &a->initrd,
			.help = "its initial file system; with --kernel alone: none" },
		{ .name = "command-line",
			.argument = " TEXT",
			.value = &a->command_line,
			.help = "its command line (default: the running one's)" },
		{ .name = "image",
			.argument = " FILE",
			.value = &a->image,
			.help = "the image (default: anechoic.bz of this installation)" },
	};

	return parse_options(&command, options, sizeof(options) / sizeof(*options), argc, argv);
}

/* Keys that would end anywhere but in Linux, or name a room that is not there. */
static const char *refused_key(const char *word)
{
	static const char *const keys[] = { "rooms=", "finish=", "store=", "fault=", "runs=" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strncmp(word, keys[i], strlen(keys[i])))
			return keys[i];
	return NULL;
}

/* Check the keys as the image will, and write them as its command line. */
static char *keys_line(struct bare_arguments *a, struct boot_course *course, char *err)
{
	char *words[WORDS + 2], runs[16] = "runs=", *line, *text;
	size_t n = 0, bytes;
	FILE *to;

	for (size_t i = 0; i < a->nwords; i++) {
		if (refused_key(a->words[i]) || strpbrk(a->words[i], " \t\n")) {
			give_reason(err, "%s: not in a command that comes back by itself%s",
				a->words[i], strncmp(a->words[i], "runs=", 5) ? "" : ": --runs N");
			return NULL;
		}
		words[n++] = a->words[i];
	}
	snprintf(runs + 5, sizeof(runs) - 5, "%s", a->runs ? a->runs : "1");
	words[n++] = runs;
	words[n++] = "rooms=bare";
	text = boot_config_text(words, n, err);
	if (!text)
		return NULL;
	*course = boot_config_course(text);
	free(text);
	to = text_stream(&line, &bytes);
	for (size_t i = 0; i < n; i++)
		fprintf(to, "%s%s", i ? " " : "", words[i]);
	fclose(to);
	return line;
}

static int read_file(struct kexec_file *f, const char *path, char *err)
{
	f->path = path;
	f->data = (unsigned char *)file_bytes(path, &f->n);
	return f->data ? 0 : give_reason(err, "%s: %s", path, strerror(errno));
}

/* The first of the names, which have the running kernel's release in place of "%s", that exists. */
static char *running_file(const char *const *names, size_t n)
{
	struct utsname name;
	char path[PATH_MAX];

	uname(&name);
	for (size_t i = 0; i < n; i++) {
		const char *at = strstr(names[i], "%s");

		snprintf(path, sizeof(path), "%.*s%s%s", (int)(at - names[i]), names[i],
			name.release, at + 2);
		if (!access(path, R_OK))
			return copy_text(path);
	}
	return NULL;
}

static int choose_files(struct bare_arguments *a, char *err)
{
	static const char *const kernels[] = { "/boot/vmlinuz-%s", "/lib/modules/%s/vmlinuz" },
				 *const initrds[] = { "/boot/initrd.img-%s",
					 "/boot/initramfs-%s.img", "/boot/initrd-%s",
					 "/lib/modules/%s/initrd" };
	static const char *const folders[] = { ".", "../lib/anechoic" };
	char folder[PATH_MAX], path[PATH_MAX];

	if (!a->kernel) {
		a->kernel = running_file(kernels, 2);
		a->initrd = a->initrd ? a->initrd : running_file(initrds, 4);
		if (!a->kernel)
			return give_reason(err,
				"the running kernel is not in /boot: --kernel FILE");
		if (!a->initrd)
			return give_reason(err,
				"no initrd of the running kernel is in /boot: --initrd FILE, or "
				"--kernel %s if it needs none",
				a->kernel);
	}
	if (a->image)
		return 0;
	if (!program_folder(folder, folders, 2, IMAGE))
		return give_reason(err,
			"no " IMAGE " in %s or %s/../lib/anechoic: give --image FILE", folder,
			folder);
	a->image = copy_text(path_of(path, folder, IMAGE));
	return 0;
}

static int prepare(struct bare_arguments *a, struct kexec_plan *p, char *err)
{
	if (choose_files(a, err) || read_file(&p->image, a->image, err) ||
		read_file(&p->kernel, a->kernel, err) ||
		(a->initrd && read_file(&p->initrd, a->initrd, err)))
		return -1;
	p->command_line = a->command_line ? a->command_line : file_line("/proc/cmdline");
	if (!p->command_line)
		return give_reason(err, "/proc/cmdline: %s", strerror(errno));
	if (strlen(p->command_line) > LINE_MOST || strlen(p->keys) > LINE_MOST)
		return give_reason(err, "a command line is longer than %u characters", LINE_MOST);
	return kexec_place(p, err);
}

/* The results come to `out`; `program`: a unit fetches them by it; "": none does. */
struct bare_home {
	char out[PATH_MAX], program[PATH_MAX], why[REASON_BYTES];
};

static void choose_home(const struct bare_arguments *a, struct bare_home *h)
{
	time_t now = time(NULL);

	strftime(h->out, sizeof(h->out), STATE_FOLDER "/%Y%m%dT%H%M%SZ", gmtime(&now));
	if (a->out && (*a->out == '/' || !getcwd(h->out, sizeof(h->out) / 2)))
		*h->out = 0;
	if (a->out)
		snprintf(h->out + strlen(h->out), sizeof(h->out) - strlen(h->out), "%s%s",
			*h->out ? "/" : "", a->out);
	if (a->no_unit)
		give_reason(h->why, "--no-unit");
	if (a->no_unit || unit_program(h->program, h->why))
		*h->program = 0;
}

static void say_plan(const struct bare_arguments *a, const struct kexec_plan *p,
	const struct boot_course *course, const struct bare_home *h)
{
	printf("This machine leaves Linux, measures itself in room bare, and starts Linux again,\n"
	       "without its firmware. Everything that runs here ends, as at a restart.\n"
	       "  image    %s: %u run%s of about %.0f s\n"
	       "  memory   %llu MiB to be measured\n"
	       "  then     %s\n"
	       "           %s\n",
		a->image, course->rooms, text_plural(course->rooms), course->room_seconds,
		(unsigned long long)(p->left >> 20), a->kernel,
		a->initrd ? a->initrd : "no initial file system");
	if (*h->program)
		printf("  results  %s (" UNIT ")\n", h->out);
	else
		printf("  results  sudo anechoic fetch (not by itself: %s)\n", h->why);
	puts("A hang ends by a watchdog, if the machine has one, in a start as usual. An "
	     "encrypted\n"
	     "disk asks for its key as at any start.");
}

static bool agrees(void)
{
	char answer[16] = "";

	printf("Leave Linux now? [y/N] ");
	fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) && (*answer == 'y' || *answer == 'Y');
}

/* Note for `fetch` that the machine was sent away, and have it run. */
static int prepare_home(const struct bare_home *h, char err[REASON_BYTES])
{
	const struct unit unit = { .name = UNIT,
		.description = "anechoic: fetches the results of room bare",
		.words = "fetch --out",
		.path = h->out,
		.once = true };
	char boot[40], ignored[REASON_BYTES];

	if (mkdir(STATE_FOLDER, 0755) && errno != EEXIST)
		return *h->program ? give_reason(err, STATE_FOLDER ": %s", strerror(errno)) : 0;
	if (read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)))
		file_replace(BARE_STATE, boot, strlen(boot), ignored);
	return *h->program ? unit_write(&unit, h->program, err) : 0;
}

static void undo(void)
{
	kexec_unload();
	unlink(BARE_STATE);
	unit_remove(UNIT);
}

/* Stop everything as `systemctl kexec` does; without systemd, flush and go. */
static int leave(void)
{
	char *words[] = { "systemctl", "kexec", NULL };
	int status = 0;
	pid_t pid;

	fflush(stdout);
	sync();
	if (!systemd_runs()) {
		reboot(RB_KEXEC);
		undo();
		return command_error(ME, "Linux does not leave: %s", strerror(errno));
	}
	int error = posix_spawnp(&pid, words[0], NULL, NULL, words, environ);
	if (!error && waitpid(pid, &status, 0) == pid && !status)
		return EXIT_OK;
	undo();
	return command_error(ME, "systemctl kexec: %s", error ? strerror(error) : "it refuses");
}

static int go(const struct bare_arguments *a, const struct kexec_plan *p, const struct bare_home *h)
{
	char err[REASON_BYTES];

	if (!a->yes && !agrees())
		return EXIT_OK;
	if (kexec_load_plan(p, err))
		return command_error(ME, "%s", err);
	if (prepare_home(h, err)) {
		undo();
		return command_error(ME, "%s", err);
	}
	return leave();
}

static int bare(struct bare_arguments *a)
{
	struct kexec_plan plan = { 0 };
	struct boot_course course;
	struct bare_home home = { 0 };
	char err[REASON_BYTES];
	int code;

	plan.keys = keys_line(a, &course, err);
	if (!plan.keys || kexec_allowed(err) || prepare(a, &plan, err)) {
		kexec_free(&plan);
		return command_error(ME, "%s", err);
	}
	if (systemd_runs() && access("/sbin/kexec", X_OK)) {
		kexec_free(&plan);
		return command_error(ME,
			"systemd leaves by /sbin/kexec, which is not there (Debian: kexec-tools)");
	}
	choose_home(a, &home);
	say_plan(a, &plan, &course, &home);
	if (a->dry)
		puts("dry run: nothing was changed");
	code = finish_output(ME, stdout, EXIT_OK);
	if (code == EXIT_OK && !a->dry)
		code = go(a, &plan, &home);
	kexec_free(&plan);
	return code;
}

static int bare_main(int argc, char **argv)
{
	struct bare_arguments a = { 0 };
	int code = parse_bare(argc, argv, &a);

	if (code >= 0)
		return code;
	if (argc - optind > WORDS)
		return command_error(ME, "too many words");
	while (optind < argc)
		a.words[a.nwords++] = argv[optind++];
	return bare(&a);
}

const struct command command_bare = { "bare", bare_main,
	"from Linux into room bare and back, without the firmware" };
