/* SPDX-License-Identifier: MIT */
/* The firmware's console and its delay, before ExitBootServices. */
#include "efi/loader.h"

static void print(const char *text, size_t n)
{
	CHAR16 buffer[128];
	UINTN used = 0;

	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\n')
			buffer[used++] = '\r';
		buffer[used++] = (unsigned char)text[i];
		if (used >= 125 || i + 1 == n) {
			buffer[used] = 0;
			print_wide(buffer);
			used = 0;
		}
	}
}

#define NO_MORE_KEYS 64 /* of a keyboard that never runs out of them */

static unsigned key_of(EFI_INPUT_KEY stroke)
{
	if (stroke.ScanCode == SCAN_ESC)
		return 27;
	return stroke.UnicodeChar > 0 && stroke.UnicodeChar < 127 ? stroke.UnicodeChar : 255;
}

static unsigned key(void)
{
	EFI_INPUT_KEY stroke;
	unsigned last = 0;

	for (int i = 0; fw.system->ConIn && i < NO_MORE_KEYS; i++) {
		if (EFI_ERROR(fw.system->ConIn->ReadKeyStroke(fw.system->ConIn, &stroke)))
			break;
		last = key_of(stroke);
	}
	return last;
}

static void stall(unsigned microseconds)
{
	fw.boot->Stall(microseconds);
}

void console_open(struct machine *m)
{
	m->has_console = fw.system->ConOut != NULL;
	m->print = print;
	m->key = key;
	m->has_keys = fw.system->ConIn != NULL;
	m->stall = stall;
	key();              /* drops what was typed before the start */
	if (m->has_console) /* the firmware's logo would show through our text */
		fw.system->ConOut->ClearScreen(fw.system->ConOut);
}
