/* SPDX-License-Identifier: MIT */
/* The firmware's console and its delay, before ExitBootServices. */
#include "efi/loader.h"

static void print(const char *text, size_t n)
{
	CHAR16 buffer[128];
	UINTN used = 0;

	if (!fw.system->ConOut)
		return;
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\n')
			buffer[used++] = '\r';
		buffer[used++] = (unsigned char)text[i];
		if (used >= 125 || i + 1 == n) {
			buffer[used] = 0;
			fw.system->ConOut->OutputString(fw.system->ConOut, buffer);
			used = 0;
		}
	}
}

static bool key(void)
{
	EFI_INPUT_KEY stroke;
	bool any = false;

	if (!fw.system->ConIn)
		return false;
	while (!EFI_ERROR(fw.system->ConIn->ReadKeyStroke(fw.system->ConIn, &stroke)))
		any = true;
	return any;
}

static void stall(unsigned microseconds)
{
	fw.boot->Stall(microseconds);
}

void console_open(struct machine *m)
{
	m->print = print;
	m->key = key;
	m->stall = stall;
	key();                 /* drops what was typed before the start */
	if (fw.system->ConOut) /* the firmware's logo would show through our text */
		fw.system->ConOut->ClearScreen(fw.system->ConOut);
}
