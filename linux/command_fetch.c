/* SPDX-License-Identifier: MIT */
/* anechoic fetch: brings home the results of `anechoic boot`. */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "linux/boot/esp.h"
#include "linux/boot/unit.h"
#include "linux/boot/whole_file.h"
#include "linux/command_line.h"
#include "linux/commands.h"
#include "linux/efivars.h"
#include "linux/sysfs.h"
#include "lib/stored_result.h"
#include "lib/way_back.h"
#include "linux/boot/send.h"
#include "linux/report/reading/results.h"

/*
 * Results are brought home from \EFI\anechoic\results\ of the EFI system partition, and one from
 * firmware variables. Each is copied, flushed and compared before it is deleted there; a result
 * that a killed run had copied already is found to be the same, and not copied twice. Functions
 * that return int return 0, or -1 with the reason in err[REASON_BYTES].
 */

#define SAME_NAME_MOST 99 /* results of one name, as from a clock that stands still */

/* Write "x.ndjson" for i 1, "x-2.ndjson" for 2, after the folder. */
static void numbered_path(char path[PATH_MAX], const char *out, const char *name, unsigned i)
{
	const char *dot = strrchr(name, '.');
	int stem = dot ? (int)(dot - name) : (int)strlen(name);

	if (i == 1)
		path_of(path, out, name);
	else
		snprintf(path, PATH_MAX, "%s/%.*s-%u%s", out, stem, name, i, dot ? dot : "");
}

/* Copy the result to a name that no other file has; path becomes that name. */
static int copy_home(char path[PATH_MAX], const char *out, const char *name, const char *data,
	size_t n, char *err)
{
	for (unsigned i = 1; i <= SAME_NAME_MOST; i++) {
		numbered_path(path, out, name, i);
		if (file_is(path, data, n))
			return 0;
		if (!access(path, F_OK))
			continue;
		if (file_replace(path, data, n, err))
			return -1;
		return file_is(path, data, n)
			? 0
			: give_reason(err, "%s does not read back as written", path);
	}
	return give_reason(err, "%s/%s: there are %u of that name", out, name, SAME_NAME_MOST);
}

/* Print "bare.ndjson: room bare, complete", from its last run. */
static void say_result(const char *path, size_t n, FILE *say)
{
	const char *dot = strrchr(path, '.');
	struct results r;

	fprintf(say, "%s: %zu bytes", path, n);
	if (dot && !strcmp(dot, ".ndjson")) {
		results_read_file(&r, path);
		const struct run_data *run = r.nruns ? &r.runs[r.nruns - 1] : NULL;
		const char *status = run && run->end ? text_of(run->end, "status") : "cut";
		fprintf(say, ", room %s, %s%s", run ? run->room : "unknown", status,
			r.problems.damage ? ", DAMAGED" : "");
		results_free(&r);
	}
	fputc('\n', say);
}

static int take_file(const char *folder, const char *name, const char *out, FILE *say, char *err)
{
	char from[PATH_MAX], to[PATH_MAX];
	size_t n;

	char *data = file_bytes(path_of(from, folder, name), &n);
	if (!data)
		return give_reason(err, "%s: %s", from, strerror(errno));
	int bad = copy_home(to, out, name, data, n, err);
	free(data);
	if (bad)
		return -1;
	say_result(to, n, say);
	return unlink(from) ? give_reason(err, "%s: %s", from, strerror(errno)) : 0;
}

static bool is_plain(const char *folder, const struct dirent *entry)
{
	char path[PATH_MAX];
	struct stat st;

	return boot_result_name(entry->d_name) &&
		!stat(path_of(path, folder, entry->d_name), &st) && S_ISREG(st.st_mode);
}

/*
 * Collect the files of a folder of the partition; add their number to *n, and print a line for each
 * to `say`.
 */
static int collect_folder(const char *root, const char *name, const char *out, FILE *say,
	unsigned *n, char *err)
{
	char folder[PATH_MAX];
	struct dirent **all = NULL;
	int bad = 0;

	path_of(folder, root, name);
	int found = scandir(folder, &all, NULL, alphasort);
	if (found < 0)
		return errno == ENOENT ? 0 : give_reason(err, "%s: %s", folder, strerror(errno));
	for (int i = 0; i < found; i++) {
		if (!bad && is_plain(folder, all[i])) {
			bad = take_file(folder, all[i]->d_name, out, say, err);
			*n += !bad;
		}
		free(all[i]);
	}
	free(all);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		syncfs(fd);
	close(fd);
	return bad;
}

