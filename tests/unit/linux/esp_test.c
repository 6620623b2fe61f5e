/* SPDX-License-Identifier: MIT */
/* The choice of the EFI system partition, by the types in its disk's table. */
#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux/boot/esp.h"
#include "linux/boot/whole_file.h"
#include "tests/unit/test.h"

#define DISK "/dev/sdq2"
#define TYPE "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"

static char dir[64], err[REASON_BYTES], mounted[160], number[] = "2\n";
static const char *type, *files; /* what libblkid tells; NULL: nothing */
static struct esp esp;

/* The system that linux/boot/esp.c asks: one disk, whose second partition is mounted at `dir`. */

FILE *setmntent(const char *path, const char *mode)
{
	assert_string_equal(path, "/proc/self/mounts");
	return fmemopen(mounted, strlen(mounted), mode);
}

ssize_t readlink(const char *path, char *out, size_t bytes)
{
	static const char link[] = "../../devices/pci/block/sdq/sdq2";

	if (strncmp(path, "/sys/dev/block/", 15))
		return errno = EINVAL, -1; /* no link */
	assert_true(bytes >= sizeof link);
	memcpy(out, link, sizeof link - 1);
	return sizeof link - 1;
}

FILE *fopen(const char *path, const char *mode)
{
	assert_non_null(strstr(path, "/partition"));
	return fmemopen(number, strlen(number), "r");
}

int stat(const char *path, struct stat *out)
{
	if (strcmp(path, DISK))
		return fstatat(AT_FDCWD, path, out, 0);
	*out = (struct stat){ .st_mode = S_IFBLK };
	return 0;
}

blkid_probe blkid_new_probe_from_filename(const char *path)
{
	assert_string_equal(path, DISK);
	return (blkid_probe)dir;
}

int blkid_probe_enable_partitions(blkid_probe p, int enable)
{
	return 0;
}

int blkid_probe_set_partitions_flags(blkid_probe p, int flags)
{
	return 0;
}

int blkid_probe_set_superblocks_flags(blkid_probe p, int flags)
{
	return 0;
}

int blkid_do_safeprobe(blkid_probe p)
{
	return 0;
}

int blkid_probe_lookup_value(blkid_probe p, const char *name, const char **value, size_t *n)
{
	*value = strcmp(name, "TYPE") ? type : files;
	return *value ? 0 : -1;
}

void blkid_free_probe(blkid_probe p)
{
}

BEFORE_EACH(mount)
{
	strcpy(dir, "/tmp/esp_test_XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(mounted, sizeof mounted, "proc /proc proc rw 0 0\n%s %s vfat rw 0 0\n", DISK, dir);
	type = TYPE;
	files = "vfat";
}

AFTER_EACH(unmount)
{
	rmdir(dir);
}

static void assert_refused(const char *given, const char *why)
{
	if (!esp_find(&esp, given, false, err))
		fail_msg("expected '%s', was taken", why);
	if (!strstr(err, why))
		fail_msg("expected '%s', came '%s'", why, err);
}

TEST(what_the_table_calls_so_is_taken)
{
	static const char *const types[] = { TYPE, "C12A7328-F81F-11D2-BA4B-00A0C93EC93B", "0xef",
		NULL /* not known without root */ };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		type = types[i];
		if (esp_find(&esp, dir, false, err))
			fail_msg("%s: expected to be taken, came '%s'", type, err);
		assert_string_equal(esp.root, dir);
		assert_string_equal(esp.part.node, DISK);
		assert_string_equal(esp.part.disk, "/dev/sdq");
		assert_int_equal(esp.part.number, 2);
	}
}

/* A FAT partition for data, of Linux, of MBR's type c; the same where its node is named. */
TEST(another_type_is_refused)
{
	static const char *const types[] = { "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7",
		"0fc63daf-8483-4772-8e79-3d69d8477de4", "0xc" };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		type = types[i];
		assert_refused(dir, DISK " is no EFI system partition");
		assert_refused(DISK, DISK " is no EFI system partition");
	}
}

TEST(a_member_of_a_raid_is_refused)
{
	files = "linux_raid_member";
	assert_refused(DISK, DISK " is a member of a RAID");
}

/* The last mount counts. */
TEST(what_is_no_fat_is_refused)
{
	size_t n = strlen(mounted);

	snprintf(mounted + n, sizeof mounted - n, "none %s tmpfs rw 0 0\n", dir);
	assert_refused(dir, "no FAT file system is mounted there");
}
