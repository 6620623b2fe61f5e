/* SPDX-License-Identifier: MIT */
/* `anechoic boot` and its undoing: what they write, what they refuse, and killed anywhere. */
#include "tests/unit/boot_world.h"
#include "tests/unit/test.h"

#include <efivar/efiboot.h>
#include <sys/statvfs.h>

#include "lib/boot_option.h"
#include "linux/boot/whole_file.h"
#include "linux/boot/send.h"

#define OURS  "52b20cc6-8b4e-4a3f-9d1e-6f0c5b7a21e4"
#define ENTRY "Boot0001-" GLOBAL
#define NEXT  "BootNext-" GLOBAL
#define HOME  "esp/EFI/anechoic"

static char image[300000], err[REASON_BYTES];
static struct esp esp;
static struct send plan;
static struct send_undone undone;
static unsigned long free_blocks;

/* Stands for libefiboot's function and reads no disk. */
ssize_t efi_generate_file_device_path_from_esp(uint8_t *out, ssize_t bytes, const char *disk,
	int partition, const char *file, uint32_t options, ...)
{
	uint8_t *at = out;

	assert_string_equal(disk, "/dev/sdq");
	assert_int_equal(options, EFIBOOT_ABBREV_HD);
	*at++ = 4, *at++ = 1, *at++ = 42, *at++ = 0, *at++ = (uint8_t)partition;
	memset(at, 0x11, 37);
	at += 37;
	*at++ = 4, *at++ = 4, *at++ = (uint8_t)(4 + 2 * strlen(file) + 2), *at++ = 0;
	for (size_t i = 0; i <= strlen(file); i++)
		*at++ = (uint8_t)file[i], *at++ = 0;
	*at++ = 0x7f, *at++ = 0xff, *at++ = 4, *at++ = 0;
	assert_true(at - out <= bytes);
	return at - out;
}

int statvfs(const char *path, struct statvfs *out)
{
	*out = (struct statvfs){ .f_frsize = 1024, .f_bavail = free_blocks };
	return 0;
}

BEFORE_EACH(renew)
{
	world_renew();
	free_blocks = 100000;
	esp = (struct esp){ .mount = -1, .part = { .disk = "/dev/sdq", .number = 2 } };
	strcpy(esp.root, esp_root);
	memset(image, 'i', sizeof image);
	free((char *)plan.files.config);
	plan = (struct send){ 0 };
	plan.files.image = image;
	plan.files.image_bytes = sizeof image;
	plan.files.config = boot_config_text((char *[]){ "profile=smoke" }, 1, err);
	assert_non_null(plan.files.config);
}

static void send_or_die(void)
{
	if (send_plan(&plan, &esp, err) || send_do(&plan, err))
		_exit(1);
}

static void undo_or_die(void)
{
	if (send_undo(&esp, &undone, err))
		_exit(1);
}

static bool is_there(const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	return !stat(path_of(path, folder, name), &st) && st.st_size;
}

static bool files_are_whole(void)
{
	char path[PATH_MAX];

	path_of(path, world, HOME "/BOOTX64.EFI");
	if (!file_is(path, image, sizeof image))
		return false;
	path_of(path, world, HOME "/anechoic.cfg");
	return file_is(path, plan.files.config, strlen(plan.files.config));
}

/*
 * Assert that the files of a boot option are complete: a later step exists only with the one
 * before.
 */
static void assert_consistent(void)
{
	if (is_there(efivars, NEXT))
		assert_true(is_there(efivars, ENTRY));
	if (is_there(efivars, ENTRY))
		assert_true(files_are_whole());
}

static void assert_same(char *before)
{
	char *after = world_listed();

	assert_string_equal(before, after);
	free(after);
	free(before);
}

TEST(sent_and_undone)
{
	char *before = world_listed(), path[PATH_MAX];
	size_t n;

	send_or_die();
	assert_true(files_are_whole());
	char *next = file_bytes(path_of(path, efivars, NEXT), &n);
	assert_int_equal(n, 6);
	assert_memory_equal(next, "\7\0\0\0\1\0", 6);
	free(next);
	char *entry = file_bytes(path_of(path, efivars, ENTRY), &n);
	assert_true(boot_option_is_called(entry + 4, n - 4, "anechoic boot"));
	free(entry);
	char *once = world_listed();
	send_or_die();
	assert_same(once);
	undo_or_die();
	assert_true(undone.removed.next && undone.removed.entry && !undone.results);
	undo_or_die();
	assert_false(undone.removed.next || undone.removed.entry);
	assert_same(before);
}

