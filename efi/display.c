/* SPDX-License-Identifier: MIT */
/*
 * The firmware's consoles and displays: its text, its keys, and a framebuffer that is drawn on.
 * While we draw, the firmware's text is kept off that display: it goes to its other consoles only.
 * EDK II installs a protocol without functions on each device that its console has
 * (ConsoleOutDevice.h); if no device has it, the display stays the firmware's.
 */
#include "efi/firmware.h"

#define OUTPUTS_MOST 8

static EFI_GUID console_device = { 0xd3b36f2c, 0xd551, 0x11d4,
	{ 0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d } };
static EFI_GUID graphics = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
static EFI_GUID text_output = SIMPLE_TEXT_OUTPUT_PROTOCOL;

static struct {
	SIMPLE_TEXT_OUTPUT_INTERFACE *on_display[OUTPUTS_MOST], *elsewhere[OUTPUTS_MOST];
	UINTN displays, others;
	const struct framebuffer *screen;
	bool taken;
} outputs;

/* Returns true if the device draws into our framebuffer, or is a display that only Blt reaches. */
static bool is_ours(EFI_HANDLE device)
{
	EFI_GRAPHICS_OUTPUT_PROTOCOL *gop = protocol_of(device, &graphics);

	if (!gop || !gop->Mode)
		return false;
	return !outputs.screen->span.bytes ||
		gop->Mode->FrameBufferBase == outputs.screen->span.base;
}

static void add_writer(EFI_HANDLE device)
{
	SIMPLE_TEXT_OUTPUT_INTERFACE *text = protocol_of(device, &text_output);

	if (!text || device == fw.system->ConsoleOutHandle || outputs.displays == OUTPUTS_MOST ||
		outputs.others == OUTPUTS_MOST)
		return;
	if (is_ours(device))
		outputs.on_display[outputs.displays++] = text;
	else
		outputs.elsewhere[outputs.others++] = text;
}

static void find_outputs(void)
{
	EFI_HANDLE *devices = NULL;
	UINTN n = 0;

	outputs.displays = outputs.others = 0;
	if (EFI_ERROR(fw.boot->LocateHandleBuffer(ByProtocol, &console_device, NULL, &n, &devices)))
		return;
	for (UINTN i = 0; i < n; i++)
		add_writer(devices[i]);
	fw.boot->FreePool(devices);
}

static bool take_display(void)
{
	find_outputs();
	outputs.taken = outputs.displays || !fw.system->ConOut;
	return outputs.taken;
}

static void give_back(void)
{
	for (UINTN i = 0; outputs.taken && i < outputs.displays; i++)
		outputs.on_display[i]->ClearScreen(outputs.on_display[i]);
	outputs.taken = false;
}

void print_wide(CHAR16 *text)
{
	if (!outputs.taken)
		fw.system->ConOut->OutputString(fw.system->ConOut, text);
	for (UINTN i = 0; outputs.taken && i < outputs.others; i++)
		outputs.elsewhere[i]->OutputString(outputs.elsewhere[i], text);
}

/* The firmware's console and its delay, before ExitBootServices. */

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

#define NO_MORE_KEYS 64 /* most keys read at once: a broken keyboard may never run out of them */

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
	key();              /* drop keys typed before the start */
	if (m->has_console) /* the firmware's logo would show through our text */
		fw.system->ConOut->ClearScreen(fw.system->ConOut);
}

/* A framebuffer that can be written without the firmware. */

/* The masks of a pixel; false if pixels are not 32 bits that can be written. */
static bool masks_of(const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info, struct framebuffer *f)
{
	switch (info->PixelFormat) {
	case PixelRedGreenBlueReserved8BitPerColor:
		f->red = 0xff;
		f->green = 0xff00;
		f->blue = 0xff0000;
		return true;
	case PixelBlueGreenRedReserved8BitPerColor:
		f->red = 0xff0000;
		f->green = 0xff00;
		f->blue = 0xff;
		return true;
	case PixelBitMask:
		f->red = info->PixelInformation.RedMask;
		f->green = info->PixelInformation.GreenMask;
		f->blue = info->PixelInformation.BlueMask;
		/* Pixels are 32 bits wide if the highest bit of any mask is in the top byte. */
		return f->red && f->green && f->blue &&
			((f->red | f->green | f->blue | info->PixelInformation.ReservedMask) >> 24);
	default:
		return false;
	}
}

static bool linear(EFI_GRAPHICS_OUTPUT_PROTOCOL *gop, struct framebuffer *f)
{
	EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE *mode = gop->Mode;

	if (!mode || !mode->Info)
		return false;
	uint64_t bytes = 4ULL * mode->Info->PixelsPerScanLine * mode->Info->VerticalResolution;
	/* Some firmware leaves FrameBufferSize 0; a value that is too small is not trusted. */
	if (!mode->FrameBufferBase || !bytes ||
		(mode->FrameBufferSize && mode->FrameBufferSize < bytes) ||
		!masks_of(mode->Info, f))
		return false;
	f->span = (struct span){ mode->FrameBufferBase, bytes };
	f->width = mode->Info->HorizontalResolution;
	f->height = mode->Info->VerticalResolution;
	f->pitch = mode->Info->PixelsPerScanLine;
	f->shadow = NULL;
	f->absent = NULL;
	return true;
}

/* A display that has no framebuffer, and the pixels to show on it. */
static EFI_GRAPHICS_OUTPUT_PROTOCOL *blt_display;
static const struct framebuffer *blt_screen;

static void show(unsigned x, unsigned y, unsigned width, unsigned height)
{
	blt_display->Blt(blt_display, (EFI_GRAPHICS_OUTPUT_BLT_PIXEL *)blt_screen->shadow,
		EfiBltBufferToVideo, x, y, x, y, width, height, 4 * blt_screen->pitch);
}

/* Take the first of such displays. Pixels of Blt are blue, green, red from the lowest byte. */
static void blt_only(EFI_GRAPHICS_OUTPUT_PROTOCOL *gop, struct machine *m)
{
	const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info = gop->Mode ? gop->Mode->Info : NULL;

	m->screen.absent = "Blt only";
	if (blt_display || !info)
		return;
	m->screen.width = m->screen.pitch = info->HorizontalResolution;
	m->screen.height = info->VerticalResolution;
	m->screen.red = 0xff0000;
	m->screen.green = 0xff00;
	m->screen.blue = 0xff;
	m->screen.shadow = memory_pages(4ULL * m->screen.pitch * m->screen.height);
	blt_display = gop;
	blt_screen = &m->screen;
	m->display_show = show;
}

/* Returns false if the device has no framebuffer, or is no display; the next one may have one. */
static bool use(EFI_HANDLE handle, struct machine *m)
{
	EFI_GRAPHICS_OUTPUT_PROTOCOL *gop = protocol_of(handle, &graphics);

	if (!gop || linear(gop, &m->screen))
		return gop;
	blt_only(gop, m);
	return false;
}

/* Find a display; prefer the one of the firmware's console. */
static void screen_find(struct machine *m)
{
	EFI_HANDLE *handles = NULL;
	UINTN n = 0;

	m->screen.absent = "no display";
	if (use(fw.system->ConsoleOutHandle, m))
		return;
	if (EFI_ERROR(fw.boot->LocateHandleBuffer(ByProtocol, &graphics, NULL, &n, &handles)))
		return;
	for (UINTN i = 0; i < n && !use(handles[i], m); i++)
		;
	fw.boot->FreePool(handles);
}

void display_open(struct machine *m)
{
	screen_find(m);
	outputs.screen = &m->screen;
	m->display_take = take_display;
	m->display_give_back = give_back;
}