static int collect_files(const char *root, const char *out, FILE *say, unsigned *n, char *err)
{
	return collect_folder(root, BOOT_FOLDER "/" BOOT_RESULTS, out, say, n, err) ||
			collect_folder(root, MENU_FOLDER "/" BOOT_RESULTS, out, say, n, err)
		? -1
		: 0;
}

/* The name of the file that the pending result should become. */
static void pending_name(const struct efivars *vars, char name[STORED_RESULT_FILE])
{
	struct stored_result h;

	strcpy(name, STORED_RESULT_OWN_NAME);
	for (size_t i = 0; i < vars->n; i++)
		if (!strcmp(vars->all[i].name, STORED_RESULT_NAME) &&
			!stored_result_check(vars->all[i].data, vars->all[i].n, &h) &&
			stored_result_names_file(&h))
			strcpy(name, h.file);
}

/*
 * Delete the variables, the header first: if this is interrupted, the rest is no result any more.
 */
static int delete_all(const struct efivars *vars, char *err)
{
	const char *what;

	return efivars_delete(vars, &what) ? give_reason(err, "%s: %s", what, strerror(errno)) : 0;
}

static bool has_header(const struct efivars *vars)
{
	for (size_t i = 0; i < vars->n; i++)
		if (!strcmp(vars->all[i].name, STORED_RESULT_NAME))
			return true;
	return false;
}

static int take_pending(struct efivars *vars, const char *out, FILE *say, char *err)
{
	char name[STORED_RESULT_FILE], path[PATH_MAX];
	const char *what;
	size_t n;
	char *text = efivars_unpack(vars, &n, &what);

	if (!text)
		return give_reason(err,
			"the result in firmware variables: %s; it stays there until "
			"`anechoic boot store=clear`",
			what);
	pending_name(vars, name);
	int bad = copy_home(path, out, name, text, n, err);
	free(text);
	if (bad)
		return -1;
	say_result(path, n, say);
	return delete_all(vars, err);
}

/*
 * Collect the pending result. efivars: the directory of variables; if it does not exist, there are
 * none. Chunks without their header are no result (lib/stored_result.h) and are deleted.
 */
static int collect_variables(const char *efivars, const char *out, FILE *say, unsigned *n,
	char *err)
{
	struct efivars vars;
	char *what;
	int bad = efivars_read(&vars, efivars, &what);

	if (bad) {
		bad = errno == ENOENT ? 0 : give_reason(err, "%s: %s", what, strerror(errno));
		free(what);
	} else if (!has_header(&vars)) {
		bad = delete_all(&vars, err); /* as the image does: kernel/result/store.c */
	} else {
		bad = take_pending(&vars, out, say, err);
		*n += !bad;
	}
	efivars_free(&vars);
	return bad;
}

unsigned collect_waiting(void)
{
	static const char *const behind[] = { "/" BOOT_FOLDER "/" BOOT_RESULTS,
		"/" MENU_FOLDER "/" BOOT_RESULTS };
	static const char pending[] = EFIVARS_DIR "/" STORED_RESULT_NAME "-" EFIVARS_GUID;
	static const char *const usual[] = { "/boot/efi", "/efi", "/boot" };
	unsigned n = !access(pending, F_OK);
	char path[80];

	for (size_t i = 0; i < 2 * sizeof(usual) / sizeof(*usual); i++) {
		snprintf(path, sizeof(path), "%s%s", usual[i / 2], behind[i % 2]);
		n += (unsigned)boot_results_count(path);
	}
	return n;
}

#define ME           "fetch"
#define FIRMWARE_DIR "/sys/firmware/efi"

static const struct command_help command = {
	.name = ME,
	.usage = "Usage: anechoic fetch [OPTION...]\n\n"
		 "Brings the results home that the boot image left on the EFI system partition\n"
		 "and in firmware variables: copies them, compares, and deletes them there; and\n"
		 "those that `anechoic bare` brought, which are in memory until the next restart.",
	.notes = "Exit code: 0 results came; 1 none waits; 2 failed: what was not copied stays\n"
		 "where it is.\n\n"
		 "Example: sudo anechoic fetch --out results",
};

struct fetch_arguments {
	const char *out, *esp;
};

static int parse_fetch(int argc, char **argv, struct fetch_arguments *a)
{
	const struct command_option options[] = {
		{ .name = "out",
			.letter = 'o',
			.argument = " DIR",
			.value = &a->out,
			.help = "where they go (default: this folder); made if absent" },
		{ .name = "esp",
			.argument = " WHERE",
			.value = &a->esp,
			.help = "the EFI system partition: its mount point or its device" },
	};

	return parse_options(&command, options, sizeof(options) / sizeof(*options), argc, argv);
}

