/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "linux/efivars.h"
#include "linux/report/reading/results.h"
#include "lib/pack.h"

#define PREFIX     STORED_RESULT_NAME
#define SUFFIX     "-" EFIVARS_GUID
#define ATTRIBUTES 4         /* bytes before the data */
#define MOST       (1 << 20) /* bytes; no firmware holds this much in one variable */

static int is_ours(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name), most = sizeof SUFFIX - 1;

	return !strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) && n > most &&
		!strcmp(entry->d_name + n - most, SUFFIX);
}

/* Read a variable. efivarfs wants the whole of it in one read. */
static ssize_t read_whole(const char *path, unsigned char *data)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	ssize_t n = read(fd, data, MOST);
	int saved = errno;
	close(fd);
	errno = n >= 0 && n < ATTRIBUTES ? EIO : saved;
	return n < ATTRIBUTES ? -1 : n;
}

static int read_one(struct efivars *vars, const char *dir, const char *file, unsigned char *buffer)
{
	struct efivar *v = grow((void **)&vars->all, &vars->n, sizeof *v);

	if (asprintf(&v->path, "%s/%s", dir, file) < 0)
		return -1;
	v->name = copy_text(file);
	v->name[strlen(file) - sizeof SUFFIX + 1] = 0;
	ssize_t n = read_whole(v->path, buffer);
	if (n < 0)
		return -1;
	v->n = (size_t)n - ATTRIBUTES;
	v->data = malloc(v->n + 1);
	if (!v->data)
		return -1;
	memcpy(v->data, buffer + ATTRIBUTES, v->n);
	return 0;
}

int efivars_read(struct efivars *vars, const char *dir, char **what)
{
	struct dirent **files = NULL;
	unsigned char *buffer = malloc(MOST);
	int n = scandir(dir, &files, is_ours, alphasort), bad = !buffer || n < 0;

	*vars = (struct efivars){ 0 };
	*what = bad ? copy_text(dir) : NULL;
	for (int i = 0; i < n; i++) {
		if (!bad && read_one(vars, dir, files[i]->d_name, buffer)) {
			bad = 1;
			*what = copy_text(files[i]->d_name);
		}
		free(files[i]);
	}
	free(files);
	free(buffer);
	return bad ? -1 : 0;
}

void efivars_free(struct efivars *vars)
{
	for (size_t i = 0; i < vars->n; i++) {
		free(vars->all[i].path);
		free(vars->all[i].name);
		free(vars->all[i].data);
	}
	free(vars->all);
}

/* Clear the immutable flag. File systems without such flags have nothing to clear. */
static void make_mutable(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int flags;

	if (fd < 0)
		return;
	if (!ioctl(fd, FS_IOC_GETFLAGS, &flags) && flags & FS_IMMUTABLE_FL) {
		flags &= ~FS_IMMUTABLE_FL;
		ioctl(fd, FS_IOC_SETFLAGS, &flags); /* if this fails, unlink will report it */
	}
	close(fd);
}

int efivars_delete(const struct efivars *vars, const char **what)
{
	for (size_t i = 0; i < vars->n; i++) {
		*what = vars->all[i].path;
		make_mutable(*what);
		if (unlink(*what))
			return -1;
	}
	return 0;
}

static const struct efivar *efivar_find(const struct efivars *vars, const char *name)
{
	for (size_t i = 0; i < vars->n; i++)
		if (!strcmp(vars->all[i].name, name))
			return &vars->all[i];
	return NULL;
}

static const char *read_header(const struct efivars *vars, struct stored_result *h)
{
	const struct efivar *v = efivar_find(vars, STORED_RESULT_NAME);

	if (!v)
		return vars->n ? "chunks without their header: the writing was cut"
			       : "no variable " STORED_RESULT_NAME ": nothing is pending";
	return stored_result_check(v->data, v->n, h);
}

/* A stored_result_get. */
static const char *get_chunk(void *from, const char *name, void *data, size_t *n)
{
	const struct efivar *v = efivar_find(from, name);

	if (!v)
		return "a chunk is missing";
	memcpy(data, v->data, v->n < *n ? v->n : *n);
	*n = v->n;
	return NULL;
}

char *efivars_unpack(const struct efivars *vars, size_t *n, const char **why)
{
	struct stored_result h;
	char *packed = NULL, *text = NULL;

	*why = read_header(vars, &h);
	if (!*why && !(packed = malloc((size_t)h.payload_bytes + 1)))
		*why = "there is no memory for it";
	if (!*why)
		*why = stored_result_read(&h, packed, get_chunk, (void *)vars);
	if (!*why) {
		*n = unpack_length(packed, h.payload_bytes);
		text = malloc(*n + 1);
		*why = text ? unpack(packed, h.payload_bytes, text, *n)
			    : "there is no memory for it";
	}
	free(packed);
	if (!*why)
		return text;
	free(text);
	return NULL;
}
