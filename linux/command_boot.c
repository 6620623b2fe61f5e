/* SPDX-License-Identifier: MIT */
/* anechoic boot: sends this machine into the boot image, once. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux/boot/whole_file.h"
#include "linux/boot/send.h"
#include "linux/command_line.h"
#include "linux/commands.h"
#include "linux/sysfs.h"
#include "linux/report/allocate.h"

#define ME "boot"

static const struct command_help command = {
	.name = ME,
	.usage = "Usage: anechoic boot [OPTION...] [KEY=VALUE...]\n"
		 "       anechoic boot --undo\n\n"
		 "Sends this machine into the boot image at its next start, once: files in\n"
		 "\\EFI\\anechoic\\ of the EFI system partition, a boot entry, BootNext. The keys\n"
		 "are those of anechoic.cfg. `anechoic fetch` brings the results.",
	.notes = "Exit code: 0 done; 1 --undo left results that are not fetched; 2 refused or\n"
		 "failed: the next start is as it was, unless it says that only the restart\n"
		 "failed.\n\n"
		 "Example: sudo anechoic boot --reboot profile=full",
};

/* The boot image that belongs to this program. */

#define IMAGE "BOOTX64.EFI"

struct boot_image {
	char *data; /* the caller frees it */
	size_t n;
	bool is_signed; /* by anybody: only the firmware knows whose signature it trusts */
};

extern char **environ;

/* Offsets from the signature "PE\0\0" (Microsoft, "PE Format"). */
enum { HEADER_AT = 0x3c, MACHINE = 4, MAGIC = 24, SUBSYSTEM = 92, DIRECTORIES = 136 };
enum { AMD64 = 0x8664, PE32_PLUS = 0x20b, EFI_APPLICATION = 10, CERTIFICATES = 4 };