/* Results that `anechoic bare` brought back: files within nodes of Linux's boot parameters. */

#define NODES "/sys/kernel/boot_params/setup_data/"

/* Copy each file of a node. */
static int take_brought(const char *data, size_t n, const char *out, unsigned *all, char *err)
{
	const struct brought_file *f = (const void *)data;
	char path[PATH_MAX];

	for (size_t at = 0; at + sizeof(*f) <= n; at += sizeof(*f) + ((f->bytes + 7) & ~7ULL)) {
		f = (const void *)(data + at);
		if (f->bytes > n - at - sizeof(*f) || f->name[sizeof(f->name) - 1])
			return give_reason(err, "what came back from room bare is damaged");
		if (!*f->name)
			continue;
		if (!boot_result_name(f->name))
			return give_reason(err, "room bare brought a file of no result's name");
		if (copy_home(path, out, f->name, (const char *)(f + 1), f->bytes, err))
			return -1;
		say_result(path, f->bytes, stdout);
		++*all;
	}
	return 0;
}

/* The node stays in memory until the next restart: copying it again finds the same files. */
static int collect_brought(const char *out, unsigned *all, char *err)
{
	char path[PATH_MAX], type[32];
	int bad = 0;

	for (unsigned i = 0; !bad; i++) {
		size_t n;
		snprintf(path, sizeof(path), NODES "%u/type", i);
		if (!read_line(path, type, sizeof(type)))
			break;
		snprintf(path, sizeof(path), NODES "%u/data", i);
		if (strtoul(type, NULL, 16) != WAY_BACK_TYPE)
			continue;
		char *data = file_bytes(path, &n);
		bad = data ? take_brought(data, n, out, all, err)
			   : give_reason(err, "%s: %s", path, strerror(errno));
		free(data);
	}
	return bad;
}

/* Say it if the machine was sent away by `anechoic bare` and brought nothing. */
static void say_lost(unsigned brought)
{
	char left[40], now[40];

	if (!read_line(BARE_STATE, left, sizeof(left)) ||
		!read_line("/proc/sys/kernel/random/boot_id", now, sizeof(now)) ||
		!strcmp(left, now))
		return;
	if (!brought)
		fputs("anechoic fetch: `anechoic bare` left Linux, and nothing came back: the "
		      "machine "
		      "was\nreset, by its watchdog or by hand, and the result is lost\n",
			stderr);
	unlink(BARE_STATE);
}

static int fetch_files(const char *where, const char *out, unsigned *n)
{
	char err[REASON_BYTES] = "";
	struct esp esp;

	/* A machine that a BIOS started, or whose results came by memory, may have none. */
	bool needed = where || (!*n && !access(FIRMWARE_DIR, F_OK));

	if (esp_find(&esp, where, true, err))
		return needed ? command_error(ME, "%s", err) : EXIT_OK;
	int bad = collect_files(esp.root, out, stdout, n, err);
	esp_reason(&esp, err);
	esp_close(&esp);
	return bad ? command_error(ME, "%s", err) : EXIT_OK;
}

/* Fetch each half even if the other fails. */
static int fetch(const char *where, const char *out, unsigned *n)
{
	char err[REASON_BYTES];

	if (mkdir(out, 0777) && errno != EEXIST)
		return command_error(ME, "%s: %s", out, strerror(errno));
	int code = collect_brought(out, n, err) ? command_error(ME, "%s", err) : EXIT_OK;
	say_lost(*n);
	if (collect_variables(EFIVARS_DIR, out, stdout, n, err))
		code = command_error(ME, "%s", err);
	return fetch_files(where, out, n) == EXIT_OK ? code : EXIT_FAILED;
}

static int fetch_main(int argc, char **argv)
{
	struct fetch_arguments a = { .out = "." };
	unsigned n = 0;
	int code = parse_fetch(argc, argv, &a);

	if (code >= 0)
		return code;
	if (optind != argc)
		return command_error(ME, "'%s': fetch takes options only", argv[optind]);
	if (fetch(a.esp, a.out, &n))
		return finish_output(ME, stdout, EXIT_FAILED);
	if (!n)
		puts("no result waits");
	return finish_output(ME, stdout, n ? EXIT_OK : EXIT_NO);
}

const struct command command_fetch = { "fetch", fetch_main,
	"brings the results of such a boot home" };
