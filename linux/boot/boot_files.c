/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux/boot/boot_files.h"
#include "kernel/config.h"
#include "linux/boot/whole_file.h"
#include "report/allocate.h"

#define MARK "# Written by `anechoic boot`, which writes it anew each time.\n"

static char *first_error; /* config_parse has no argument for it */

static void note_error(const char *line)
{
	if (!*first_error)
		give_reason(first_error, "%s", line);
}

static void config_of_text(struct config *config, const char *text, char *err)
{
	const struct text file = { .data = (const unsigned char *)text, .bytes = strlen(text) };
	const struct text none = { .absent = "none" };

	first_error = err;
	*err = 0;
	config_parse(config, &file, &none, note_error);
}

/* Whether the file's line would end within the value: kernel/config.c, cut_comment. */
static bool has_comment(const char *value)
{
	for (const char *at = strchr(value, '#'); at; at = strchr(at + 1, '#'))
		if (at == value || strchr(" \t\n\v\f\r", at[-1]))
			return true;
	return false;
}

/* One word: what the image says of it, without the number of a line that nobody wrote. */
static int check_word(const char *word, char *err)
{
	static struct setting table[CONFIG_SETTINGS];
	static struct config config;
	char why[CONFIG_LINE];
	const char *equals = strchr(word, '=');

	if (!equals)
		return give_reason(err, "'%.40s': want key=value", word);
	if (has_comment(equals + 1))
		return give_reason(err, "'%.60s': a # there begins a comment in anechoic.cfg",
			word);
	char *key = copy_text(word);
	key[equals - word] = 0;
	int bad = settings_set(table, config_settings(table), &config, key, equals + 1, why,
		sizeof(why));
	free(key);
	return bad ? give_reason(err, "%s", why) : 0;
}

char *boot_config_text(char *const *words, size_t n, char *err)
{
	static struct config config;
	char *text;
	size_t bytes;
	FILE *out = text_stream(&text, &bytes);
	int bad = 0;

	fputs(MARK, out);
	for (size_t i = 0; i < n && !bad; i++) {
		bad = check_word(words[i], err);
		fprintf(out, "%.*s = %s\n", (int)strcspn(words[i], "="), words[i],
			words[i] + strcspn(words[i], "=") + !bad);
	}
	fclose(out);
	if (!bad)
		config_of_text(&config, text, err); /* the whole, as it will be read */
	if (!bad && !config.errors)
		return text;
	free(text);
	return NULL;
}

/* Whether a file of that content was made by boot_config_text; its first `n` bytes tell. */
static bool boot_config_is_ours(const char *text, size_t n)
{
	return n >= sizeof(MARK) - 1 && !memcmp(text, MARK, sizeof(MARK) - 1);
}

struct boot_course boot_config_course(const char *text)
{
	static struct config config;
	char err[REASON_BYTES];

	config_of_text(&config, text, err);
	/* Before a reset or a power-off: kernel/finish.c. */
	uint64_t held =
		config.screen_seconds > config.countdown ? config.screen_seconds : config.countdown;
	uint64_t each = config.countdown ? held : 0, all = config.prompt;
	all += config.rooms == ROOMS_FIRMWARE ? 0 : each;
	all += config.finish == FINISH_FIRMWARE ? WAIT_SECONDS
		: config.finish == FINISH_HALT  ? 0
						: each;
	return (struct boot_course){ .rooms = config.rooms == ROOMS_BOTH ? 2 : 1,
		.room_seconds = profile_seconds(config.options.profile),
		.countdowns = (unsigned)all,
		.finish = (enum finish)config.finish };
}

#define TRIED        "anechoic.tmp" /* efi/files.c, files_try */
#define RESULTS_ROOM (4 << 20)      /* of a boot: profile full has about 1 MiB a room */

/* The files that the image may add beside them: kernel/journal.h, efi/files.c. */
static const char *const notes[] = { "anechoic.state", BOOT_RESULTS "/" TRIED };

/* ROOT/EFI/anechoic/NAME; the folder itself with "". */
static const char *in_folder(char path[PATH_MAX], const char *root, const char *name)
{
	snprintf(path, PATH_MAX, "%s/" BOOT_FOLDER "%s%s", root, *name ? "/" : "", name);
	return path;
}

/*
 * A configuration of ours says that the folder's image is ours, too. An empty one without an image
 * is what a power cut leaves of it, and nobody's loss.
 */
static int check_owner(const char *root, char *err)
{
	char config[PATH_MAX], image[PATH_MAX];
	size_t n = 0;

	in_folder(config, root, BOOT_CONFIG);
	in_folder(image, root, BOOT_IMAGE);
	char *text = file_bytes(config, &n);
	bool ours = text && boot_config_is_ours(text, n), there = text != NULL;
	free(text);
	if (ours || (!n && access(image, F_OK)))
		return 0;
	return give_reason(err, "%s is there, and not from this command: move it away first",
		there ? config : image);
}

