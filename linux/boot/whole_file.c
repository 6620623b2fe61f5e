/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux/boot/whole_file.h"
#include "linux/report/allocate.h"

int give_reason(char *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err, REASON_BYTES, format, args);
	va_end(args);
	return -1;
}

const char *path_of(char path[PATH_MAX], const char *folder, const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return path;
}

bool program_folder(char folder[PATH_MAX], const char *const *folders, size_t n, const char *name)
{
	char program[PATH_MAX] = "", path[PATH_MAX], file[PATH_MAX];

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		strcpy(program, "./anechoic");
	const char *beside = dirname(program);
	for (size_t i = 0; i < n; i++)
		if (realpath(path_of(path, beside, folders[i]), folder) &&
			!access(path_of(file, folder, name), R_OK))
			return true;
	strcpy(folder, beside);
	return false;
}

char *file_bytes(const char *path, size_t *n)
{
	FILE *in = fopen(path, "rbe");
	char *text, part[4096];
	size_t got;

	if (!in)
		return NULL;
	FILE *to = text_stream(&text, n);
	while ((got = fread(part, 1, sizeof(part), in)))
		fwrite(part, 1, got, to);
	int error = ferror(in) ? errno ? errno : EIO : 0;
	fclose(to);
	fclose(in);
	if (!error)
		return text;
	free(text);
	errno = error;
	return NULL;
}

bool file_is(const char *path, const void *data, size_t n)
{
	size_t bytes = 0;
	char *there = file_bytes(path, &bytes);
	bool same = there && bytes == n && !memcmp(there, data, n);

	free(there);
	return same;
}

static int write_all(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t wrote = write(fd, data, n);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return -1;
		data += wrote;
		n -= (size_t)wrote;
	}
	return fsync(fd);
}

/*
 * Write a file of a folder and flush it. Returns its descriptor, or -1. In a folder of others a
 * link may stand under that name, which would lead root to any file: the file is always a new one.
 */
static int write_new(int folder, const char *name, const void *data, size_t n)
{
	if (unlinkat(folder, name, 0) && errno != ENOENT)
		return -1;
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd >= 0 && write_all(fd, data, n)) {
		int saved = errno;
		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

/*
 * Rename and flush. On FAT the new name has no content until the file is flushed under it: a rename
 * writes an entry of 0 bytes and leaves the rest to the inode (Linux, fs/fat/namei_vfat.c,
 * vfat_rename).
 */
static int rename_flushed(int folder, int fd, const char *from, const char *to)
{
	if (renameat(folder, from, folder, to) || fsync(fd))
		return -1;
	return fsync(folder) && errno != EINVAL ? -1 : 0;
}

/* The folder stays open: what leads to it cannot become another one meanwhile. */
int file_replace(const char *path, const void *data, size_t n, char *err)
{
	char copy[PATH_MAX], temporary[PATH_MAX + 4];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	snprintf(copy, sizeof(copy), "%s", path);
	snprintf(temporary, sizeof(temporary), "%s.new", name);
	int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = folder < 0 ? -1 : write_new(folder, temporary, data, n);
	int bad = fd < 0 || rename_flushed(folder, fd, temporary, name), saved = errno;
	if (fd >= 0 && close(fd) && !bad) {
		bad = true;
		saved = errno;
	}
	if (bad) {
		give_reason(err, "%s: %s", path, strerror(saved));
		if (folder >= 0)
			unlinkat(folder, temporary, 0);
	}
	if (folder >= 0)
		close(folder);
	return bad ? -1 : 0;
}