TEST(killed_while_sending)
{
	char *before = world_listed();
	unsigned n = 1;

	while (killed_before(n++, send_or_die)) {
		assert_consistent();
		if (n % 2) /* again, or taken back at once */
			send_or_die();
		undo_or_die();
		char *after = world_listed();
		assert_string_equal(before, after);
		free(after);
		renew();
	}
	assert_true(n > 10); /* changes; else the child was not watched */
	assert_false(renamed_unflushed || went_on_unflushed);
	assert_true(is_there(efivars, NEXT));
	free(before);
}

TEST(killed_while_undoing)
{
	char *before = world_listed();
	unsigned n = 1;

	for (;; n++) {
		renew();
		send_or_die();
		bool killed = killed_before(n, undo_or_die);
		assert_consistent();
		if (!killed)
			break;
		undo_or_die();
		char *after = world_listed();
		assert_string_equal(before, after);
		free(after);
	}
	assert_true(n > 5);
	assert_same(before);
}

/* Refused for this reason, and nothing written. */
static void assert_refused(const char *why)
{
	char *before = world_listed();

	assert_int_equal(send_plan(&plan, &esp, err), -1);
	if (!strstr(err, why))
		fail_msg("expected '%s' in: %s", why, err);
	assert_same(before);
}

TEST(refused)
{
	char path[PATH_MAX];

	free_blocks = 4096 + 292; /* an image of 293 KiB */
	assert_refused("too little room: 4388 KiB are free, 4388 KiB are needed");
	free_blocks = 100000;
	put_variable(NEXT, "\0\0", 2);
	assert_refused("BootNext is 0000 already");
	unlink(path_of(path, efivars, NEXT));
	mkdir(path_of(path, world, HOME), 0700);
	put_file(path, "BOOTX64.EFI", "theirs", 6);
	assert_refused("BOOTX64.EFI is there, and not from this command");
	assert_int_equal(send_undo(&esp, &undone, err), -1);
	put_file(path, "anechoic.cfg", "profile = full\n", 15);
	assert_refused("anechoic.cfg is there, and not from this command");
	put_file(path, "anechoic.cfg", "", 0);
	assert_refused("anechoic.cfg is there, and not from this command");
}

/* A power cut may leave an entry of a file that was being written, and nothing in it. */
TEST(empty_configuration)
{
	char *before = world_listed(), path[PATH_MAX];

	mkdir(path_of(path, world, HOME), 0700);
	put_file(path, "anechoic.cfg", "", 0);
	undo_or_die();
	assert_false(is_there(esp_root, "EFI/anechoic"));
	assert_same(before);
}

/* Reasons name the partition: its mount point exists for this command alone. */
TEST(reasons_name_the_partition)
{
	struct esp own = { .mount = 5, .root = "/proc/self/fd/5", .part = { .node = "/dev/sdq2" } };

	strcpy(err, "/proc/self/fd/5/EFI/x is there: No");
	esp_reason(&own, err);
	assert_string_equal(err, "/dev/sdq2:/EFI/x is there: No");
	esp_reason(&own, err);
	assert_string_equal(err, "/dev/sdq2:/EFI/x is there: No");
	strcpy(err, "/boot/EFI/x");
	strcpy(esp.root, "/boot");
	esp_reason(&esp, err);
	assert_string_equal(err, "/boot/EFI/x");
}

/* Neither is ours: called otherwise, or for another file; and BootNext by another program. */
TEST(of_others)
{
	char path[PATH_MAX], *option, *last;
	size_t n;

	send_or_die();
	option = file_bytes(path_of(path, efivars, ENTRY), &n);
	undo_or_die();
	option[4 + 6] = 'b'; /* "bnechoic boot" */
	put_variable("Boot0005-" GLOBAL, option + 4, n - 4);
	option[4 + 6] = 'a';
	last = option + n - 4 - 4; /* before the end of the path: "...EFI" and its NUL */
	assert_int_equal(*last, 'I');
	*last = 'J';
	put_variable("Boot0006-" GLOBAL, option + 4, n - 4);
	free(option);
	char *before = world_listed();
	undo_or_die();
	assert_false(undone.removed.entry);
	send_or_die();
	assert_true(is_there(efivars, ENTRY));
	put_variable(NEXT, "\6\0", 2);
	undo_or_die();
	assert_true(undone.removed.entry && !undone.removed.next);
	assert_true(file_is(path_of(path, efivars, NEXT), "\7\0\0\0\6\0", 6));
	unlink(path);
	assert_same(before);
}

