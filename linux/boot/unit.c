/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "linux/boot/unit.h"
#include "linux/boot/whole_file.h"
#include "linux/report/allocate.h"
#include "linux/sysfs.h"

#define UNITS "/etc/systemd/system"
#define WANTS UNITS "/multi-user.target.wants"

bool systemd_runs(void)
{
	return access("/run/systemd/system", F_OK) == 0;
}

/* Returns true if SELinux's policies let a service execute a file with this label. */
static bool label_is_for_services(const char *label)
{
	return strstr(label, ":bin_t:") || strstr(label, "_exec_t:");
}

int path_of_root(const char *path, char *err)
{
	char part[PATH_MAX];
	struct stat st;

	for (size_t n = 1; n <= strlen(path); n++) {
		if (n > 1 && path[n] && path[n] != '/')
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)n, path);
		if (stat(part, &st))
			return give_reason(err, "%s: %s", part, strerror(errno));
		if (st.st_uid || st.st_mode & (S_IWGRP | S_IWOTH))
			return give_reason(err,
				"others than root can change %s, and root would start %s", part,
				path);
	}
	return 0;
}

/* Check that systemd can start the program after the restart, and that it is the same then. */
static int service_may_start(const char *program, char *err)
{
	uint64_t enforcing = 0;
	char label[256] = "";
	struct statfs fs;

	if (path_of_root(program, err))
		return -1;
	for (const char *c = program; *c; c++)
		if (strchr("\"'\\\x7f", *c) || (*c > 0 && *c < ' '))
			return give_reason(err,
				"systemd starts nothing with such signs in its "
				"path: %s",
				program);
	if (!statfs(program, &fs) && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC))
		return give_reason(err, "%s is in memory, and lost by the restart", program);
	if (read_number("/sys/fs/selinux/enforce", &enforcing) && enforcing &&
		getxattr(program, "security.selinux", label, sizeof(label) - 1) > 0 &&
		!label_is_for_services(label))
		return give_reason(err, "SELinux lets no service start %s (%s)", program, label);
	return 0;
}

int unit_program(char program[PATH_MAX], char *err)
{
	ssize_t n = readlink("/proc/self/exe", program, PATH_MAX - 1);

	if (!systemd_runs())
		return give_reason(err, "no systemd runs");
	if (n < 0)
		return give_reason(err, "/proc/self/exe: %s", strerror(errno));
	program[n] = 0;
	return service_may_start(program, err);
}

/* Write a path as a unit has it: in quotes, because of blanks, and no sign a specifier. */
static void write_unit_path(FILE *to, const char *path)
{
	fputc('"', to);
	for (; *path; path++)
		fprintf(to, *path == '%' ? "%%%%" : "%c", *path);
	fputc('"', to);
}

int unit_write(const struct unit *u, const char *program, char *err)
{
	char *text, path[PATH_MAX], wants[PATH_MAX], target[PATH_MAX];
	size_t n;
	FILE *to = text_stream(&text, &n);

	path_of(path, UNITS, u->name);
	path_of(wants, WANTS, u->name);
	snprintf(target, sizeof(target), "../%s", u->name);
	fprintf(to,
		"# Written by anechoic, which removes it when it is done.\n"
		"[Unit]\nDescription=%s\nAfter=multi-user.target\n\n"
		"[Service]\nType=oneshot\n%sExecStart=",
		u->description, u->waits ? "ExecStartPre=/bin/sleep 60\n" : "");
	write_unit_path(to, program);
	fprintf(to, " %s ", u->words);
	if (u->path)
		write_unit_path(to, u->path);
	if (u->once)
		fprintf(to, "\nExecStopPost=/bin/rm -f %s %s", path, wants);
	fputc('\n', to);
	fclose(to);
	int bad = file_replace(path, text, n, err);
	free(text);
	if (bad)
		return -1;
	if ((mkdir(WANTS, 0755) && errno != EEXIST) || (symlink(target, wants) && errno != EEXIST))
		return give_reason(err, "%s: %s", wants, strerror(errno));
	return 0;
}

void unit_remove(const char *name)
{
	char path[PATH_MAX];

	unlink(path_of(path, WANTS, name));
	unlink(path_of(path, UNITS, name));
}