int boot_files_check(const struct boot_files *files, char *err)
{
	char path[PATH_MAX];
	struct statvfs st;

	if (check_owner(files->root, err))
		return -1;
	if (statvfs(files->root, &st))
		return give_reason(err, "%s: %s", files->root, strerror(errno));
	uint64_t free_bytes = (uint64_t)st.f_bavail * st.f_frsize, needed = RESULTS_ROOM;
	if (!file_is(in_folder(path, files->root, BOOT_IMAGE), files->image, files->image_bytes))
		needed += files->image_bytes;
	if (free_bytes < needed)
		return give_reason(err,
			"too little room: %llu KiB are free, %llu KiB are needed for "
			"the image and its results",
			(unsigned long long)free_bytes >> 10, (unsigned long long)needed >> 10);
	return 0;
}

static int make_folder(const char *path, char *err)
{
	if (mkdir(path, 0755) && errno != EEXIST)
		return give_reason(err, "%s: %s", path, strerror(errno));
	return 0;
}

static int write_one(const char *root, const char *name, const void *data, size_t n, char *err)
{
	char path[PATH_MAX];

	in_folder(path, root, name);
	return file_is(path, data, n) ? 0 : file_replace(path, data, n, err);
}

int boot_files_write(const struct boot_files *files, char *err)
{
	char folder[PATH_MAX], above[PATH_MAX];

	path_of(above, files->root, "EFI");
	if (make_folder(above, err) || make_folder(in_folder(folder, files->root, ""), err) ||
		write_one(files->root, BOOT_CONFIG, files->config, strlen(files->config), err))
		return -1;
	return write_one(files->root, BOOT_IMAGE, files->image, files->image_bytes, err);
}

static int remove_one(const char *root, const char *name, char *err)
{
	char path[PATH_MAX];

	if (unlink(in_folder(path, root, name)) && errno != ENOENT)
		return give_reason(err, "%s: %s", path, strerror(errno));
	return 0;
}

bool boot_result_name(const char *name)
{
	return name[0] != '.' && strcmp(name, TRIED);
}

size_t boot_results_count(const char *folder)
{
	DIR *dir = opendir(folder);
	size_t n = 0;

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		n += boot_result_name(entry->d_name);
	if (dir)
		closedir(dir);
	return n;
}

/* Also a name under which a file was being written when the program was killed. */
int boot_files_remove(const char *root, size_t *results, char *err)
{
	char path[PATH_MAX];

	*results = boot_results_count(in_folder(path, root, BOOT_RESULTS));
	if (access(in_folder(path, root, ""), F_OK) && errno == ENOENT)
		return 0;
	if (check_owner(root, err) || remove_one(root, BOOT_IMAGE, err) ||
		remove_one(root, BOOT_IMAGE ".new", err))
		return -1;
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (remove_one(root, notes[i], err))
			return -1;
	if (remove_one(root, BOOT_CONFIG, err) || remove_one(root, BOOT_CONFIG ".new", err))
		return -1;
	rmdir(in_folder(path, root, BOOT_RESULTS)); /* these two stay if something is in them */
	rmdir(in_folder(path, root, ""));
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool bad = fd < 0 || (syncfs(fd) && errno != EINVAL);
	close(fd);
	return bad ? give_reason(err, "%s: %s", root, strerror(errno)) : 0;
}

extern char **environ;

/* Microsoft, "PE Format": offsets from the signature "PE\0\0". */
enum { HEADER_AT = 0x3c, MACHINE = 4, MAGIC = 24, SUBSYSTEM = 92, DIRECTORIES = 136 };
enum { AMD64 = 0x8664, PE32_PLUS = 0x20b, EFI_APPLICATION = 10, CERTIFICATES = 4 };

static uint32_t little_endian(const unsigned char *at, size_t bytes)
{
	uint32_t value = 0;

	for (size_t i = bytes; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

/* Whether that is an EFI application for x86-64; *is_signed: it carries a signature. */
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

/* Where the build and where `make install` leave it. */
static bool image_find(char path[PATH_MAX], char *err)
{
	static const char *const places[] = { "BOOTX64.EFI", "../lib/anechoic/BOOTX64.EFI" };
	char program[PATH_MAX] = "";

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		strcpy(program, "./anechoic");
	const char *folder = dirname(program);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!access(path_of(path, folder, places[i]), R_OK))
			return true;
	}
	give_reason(err, "no BOOTX64.EFI in %s or %s/../lib/anechoic: give --image FILE", folder,
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
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status ? give_reason(err, "sbsign did not sign %s", path) : 0;
}

/* The signed image lies in a file only until it is read. */
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

int boot_image_read(struct boot_image *image, const char *given, const char *key, const char *cert,
	char *err)
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
