/* SPDX-License-Identifier: MIT */
/*
 * The home of this program on the boot volume: the folder that the image lies in, if the
 * configuration lies beside it (`anechoic boot` puts both into \EFI\anechoic\), else the root. The
 * configuration, the state and \results\ are there.
 */
#include "efi/efi_main.h"

#include <string.h>

#include "lib/boot_option.h"

#define CONFIGURATION "\\anechoic.cfg"

static char folder[HOME_FOLDER]; /* "": the root */
static EFI_FILE_HANDLE volume;   /* which it is on */

void image_folder_find(struct machine *m, EFI_FILE_HANDLE root)
{
	CHAR16 path[HOME_FOLDER + sizeof CONFIGURATION];
	char beside[HOME_FOLDER];
	EFI_FILE_HANDLE file;

	m->home_folder = folder;
	if (!root || !fw.loaded->FilePath ||
		!device_path_folder(fw.loaded->FilePath, PATH_MOST, beside, sizeof beside))
		return;
	volume = root;
	text_widen(path, sizeof path / sizeof *path, beside);
	text_widen(path + strlen(beside), sizeof CONFIGURATION, CONFIGURATION);
	if (EFI_ERROR(root->Open(root, &file, path, EFI_FILE_MODE_READ, 0)))
		return;
	file->Close(file);
	memcpy(folder, beside, sizeof beside);
}

const char *home_folder(EFI_FILE_HANDLE root)
{
	return root == volume ? folder : "";
}
