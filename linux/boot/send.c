/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <efivar/efiboot.h>
#include <efivar/efivar.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "kernel/config.h"
#include "lib/boot_option.h"
#include "lib/stored_result.h"
#include "lib/text.h"
#include "linux/boot/send.h"
#include "linux/boot/whole_file.h"
#include "linux/sysfs.h"
#include "linux/report/allocate.h"

#define MARK "# Written by `anechoic boot`, which writes it anew each time.\n"

/* The lines that config_parse says are in config->error, too. */
static void say_nothing(const char *line)
{
}

static void config_of_text(struct config *config, const char *text)
{
	const struct text file = { .data = (const unsigned char *)text, .bytes = strlen(text) };
	const struct text none = { .absent = "none" };

	config_parse(config, &file, &none, say_nothing);
	if (config->finish == FINISH_AUTO) /* which machine it is, the image sees */
		config->finish = FINISH_FIRMWARE;
}

/* Returns true if the file's line would end within the value: kernel/config.c, cut_comment. */
static bool has_comment(const char *value)
{
	for (const char *at = strchr(value, '#'); at; at = strchr(at + 1, '#'))
		if (at == value || strchr(" \t\n\v\f\r", at[-1]))
			return true;
	return false;
}

/*
 * Check one word. On error, err has the image's words, without the line number, since there is no
 * line.
 */
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
	if (!bad) {
		config_of_text(&config, text); /* the whole text, as the image will read it */
		if (!config.errors)
			return text;
		give_reason(err, "%s", config.error[0]);
	}
	free(text);
	return NULL;
}

/* Returns true if boot_config_text made a file of that content; its first `n` bytes show it. */
static bool boot_config_is_ours(const char *text, size_t n)
{
	return n >= sizeof(MARK) - 1 && !memcmp(text, MARK, sizeof(MARK) - 1);
}

struct boot_course boot_config_course(const char *text)
{
	static struct config config;

	config_of_text(&config, text);
	/* These countdowns come before a reset or a power-off: kernel/finish.c. */
	uint64_t held =
		config.screen_seconds > config.countdown ? config.screen_seconds : config.countdown;
	uint64_t runs = config.options.runs, each = config.countdown ? held : 0;
	uint64_t resets = config.rooms == ROOMS_FIRMWARE ? runs - 1 : runs;
	uint64_t all = runs * config.prompt + resets * each;
	if (config.finish == FINISH_FIRMWARE ||
		(config.finish == FINISH_SETUP && each < WAIT_SECONDS))
		each = WAIT_SECONDS; /* a machine without a setup does as for `firmware` */
	all += config.finish == FINISH_HALT ? 0 : each;
	return (struct boot_course){ .rooms = (unsigned)runs * config_rooms(&config),
		.room_seconds = expected_seconds(&config.options),
		.countdowns = (unsigned)all,
		.finish = (enum finish)config.finish };
}

#define TRIED        "anechoic.tmp" /* efi/files.c, files_try */
#define RESULTS_ROOM (4 << 20)      /* of a boot: profile full has about 1 MiB a room */

/* Files that the image may add beside them: kernel/journal.h, efi/files.c. */
static const char *const notes[] = { "anechoic.state", BOOT_RESULTS "/" TRIED };

/* Write ROOT/EFI/anechoic/NAME; the folder itself with "". */
static const char *in_folder(char path[PATH_MAX], const char *root, const char *name)
{
	snprintf(path, PATH_MAX, "%s/" BOOT_FOLDER "%s%s", root, *name ? "/" : "", name);
	return path;
}

/*
 * Check that the folder is ours. If the configuration is ours, so is the folder's image. An empty
 * configuration without an image is left by a power cut, and nobody needs it.
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

/* Check that the files may be written and that they and the results fit. Writes nothing. */
static int boot_files_check(const struct boot_files *files, char *err)
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

/*
 * Write the files that are not there already: first the configuration, which marks the folder as
 * ours, then the image. Each is written under another name and renamed: it is whole or as before.
 */
static int boot_files_write(const struct boot_files *files, char *err)
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

/*
 * Remove them, the image first, and the image's notes; the folder if nothing is left in it. Results
 * stay: *results is their number. Also removes a file that was being written when the program was
 * killed.
 */
static int boot_files_remove(const char *root, size_t *results, char *err)
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
	rmdir(in_folder(path, root, BOOT_RESULTS)); /* these two stay if they are not empty */
	rmdir(in_folder(path, root, ""));
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool bad = fd < 0 || (syncfs(fd) && errno != EINVAL);
	close(fd);
	return bad ? give_reason(err, "%s: %s", root, strerror(errno)) : 0;
}