/* A number in the order without an entry would be started each time once it has one. */
TEST(not_in_the_order)
{
	char path[PATH_MAX];

	put_variable("BootOrder-" GLOBAL, "\1\0\0\0\2\0", 6);
	send_or_die();
	assert_false(is_there(efivars, ENTRY));
	assert_true(is_there(efivars, "Boot0003-" GLOBAL));
	assert_true(file_is(path_of(path, efivars, NEXT), "\7\0\0\0\3\0", 6));
	/* firmware that adds what it finds: behind the system it is said, before it refused */
	put_variable("BootOrder-" GLOBAL, "\0\0\3\0", 4);
	assert_int_equal(send_plan(&plan, &esp, err), 0);
	assert_int_equal(plan.entry.place, 2);
	put_variable("BootOrder-" GLOBAL, "\3\0\0\0", 4);
	assert_refused("Boot0003 is first in the boot order");
}

/* The image's notes are removed; its results stay until they are fetched. */
TEST(results_stay)
{
	char folder[PATH_MAX], path[PATH_MAX];

	send_or_die();
	char *before = world_listed();
	put_variable("AnechoicJournal-" OURS, "x", 1);
	put_file(path_of(folder, world, HOME), "anechoic.state", "x", 1);
	mkdir(path_of(path, folder, "results"), 0700);
	put_file(path, "anechoic.tmp", "x", 1);
	undo_or_die();
	assert_int_equal(undone.removed.notes, 1);
	assert_false(is_there(esp_root, "EFI/anechoic"));
	renew();
	send_or_die();
	assert_same(before);
	mkdir(path_of(path, world, HOME "/results"), 0700);
	put_file(path, "a.ndjson", "x", 1);
	put_variable("AnechoicResult-" OURS, "x", 1);
	put_variable("AnechoicJournal-" OURS, "x", 1);
	undo_or_die();
	assert_int_equal(undone.results, 1);
	assert_true(undone.removed.result);
	assert_true(is_there(path, "a.ndjson"));
	assert_true(is_there(efivars, "AnechoicResult-" OURS));
	assert_true(is_there(efivars, "AnechoicJournal-" OURS));
	assert_false(is_there(efivars, ENTRY) || is_there(esp_root, "EFI/anechoic/BOOTX64.EFI"));
}

static void course_is(const char *words, unsigned rooms, unsigned countdowns, enum finish finish)
{
	char *copy = strdup(words), *word[8], *text;
	size_t n = 0;

	for (char *at = strtok(copy, " "); at; at = strtok(NULL, " "))
		word[n++] = at;
	text = boot_config_text(word, n, err);
	assert_non_null(text);
	struct boot_course c = boot_config_course(text);
	if (c.rooms != rooms || c.countdowns != countdowns || c.finish != finish)
		fail_msg("'%s': %u rooms, %u s, finish %u", words, c.rooms, c.countdowns, c.finish);
	free(text);
	free(copy);
}

/* The announced course: the time without a keyboard, and the return to Linux; kernel/finish.c. */
TEST(course)
{
	course_is("", 2, 3 + 30 + 60, FINISH_FIRMWARE);
	course_is("prompt=0 countdown=0", 2, 60, FINISH_FIRMWARE);
	course_is("rooms=firmware", 1, 3 + 60, FINISH_FIRMWARE);
	course_is("finish=poweroff countdown=100 prompt=10", 2, 10 + 2 * 100, FINISH_POWEROFF);
	course_is("finish=halt rooms=bare", 1, 3 + 30, FINISH_HALT);
	course_is("finish=setup countdown=0", 2, 3 + 60, FINISH_SETUP);
	course_is("finish=setup countdown=100", 2, 3 + 2 * 100, FINISH_SETUP);
	course_is("runs=3", 6, 3 * (3 + 30) + 60, FINISH_FIRMWARE);
	course_is("runs=3 rooms=firmware", 3, 3 * 3 + 2 * 30 + 60, FINISH_FIRMWARE);
}

TEST(said)
{
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	strcpy(esp.shown, "/dev/nvme0n1p12 (not mounted)");
	free((char *)plan.files.config);
	plan.files.config = boot_config_text((char *[]){ "finish=halt", "prompt=600" }, 2, err);
	assert_int_equal(send_plan(&plan, &esp, err), 0);
	send_say(&plan, out);
	fclose(out);
	assert_non_null(strstr(text, "without Linux, then it halts.\n"));
	assert_non_null(strstr(text, "; up to 630 s of countdowns;"));
	unsigned lines = 0;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
		assert_true(strlen(line) <= 80);
	assert_int_equal(lines, 5);
	free(text);
}

BEFORE_ALL(world_open);

AFTER_ALL(delete_all)
{
	free((char *)plan.files.config);
	world_close();
}
