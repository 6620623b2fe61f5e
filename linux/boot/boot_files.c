/* SPDX-License-Identifier: MIT */
#include "linux/boot/boot_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "linux/boot/boot_config.h"
#include "linux/boot/reason.h"
#include "linux/boot/whole_file.h"

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