/* A program that is linked without these libraries, as anechoic-static, lacks these functions. */
#pragma weak efi_get_variable
#pragma weak efi_set_variable
#pragma weak efi_del_variable
#pragma weak efi_get_next_variable_name
#pragma weak efi_variables_supported
#pragma weak efi_generate_file_device_path_from_esp
#pragma weak efi_loadopt_create

#define ACTIVE  1 /* attribute of an entry */
#define NUMBERS 0x10000
#define SIZE    "/sys/firmware/efi/fw_platform_size"
#define KEPT                                                                                       \
	(EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS)

#define GUID_OF(a, b, c, d0, d1, d2, d3, d4, d5, d6, d7)                                           \
	EFI_GUID(0x##a, 0x##b, 0x##c, 0x##d0##d1, 0x##d2, 0x##d3, 0x##d4, 0x##d5, 0x##d6, 0x##d7)

/* EFI_GLOBAL_VARIABLE, and the vendor of the image's variables. */
static const efi_guid_t global =
	EFI_GUID(0x8be4df61, 0x93ca, 0x11d2, 0xaa0d, 0x00, 0xe0, 0x98, 0x03, 0x2b, 0x8c);
static const efi_guid_t anechoic = STORED_RESULT_GUID(GUID_OF);

int firmware_boot_usable(char *err)
{
	uint64_t bits = 64;

	if (!efi_set_variable || !efi_loadopt_create)
		return give_reason(err, "this program was built without libefivar and libefiboot");
	if (!efi_variables_supported())
		return give_reason(err,
			"this machine was not started by UEFI, or efivarfs is not "
			"mounted: use a stick (docs/boot.md)");
	if (read_number(SIZE, &bits) && bits != 64)
		return give_reason(err, "the firmware has %u bits; the image needs 64",
			(unsigned)bits);
	return 0;
}

static uint8_t *variable_get(const char *name, size_t *n)
{
	uint32_t attributes;
	uint8_t *data;

	return efi_get_variable(global, name, &data, n, &attributes) ? NULL : data;
}

bool firmware_boot_is_secure(void)
{
	size_t n;
	uint8_t *data = variable_get("SecureBoot", &n);
	bool secure = data && n == 1 && *data == 1;

	free(data);
	return secure;
}

static void entry_name(char name[16], unsigned number)
{
	snprintf(name, 16, "Boot%04X", number);
}

/* Call found() for each Boot#### until it returns true. libefivar keeps its place in the list. */
static void each_entry(bool (*found)(void *, uint16_t, const uint8_t *, size_t), void *to)
{
	efi_guid_t *guid = NULL;
	char *name = NULL, *end;
	bool done = false;

	while (efi_get_next_variable_name(&guid, &name) > 0) {
		unsigned long number =
			strncmp(name, "Boot", 4) ? NUMBERS : strtoul(name + 4, &end, 16);
		size_t n;

		if (done || number >= NUMBERS || strlen(name) != 8 || *end ||
			memcmp(guid, &global, sizeof(*guid)))
			continue;
		uint8_t *data = variable_get(name, &n);
		done = data && found(to, (uint16_t)number, data, n);
		free(data);
	}
}

/* Compare description and file: somebody's own entry "anechoic" stays. */
static bool is_ours(const uint8_t *data, size_t n)
{
	const size_t letters = sizeof(BOOT_LOADER) - 1;
	uint8_t wide[2 * (sizeof(BOOT_LOADER) - 1)] = { 0 };

	for (size_t i = 0; i < letters; i++)
		wide[2 * i] = (uint8_t)BOOT_LOADER[i];
	return boot_option_is_called(data, n, BOOT_ENTRY) && memmem(data, n, wide, sizeof(wide));
}

static bool take_ours(void *to, uint16_t number, const uint8_t *data, size_t n)
{
	struct boot_entry *entry = to;

	if (!is_ours(data, n))
		return false;
	entry->there = true;
	entry->number = number;
	return true;
}

static bool is_taken(unsigned number)
{
	char name[16];
	size_t n;

	entry_name(name, number);
	uint8_t *data = variable_get(name, &n);
	free(data);
	return data;
}

/* Place of an entry in the boot order, from 1; 0: it is not in it. */
static unsigned place_of(unsigned number)
{
	unsigned place = 0, before = 0;
	size_t n = 0;
	uint8_t *order = variable_get("BootOrder", &n);

	for (size_t i = 0; order && i + 2 <= n && !place; i += 2) {
		unsigned one = order[i] | (unsigned)order[i + 1] << 8;
		place = one == number ? before + 1 : 0;
		before += is_taken(one);
	}
	free(order);
	return place;
}

static int make_option(const struct partition *p, struct boot_entry *entry, char *err)
{
	uint8_t path[512];
	ssize_t n = efi_generate_file_device_path_from_esp(path, sizeof(path), p->disk, p->number,
		BOOT_LOADER, EFIBOOT_ABBREV_HD);

	if (n < 0)
		return give_reason(err, "no boot entry can be made for partition %d of %s: %s",
			p->number, p->disk, strerror(errno));
	n = efi_loadopt_create(entry->data, sizeof(entry->data), ACTIVE, (efidp)(void *)path, n,
		(unsigned char *)BOOT_ENTRY, NULL, 0);
	if (n < 0)
		return give_reason(err, "no boot entry can be made: %s", strerror(errno));
	entry->n = (size_t)n;
	return 0;
}

/*
 * Make the entry for the image on that partition, and look for an earlier one; refuse if that is
 * the first of the boot order. Writes nothing.
 */
static int boot_entry_plan(const struct partition *p, struct boot_entry *entry, char *err)
{
	unsigned number = 0;

	*entry = (struct boot_entry){ 0 };
	if (make_option(p, entry, err))
		return -1;
	each_entry(take_ours, entry);
	if (entry->there) {
		entry->place = place_of(entry->number);
		return entry->place != 1 ? 0
					 : give_reason(err,
						   "Boot%04X is first in the boot order: every "
						   "start would be one of the image; take it back "
						   "with `anechoic boot --undo`, then again",
						   entry->number);
	}
	/*
	 * The order may name an entry that does not exist; a new one of that number would be
	 * started each time.
	 */
	while (number < NUMBERS && (place_of(number) || is_taken(number)))
		number++;
	if (number == NUMBERS || errno != ENOENT)
		return give_reason(err, "no number for a boot entry is found: %s", strerror(errno));
	entry->number = (uint16_t)number;
	return 0;
}

/* The number in BootNext; -1: it is not set. */
static int next_number(void)
{
	size_t n;
	uint8_t *data = variable_get("BootNext", &n);
	int number = data && n == 2 ? data[0] | data[1] << 8 : -1;

	free(data);
	return number;
}

/* Refuse if another program has set BootNext. Writes nothing. */
static int boot_next_check(const struct boot_entry *entry, char *err)
{
	int number = next_number();

	if (number < 0 || (entry->there && number == entry->number))
		return 0;
	return give_reason(err,
		"BootNext is %04X already: another program has plans for the next "
		"start",
		(unsigned)number);
}

static int variable_set(const char *name, const void *data, size_t n, char *err)
{
	if (efi_set_variable(global, name, (uint8_t *)data, n, KEPT, 0644))
		return give_reason(err, "the firmware does not store %s: %s", name,
			strerror(errno));
	return 0;
}

static int boot_entry_write(const struct boot_entry *entry, char *err)
{
	char name[16];
	size_t n;

	entry_name(name, entry->number);
	uint8_t *data = variable_get(name, &n);
	bool same = data && n == entry->n && !memcmp(data, entry->data, n);
	free(data);
	return same ? 0 : variable_set(name, entry->data, entry->n, err);
}

/* Set BootNext to the entry, unless it is set already. */
static int boot_next_write(const struct boot_entry *entry, char *err)
{
	const uint8_t number[2] = { (uint8_t)entry->number, (uint8_t)(entry->number >> 8) };

	return next_number() == entry->number ? 0 : variable_set("BootNext", number, 2, err);
}

static int delete (efi_guid_t guid, const char *name, char *err)
{
	if (efi_del_variable(guid, name))
		return give_reason(err, "the firmware does not delete %s: %s", name,
			strerror(errno));
	return 0;
}

static int remove_entry(struct boot_removed *removed, char *err)
{
	struct boot_entry entry = { 0 };
	char name[16];

	each_entry(take_ours, &entry);
	if (!entry.there)
		return 0;
	if (next_number() == entry.number) {
		if (delete (global, "BootNext", err))
			return -1;
		removed->next = true;
	}
	entry_name(name, entry.number);
	removed->entry = true;
	return delete (global, name, err);
}

/*
 * Delete all variables of ours but a result. List them first: deleting one while they are listed
 * would lose the place.
 */
static int remove_notes(struct boot_removed *removed, char *err)
{
	char names[32][32], *name = NULL;
	efi_guid_t *guid = NULL;
	unsigned n = 0;

	while (efi_get_next_variable_name(&guid, &name) > 0) {
		if (memcmp(guid, &anechoic, sizeof(anechoic)))
			continue;
		bool result = !strncmp(name, STORED_RESULT_NAME, strlen(STORED_RESULT_NAME));
		removed->result |= result;
		if (!result && n < 32 && strlen(name) < 32)
			strcpy(names[n++], name);
	}
	for (unsigned i = 0; i < n && !removed->result; i++, removed->notes++)
		if (delete (anechoic, names[i], err))
			return -1;
	return 0;
}

/* Remove BootNext if it is ours, then our entry, then the image's notes, but no result. */
static int firmware_boot_remove(struct boot_removed *removed, char *err)
{
	*removed = (struct boot_removed){ 0 };
	return remove_entry(removed, err) || remove_notes(removed, err) ? -1 : 0;
}

int send_plan(struct send *send, const struct esp *esp, char *err)
{
	send->esp = esp;
	send->files.root = esp->root;
	if (boot_files_check(&send->files, err) || boot_entry_plan(&esp->part, &send->entry, err))
		return -1;
	return boot_next_check(&send->entry, err);
}

void send_say(const struct send *send, FILE *out)
{
	static const char *const then[] = {
		[FINISH_FIRMWARE] = "then Linux starts",
		[FINISH_POWEROFF] = "then it is off",
		[FINISH_RESET] = "then Linux starts",
		[FINISH_SETUP] = "then the firmware's setup waits",
		[FINISH_HALT] = "then it halts",
	};
	const struct boot_entry *entry = &send->entry;
	struct boot_course course = boot_config_course(send->files.config);
	char order[48] = "in no boot order";

	if (entry->place) /* some firmware adds every entry that it finds */
		snprintf(order, sizeof(order), "place %u of the boot order", entry->place);
	fprintf(out,
		"The next start of this machine measures it without Linux, %s.\n"
		"  files    %s: \\EFI\\anechoic\\, %zu KiB\n"
		"  entry    Boot%04X \"" BOOT_ENTRY "\", %s; BootNext, for one start\n"
		"  then     %u room%s of about %.0f s; up to %u s of countdowns; firmware's time\n"
		"  results  \\EFI\\anechoic\\results\\ there: `sudo anechoic fetch` brings them\n",
		then[course.finish], send->esp->shown, (send->files.image_bytes + 1023) >> 10,
		entry->number, order, course.rooms, text_plural(course.rooms), course.room_seconds,
		course.countdowns);
}

int send_do(const struct send *send, char *err)
{
	if (boot_files_write(&send->files, err) || boot_entry_write(&send->entry, err))
		return -1;
	return boot_next_write(&send->entry, err);
}

int send_undo(const struct esp *esp, struct send_undone *undone, char *err)
{
	*undone = (struct send_undone){ 0 };
	if (firmware_boot_remove(&undone->removed, err))
		return -1;
	return boot_files_remove(esp->root, &undone->results, err);
}

/* Offsets in the table (Microsoft, "Serial Port Console Redirection Table"). */
enum { SPACE = 40, ADDRESS = 44, SPCR_BYTES = 59 };

static void say_port(FILE *out, const unsigned char *spcr, size_t n)
{
	uint64_t address = 0;

	if (n < SPCR_BYTES) {
		fputs("No SPCR table: the image writes to COM1, I/O port 3F8h, 115200 8N1.\n", out);
		return;
	}
	memcpy(&address, spcr + ADDRESS, sizeof(address));
	fprintf(out, "The image writes to the port of the SPCR table: %s %llXh.\n",
		spcr[SPACE] == 1 ? "I/O port" : "memory at", (unsigned long long)address);
}

void serial_watch_text(FILE *out, const unsigned char *spcr, size_t n, const char *command_line)
{
	bool said = false;

	say_port(out, spcr, n);
	for (const char *at = command_line; (at = strstr(at, "console=ttyS")); said = true) {
		at += strlen("console=");
		fprintf(out, "Linux's console: %.*s.\n", (int)(strcspn(at, " \n") % 60), at);
	}
	if (!said)
		fputs("Linux has no console on a serial line (console=ttyS...).\n", out);
	fputs("Through a BMC: ipmitool -I lanplus -H BMC -U USER sol activate | tee serial.log\n"
	      "Then: anechoic import --serial serial.log\n",
		out);
}
