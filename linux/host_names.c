/* SPDX-License-Identifier: MIT */
#include "linux/host_names.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "linux/sysfs.h"

#define PATH_BYTES 512

/* The address of a network card; false: it is no device, or has no address of Ethernet's. */
static bool card_address(const char *root, const char *name, char out[HOST_MAC])
{
	char path[PATH_BYTES], line[64];
	snprintf(path, sizeof(path), "%s/sys/class/net/%s/device", root, name);
	if (access(path, F_OK))
		return false;
	snprintf(path, sizeof(path), "%s/sys/class/net/%s/address", root, name);
	if (!read_line(path, line, sizeof(line)) || strlen(line) != HOST_MAC - 1)
		return false;
	for (size_t i = 0; i < HOST_MAC; i++)
		out[i] = line[i] == ':' ? '-' : line[i];
	return true;
}

static void first_card(const char *root, char out[HOST_MAC])
{
	char path[PATH_BYTES], first[256] = "", address[HOST_MAC];
	snprintf(path, sizeof(path), "%s/sys/class/net", root);
	DIR *dir = opendir(path);
	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (*first && strcmp(entry->d_name, first) > 0)
			continue;
		if (entry->d_name[0] == '.' || !card_address(root, entry->d_name, address))
			continue;
		snprintf(first, sizeof(first), "%s", entry->d_name);
		memcpy(out, address, HOST_MAC);
	}
	closedir(dir);
}

static void read_dmi(const char *root, const char *file, char *out, size_t bytes)
{
	char path[PATH_BYTES];
	snprintf(path, sizeof(path), "%s/sys/class/dmi/id/%s", root, file);
	if (!read_line(path, out, bytes))
		*out = 0;
}

struct host_identity host_names_read(const char *root)
{
	struct host_identity h = { "", "", "" };
	read_dmi(root, "product_uuid", h.uuid, sizeof(h.uuid));
	read_dmi(root, "product_serial", h.serial, sizeof(h.serial));
	first_card(root, h.mac);
	return h;
}