static uint32_t little_endian(const unsigned char *at, size_t bytes)
{
	uint32_t value = 0;

	for (size_t i = bytes; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

/* Returns true for an EFI application for x86-64; *is_signed: it carries a signature. */
static bool boot_image_is_one(const void *data, size_t n, bool *is_signed)
{
	const unsigned char *at = data;
	const size_t header = DIRECTORIES + 8 * (CERTIFICATES + 1);

	*is_signed = false;
	if (n < HEADER_AT + 4 || memcmp(at, "MZ", 2))
		return false;
	uint32_t pe = little_endian(at + HEADER_AT, 4);
	if (pe > n || n - pe < header || memcmp(at + pe, "PE\0", 4))
		return false;
	at += pe;
	*is_signed = little_endian(at + DIRECTORIES + 8 * CERTIFICATES + 4, 4) != 0;
	return little_endian(at + MACHINE, 2) == AMD64 &&
		little_endian(at + MAGIC, 2) == PE32_PLUS &&
		little_endian(at + SUBSYSTEM, 2) == EFI_APPLICATION;
}

/* Look where the build and `make install` put the image. */
static bool image_find(char path[PATH_MAX], char *err)
{
	static const char *const folders[] = { ".", "../lib/anechoic" };
	char folder[PATH_MAX];

	if (program_folder(folder, folders, sizeof(folders) / sizeof(*folders), IMAGE)) {
		path_of(path, folder, IMAGE);
		return true;
	}
	give_reason(err, "no " IMAGE " in %s or %s/../lib/anechoic: give --image FILE", folder,
		folder);
	return false;
}

static int sign(const char *path, const char *key, const char *cert, const char *out, char *err)
{
	char *argv[] = { "sbsign", "--key", (char *)key, "--cert", (char *)cert, "--output",
		(char *)out, (char *)path, NULL };
	posix_spawn_file_actions_t actions;
	int status;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	int error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		return give_reason(err, "sbsign cannot be started: %s (Debian: sbsigntool)",
			strerror(error));
	if (waitpid(pid, &status, 0) < 0)
		return give_reason(err, "sbsign: %s", strerror(errno));
	return status ? give_reason(err, "sbsign did not sign %s", path) : 0;
}

/* Sign the image and return the signed copy; its temporary file is removed once it is read. */
static char *read_signed(const char *path, const char *key, const char *cert, size_t *n, char *err)
{
	char out[] = "/tmp/anechoic-XXXXXX";
	int fd = mkstemp(out);
	char *data = NULL;

	if (fd < 0) {
		give_reason(err, "%s: %s", out, strerror(errno));
		return NULL;
	}
	close(fd);
	if (!sign(path, key, cert, out, err) && !(data = file_bytes(out, n)))
		give_reason(err, "%s: %s", out, strerror(errno));
	unlink(out);
	return data;
}

/*
 * Read `given`, or BOOTX64.EFI beside this program or in ../lib/anechoic/. With a key and a
 * certificate in PEM, sign it by sbsign. Returns -1 with the reason in err[REASON_BYTES].
 */
static int boot_image_read(struct boot_image *image, const char *given, const char *key,
	const char *cert, char *err)
{
	char path[PATH_MAX];

	*image = (struct boot_image){ 0 };
	if (!given && !image_find(path, err))
		return -1;
	given = given ? given : path;
	if (key) {
		image->data = read_signed(given, key, cert, &image->n, err);
		if (!image->data)
			return -1;
	} else if (!(image->data = file_bytes(given, &image->n))) {
		return give_reason(err, "%s: %s", given, strerror(errno));
	}
	if (boot_image_is_one(image->data, image->n, &image->is_signed))
		return 0;
	free(image->data);
	image->data = NULL;
	return give_reason(err, "%s is no EFI application for x86-64", given);
}

/* --- the command --- */

#define SPCR "/sys/firmware/acpi/tables/SPCR"

/* Print which serial port the image will use, by ACPI's SPCR table, and which one Linux uses. */
static void serial_watch_say(FILE *out)
{
	size_t n = 0;
	char *spcr = file_bytes(SPCR, &n), *line = file_line("/proc/cmdline");

	serial_watch_text(out, (unsigned char *)spcr, spcr ? n : 0, line ? line : "");
	free(line);
	free(spcr);
}

struct boot_arguments {
	const char *esp, *image, *key, *cert;
	bool reboot, undo, dry, watch;
	char **words;
	size_t nwords;
};

static int parse_boot(int argc, char **argv, struct boot_arguments *a)
{
	const struct command_option options[] = {
		{ .name = "reboot",
			.argument = "",
			.flag = &a->reboot,
			.help = "restarts the machine at once" },
		{ .name = "undo",
			.argument = "",
			.flag = &a->undo,
			.help = "removes all of it, but no result that is not fetched" },
		{ .name = "dry-run",
			.argument = "",
			.flag = &a->dry,
			.help = "checks and says everything, and writes nothing" },
		{ .name = "watch",
			.argument = "",
			.flag = &a->watch,
			.help = "says how to follow it on a serial line" },
		{ .name = "esp",
			.argument = " WHERE",
			.value = &a->esp,
			.help = "the EFI system partition: its mount point or its device" },
		{ .name = "image",
			.argument = " FILE",
			.value = &a->image,
			.help = "the image (default: BOOTX64.EFI of this installation)" },
		{ .name = "key",
			.argument = " FILE",
			.value = &a->key,
			.help = "with --cert: signs the image for Secure Boot (PEM)" },
		{ .name = "cert",
			.argument = " FILE",
			.value = &a->cert,
			.help = "its certificate" },
	};

	return parse_options(&command, options, sizeof(options) / sizeof(*options), argc, argv);
}

#define YOURSELF "restart the machine yourself, through its firmware"

/*
 * Restart the machine through its firmware. systemd ends services and file systems in order; since
 * version 255 it starts a kernel that is loaded for kexec, or /run/nextroot, instead, unless it is
 * told not to (its docs/ENVIRONMENT.md). Without systemd, flush and restart.
 */
static int restart(void)
{
	char *words[] = { "systemctl", "reboot", NULL };
	int status = 0;
	pid_t pid;

	fflush(stdout);
	sync();
	if (access("/run/systemd/system", F_OK)) {
		reboot(RB_AUTOBOOT);
		return command_error(ME,
			"all is prepared, but the kernel does not restart the machine: " YOURSELF);
	}
	setenv("SYSTEMCTL_SKIP_AUTO_KEXEC", "1", true);
	setenv("SYSTEMCTL_SKIP_AUTO_SOFT_REBOOT", "1", true);
	int error = posix_spawnp(&pid, words[0], NULL, NULL, words, environ);
	if (error)
		return command_error(ME,
			"all is prepared, but systemctl cannot be started: %s: " YOURSELF,
			strerror(error));
	if (waitpid(pid, &status, 0) < 0 || status)
		return command_error(ME,
			"all is prepared, but systemctl does not restart the machine: " YOURSELF);
	return EXIT_OK;
}

static int secure_boot(const struct boot_image *image, char *err)
{
	if (!firmware_boot_is_secure() || image->is_signed)
		return 0;
	return give_reason(err,
		"Secure Boot is on and the image is not signed: the firmware would "
		"refuse it.\nGive --key and --cert, or see docs/boot.md, Secure Boot");
}

/* Print the plan, before anything is written: if nobody can be told, nothing is done. */
static int say_plan(const struct boot_arguments *a, const struct send *send)
{
	send_say(send, stdout);
	if (a->watch)
		serial_watch_say(stdout);
	if (a->dry)
		puts("dry run: nothing was written");
	return finish_output(ME, stdout, EXIT_OK);
}

static int send_once(const struct boot_arguments *a, struct send *send,
	const struct boot_image *image)
{
	char err[REASON_BYTES] = "";
	struct esp esp;

	if (firmware_boot_usable(err) || secure_boot(image, err) ||
		esp_find(&esp, a->esp, !a->dry, err))
		return command_error(ME, "%s", err);
	send->files.image = image->data;
	send->files.image_bytes = image->n;
	int bad = send_plan(send, &esp, err), code = bad ? EXIT_FAILED : say_plan(a, send);
	if (code == EXIT_OK && !a->dry)
		bad = send_do(send, err);
	esp_reason(&esp, err);
	if (bad)
		code = command_error(ME, "%s", err);
	esp_close(&esp);
	return code;
}

static int boot(const struct boot_arguments *a)
{
	char err[REASON_BYTES];
	struct boot_image image;
	struct send plan = { 0 };
	char *text = boot_config_text(a->words, a->nwords, err);
	int code;

	if (!text)
		return command_error(ME, "%s", err);
	plan.files.config = text;
	if (boot_image_read(&image, a->image, a->key, a->cert, err)) {
		code = command_error(ME, "%s", err);
	} else {
		code = send_once(a, &plan, &image);
		free(image.data);
	}
	free(text);
	return code || !a->reboot || a->dry ? code : restart();
}

static void say_undone(const struct send_undone *u)
{
	const struct boot_removed *r = &u->removed;

	printf("removed: %s%sthe files of \\EFI\\anechoic\\, if there were any\n",
		r->next ? "BootNext, " : "", r->entry ? "the boot entry, " : "");
	if (r->notes)
		printf("removed: %u variables in which the image counted its starts\n", r->notes);
	if (u->results)
		printf("%zu files stay in \\EFI\\anechoic\\results\\: run `anechoic fetch`, then "
		       "this "
		       "again\n",
			u->results);
	if (r->result)
		puts("a result stays in firmware variables: run `anechoic fetch`, then this again");
}

static int undo(const struct boot_arguments *a)
{
	char err[REASON_BYTES] = "";
	struct send_undone undone;
	struct esp esp;

	if (firmware_boot_usable(err) || esp_find(&esp, a->esp, true, err))
		return command_error(ME, "%s", err);
	int bad = send_undo(&esp, &undone, err);
	esp_reason(&esp, err);
	esp_close(&esp);
	if (bad)
		return command_error(ME, "%s", err);
	say_undone(&undone);
	return finish_output(ME, stdout,
		undone.results || undone.removed.result ? EXIT_NO : EXIT_OK);
}

static const char *contradiction(const struct boot_arguments *a)
{
	if (!a->key != !a->cert)
		return "--key and --cert go together";
	if (a->undo && (a->reboot || a->dry || a->watch || a->image || a->key || a->nwords))
		return "--undo goes with --esp only";
	return NULL;
}

static int boot_main(int argc, char **argv)
{
	struct boot_arguments a = { 0 };
	int code = parse_boot(argc, argv, &a);

	if (code >= 0)
		return code;
	a.words = argv + optind;
	a.nwords = (size_t)(argc - optind);
	const char *why = contradiction(&a);
	if (why)
		return command_error(ME, "%s; see `anechoic boot --help`", why);
	return a.undo ? undo(&a) : boot(&a);
}

const struct command command_boot = { "boot", boot_main,
	"sends this machine into the boot image, once" };
