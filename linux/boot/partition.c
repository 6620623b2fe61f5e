/* SPDX-License-Identifier: MIT */
#include "linux/boot/partition.h"

#include <blkid/blkid.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "linux/boot/reason.h"
#include "linux/sysfs.h"

#define ESP_GUID "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"
#define ESP_MBR  "0xef"

/* The node of a device by its name in sysfs, which has ! for each / of the node's. */
static void node_of(char out[80], const char *name, size_t n)
{
	snprintf(out, 80, "/dev/%.*s", (int)n, name);
	for (char *at = out; *at; at++)
		if (*at == '!')
			*at = '/';
}

/* The last two names of ".../block/sda/sda1". */
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

/* What cannot be read, without root for instance, stays unknown. */
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

int partition_read(dev_t device, struct partition *out, char *err)
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

bool partition_is_esp(const struct partition *p)
{
	return !strcasecmp(p->type, ESP_GUID) || !strcmp(p->type, ESP_MBR);
}
