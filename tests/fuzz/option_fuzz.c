/* SPDX-License-Identifier: MIT */
/*
 * Boot options and device paths, which any program may have written. The input: two bytes with the
 * length of an option, the option, and the path of a device. Both end where their memory ends.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/boot_option.h"
#include "tests/fuzz/fuzz.h"

#define DESCRIPTION "a result waits"
#define PATH_MOST   4096 /* as in efi/variables.c */

static const uint8_t file[] = { 4, 4, 8, 0, 'x', 0, 0, 0 }; /* media, file path */

static uint8_t *copy(const uint8_t *data, size_t n)
{
	uint8_t *p = malloc(n ? n : 1);

	if (p && n)
		memcpy(p, data, n);
	return p;
}

/* An option that is made for a device starts from it, and has its name. */
static void make(const uint8_t *device, size_t n)
{
	static uint8_t option[PATH_MOST + 64];
	size_t bytes =
		boot_option_make(option, sizeof option, DESCRIPTION, device, n, file, sizeof file);

	if (!bytes || bytes > sizeof option || !boot_option_starts(option, bytes, device, n) ||
		!boot_option_is_called(option, bytes, DESCRIPTION))
		abort();
	if (boot_option_make(option, bytes - 1, DESCRIPTION, device, n, file, sizeof file))
		abort(); /* no room */
}

/* Load options, which may be an option with words at its end: no more words than bytes. */
static void read_words(const uint8_t *option, size_t n)
{
	size_t left = n, used;
	const uint8_t *words = boot_option_data(option, &left);
	uint8_t *out = malloc(left + 1);

	if (words + left != option + n)
		abort();
	if (!load_options_text(words, left, out, &used) && used > left)
		abort();
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n < 2)
		return 0;
	char folder[64];
	size_t bytes = data[0] | (size_t)data[1] << 8, rest = n - 2;

	bytes = bytes < rest ? bytes : rest;
	rest -= bytes;
	rest = rest < PATH_MOST ? rest : PATH_MOST;
	uint8_t *option = copy(data + 2, bytes), *device = copy(data + 2 + bytes, rest);
	size_t path = device_path_bytes(device, rest);

	if (path > rest)
		abort();
	boot_option_starts(option, bytes, device, path);
	device_path_is_cd(device, rest);
	device_path_folder(device, rest, folder, sizeof folder);
	boot_option_is_called(option, bytes, DESCRIPTION);
	read_words(option, bytes);
	if (path)
		make(device, path);
	free(option);
	free(device);
	return 0;
}
