/* SPDX-License-Identifier: MIT */
#include <blkid/blkid.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "linux/boot/esp.h"
#include "linux/boot/whole_file.h"
#include "linux/sysfs.h"

#define ESP_GUID "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"
#define ESP_MBR  "0xef"

/* The device node of a name in sysfs, which has ! for each / of the node's name. */
static void node_of(char out[80], const char *name, size_t n)
{
	snprintf(out, 80, "/dev/%.*s", (int)n, name);
	for (char *at = out; *at; at++)
		if (*at == '!')
			*at = '/';
}

/* Take the last two names of ".../block/sda/sda1". */
static bool name_both(const char *link, struct partition *p)
{
	const char *last = strrchr(link, '/'), *before = last;

	if (!last)
		return false;
	while (before > link && before[-1] != '/')
		before--;
	node_of(p->node, last + 1, strlen(last + 1));
	node_of(p->disk, before, (size_t)(last - before));
	return true;
}

static void lookup(blkid_probe probe, const char *name, char *out, size_t bytes)
{
	const char *value;

	if (!blkid_probe_lookup_value(probe, name, &value, NULL))
		snprintf(out, bytes, "%s", value);
}

/*
 * Read the partition's types. Members that cannot be read, without root for instance, stay unknown.
 */
static void probe(struct partition *p)
{
	blkid_probe probe = blkid_new_probe_from_filename(p->node);

	if (!probe)
		return;
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_ENTRY_DETAILS);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE);
	if (!blkid_do_safeprobe(probe)) {
		lookup(probe, "PART_ENTRY_TYPE", p->type, sizeof(p->type));
		lookup(probe, "TYPE", p->files, sizeof(p->files));
	}
	blkid_free_probe(probe);
}

/* Returns 0; -1: it is no partition of a disk, and err[REASON_BYTES] says what it is instead. */
static int partition_read(dev_t device, struct partition *out, char *err)
{
	char path[64], link[PATH_MAX], file[128];
	uint64_t number;

	*out = (struct partition){ 0 };
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device), minor(device));
	ssize_t n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return give_reason(err, "it is not on a block device");
	link[n] = 0;
	snprintf(file, sizeof(file), "%s/md", path);
	if (!access(file, F_OK))
		return give_reason(err,
			"it is on a RAID: what the firmware would write to one "
			"disk of it, the others would not have");
	snprintf(file, sizeof(file), "%s/partition", path);
	if (!name_both(link, out) || !read_number(file, &number))
		return give_reason(err, "it is not on a partition of a disk");
	out->number = (int)number;
	probe(out);
	return 0;
}

/*
 * Returns true if the table marks it as an EFI system partition (UEFI 2.10, table 5.7; 0xef:
 * 5.2.2).
 */
static bool partition_is_esp(const struct partition *p)
{
	return !strcasecmp(p->type, ESP_GUID) || !strcmp(p->type, ESP_MBR);
}

#define LISTED 400 /* characters of names in a message */

static const char *const usual[] = { "/boot/efi", "/efi", "/boot" };

/* Returns true if a FAT file system is mounted there: the last mount counts. */
static bool is_fat_mount(const char *dir)
{
	FILE *mounts = setmntent("/proc/self/mounts", "r");
	bool fat = false;

	if (!mounts)
		return false;
	for (struct mntent *m; (m = getmntent(mounts));)
		if (!strcmp(m->mnt_dir, dir))
			fat = !strcmp(m->mnt_type, "vfat");
	endmntent(mounts);
	return fat;
}

static int use_mounted(struct esp *esp, const char *dir, char *err)
{
	char why[REASON_BYTES];
	struct stat st;

	if (!realpath(dir, esp->root) || stat(esp->root, &st))
		return give_reason(err, "%s: %s", dir, strerror(errno));
	snprintf(esp->shown, sizeof(esp->shown), "%s", esp->root);
	if (!is_fat_mount(esp->root))
		return give_reason(err, "%s: no FAT file system is mounted there", dir);
	if (partition_read(st.st_dev, &esp->part, why))
		return give_reason(err, "%s: %s", dir, why);
	if (*esp->part.type && !partition_is_esp(&esp->part))
		return give_reason(err, "%s: %s is no EFI system partition", dir, esp->part.node);
	return 0;
}

/*
 * Mount without attaching, so that nobody sees the mount and it is gone, however the program ends.
 */
