/* SPDX-License-Identifier: MIT */
#include "linux/boot/boot_image.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux/boot/reason.h"
#include "linux/boot/whole_file.h"

extern char **environ;

/* Microsoft, "PE Format": offsets from the signature "PE\0\0". */
enum { HEADER_AT = 0x3c, MACHINE = 4, MAGIC = 24, SUBSYSTEM = 92, DIRECTORIES = 136 };
enum { AMD64 = 0x8664, PE32_PLUS = 0x20b, EFI_APPLICATION = 10, CERTIFICATES = 4 };

static uint32_t number(const unsigned char *at, size_t bytes)
{
	uint32_t value = 0;

	for (size_t i = bytes; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

bool boot_image_is_one(const void *data, size_t n, bool *is_signed)
{
	const unsigned char *at = data;
	const size_t header = DIRECTORIES + 8 * (CERTIFICATES + 1);

	*is_signed = false;
	if (n < HEADER_AT + 4 || memcmp(at, "MZ", 2))
		return false;
	uint32_t pe = number(at + HEADER_AT, 4);
	if (pe > n || n - pe < header || memcmp(at + pe, "PE\0", 4))
		return false;
	at += pe;
	*is_signed = number(at + DIRECTORIES + 8 * CERTIFICATES + 4, 4) != 0;
	return number(at + MACHINE, 2) == AMD64 && number(at + MAGIC, 2) == PE32_PLUS &&
		number(at + SUBSYSTEM, 2) == EFI_APPLICATION;
}

/* Where the build and where `make install` leave it. */
static bool find(char path[PATH_MAX], char *err)
{
	static const char *const places[] = { "BOOTX64.EFI", "../lib/anechoic/BOOTX64.EFI" };
	char program[PATH_MAX] = "";

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		strcpy(program, "./anechoic");
	const char *folder = dirname(program);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!access(path_of(path, folder, places[i]), R_OK))
			return true;
	}
	give_reason(err, "no BOOTX64.EFI in %s or %s/../lib/anechoic: give --image FILE", folder,
		folder);
	return false;
}

static int sign(const char *path, const char *key, const char *cert, const char *out, char *err)
{
	char *argv[] = { "sbsign", "--key", (char *)key, "--cert", (char *)cert, "--output",
		(char *)out, (char *)path, NULL };
	posix_spawn_file_actions_t actions;
	int status;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	int error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		return give_reason(err, "sbsign cannot be started: %s (Debian: sbsigntool)",
			strerror(error));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status ? give_reason(err, "sbsign did not sign %s", path) : 0;
}

/* The signed image lies in a file only until it is read. */
static char *read_signed(const char *path, const char *key, const char *cert, size_t *n, char *err)
{
	char out[] = "/tmp/anechoic-XXXXXX";
	int fd = mkstemp(out);
	char *data = NULL;

	if (fd < 0) {
		give_reason(err, "%s: %s", out, strerror(errno));
		return NULL;
	}
	close(fd);
	if (!sign(path, key, cert, out, err) && !(data = file_bytes(out, n)))
		give_reason(err, "%s: %s", out, strerror(errno));
	unlink(out);
	return data;
}

int boot_image_read(struct boot_image *image, const char *given, const char *key, const char *cert,
	char *err)
{
	char path[PATH_MAX];

	*image = (struct boot_image){ 0 };
	if (!given && !find(path, err))
		return -1;
	given = given ? given : path;
	if (key) {
		image->data = read_signed(given, key, cert, &image->n, err);
		if (!image->data)
			return -1;
	} else if (!(image->data = file_bytes(given, &image->n))) {
		return give_reason(err, "%s: %s", given, strerror(errno));
	}
	if (boot_image_is_one(image->data, image->n, &image->is_signed))
		return 0;
	free(image->data);
	image->data = NULL;
	return give_reason(err, "%s is no EFI application for x86-64", given);
}