static int mount_detached(const char *node, bool writes)
{
	int fs = fsopen("vfat", FSOPEN_CLOEXEC);

	if (fs < 0)
		return -1;
	int bad = fsconfig(fs, FSCONFIG_SET_STRING, "source", node, 0) ||
		(!writes && fsconfig(fs, FSCONFIG_SET_FLAG, "ro", NULL, 0)) ||
		fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
	int mount = bad ? -1 : fsmount(fs, FSMOUNT_CLOEXEC, writes ? 0 : MOUNT_ATTR_RDONLY);
	int saved = errno;
	close(fs);
	errno = saved;
	return mount;
}

static int use_partition(struct esp *esp, bool writes, char *err)
{
	const char *node = esp->part.node;

	if (!strcmp(esp->part.files, "linux_raid_member"))
		return give_reason(err,
			"%s is a member of a RAID: what the firmware would write "
			"there, the other members would not have",
			node);
	esp->mount = mount_detached(node, writes);
	if (esp->mount < 0)
		return give_reason(err, "%s cannot be mounted: %s", node, strerror(errno));
	snprintf(esp->root, sizeof(esp->root), "/proc/self/fd/%d", esp->mount);
	snprintf(esp->shown, sizeof(esp->shown), "%s (not mounted)", node);
	return 0;
}

static int use_node(struct esp *esp, dev_t device, bool writes, char *err)
{
	if (partition_read(device, &esp->part, err))
		return -1;
	if (*esp->part.type && !partition_is_esp(&esp->part))
		return give_reason(err, "%s is no EFI system partition", esp->part.node);
	return use_partition(esp, writes, err);
}

/* Count the partitions of that type on any disk, with the last in *out and all in the list. */
static unsigned scan(struct partition *out, char list[LISTED])
{
	DIR *all = opendir("/sys/class/block");
	char why[REASON_BYTES], path[PATH_MAX];
	struct partition p;
	unsigned found = 0;
	struct stat st;

	*list = 0;
	for (struct dirent *entry; all && (entry = readdir(all));) {
		size_t used = strlen(list);
		snprintf(path, sizeof(path), "/sys/class/block/%s/partition", entry->d_name);
		if (entry->d_name[0] == '.' || access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		if (stat(path, &st) || !S_ISBLK(st.st_mode) ||
			partition_read(st.st_rdev, &p, why) || !partition_is_esp(&p))
			continue;
		*out = p;
		snprintf(list + used, LISTED - used, "%s%s", found++ ? ", " : "", p.node);
	}
	if (all)
		closedir(all);
	return found;
}

static int search(struct esp *esp, bool writes, char *err)
{
	char list[LISTED], probe[80];

	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++) {
		snprintf(probe, sizeof(probe), "%s/EFI", usual[i]);
		if (!access(probe, F_OK) && is_fat_mount(usual[i])) /* may automount */
			return use_mounted(esp, usual[i], err);
	}
	switch (scan(&esp->part, list)) {
	case 0:
		return give_reason(err,
			"no EFI system partition: none is mounted at /boot/efi, "
			"/efi or /boot, and no disk has one that can be read%s",
			geteuid() ? " without root" : "");
	case 1:
		return use_partition(esp, writes, err);
	default:
		return give_reason(err,
			"several EFI system partitions, and none is mounted at "
			"/boot/efi, /efi or /boot; choose with --esp: %s",
			list);
	}
}

static int check_writable(const struct esp *esp, char *err)
{
	struct statvfs st;

	if (statvfs(esp->root, &st))
		return give_reason(err, "%s: %s", esp->shown, strerror(errno));
	if (st.f_flag & ST_RDONLY)
		return give_reason(err, "%s is mounted read-only", esp->shown);
	return 0;
}

int esp_find(struct esp *esp, const char *given, bool writes, char *err)
{
	struct stat st;
	int bad;

	*esp = (struct esp){ .mount = -1 };
	if (given && stat(given, &st))
		return give_reason(err, "%s: %s", given, strerror(errno));
	if (given && S_ISBLK(st.st_mode))
		bad = use_node(esp, st.st_rdev, writes, err);
	else
		bad = given ? use_mounted(esp, given, err) : search(esp, writes, err);
	if (!bad && writes)
		bad = check_writable(esp, err);
	if (bad)
		esp_close(esp);
	return bad;
}

void esp_close(struct esp *esp)
{
	if (esp->mount >= 0)
		close(esp->mount);
	esp->mount = -1;
}

void esp_reason(const struct esp *esp, char *err)
{
	char *at = esp->mount >= 0 ? strstr(err, esp->root) : NULL, rest[REASON_BYTES];

	if (!at)
		return;
	snprintf(rest, sizeof(rest), "%s", at + strlen(esp->root));
	snprintf(at, REASON_BYTES - (size_t)(at - err), "%s:%s", esp->part.node, rest);
}
